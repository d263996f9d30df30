/* Contacts and frictions are rows beside those of the constraints: of a contact its gap, then its slips;
   of dry friction its slips. With all of them

       M q'' = Q + C + A^T p,     y = A q'' - b = W p + c,     W = A M^-1 A^T,

   p the force and y the acceleration of each row, or in an impact its impulse and its velocity. A mode
   says what holds of each element: then p follows from linear equations, and inequalities tell whether
   the mode is possible. All that are in question are tried. */
enum { MODEL_OPEN = 0, MODEL_SMOOTH = 1, MODEL_STICK = 2, MODEL_SLIDE = 3 };
enum { MODEL_MOST = MODEL_ROWS + 1 }; /* one more, for compilers that look ahead */
enum { MODEL_CONSTRAINTS = /*@CONSTRAINTS@*/, MODEL_CONTACTS = /*@CONTACTS@*/ };
enum { MODEL_MASSES = /*@MASSES@*/, MODEL_ENTRIES = /*@ENTRIES@*/, MODEL_REACTIONS = /*@REACTIONS@*/ };
enum { MODEL_DISCRETES = /*@DISCRETE_COUNT@*/ };
enum {
  MODEL_X_DISCRETES = 1 + 2 * MODEL_COORDINATES,
  MODEL_X_REACTIONS = MODEL_X_DISCRETES + MODEL_DISCRETES,
  MODEL_X_SOLUTION = MODEL_X_REACTIONS + MODEL_REACTIONS,
  MODEL_X = MODEL_X_SOLUTION + 3 * MODEL_COORDINATES + MODEL_CONSTRAINTS + 2
};
static const int model_mass_places[][2] = {/*@MASS_PLACES@*/};
static const int model_entry_places[][2] = {/*@ENTRY_PLACES@*/};
static const int model_levels[] = {/*@LEVELS@*/};       /* of constraints: 0 positions, 1 velocities */
static const double model_floors[] = {/*@FLOORS@*/};    /* of scales of rows, as a part of q, or v */
static const int model_discretes[] = {/*@DISCRETE_PLACES@*/}; /* among the parameters */
static const struct {
  int gap, slip, slips; /* rows; gap -1: dry friction */
  int law, stated;      /* of impact: 0 Newton's, 1 Poisson's, 2 energetic; whether the model states it */
  int of_reactions;     /* whether reactions decide the limit of dry friction */
} model_elements[] = {/*@ELEMENTS@*/};
static const struct {
  int kind, index, by_row; /* 0 of a constraint, 1 of an element, 2 of a joint; which of these */
} model_reactions[] = {/*@REACTION_TABLE@*/};

#if MODEL_WITH_EVENTS
static const double model_epsilon = 2.220446049250313e-16;
#endif
static const double model_largest = 1.7976931348623157e308;
static const double model_tolerance = 1e-9; /* small beside what is in play */

typedef struct {
  int hold, from_rest; /* from_rest: slides, but has no velocity yet */
  int given;           /* closed: with the normal force `base`; open: its acceleration does not matter */
  double d[2];         /* unit, where it slides */
} model_mode;

/* The rows at a state. */
typedef struct {
  double x[MODEL_X];
  double M[MODEL_COORDINATES][MODEL_COORDINATES], L[MODEL_COORDINATES][MODEL_COORDINATES];
  double A[MODEL_MOST][MODEL_COORDINATES], W[MODEL_MOST][MODEL_MOST];
  double Q[MODEL_COORDINATES], b[MODEL_MOST], C[MODEL_COORDINATES], free[MODEL_COORDINATES];
  double residuals[MODEL_MOST], rates[MODEL_MOST], scales[MODEL_MOST], rate_scales[MODEL_MOST];
  double laws[MODEL_ELEMENTS + 1][3]; /* restitution, sliding, sticking: coefficients or limits */
  double added;
} model_rows;

/* p and y of a mode. */
typedef struct {
  double p[MODEL_MOST], y[MODEL_MOST];
  double laws[MODEL_ELEMENTS + 1][3]; /* that go with them */
  int solved, unique, worst_at;
  double worst; /* violation of an inequality, and of which element */
} model_solution;

typedef struct {
  double c[MODEL_MOST], laws[MODEL_ELEMENTS + 1][3], base[MODEL_ELEMENTS + 1];
  double size; /* of what is in play, in units of y / sqrt(W_jj) */
  const model_system *limits; /* where reactions decide limits; else 0 */
} model_problem;

#if MODEL_TURNS
/* What angles are told by: t q v. */
static void model_full(const model_system *system, double t, const double *y, double *x) {
  int i;
  (void)system;
  x[0] = t;
  for (i = 0; i < MODEL_STATES; ++i) x[1 + i] = y[i];
}
#endif

static void model_place(const model_system *system, double t, const double *q, const double *v,
                        double *x) {
  int i;
  for (i = 0; i < MODEL_X; ++i) x[i] = 0;
  x[0] = t;
  for (i = 0; i < MODEL_COORDINATES; ++i) {
    x[1 + i] = q[i];
    x[1 + MODEL_COORDINATES + i] = v[i];
  }
  for (i = 0; i < MODEL_DISCRETES; ++i) x[MODEL_X_DISCRETES + i] = system->p[model_discretes[i]];
}

/* Whether M, factored in L, is positive. A pivot behind a small one carries the rounding of that,
   magnified: where one is small, elimination by equal scales with the largest pivot first decides. */
static int model_is_metric(const model_rows *r) {
  double S[MODEL_COORDINATES][MODEL_COORDINATES], least = 1;
  int i, j, step;
  for (i = 0; i < MODEL_COORDINATES; ++i) {
    const double pivot = r->L[i][i] * r->L[i][i] / r->M[i][i];
    if (pivot < least) least = pivot;
  }
  if (least > 1e-3) return 1;
  for (i = 0; i < MODEL_COORDINATES; ++i)
    for (j = 0; j < MODEL_COORDINATES; ++j) S[i][j] = r->M[i][j] / sqrt(r->M[i][i] * r->M[j][j]);
  for (step = 0; step < MODEL_COORDINATES; ++step) {
    int at = 0;
    for (i = 1; i < MODEL_COORDINATES; ++i)
      if (S[i][i] > S[at][at]) at = i;
    if (!(S[at][at] > 1e-12)) return 0;
    for (i = 0; i < MODEL_COORDINATES; ++i) {
      const double factor = i == at ? 0 : S[i][at] / S[at][at];
      if (factor != 0)
        for (j = 0; j < MODEL_COORDINATES; ++j) S[i][j] -= factor * S[at][j];
    }
    for (j = 0; j < MODEL_COORDINATES; ++j) S[at][j] = S[j][at] = 0;
    S[at][at] = -1; /* done */
  }
  return 1;
}

/* M = L L^T; 0 where it is no metric. */
static int model_factor_mass(model_rows *r) {
  int i, j, k;
  for (i = 0; i < MODEL_COORDINATES; ++i) {
    for (j = 0; j <= i; ++j) {
      double sum = r->M[i][j];
      for (k = 0; k < j; ++k) sum -= r->L[i][k] * r->L[j][k];
      if (i == j) {
        if (!(sum > 0)) return 0;
        r->L[i][i] = sqrt(sum);
      } else {
        r->L[i][j] = sum / r->L[j][j];
      }
    }
  }
  return model_is_metric(r);
}

static void model_solve_mass(const model_rows *r, double *x) {
  int i, k;
  for (i = 0; i < MODEL_COORDINATES; ++i) {
    for (k = 0; k < i; ++k) x[i] -= r->L[i][k] * x[k];
    x[i] /= r->L[i][i];
  }
  for (i = MODEL_COORDINATES - 1; i >= 0; --i) {
    for (k = i + 1; k < MODEL_COORDINATES; ++k) x[i] -= r->L[k][i] * x[k];
    x[i] /= r->L[i][i];
  }
}

/* x = M^-1 A^T p. */
static void model_response(const model_rows *r, const double *p, double *x) {
  int i, j;
  for (i = 0; i < MODEL_COORDINATES; ++i) {
    x[i] = 0;
    for (j = 0; j < MODEL_ROWS; ++j) x[i] += r->A[j][i] * p[j];
  }
  model_solve_mass(r, x);
}

static int model_take_matrices(model_rows *r, const double *M, const double *A) {
  double X[MODEL_MOST][MODEL_COORDINATES];
  int i, j, k;
  memset(r->M, 0, sizeof r->M);
  memset(r->A, 0, sizeof r->A);
  for (k = 0; k < MODEL_MASSES; ++k) {
    i = model_mass_places[k][0];
    j = model_mass_places[k][1];
    if (!(fabs(M[k]) <= model_largest)) return MODEL_DOUBT;
    r->M[i][j] = r->M[j][i] = M[k];
  }
  for (k = 0; k < MODEL_ENTRIES; ++k) {
    if (!(fabs(A[k]) <= model_largest)) return MODEL_DOUBT;
    r->A[model_entry_places[k][0]][model_entry_places[k][1]] = A[k];
  }
  r->added = 0;
  if (!model_factor_mass(r)) {
    /* With the rows of the constraints it may be one: on them nothing changes. */
    double size = 0, trace = 0;
    for (j = 0; j < MODEL_CONSTRAINTS; ++j)
      for (i = 0; i < MODEL_COORDINATES; ++i) size += r->A[j][i] * r->A[j][i];
    for (i = 0; i < MODEL_COORDINATES; ++i) trace += r->M[i][i];
    if (!(size > 0)) return MODEL_DOUBT;
    r->added = trace / size;
    for (i = 0; i < MODEL_COORDINATES; ++i)
      for (k = 0; k < MODEL_COORDINATES; ++k)
        for (j = 0; j < MODEL_CONSTRAINTS; ++j) r->M[i][k] += r->added * r->A[j][i] * r->A[j][k];
    if (!model_factor_mass(r)) return MODEL_DOUBT;
  }
  for (j = 0; j < MODEL_ROWS; ++j) {
    for (i = 0; i < MODEL_COORDINATES; ++i) {
      X[j][i] = r->A[j][i];
      for (k = 0; k < i; ++k) X[j][i] -= r->L[i][k] * X[j][k];
      X[j][i] /= r->L[i][i];
    }
  }
  for (j = 0; j < MODEL_ROWS; ++j) {
    for (k = 0; k < MODEL_ROWS; ++k) {
      r->W[j][k] = 0;
      for (i = 0; i < MODEL_COORDINATES; ++i) r->W[j][k] += X[j][i] * X[k][i];
    }
  }
  return MODEL_OK;
}

/* Residuals, rates and their scales, M and A; no forces. */
static int model_measure(const model_system *system, double t, const double *q, const double *v,
                         model_rows *r) {
  double out[4 * MODEL_ROWS + MODEL_MASSES + MODEL_ENTRIES + 1];
  int j;
  model_place(system, t, q, v, r->x);
  model_tape_geometry(system->p, system->known + MODEL_KNOWN_GEOMETRY, r->x, system->u, out);
  for (j = 0; j < MODEL_ROWS; ++j) {
    r->residuals[j] = out[j];
    r->rates[j] = out[MODEL_ROWS + j];
    r->scales[j] = out[2 * MODEL_ROWS + j];
    r->rate_scales[j] = out[3 * MODEL_ROWS + j];
  }
  return model_take_matrices(r, out + 4 * MODEL_ROWS, out + 4 * MODEL_ROWS + MODEL_MASSES);
}

static void model_find_laws(const model_system *system, const double *x,
                            double laws[MODEL_ELEMENTS + 1][3]) {
  double out[3 * MODEL_ELEMENTS + 1];
  const double *law = out;
  int i;
  model_tape_laws(system->p, system->known + MODEL_KNOWN_LAWS, x, system->u, out);
  for (i = 0; i < MODEL_ELEMENTS; ++i) {
    laws[i][0] = model_elements[i].gap >= 0 ? *law++ : 0;
    laws[i][1] = *law++;
    laws[i][2] = *law++;
  }
}

/* M, Q, A, b, C and laws; the residuals too. */
static int model_evaluate(const model_system *system, double t, const double *q, const double *v,
                          model_rows *r) {
  double out[MODEL_MASSES + MODEL_ENTRIES + 2 * MODEL_COORDINATES + 2 * MODEL_ROWS + 3];
  const double *at = out + MODEL_MASSES + MODEL_ENTRIES;
  int i, j, status = model_measure(system, t, q, v, r);
  if (status != MODEL_OK) return status;
  model_tape_dynamics(system->p, system->known + MODEL_KNOWN_DYNAMICS, r->x, system->u, out);
  for (i = 0; i < MODEL_COORDINATES; ++i) {
    r->Q[i] = at[i];
    r->C[i] = at[MODEL_COORDINATES + MODEL_ROWS + i];
    r->free[i] = r->Q[i] + r->C[i];
    if (!(fabs(r->free[i]) <= model_largest)) return MODEL_DOUBT;
  }
  for (j = 0; j < MODEL_ROWS; ++j) {
    r->b[j] = at[MODEL_COORDINATES + j];
    if (!(fabs(r->b[j]) <= model_largest)) return MODEL_DOUBT;
  }
  model_find_laws(system, r->x, r->laws);
  for (i = 0; i < MODEL_COORDINATES; ++i)
    for (j = 0; j < MODEL_CONSTRAINTS; ++j) r->free[i] += r->added * r->A[j][i] * r->b[j];
  model_solve_mass(r, r->free);
  return MODEL_OK;
}

static double model_dot(const double *a, const double *b, int size) {
  double sum = 0;
  int i;
  for (i = 0; i < size; ++i) sum += a[i] * b[i];
  return sum;
}

/* The reactions that go with the forces p of the rows, in r->x; for those of joints q'' and the
   multipliers too. */
static void model_set_reactions(const model_system *system, model_rows *r, const double *p) {
  int i, k;
#if MODEL_JOINT_FORCES
  double forces[3 * MODEL_JOINT_FORCES];
  model_response(r, p, r->x + MODEL_X_SOLUTION);
  for (i = 0; i < MODEL_COORDINATES; ++i) r->x[MODEL_X_SOLUTION + i] += r->free[i];
  for (i = 0; i < MODEL_CONSTRAINTS; ++i) r->x[MODEL_X_SOLUTION + 3 * MODEL_COORDINATES + i] = p[i];
  model_tape_forces(system->p, system->known + MODEL_KNOWN_FORCES, r->x, system->u, forces);
#endif
  (void)system;
  for (k = 0; k < MODEL_REACTIONS; ++k) {
    const int index = model_reactions[k].index;
    double force = 0;
    if (model_reactions[k].kind == 0) {
      force = fabs(p[index]);
      if (model_reactions[k].by_row)
        force *= sqrt(model_dot(r->A[index], r->A[index], MODEL_COORDINATES));
#if MODEL_JOINT_FORCES
    } else if (model_reactions[k].kind == 2) {
      force = sqrt(model_dot(forces + 3 * index, forces + 3 * index, 3));
#endif
    } else if (model_elements[index].gap >= 0) {
      force = p[model_elements[index].gap];
    } else {
      for (i = 0; i < model_elements[index].slips; ++i)
        force += p[model_elements[index].slip + i] * p[model_elements[index].slip + i];
      force = sqrt(force);
    }
    r->x[MODEL_X_REACTIONS + k] = force;
  }
}

/* K = Q R with columns exchanged, R = T Z with orthonormal rows of Z: the solution of least squares and
   of minimum norm. */
typedef struct {
  int size, rank, order[MODEL_MOST];
  double Q[MODEL_MOST][MODEL_MOST], Z[MODEL_MOST][MODEL_MOST], T[MODEL_MOST][MODEL_MOST];
} model_factors;

static void model_factor(model_factors *f, double K[MODEL_MOST][MODEL_MOST], int size) {
  double columns[MODEL_MOST][MODEL_MOST], R[MODEL_MOST][MODEL_MOST], first = 0;
  int i, j, k, again;
  f->size = size;
  f->rank = 0;
  for (j = 0; j < size; ++j) {
    f->order[j] = j;
    for (i = 0; i < size; ++i) columns[j][i] = K[i][j];
  }
  for (k = 0; k < size; ++k) {
    double most = -1, norm;
    int best = k, kept;
    for (j = k; j < size; ++j) {
      norm = model_dot(columns[f->order[j]], columns[f->order[j]], size);
      if (norm > most) {
        most = norm;
        best = j;
      }
    }
    kept = f->order[k];
    f->order[k] = f->order[best];
    f->order[best] = kept;
    norm = sqrt(most);
    if (k == 0) first = norm;
    if (!(norm > 1e-11 * first)) break;
    for (i = 0; i < size; ++i) f->Q[k][i] = columns[f->order[k]][i] / norm;
    for (again = 0; again < 2; ++again) {
      for (j = 0; j < k; ++j) {
        const double part = model_dot(f->Q[j], f->Q[k], size);
        for (i = 0; i < size; ++i) f->Q[k][i] -= part * f->Q[j][i];
      }
      norm = sqrt(model_dot(f->Q[k], f->Q[k], size));
      for (i = 0; i < size; ++i) f->Q[k][i] /= norm;
    }
    for (j = k + 1; j < size; ++j) {
      double *column = columns[f->order[j]];
      const double part = model_dot(f->Q[k], column, size);
      for (i = 0; i < size; ++i) column[i] -= part * f->Q[k][i];
    }
    f->rank = k + 1;
  }
  for (k = 0; k < f->rank; ++k) {
    for (j = 0; j < size; ++j) {
      R[k][j] = 0;
      for (i = 0; i < size && j >= k; ++i) R[k][j] += f->Q[k][i] * K[i][f->order[j]];
    }
  }
  /* From the last row on, so that T stays triangular and well scaled. */
  for (k = f->rank - 1; k >= 0; --k) {
    double norm;
    for (j = 0; j < size; ++j) f->Z[k][j] = R[k][j];
    for (again = 0; again < 2; ++again) {
      for (i = f->rank - 1; i > k; --i) {
        const double part = model_dot(f->Z[i], f->Z[k], size);
        for (j = 0; j < size; ++j) f->Z[k][j] -= part * f->Z[i][j];
      }
    }
    norm = sqrt(model_dot(f->Z[k], f->Z[k], size));
    for (j = 0; j < size; ++j) f->Z[k][j] /= norm;
    for (i = k; i < f->rank; ++i) f->T[k][i] = model_dot(R[k], f->Z[i], size);
  }
}

static void model_solve(const model_factors *f, const double *rhs, double *x) {
  double z[MODEL_MOST] = {0};
  int i, k;
  for (k = f->rank - 1; k >= 0; --k) {
    z[k] = model_dot(f->Q[k], rhs, f->size);
    for (i = k + 1; i < f->rank; ++i) z[k] -= f->T[k][i] * z[i];
    z[k] /= f->T[k][k];
  }
  for (i = 0; i < f->size; ++i) {
    double sum = 0;
    for (k = 0; k < f->rank; ++k) sum += z[k] * f->Z[k][i];
    x[f->order[i]] = sum;
  }
}

/* The equations of one mode: the rows that it holds, and p = given + S x. */
typedef struct {
  int held[MODEL_MOST], size;
  double S[MODEL_MOST][MODEL_MOST], K[MODEL_MOST][MODEL_MOST], scale[MODEL_MOST], x[MODEL_MOST];
  model_factors factors;
} model_equations;

static void model_prepare(const model_rows *r, const model_problem *problem, const model_mode *modes,
                          model_equations *e) {
  int i, j, k, l;
  e->size = 0;
  memset(e->S, 0, sizeof e->S);
  for (j = 0; j < MODEL_CONSTRAINTS; ++j) e->held[e->size++] = j;
  for (i = 0; i < MODEL_ELEMENTS; ++i) {
    if (modes[i].hold == MODEL_OPEN) continue;
    if (model_elements[i].gap >= 0 && !modes[i].given) {
      for (k = 0; modes[i].hold == MODEL_SLIDE && k < model_elements[i].slips; ++k)
        e->S[model_elements[i].slip + k][e->size] = -problem->laws[i][1] * modes[i].d[k];
      e->held[e->size++] = model_elements[i].gap;
    }
    for (k = 0; modes[i].hold == MODEL_STICK && k < model_elements[i].slips; ++k)
      e->held[e->size++] = model_elements[i].slip + k;
  }
  for (j = 0; j < e->size; ++j) {
    const double w = r->W[e->held[j]][e->held[j]];
    e->S[e->held[j]][j] = 1;
    e->scale[j] = w > 0 ? 1 / sqrt(w) : 0;
  }
  for (j = 0; j < e->size; ++j) {
    for (k = 0; k < e->size; ++k) {
      e->K[j][k] = 0;
      for (l = 0; l < MODEL_ROWS; ++l) e->K[j][k] += r->W[e->held[j]][l] * e->S[l][k];
      e->K[j][k] *= e->scale[j] * e->scale[k];
    }
  }
  model_factor(&e->factors, e->K, e->size);
}

static void model_find_y(const model_rows *r, const model_problem *problem, model_solution *s) {
  int j;
  for (j = 0; j < MODEL_ROWS; ++j)
    s->y[j] = problem->c[j] + model_dot(r->W[j], s->p, MODEL_ROWS);
}

static void model_note(model_solution *s, int i, double violation) {
  if (violation <= s->worst) return;
  s->worst = violation;
  s->worst_at = i;
}

static void model_judge(const model_rows *r, const model_problem *problem, const model_mode *modes,
                        model_solution *s) {
  int i, k;
  s->worst = 0;
  s->worst_at = 0;
  for (i = 0; i < MODEL_ELEMENTS; ++i) {
    const int gap = model_elements[i].gap, slip = model_elements[i].slip;
    double bound = s->laws[i][2], length = 0, along = 0, root;
    if (gap >= 0) {
      root = sqrt(r->W[gap][gap]);
      if (modes[i].hold == MODEL_OPEN) {
        if (!modes[i].given) model_note(s, i, -s->y[gap] / root);
        continue;
      }
      model_note(s, i, modes[i].given ? -s->y[gap] / root : (problem->base[i] - s->p[gap]) * root);
      bound *= s->p[gap];
    }
    if (model_elements[i].slips == 0) continue;
    root = sqrt(r->W[slip][slip]);
    for (k = 0; k < model_elements[i].slips; ++k) {
      length += s->p[slip + k] * s->p[slip + k];
      along += modes[i].d[k] * s->y[slip + k];
    }
    if (modes[i].hold == MODEL_STICK) model_note(s, i, (sqrt(length) - bound) * root);
    if (modes[i].hold == MODEL_SLIDE && modes[i].from_rest) model_note(s, i, -along / root);
    if (modes[i].hold == MODEL_SLIDE && gap < 0) model_note(s, i, -s->laws[i][1] * root);
  }
}

/* Where the forces of a mode are not the only ones, looks for some within the cones: Dykstra's
   alternating projections, in scaled forces, between x + null space of K and the cones. */
static void model_find_admissible(const model_rows *r, const model_problem *problem,
                                  const model_mode *modes, const model_equations *e,
                                  model_solution *s) {
  double given[MODEL_MOST], x0[MODEL_MOST] = {0}, x[MODEL_MOST] = {0}, correction[MODEL_MOST] = {0};
  double inside[MODEL_MOST] = {0}, moved[MODEL_MOST] = {0};
  int place[MODEL_MOST], i, j, k, round;
  model_solution best = *s;
  for (j = 0; j < MODEL_ROWS; ++j) {
    place[j] = -1;
    given[j] = s->p[j] - model_dot(e->S[j], e->x, e->size);
  }
  for (j = 0; j < e->size; ++j) {
    place[e->held[j]] = j;
    x[j] = x0[j] = e->scale[j] > 0 ? e->x[j] / e->scale[j] : 0;
  }
  for (round = 0; round < 400 && best.worst > model_tolerance * problem->size; ++round) {
    for (j = 0; j < e->size; ++j) inside[j] = x[j] + correction[j];
    for (i = 0; i < MODEL_ELEMENTS; ++i) {
      const int gap = model_elements[i].gap >= 0 ? place[model_elements[i].gap] : -1;
      double bound = s->laws[i][2], sum = 0;
      if (modes[i].hold == MODEL_OPEN) continue;
      if (model_elements[i].gap >= 0) {
        if (gap >= 0 && inside[gap] < 0) inside[gap] = 0;
        bound *= gap >= 0 ? inside[gap] * e->scale[gap] : given[model_elements[i].gap];
      }
      if (modes[i].hold != MODEL_STICK) continue;
      for (k = 0; k < model_elements[i].slips; ++k) {
        j = place[model_elements[i].slip + k];
        sum += inside[j] * e->scale[j] * inside[j] * e->scale[j];
      }
      for (k = 0; k < model_elements[i].slips && sqrt(sum) > bound; ++k)
        inside[place[model_elements[i].slip + k]] *= bound / sqrt(sum);
    }
    for (j = 0; j < e->size; ++j) {
      correction[j] = x[j] + correction[j] - inside[j];
      moved[j] = inside[j] - x0[j];
      x[j] = x0[j] + moved[j];
    }
    /* Less the part of the move in the row space of K. */
    for (k = 0; k < e->factors.rank; ++k) {
      double part = 0;
      for (j = 0; j < e->size; ++j) part += e->factors.Z[k][j] * moved[e->factors.order[j]];
      for (j = 0; j < e->size; ++j) x[e->factors.order[j]] -= part * e->factors.Z[k][j];
    }
    for (j = 0; j < MODEL_ROWS; ++j) {
      s->p[j] = given[j];
      for (k = 0; k < e->size; ++k) s->p[j] += e->S[j][k] * e->scale[k] * x[k];
    }
    model_find_y(r, problem, s);
    model_judge(r, problem, modes, s);
    if (s->worst < best.worst) best = *s;
  }
  *s = best;
}

/* With the limits of dry friction in s->laws. */
static void model_solve_for_limits(const model_rows *r, const model_problem *problem,
                                   const model_mode *modes, model_equations *e, model_solution *s) {
  double rhs[MODEL_MOST] = {0}, left = 0, most = problem->size;
  int i, j, k;
  for (j = 0; j < MODEL_ROWS; ++j) s->p[j] = 0;
  for (i = 0; i < MODEL_ELEMENTS; ++i) {
    const int contact = model_elements[i].gap >= 0;
    if (modes[i].hold == MODEL_OPEN) continue;
    if (contact) s->p[model_elements[i].gap] = problem->base[i];
    for (k = 0; modes[i].hold == MODEL_SLIDE && k < model_elements[i].slips; ++k)
      s->p[model_elements[i].slip + k] =
          -s->laws[i][1] * (contact ? problem->base[i] : 1) * modes[i].d[k];
  }
  model_find_y(r, problem, s);
  for (j = 0; j < e->size; ++j) {
    rhs[j] = -e->scale[j] * s->y[e->held[j]];
    if (fabs(rhs[j]) > most) most = fabs(rhs[j]);
  }
  model_solve(&e->factors, rhs, e->x);
  for (j = 0; j < e->size; ++j) {
    const double off = fabs(model_dot(e->K[j], e->x, e->size) - rhs[j]);
    if (!(off <= left)) left = off;
  }
  s->unique = e->factors.rank == e->size;
  s->solved = left <= model_tolerance * most;
  for (j = 0; j < e->size; ++j) e->x[j] *= e->scale[j];
  for (j = 0; j < MODEL_ROWS; ++j) s->p[j] += model_dot(e->S[j], e->x, e->size);
  model_find_y(r, problem, s);
}

#if MODEL_LIMITS
/* S x = f by elimination with the largest pivot first; 0 where S is singular. */
static int model_eliminate(double S[MODEL_ELEMENTS + 1][MODEL_ELEMENTS + 1], double *f, int size) {
  int i, j, k;
  for (k = 0; k < size; ++k) {
    int at = k;
    for (i = k + 1; i < size; ++i)
      if (fabs(S[i][k]) > fabs(S[at][k])) at = i;
    if (!(fabs(S[at][k]) > 0)) return 0;
    for (j = 0; j < size; ++j) {
      const double kept = S[k][j];
      S[k][j] = S[at][j];
      S[at][j] = kept;
    }
    {
      const double kept = f[k];
      f[k] = f[at];
      f[at] = kept;
    }
    for (i = k + 1; i < size; ++i) {
      const double factor = S[i][k] / S[k][k];
      for (j = k; j < size; ++j) S[i][j] -= factor * S[k][j];
      f[i] -= factor * f[k];
    }
  }
  for (k = size - 1; k >= 0; --k) {
    for (j = k + 1; j < size; ++j) f[k] -= S[k][j] * f[j];
    f[k] /= S[k][k];
    if (!(fabs(f[k]) <= model_largest)) return 0;
  }
  return 1;
}

/* By how much the limits of what slides differ from those that go with the forces they make. */
static void model_miss(const model_rows *r, const model_problem *problem, const model_mode *modes,
                       const int *unknown, int count, model_equations *e, model_solution *s,
                       double *f) {
  model_rows here = *r;
  double laws[MODEL_ELEMENTS + 1][3];
  int k;
  model_solve_for_limits(r, problem, modes, e, s);
  model_set_reactions(problem->limits, &here, s->p);
  model_find_laws(problem->limits, here.x, laws);
  for (k = 0; k < count; ++k) f[k] = s->laws[unknown[k]][1] - laws[unknown[k]][1];
}

/* The limits that go with the forces, l = L(p(l)): Newton's method with difference quotients, as p is
   linear in l, and L all but linear in p. */
static void model_find_limits(const model_rows *r, const model_problem *problem,
                              const model_mode *modes, model_equations *e, model_solution *s) {
  enum { most_rounds = 60 };
  model_rows here = *r;
  double laws[MODEL_ELEMENTS + 1][3];
  int unknown[MODEL_ELEMENTS + 1], count = 0, i, k, round;
  for (i = 0; i < MODEL_ELEMENTS; ++i)
    if (model_elements[i].of_reactions && modes[i].hold == MODEL_SLIDE) unknown[count++] = i;
  for (round = 0; count > 0 && round < most_rounds; ++round) {
    double f[MODEL_ELEMENTS + 1], g[MODEL_ELEMENTS + 1], slopes[MODEL_ELEMENTS + 1][MODEL_ELEMENTS + 1];
    double largest = 1e-300, off = 0, step = 0;
    model_miss(r, problem, modes, unknown, count, e, s, f);
    if (!s->solved) return;
    for (k = 0; k < count; ++k) {
      if (fabs(s->laws[unknown[k]][1]) > largest) largest = fabs(s->laws[unknown[k]][1]);
      if (fabs(f[k]) > largest) largest = fabs(f[k]);
      if (fabs(f[k]) > off) off = fabs(f[k]);
    }
    if (off <= 4e-16 * largest) break;
    for (k = 0; k < count; ++k) {
      double *limit = &s->laws[unknown[k]][1];
      const double kept = *limit;
      double h;
      *limit = kept + 1e-4 * largest;
      h = *limit - kept;
      model_miss(r, problem, modes, unknown, count, e, s, g);
      *limit = kept;
      for (i = 0; i < count; ++i) slopes[i][k] = (g[i] - f[i]) / h;
    }
    s->solved = model_eliminate(slopes, f, count);
    if (!s->solved) return;
    for (k = 0; k < count; ++k) {
      s->laws[unknown[k]][1] -= f[k];
      if (fabs(f[k]) > step) step = fabs(f[k]);
    }
    if (step <= 1e-16 * largest) break;
    if (round == most_rounds - 1 && step > 1e-9 * largest) {
      s->solved = 0;
      return;
    }
  }
  model_solve_for_limits(r, problem, modes, e, s);
  model_set_reactions(problem->limits, &here, s->p);
  model_find_laws(problem->limits, here.x, laws);
  for (i = 0; i < MODEL_ELEMENTS; ++i) {
    if (!model_elements[i].of_reactions) continue;
    s->laws[i][2] = laws[i][2];
    if (modes[i].hold != MODEL_SLIDE) s->laws[i][1] = laws[i][1];
  }
}
#endif

static void model_solve_mode(const model_rows *r, const model_problem *problem,
                             const model_mode *modes, model_equations *e, model_solution *s) {
  model_prepare(r, problem, modes, e);
  memcpy(s->laws, problem->laws, sizeof s->laws);
  s->worst = 0;
#if MODEL_LIMITS
  if (problem->limits) {
    model_find_limits(r, problem, modes, e, s);
  } else {
    model_solve_for_limits(r, problem, modes, e, s);
  }
#else
  model_solve_for_limits(r, problem, modes, e, s);
#endif
  if (!s->solved) return;
  model_judge(r, problem, modes, s);
  if (!s->unique && s->worst > model_tolerance * problem->size)
    model_find_admissible(r, problem, modes, e, s);
}

/* Where what slides in two directions slides here: straight through rest. */
static void model_directed(const model_system *system, const model_rows *r, model_mode *modes) {
  int i, k;
  for (i = 0; i < MODEL_ELEMENTS; ++i) {
    double u[2] = {0, 0}, size, sign;
    modes[i].hold = (int)system->hold[i];
    modes[i].from_rest = modes[i].given = 0;
    for (k = 0; k < 2; ++k) modes[i].d[k] = system->d[i][k];
    if (modes[i].hold != MODEL_SLIDE || model_elements[i].slips < 2) continue;
    for (k = 0; k < 2; ++k) u[k] = r->rates[model_elements[i].slip + k];
    size = sqrt(u[0] * u[0] + u[1] * u[1]);
    if (!(size > 1e-14 * system->rate_size[model_elements[i].slip]) || !(size > 0)) continue;
    sign = u[0] * modes[i].d[0] + u[1] * modes[i].d[1] < 0 ? -1 : 1;
    for (k = 0; k < 2; ++k) modes[i].d[k] = sign * u[k] / size;
  }
}

/* Adds the dry friction that acts for certain, of what slides already: other forces may be none. */
static void model_count_friction(const model_rows *r, const model_mode *modes,
                                 model_problem *problem) {
  int i;
  for (i = 0; i < MODEL_ELEMENTS; ++i) {
    const int slip = model_elements[i].slip;
    double force;
    if (model_elements[i].gap >= 0 || modes[i].hold != MODEL_SLIDE || modes[i].from_rest) continue;
    force = fabs(problem->laws[i][1]) * sqrt(r->W[slip][slip]);
    if (force <= model_largest && force > problem->size) problem->size = force;
  }
}

static void model_acceleration_problem(const model_system *system, const model_rows *r,
                                       model_problem *problem) {
  int i, j;
  problem->limits = system;
  memset(problem->base, 0, sizeof problem->base);
  memcpy(problem->laws, r->laws, sizeof r->laws);
  problem->size = 0;
  for (i = 0; i < MODEL_COORDINATES; ++i)
    problem->size += r->free[i] * model_dot(r->M[i], r->free, MODEL_COORDINATES);
  problem->size = problem->size > 0 ? sqrt(problem->size) : 0;
  for (j = 0; j < MODEL_ROWS; ++j) {
    problem->c[j] = model_dot(r->A[j], r->free, MODEL_COORDINATES) - r->b[j];
    if (r->W[j][j] > 0 && fabs(problem->c[j]) / sqrt(r->W[j][j]) > problem->size)
      problem->size = fabs(problem->c[j]) / sqrt(r->W[j][j]);
  }
}

/* The accelerations of the mode of the system, to rounding on its rows. */
static int model_accelerate_by(const model_system *system, const model_rows *r, model_mode *modes,
                               model_problem *problem, model_equations *e, model_solution *s,
                               double *qdd) {
  double rest[MODEL_MOST] = {0}, x[MODEL_MOST] = {0}, more[MODEL_MOST], move[MODEL_COORDINATES];
  int i, j, round;
  model_directed(system, r, modes);
  model_acceleration_problem(system, r, problem);
  model_count_friction(r, modes, problem);
  model_solve_mode(r, problem, modes, e, s);
  model_response(r, s->p, qdd);
  for (i = 0; i < MODEL_COORDINATES; ++i) qdd[i] += r->free[i];
  for (round = 0; round < 2 && e->size > 0; ++round) {
    for (j = 0; j < e->size; ++j)
      rest[j] = -e->scale[j] *
                (model_dot(r->A[e->held[j]], qdd, MODEL_COORDINATES) - r->b[e->held[j]]);
    model_solve(&e->factors, rest, x);
    for (j = 0; j < e->size; ++j) x[j] *= e->scale[j];
    for (j = 0; j < MODEL_ROWS; ++j) {
      more[j] = model_dot(e->S[j], x, e->size);
      s->p[j] += more[j];
    }
    model_response(r, more, move);
    for (i = 0; i < MODEL_COORDINATES; ++i) qdd[i] += move[i];
  }
  /* Off the constraints dependent ones contradict each other: then it is the nearest to them all. */
  return s->solved ? MODEL_OK : MODEL_DOUBT;
}

static int model_accelerate(const model_system *system, const model_rows *r, model_mode *modes,
                            model_problem *problem, model_solution *s, double *qdd) {
  model_equations e;
  return model_accelerate_by(system, r, modes, problem, &e, s, qdd);
}

int model_derivative(const model_system *system, double t, const double *y, double *dydt) {
  model_rows r;
  model_mode modes[MODEL_ELEMENTS + 1];
  model_problem problem;
  model_solution s;
  int i, status = model_evaluate(system, t, y, y + MODEL_COORDINATES, &r);
  for (i = 0; i < MODEL_COORDINATES; ++i) {
    dydt[i] = y[MODEL_COORDINATES + i];
    dydt[MODEL_COORDINATES + i] = NAN;
  }
  if (status != MODEL_OK) return status;
  return model_accelerate(system, &r, modes, &problem, &s, dydt + MODEL_COORDINATES);
}

/* All that is known at a state: forces, and their split into ideal ones, which the held rows would
   have had C and friction not been there, and the others. */
typedef struct {
  model_rows r;
  model_mode modes[MODEL_ELEMENTS + 1];
  model_problem problem;
  model_equations e, split_e;
  model_solution solution, split;
  double split_free[MODEL_COORDINATES]; /* accelerations by Q alone */
  int slides;
} model_all;

static int model_find_all(const model_system *system, double t, const double *y, model_all *a) {
  enum { n = MODEL_COORDINATES };
  model_rows *r = &a->r;
  double *x = r->x, *ideal = x + MODEL_X_SOLUTION + n, *nonideal = ideal + n, acceleration[n];
  int i, j, status = model_evaluate(system, t, y, y + n, r);
  if (status != MODEL_OK) return status;
  status = model_accelerate_by(system, r, a->modes, &a->problem, &a->e, &a->solution, acceleration);
  if (status != MODEL_OK) return status;
  a->slides = 0;
  for (i = 0; i < MODEL_ELEMENTS; ++i) a->slides |= a->modes[i].hold == MODEL_SLIDE;
  for (i = 0; i < n; ++i) a->slides |= r->C[i] != 0;
  a->split = a->solution;
  if (a->slides) {
    for (i = 0; i < n; ++i) {
      a->split_free[i] = r->Q[i];
      for (j = 0; j < MODEL_CONSTRAINTS; ++j) a->split_free[i] += r->added * r->A[j][i] * r->b[j];
    }
    model_solve_mass(r, a->split_free);
    for (j = 0; j < MODEL_ROWS; ++j) a->problem.c[j] = model_dot(r->A[j], a->split_free, n) - r->b[j];
    memset(a->problem.laws, 0, sizeof a->problem.laws);
    a->problem.limits = 0;
    model_solve_mode(r, &a->problem, a->modes, &a->split_e, &a->split);
  }
  for (i = 0; i < n; ++i) {
    double all = 0;
    ideal[i] = 0;
    for (j = 0; j < MODEL_ROWS; ++j) {
      ideal[i] += r->A[j][i] * a->split.p[j];
      all += r->A[j][i] * a->solution.p[j];
    }
    nonideal[i] = a->slides ? all + r->C[i] - ideal[i] : 0;
  }
  model_set_reactions(system, r, a->solution.p);
  memcpy(x + MODEL_X_SOLUTION, acceleration, sizeof acceleration);
  for (j = 0; j < MODEL_CONSTRAINTS; ++j) x[MODEL_X_SOLUTION + 3 * n + j] = a->solution.p[j];
  return MODEL_OK;
}

int model_observe(const model_system *system, double t, const double *y, double *s) {
  enum { n = MODEL_COORDINATES };
  model_all a;
  const double *x = a.r.x;
  double out[MODEL_SAMPLES];
  int i;
  const int status = model_find_all(system, t, y, &a);
  if (status != MODEL_OK) return status;
  for (i = 0; i < n; ++i) {
    s[i] = y[n + i];
    s[n + i] = x[MODEL_X_SOLUTION + i];
    s[2 * n + i] = x[MODEL_X_SOLUTION + n + i];
    s[3 * n + i] = x[MODEL_X_SOLUTION + 2 * n + i];
  }
  model_tape_observables(system->p, system->known + MODEL_KNOWN_OBSERVABLES, x, system->u, out);
  for (i = 4 * n; i < MODEL_SAMPLES; ++i) s[i] = out[i - 4 * n];
  return MODEL_OK;
}

#if MODEL_WITH_JACOBIAN
/* How M, A, Q, b, C, laws and rates of rows change along a direction. */
typedef struct {
  double M[MODEL_COORDINATES][MODEL_COORDINATES], A[MODEL_MOST][MODEL_COORDINATES];
  double Q[MODEL_COORDINATES], b[MODEL_MOST], C[MODEL_COORDINATES], rates[MODEL_MOST];
  double laws[MODEL_ELEMENTS + 1][3];
} model_turn;

/* x of the tapes of derivatives: t, all else and u, then how these change. */
enum { MODEL_ALONG = MODEL_X - 1 + MODEL_INPUTS };

static void model_find_turn(const model_system *system, const double *along, model_turn *d) {
  double out[MODEL_MASSES + MODEL_ENTRIES + 2 * MODEL_COORDINATES + 2 * MODEL_ROWS + 3];
  double laws[3 * MODEL_ELEMENTS + 1];
  const double *at = out + MODEL_MASSES, *law = laws;
  int i, j, k;
  memset(d, 0, sizeof *d);
  model_tape_turning(system->p, system->known + MODEL_KNOWN_TURNING, along, system->u, out);
  for (k = 0; k < MODEL_MASSES; ++k) {
    i = model_mass_places[k][0];
    j = model_mass_places[k][1];
    d->M[i][j] = d->M[j][i] = out[k];
  }
  for (k = 0; k < MODEL_ENTRIES; ++k)
    d->A[model_entry_places[k][0]][model_entry_places[k][1]] = *at++;
  for (i = 0; i < MODEL_COORDINATES; ++i) d->Q[i] = *at++;
  for (j = 0; j < MODEL_ROWS; ++j) d->b[j] = *at++;
  for (i = 0; i < MODEL_COORDINATES; ++i) d->C[i] = *at++;
  at += 3;
  for (j = 0; j < MODEL_ROWS; ++j) d->rates[j] = *at++;
  model_tape_bending(system->p, system->known + MODEL_KNOWN_BENDING, along, system->u, laws);
  for (i = 0; i < MODEL_ELEMENTS; ++i) {
    d->laws[i][0] = model_elements[i].gap >= 0 ? *law++ : 0;
    d->laws[i][1] = *law++;
    d->laws[i][2] = *law++;
  }
}

/* The changes of accelerations a and forces p of a mode, whose equations are e: those of
     M a - A^T p = F,  A a = b in the held rows,  p = -L d in those that slide,
   linearised. `friction`: L and C are there, else 0. */
static void model_change(const model_all *all, const model_turn *d, const model_equations *e,
                         const double *a, const double *p, int friction, double *da, double *dp) {
  enum { n = MODEL_COORDINATES };
  const model_rows *r = &all->r;
  double wanted[MODEL_MOST], rhs[MODEL_MOST] = {0}, x[MODEL_MOST] = {0}, y, move[n];
  int i, j, k;
  for (j = 0; j < MODEL_ROWS; ++j) {
    wanted[j] = d->b[j] - model_dot(d->A[j], a, n);
    dp[j] = 0;
  }
  for (i = 0; i < n; ++i) {
    da[i] = d->Q[i] + (friction ? d->C[i] : 0) - model_dot(d->M[i], a, n);
    for (j = 0; j < MODEL_ROWS; ++j) da[i] += d->A[j][i] * p[j];
    for (j = 0; j < MODEL_CONSTRAINTS; ++j) da[i] += r->added * r->A[j][i] * wanted[j];
  }
  model_solve_mass(r, da);
  for (i = 0; friction && i < MODEL_ELEMENTS; ++i) {
    const int slip = model_elements[i].slip, gap = model_elements[i].gap;
    const double *turned = all->modes[i].d, normal = gap >= 0 ? p[gap] : 1;
    double speed = 0, along = 0, dd;
    if (all->modes[i].hold != MODEL_SLIDE) continue;
    for (k = 0; k < model_elements[i].slips; ++k) {
      speed += turned[k] * r->rates[slip + k];
      along += turned[k] * d->rates[slip + k];
    }
    for (k = 0; k < model_elements[i].slips; ++k) {
      dd = model_elements[i].slips < 2 || speed == 0 ? 0 : (d->rates[slip + k] - along * turned[k]) / speed;
      dp[slip + k] = -(d->laws[i][1] * turned[k] + r->laws[i][1] * dd) * normal;
    }
  }
  for (j = 0; j < e->size; ++j) {
    const int row = e->held[j];
    y = model_dot(r->A[row], da, n) + model_dot(r->W[row], dp, MODEL_ROWS) - wanted[row];
    rhs[j] = -e->scale[j] * y;
  }
  model_solve(&e->factors, rhs, x);
  for (j = 0; j < e->size; ++j) x[j] *= e->scale[j];
  for (j = 0; j < MODEL_ROWS; ++j) dp[j] += model_dot(e->S[j], x, e->size);
  model_response(r, dp, move);
  for (i = 0; i < n; ++i) da[i] += move[i];
}

/* How the reactions change with the forces; the rest of `along` is known. */
static void model_change_reactions(const model_system *system, const model_all *a,
                                   const model_turn *d, const double *dp, double *along) {
  const double *p = a->solution.p, *x = a->r.x;
  double *changes = along + MODEL_ALONG + MODEL_X_REACTIONS;
  int i, k;
#if MODEL_JOINT_FORCES
  double forces[3 * MODEL_JOINT_FORCES], pulls[3 * MODEL_JOINT_FORCES];
  model_tape_forces(system->p, system->known + MODEL_KNOWN_FORCES, x, system->u, forces);
  model_tape_pulling(system->p, system->known + MODEL_KNOWN_PULLING, along, system->u, pulls);
#endif
  (void)system;
  for (k = 0; k < MODEL_REACTIONS; ++k) {
    const int index = model_reactions[k].index;
    const double force = x[MODEL_X_REACTIONS + k];
    double change = 0;
    if (force == 0) {
      changes[k] = 0;
      continue;
    }
    if (model_reactions[k].kind == 0) {
      change = (p[index] < 0 ? -1 : 1) * dp[index];
      if (model_reactions[k].by_row) {
        const double length = sqrt(model_dot(a->r.A[index], a->r.A[index], MODEL_COORDINATES));
        change = change * length +
                 fabs(p[index]) * model_dot(a->r.A[index], d->A[index], MODEL_COORDINATES) / length;
      }
#if MODEL_JOINT_FORCES
    } else if (model_reactions[k].kind == 2) {
      change = model_dot(forces + 3 * index, pulls + 3 * index, 3) / force;
#endif
    } else if (model_elements[index].gap >= 0) {
      change = dp[model_elements[index].gap];
    } else {
      for (i = 0; i < model_elements[index].slips; ++i)
        change += p[model_elements[index].slip + i] * dp[model_elements[index].slip + i] / force;
    }
    changes[k] = change;
  }
}

static void model_change_samples(const model_system *system, const model_all *a, const model_turn *d,
                                 const double *dqdd, const double *dp, double *along, double *ds) {
  enum { n = MODEL_COORDINATES };
  const model_rows *r = &a->r;
  double *change = along + MODEL_ALONG + MODEL_X_SOLUTION, out[MODEL_SAMPLES];
  double split[n], dsplit[n], split_dp[MODEL_MOST];
  int i, j;
  memcpy(split_dp, dp, sizeof split_dp);
  if (a->slides) {
    model_response(r, a->split.p, split);
    for (i = 0; i < n; ++i) split[i] += a->split_free[i];
    model_change(a, d, &a->split_e, split, a->split.p, 0, dsplit, split_dp);
  }
  for (i = 0; i < n; ++i) {
    double ideal = 0, all = 0;
    for (j = 0; j < MODEL_ROWS; ++j) {
      ideal += d->A[j][i] * a->split.p[j] + r->A[j][i] * split_dp[j];
      all += d->A[j][i] * a->solution.p[j] + r->A[j][i] * dp[j];
    }
    change[i] = dqdd[i];
    change[n + i] = ideal;
    change[2 * n + i] = a->slides ? all + d->C[i] - ideal : 0;
  }
  for (j = 0; j < MODEL_CONSTRAINTS; ++j) change[3 * n + j] = dp[j];
  model_change_reactions(system, a, d, dp, along);
  model_tape_changing(system->p, system->known + MODEL_KNOWN_CHANGING, along, system->u, out);
  for (i = 0; i < n; ++i) ds[i] = along[MODEL_ALONG + 1 + n + i];
  for (i = 0; i < 3 * n; ++i) ds[n + i] = change[i];
  for (i = 4 * n; i < MODEL_SAMPLES; ++i) ds[i] = out[i - 4 * n];
}
#endif

/* In the mode of the moment. */
int model_input_directional(const model_system *system, double t, const double *y, const double *dy,
                            const double *du, double *ddydt, double *ds) {
#if MODEL_WITH_JACOBIAN
  enum { n = MODEL_COORDINATES };
  model_all a;
  model_turn d;
  double along[1 + 2 * MODEL_ALONG] = {0}, dqdd[n], dp[MODEL_MOST];
  int i;
  const int status = model_find_all(system, t, y, &a);
  if (status != MODEL_OK) return status;
  memcpy(along, a.r.x, sizeof a.r.x);
  for (i = 0; i < MODEL_STATES; ++i) along[MODEL_ALONG + 1 + i] = dy[i];
  for (i = 0; i < MODEL_INPUTS; ++i) {
    along[MODEL_X + i] = system->u[i];
    along[MODEL_ALONG + MODEL_X + i] = du ? du[i] : 0;
  }
  model_find_turn(system, along, &d);
  model_change(&a, &d, &a.e, a.r.x + MODEL_X_SOLUTION, a.solution.p, 1, dqdd, dp);
  for (i = 0; ddydt && i < n; ++i) {
    ddydt[i] = dy[n + i];
    ddydt[n + i] = dqdd[i];
  }
  if (ds) model_change_samples(system, &a, &d, dqdd, dp, along, ds);
  return MODEL_OK;
#else
  (void)system;
  (void)t;
  (void)y;
  (void)dy;
  (void)du;
  (void)ddydt;
  (void)ds;
  return MODEL_ABSENT;
#endif
}

void model_state(const model_system *system, double t, const double *q, const double *v, double *y) {
  int i;
  (void)system;
  (void)t;
  for (i = 0; i < MODEL_COORDINATES; ++i) {
    y[i] = q[i];
    y[MODEL_COORDINATES + i] = v[i];
  }
}

/* One step of Newton's method onto rows: x += M^-1 A^T p with W p = -residual there. */
static double model_onto_rows(const model_rows *r, const int *rows, int size, const double *residuals,
                              double *x) {
  model_factors f;
  double K[MODEL_MOST][MODEL_MOST] = {{0}}, scale[MODEL_MOST] = {0}, rhs[MODEL_MOST] = {0};
  double p[MODEL_MOST] = {0};
  double all[MODEL_MOST] = {0}, step[MODEL_COORDINATES], largest = 0;
  int i, j;
  for (i = 0; i < size; ++i) {
    scale[i] = r->W[rows[i]][rows[i]] > 0 ? 1 / sqrt(r->W[rows[i]][rows[i]]) : 0;
    rhs[i] = -scale[i] * residuals[rows[i]];
  }
  for (i = 0; i < size; ++i)
    for (j = 0; j < size; ++j) K[i][j] = scale[i] * scale[j] * r->W[rows[i]][rows[j]];
  model_factor(&f, K, size);
  model_solve(&f, rhs, p);
  for (i = 0; i < size; ++i) all[rows[i]] = scale[i] * p[i];
  model_response(r, all, step);
  for (i = 0; i < MODEL_COORDINATES; ++i) {
    x[i] += step[i];
    if (fabs(step[i]) > largest) largest = fabs(step[i]);
  }
  return largest;
}

static double model_larger(double a, double b) { return a > b ? a : b; }

/* The rows that hold on positions, or on velocities. */
static int model_held(const double *hold, int velocities, int *rows) {
  int i, j, k, size = 0;
  for (j = 0; j < MODEL_CONSTRAINTS; ++j)
    if (model_levels[j] <= velocities) rows[size++] = j;
  for (i = 0; i < MODEL_ELEMENTS; ++i) {
    if (model_elements[i].gap >= 0 && hold[i] != MODEL_OPEN) rows[size++] = model_elements[i].gap;
    for (k = 0; velocities && hold[i] == MODEL_STICK && k < model_elements[i].slips; ++k)
      rows[size++] = model_elements[i].slip + k;
  }
  return size;
}

/* Of constraints, whose terms may be small all together: a floor of the scale. */
static double model_floor(const model_rows *r, int j, double most) {
  return model_floors[j] > 0 ? model_floors[j] * (1 + most) *
                                   sqrt(model_dot(r->A[j], r->A[j], MODEL_COORDINATES))
                             : 0;
}

/* Brings q onto the constraints and closed gaps, or v onto those and what sticks. */
static int model_onto(const model_system *system, double t, double *q, double *v, const double *hold,
                      int velocities) {
  int rows[MODEL_MOST] = {0}, i, round;
  const int size = model_held(hold, velocities, rows);
  double last = model_largest;
  for (round = 0; size > 0 && round < 25; ++round) {
    model_rows r;
    double largest = 0, scaled = 0, floored = 0, most = 0, moved, all = 0;
    const int status = model_measure(system, t, q, v, &r);
    if (status != MODEL_OK) return status;
    for (i = 0; i < MODEL_COORDINATES; ++i) most = model_larger(most, fabs(velocities ? v[i] : q[i]));
    for (i = 0; i < size; ++i) {
      const int j = rows[i];
      const double off = fabs(velocities ? r.rates[j] : r.residuals[j]);
      const double scale = velocities ? model_larger(system->rate_size[j], r.rate_scales[j])
                                      : model_larger(system->gap_size[j], r.scales[j]);
      largest = model_larger(largest, velocities ? off : off / model_larger(scale, 1e-300));
      scaled = model_larger(scaled, off / model_larger(scale, 1e-300));
      floored = model_larger(floored, off / model_larger(scale + model_floor(&r, j, most), 1e-300));
    }
    if (!(largest < 1e300)) return MODEL_INCONSISTENT;
    if (velocities) {
      if (largest == 0) return MODEL_OK;
      if (round >= 3 && (scaled <= 1e-12 || largest >= last / 2)) return MODEL_OK;
    } else if (largest <= 1e-16 || (floored <= 1e-13 && largest >= last / 2)) {
      return MODEL_OK;
    }
    last = largest;
    moved = model_onto_rows(&r, rows, size, velocities ? r.rates : r.residuals, velocities ? v : q);
    for (i = 0; i < MODEL_COORDINATES; ++i) all = model_larger(all, fabs(q[i]));
    if (!velocities && moved <= 1e-16 * all) return MODEL_OK;
  }
  return size == 0 || velocities ? MODEL_OK : MODEL_INCONSISTENT;
}

double model_residual(const model_system *system, double t, const double *y) {
  model_rows r;
  int rows[MODEL_MOST] = {0}, i, velocities, size;
  double largest = 0, most[2] = {0, 0};
  if (model_measure(system, t, y, y + MODEL_COORDINATES, &r) != MODEL_OK) return NAN;
  for (i = 0; i < MODEL_STATES; ++i)
    most[i / MODEL_COORDINATES] = model_larger(most[i / MODEL_COORDINATES], fabs(y[i]));
  for (velocities = 0; velocities < 2; ++velocities) {
    size = model_held(system->hold, velocities, rows);
    for (i = 0; i < size; ++i) {
      const int j = rows[i];
      double scale = velocities ? model_larger(system->rate_size[j], r.rate_scales[j])
                                : model_larger(system->gap_size[j], r.scales[j]);
      scale += model_floor(&r, j, most[velocities]);
      largest = model_larger(largest, fabs(velocities ? r.rates[j] : r.residuals[j]) /
                                          model_larger(scale, 1e-300));
    }
  }
  return largest;
}

int model_project(const model_system *system, double t, double *y) {
  int status = MODEL_OK;
#if MODEL_PROJECTS_POSITIONS
  status = model_onto(system, t, y, y + MODEL_COORDINATES, system->hold, 0);
#endif
#if MODEL_PROJECTS_VELOCITIES
  if (status == MODEL_OK) status = model_onto(system, t, y, y + MODEL_COORDINATES, system->hold, 1);
#endif
  (void)system;
  (void)t;
  (void)y;
  return status;
}

int model_start(const model_system *system, double *y) {
  static const double start[] = {/*@START@*/};   /* found on the constraints, for the defaults */
  static const double written[] = {/*@WRITTEN@*/}; /* as the model says, for the defaults */
  double now[2 * MODEL_COORDINATES], none[MODEL_ELEMENTS + 1] = {0};
  int i, status;
  model_tape_written(system->p, system->known + MODEL_KNOWN_WRITTEN, system->p, system->u, now);
  for (i = 0; i < 2 * MODEL_COORDINATES; ++i) y[i] = start[i] + (now[i] - written[i]);
  status = model_onto(system, 0, y, y + MODEL_COORDINATES, none, 0);
  return status == MODEL_OK ? model_onto(system, 0, y, y + MODEL_COORDINATES, none, 1) : status;
}

static int model_step_derivative(const model_system *system, double t, const double *y, double *dydt,
                                 int on_constraints) {
  int status = model_derivative(system, t, y, dydt), i;
  /* The stages of a step are off the constraints, where dependent ones contradict each other. */
  if (status == MODEL_DOUBT && MODEL_ELEMENTS == 0 && !on_constraints) status = MODEL_OK;
  for (i = 0; status == MODEL_OK && i < MODEL_STATES; ++i)
    if (!(fabs(dydt[i]) <= model_largest)) return MODEL_DOUBT;
  return status;
}

