/* What happens to contacts and frictions: impacts, and the modes behind them. The events of element i
   are those of the expressions MODEL_OWN_WHENS + 2 i (its gap, or while it is closed its normal force)
   and MODEL_OWN_WHENS + 2 i + 1 (its slip, or while it sticks what is left to the cone of friction). */
enum { MODEL_NORMAL = MODEL_OWN_WHENS, MODEL_TANGENTIAL = MODEL_OWN_WHENS + 1 };

/* Turns what begins to slide in two directions half the way to where it is accelerated, until it is. */
static int model_turn_directions(const model_rows *r, const model_problem *problem, model_mode *modes,
                                 model_equations *e, model_solution *s) {
  int round, i;
  for (round = 0; round < 200; ++round) {
    double turned = 0;
    model_solve_mode(r, problem, modes, e, s);
    if (!s->solved) return 0;
    for (i = 0; i < MODEL_ELEMENTS; ++i) {
      const int row = model_elements[i].slip;
      double size, norm, d[2];
      if (modes[i].hold != MODEL_SLIDE || !modes[i].from_rest || model_elements[i].slips < 2) continue;
      size = sqrt(s->y[row] * s->y[row] + s->y[row + 1] * s->y[row + 1]);
      if (size <= model_tolerance * problem->size * sqrt(r->W[row][row])) continue;
      d[0] = modes[i].d[0] + s->y[row] / size;
      d[1] = modes[i].d[1] + s->y[row + 1] / size;
      norm = sqrt(d[0] * d[0] + d[1] * d[1]);
      if (norm < 1e-3) return 0; /* it would slide back */
      if (fabs(d[0] / norm - modes[i].d[0]) > turned) turned = fabs(d[0] / norm - modes[i].d[0]);
      if (fabs(d[1] / norm - modes[i].d[1]) > turned) turned = fabs(d[1] / norm - modes[i].d[1]);
      modes[i].d[0] = d[0] / norm;
      modes[i].d[1] = d[1] / norm;
    }
    if (turned <= (round > 100 ? 1e-12 : 1e-15)) return 1;
  }
  return 0;
}

/* d x y_slip of one element that begins to slide along this angle; no number where there is none. */
static double model_across(const model_rows *r, const model_problem *problem, model_mode *modes,
                           int i, double angle, model_equations *e, model_solution *s) {
  const int row = model_elements[i].slip;
  modes[i].d[0] = cos(angle);
  modes[i].d[1] = sin(angle);
  model_solve_mode(r, problem, modes, e, s);
  return s->solved ? modes[i].d[0] * s->y[row + 1] - modes[i].d[1] * s->y[row] : NAN;
}

/* Looks for the direction of one element all round: where d and y_slip are parallel, d x y_slip
   changes its sign, which is halved down to rounding. */
static int model_scan_directions(const model_rows *r, const model_problem *problem,
                                 model_mode *modes, int i, model_equations *e, model_solution *s) {
  enum { angles = 64 };
  const int row = model_elements[i].slip;
  const double small = model_tolerance * problem->size * sqrt(r->W[row][row]);
  const double step = 6.283185307179586 / angles;
  const double first = model_across(r, problem, modes, i, 0, e, s);
  double last = first;
  int k, found = 0;
  for (k = 1; k <= angles && !found; ++k) {
    /* All round is where it began: what rounding makes of 2 pi must not hide a root there. */
    const double next = k == angles ? first : model_across(r, problem, modes, i, k * step, e, s);
    double from = (k - 1) * step, to = k * step, middle;
    const int changes = last * next <= 0, rises = last < next;
    last = next;
    if (!changes) continue;
    for (middle = (from + to) / 2; middle > from && middle < to; middle = (from + to) / 2) {
      if ((model_across(r, problem, modes, i, middle, e, s) < 0) == rises) {
        from = middle;
      } else {
        to = middle;
      }
    }
    found = fabs(model_across(r, problem, modes, i, from, e, s)) <= small &&
            modes[i].d[0] * s->y[row] + modes[i].d[1] * s->y[row + 1] > 0 &&
            s->worst <= model_tolerance * problem->size;
  }
  return found;
}

/* The direction that sets in of what begins to slide in two: y_slip along d. */
static int model_find_directions(const model_rows *r, const model_problem *problem,
                                 model_mode *modes, model_equations *e, model_solution *s) {
  int i, one = -1, count = 0;
  if (model_turn_directions(r, problem, modes, e, s)) return 1;
  for (i = 0; i < MODEL_ELEMENTS; ++i) {
    if (modes[i].hold != MODEL_SLIDE || !modes[i].from_rest || model_elements[i].slips != 2) continue;
    one = i;
    ++count;
  }
  return count == 1 && model_scan_directions(r, problem, modes, one, e, s);
}

typedef struct {
  model_mode modes[MODEL_ELEMENTS + 1][6];
  int count[MODEL_ELEMENTS + 1];
} model_candidates;

static void model_add(model_candidates *all, int i, int hold, double d0, double d1, int from_rest,
                      int given) {
  model_mode mode;
  mode.hold = hold;
  mode.from_rest = from_rest;
  mode.given = given;
  mode.d[0] = d0;
  mode.d[1] = d1;
  all->modes[i][all->count[i]++] = mode;
}

/* Exchanges the mode of the element that violates its conditions most, one at a time. */
static int model_exchange(const model_rows *r, const model_problem *problem,
                          const model_candidates *all, model_mode *chosen, model_solution *solution) {
  int at[MODEL_ELEMENTS + 1] = {0}, i, round, turn = 0;
  for (round = 0; round < 200 * MODEL_ELEMENTS; ++round) {
    model_equations e;
    int found;
    for (i = 0; i < MODEL_ELEMENTS; ++i) chosen[i] = all->modes[i][at[i]];
    found = model_find_directions(r, problem, chosen, &e, solution);
    if (found && solution->worst <= model_tolerance * problem->size) return 1;
    /* After a while by turns, against going round in circles. */
    turn = turn + 1 < MODEL_ELEMENTS ? turn + 1 : 0;
    i = found ? solution->worst_at : turn;
    if (round > 10 * MODEL_ELEMENTS && all->count[i] == 1) i = turn;
    at[i] = (at[i] + 1) % all->count[i];
  }
  return 0;
}

/* Whether the choice rests where the other begins to slide against a lesser friction. */
static int model_rests(const model_mode *chosen, const model_solution *solution,
                       const model_mode *modes) {
  int i;
  for (i = 0; i < MODEL_ELEMENTS; ++i)
    if (chosen[i].hold == MODEL_STICK && modes[i].hold == MODEL_SLIDE && modes[i].from_rest &&
        solution->laws[i][2] > solution->laws[i][1])
      return 1;
  return 0;
}

/* The only possible mode of the problem; 0: there is none, or several with different motions. Where
   static friction is above the sliding one, rest is taken of several. */
static int model_choose(const model_rows *r, const model_problem *problem,
                        const model_candidates *all, model_mode *chosen, model_solution *solution) {
  int at[MODEL_ELEMENTS + 1] = {0}, i, j, found = 0;
  double count = 1;
  for (i = 0; i < MODEL_ELEMENTS; ++i) count *= all->count[i];
  if (count > 4096) return model_exchange(r, problem, all, chosen, solution);
  for (;;) {
    model_mode modes[MODEL_ELEMENTS + 1];
    model_equations e;
    model_solution s;
    for (i = 0; i < MODEL_ELEMENTS; ++i) modes[i] = all->modes[i][at[i]];
    if (model_find_directions(r, problem, modes, &e, &s) &&
        s.worst <= model_tolerance * problem->size) {
      if (!found) {
        found = 1;
        memcpy(chosen, modes, sizeof modes);
        *solution = s;
      } else {
        double apart = 0;
        for (i = 0; i < MODEL_ROWS; ++i)
          for (j = 0; j < MODEL_ROWS; ++j)
            apart += (s.p[i] - solution->p[i]) * r->W[i][j] * (s.p[j] - solution->p[j]);
        if (apart > 0 && sqrt(apart) > 1e-6 * problem->size && !model_rests(chosen, solution, modes))
          return 0;
      }
    }
    for (i = MODEL_ELEMENTS - 1; i >= 0 && ++at[i] == all->count[i]; --i) at[i] = 0;
    if (i < 0) return found;
  }
}

static double model_determinant(double K[MODEL_MOST][MODEL_MOST], int size) {
  double S[MODEL_MOST][MODEL_MOST], result = 1;
  int i, j, k;
  memcpy(S, K, sizeof S);
  for (k = 0; k < size; ++k) {
    int at = k;
    for (i = k + 1; i < size; ++i)
      if (fabs(S[i][k]) > fabs(S[at][k])) at = i;
    if (!(fabs(S[at][k]) > 0)) return 0;
    for (j = k; j < size && at != k; ++j) {
      const double kept = S[k][j];
      S[k][j] = S[at][j];
      S[at][j] = -kept; /* keeps the sign */
    }
    for (i = k + 1; i < size; ++i) {
      const double factor = S[i][k] / S[k][k];
      for (j = k; j < size; ++j) S[i][j] -= factor * S[k][j];
    }
    result *= S[k][k];
  }
  return result;
}

static double model_slip_rate(const model_rows *r, int i, double *u) {
  int k;
  u[0] = u[1] = 0;
  for (k = 0; k < model_elements[i].slips; ++k) u[k] = r->rates[model_elements[i].slip + k];
  return sqrt(u[0] * u[0] + u[1] * u[1]);
}

static int model_note_sizes(model_system *system, const model_motion *motion, model_rows *r) {
  int j;
  const int status =
      model_evaluate(system, motion->t, motion->y, motion->y + MODEL_COORDINATES, r);
  if (status != MODEL_OK) return status;
  for (j = 0; j < MODEL_ROWS; ++j) {
    if (r->scales[j] > system->gap_size[j]) system->gap_size[j] = r->scales[j];
    if (r->rate_scales[j] > system->rate_size[j]) system->rate_size[j] = r->rate_scales[j];
  }
  return MODEL_OK;
}

static double model_small_gap(const model_system *system, double t, int i, double rate) {
  const double size = system->gap_size[model_elements[i].gap];
  return system->started == 0 ? 1e-9 * size
                              : 64 * model_epsilon * size + 8 * model_epsilon * fabs(t) * fabs(rate);
}

static double model_small_rate(const model_system *system, int row) {
  /* Beside a size of 0 what is about to underflow is small too. */
  return (system->started != 0 ? 1e-12 : 1e-9) * system->rate_size[row] + 1e-290;
}

static int model_slides(const model_system *system, const model_rows *r, int i) {
  double u[2], small = 0;
  int k;
  const double speed = model_slip_rate(r, i, u);
  for (k = 0; k < model_elements[i].slips; ++k)
    small = model_larger(small, model_small_rate(system, model_elements[i].slip + k));
  return speed > small;
}

/* Where all is known at a state: x, with q'' and the reactions. */
static int model_place_all(const model_system *system, double t, const double *y, double *x) {
  model_rows r;
  model_mode modes[MODEL_ELEMENTS + 1];
  model_problem problem;
  model_solution s;
  double qdd[MODEL_COORDINATES];
  int status = model_evaluate(system, t, y, y + MODEL_COORDINATES, &r);
  if (status == MODEL_OK) status = model_accelerate(system, &r, modes, &problem, &s, qdd);
  if (status != MODEL_OK) return status;
  model_set_reactions(system, &r, s.p);
  memcpy(x, r.x, sizeof r.x);
  memcpy(x + MODEL_X_SOLUTION, qdd, sizeof qdd);
  return MODEL_OK;
}

/* The expressions of the elements at a state, with what counts as zero; x as model_place says, with q''
   and reactions where the forces are known. */
static int model_watch_touches(const model_system *system, double t, const double *y, double *g,
                               double *rates, double *small, double *x) {
  model_rows r;
  model_mode modes[MODEL_ELEMENTS + 1];
  model_problem problem;
  model_solution s;
  double qdd[MODEL_COORDINATES] = {0};
  int i, k, forces = rates != 0 || MODEL_ASKS_REACTIONS, status;
  for (i = 0; i < MODEL_ELEMENTS; ++i)
    forces |= model_elements[i].gap >= 0 ? system->hold[i] != MODEL_OPEN
                                         : system->hold[i] == MODEL_STICK;
  if (forces) {
    status = model_evaluate(system, t, y, y + MODEL_COORDINATES, &r);
    if (status == MODEL_OK) status = model_accelerate(system, &r, modes, &problem, &s, qdd);
  } else {
    status = model_measure(system, t, y, y + MODEL_COORDINATES, &r);
  }
  if (status != MODEL_OK) return status;
  if (forces) model_set_reactions(system, &r, s.p);
  memcpy(x, r.x, sizeof r.x);
  memcpy(x + MODEL_X_SOLUTION, qdd, sizeof qdd);
  for (i = 0; i < MODEL_ELEMENTS; ++i) {
    const int gap = model_elements[i].gap, slip = model_elements[i].slip;
    const int hold = (int)system->hold[i], normal = MODEL_NORMAL + 2 * i;
    double zeros[2] = {0, 0}, values[2] = {1, 1}, slopes[2] = {0, 0};
    if (gap >= 0 && hold == MODEL_OPEN) {
      values[0] = r.residuals[gap];
      slopes[0] = r.rates[gap];
      zeros[0] = model_small_gap(system, t, i, slopes[0]);
    } else if (gap >= 0) {
      values[0] = s.p[gap];
      zeros[0] = 1e-10 * problem.size / sqrt(r.W[gap][gap]);
    }
    if (hold == MODEL_SLIDE) {
      values[1] = 0;
      for (k = 0; k < model_elements[i].slips; ++k) {
        values[1] += system->d[i][k] * r.rates[slip + k];
        zeros[1] = model_larger(zeros[1], 4 * model_epsilon * system->rate_size[slip + k]);
        if (forces) slopes[1] += system->d[i][k] * s.y[slip + k];
      }
      zeros[1] += 8 * model_epsilon * fabs(slopes[1] * t);
    } else if (hold == MODEL_STICK) {
      double bound = s.laws[i][2], force = 0;
      if (gap >= 0) bound *= s.p[gap];
      for (k = 0; k < model_elements[i].slips; ++k) force += s.p[slip + k] * s.p[slip + k];
      values[1] = bound - sqrt(force);
      zeros[1] = 1e-12 * fabs(bound);
    }
    for (k = 0; k < 2; ++k) {
      if (!(fabs(values[k]) <= model_largest)) return MODEL_EVENT;
      g[normal + k] = values[k];
      if (rates) rates[normal + k] = slopes[k];
      if (small) small[normal + k] = zeros[k];
    }
  }
  return MODEL_OK;
}

/* Where the determinant of the equations of what slides changes its sign, Coulomb's law has no
   solution or several from there on (Painleve): what it is now, 0 where nothing tells. */
static int model_find_determinant(const model_system *system, double t, const double *y,
                                  double *determinant) {
  model_rows r;
  model_mode modes[MODEL_ELEMENTS + 1];
  model_problem problem;
  model_equations e;
  model_solution s;
  int i, slides = 0, status;
  *determinant = 0;
  for (i = 0; i < MODEL_ELEMENTS; ++i)
    slides |= system->hold[i] == MODEL_SLIDE &&
              (model_elements[i].gap >= 0 || model_elements[i].of_reactions);
  if (!slides) return MODEL_OK;
  status = model_evaluate(system, t, y, y + MODEL_COORDINATES, &r);
  if (status != MODEL_OK) return status;
  model_directed(system, &r, modes);
  model_acceleration_problem(system, &r, &problem);
  model_solve_mode(&r, &problem, modes, &e, &s);
  if (s.unique) *determinant = model_determinant(e.K, e.size);
  return MODEL_OK;
}

int model_regular(const model_system *system, const model_motion *motion) {
  double determinant;
  const int status = model_find_determinant(system, motion->t, motion->y, &determinant);
  if (status != MODEL_OK) return status;
  return determinant * motion->determinant < 0 && fabs(determinant) > 1e-13 ? MODEL_CONTACT : MODEL_OK;
}

static void model_free_modes(model_candidates *all) {
  int i;
  for (i = 0; i < MODEL_ELEMENTS; ++i) {
    all->count[i] = 0;
  }
}

/* For each element the modes in question, as its gap and its rates tell, those preferred first; p: the
   forces before, 0 if there are none. */
static void model_find_candidates(const model_system *system, const model_motion *motion,
                                  const model_rows *r, const double *p, const int *fired,
                                  const int *rested, int forced, model_candidates *all) {
  int i, k;
  model_free_modes(all);
  for (i = 0; i < MODEL_ELEMENTS; ++i) {
    const int gap = model_elements[i].gap, slip = model_elements[i].slip, hold = (int)system->hold[i];
    const int normal = fired[MODEL_NORMAL + 2 * i], tangential = fired[MODEL_TANGENTIAL + 2 * i];
    double u[2], size;
    int at_rest;
    if (gap >= 0) {
      const double rate = r->rates[gap];
      const int touches = rested[i] || hold != MODEL_OPEN || normal ||
                          r->residuals[gap] <= model_small_gap(system, motion->t, i, rate);
      if (!touches || (!rested[i] && rate > model_small_rate(system, gap))) {
        model_add(all, i, MODEL_OPEN, 0, 0, 0, 1);
        continue;
      }
      if (forced && normal && hold != MODEL_OPEN) {
        model_add(all, i, MODEL_OPEN, 0, 0, 0, 0);
        continue;
      }
    }
    if (model_elements[i].slips == 0 || (gap >= 0 && r->laws[i][1] == 0 && r->laws[i][2] == 0)) {
      model_add(all, i, MODEL_SMOOTH, 0, 0, 0, 0);
    } else {
      size = model_slip_rate(r, i, u);
      at_rest = !model_slides(system, r, i);
      /* One whose speed is not small has only turned. */
      if (tangential && hold == MODEL_SLIDE && !at_rest)
        at_rest = model_elements[i].slips == 1 || size <= 1e-6 * system->rate_size[slip];
      if (!at_rest) {
        model_add(all, i, MODEL_SLIDE, u[0] / size, u[1] / size, 0, 0);
      } else {
        const int leaves = forced && tangential && hold == MODEL_STICK;
        double d[2] = {1, 0};
        if (!leaves) model_add(all, i, MODEL_STICK, 0, 0, 0, 0);
        if (p) {
          double force = 0;
          for (k = 0; k < model_elements[i].slips; ++k) {
            u[k] = -p[slip + k];
            force += u[k] * u[k];
          }
          if (force > 0)
            for (k = 0; k < 2; ++k) d[k] = u[k] / sqrt(force);
        }
        model_add(all, i, MODEL_SLIDE, d[0], d[1], 1, 0);
        if (model_elements[i].slips == 1 && !leaves) model_add(all, i, MODEL_SLIDE, -d[0], 0, 1, 0);
      }
    }
    if (gap >= 0) model_add(all, i, MODEL_OPEN, 0, 0, 0, 0);
  }
}

/* The modes in which the motion goes on, all together; the state is brought onto them. */
static int model_decide(model_system *system, model_motion *motion, const int *fired,
                        const int *rested) {
  model_rows r;
  model_mode modes[MODEL_ELEMENTS + 1];
  model_problem problem;
  model_solution s, before;
  model_candidates all;
  double qdd[MODEL_COORDINATES];
  int i, known, status = model_note_sizes(system, motion, &r);
  if (status != MODEL_OK) return status;
  known = model_accelerate(system, &r, modes, &problem, &before, qdd) == MODEL_OK;
  model_find_candidates(system, motion, &r, known ? before.p : 0, fired, rested, 1, &all);
  model_acceleration_problem(system, &r, &problem);
  for (i = 0; i < MODEL_ELEMENTS; ++i) modes[i] = all.modes[i][0];
  model_count_friction(&r, modes, &problem);
  if (!model_choose(&r, &problem, &all, modes, &s)) {
    model_find_candidates(system, motion, &r, known ? before.p : 0, fired, rested, 0, &all);
    for (i = 0; i < MODEL_ELEMENTS; ++i) modes[i] = all.modes[i][0];
    model_count_friction(&r, modes, &problem);
    if (!model_choose(&r, &problem, &all, modes, &s)) return MODEL_CONTACT;
  }
  for (i = 0; i < MODEL_ELEMENTS; ++i) {
    system->hold[i] = modes[i].hold;
    system->d[i][0] = modes[i].d[0];
    system->d[i][1] = modes[i].d[1];
  }
  status = model_onto(system, motion->t, motion->y, motion->y + MODEL_COORDINATES, system->hold, 0);
  if (status != MODEL_OK) return status;
  return model_onto(system, motion->t, motion->y, motion->y + MODEL_COORDINATES, system->hold, 1);
}

static void model_add_tangential(model_candidates *all, int i, const model_problem *problem, int given,
                                 const double *y) {
  const int slip = model_elements[i].slip;
  if (model_elements[i].slips == 0 || problem->laws[i][1] == 0) {
    model_add(all, i, MODEL_SMOOTH, 0, 0, 0, given);
    return;
  }
  model_add(all, i, MODEL_STICK, 0, 0, 0, given);
  if (model_elements[i].slips == 1) {
    model_add(all, i, MODEL_SLIDE, 1, 0, 1, given);
    model_add(all, i, MODEL_SLIDE, -1, 0, 1, given);
  } else {
    const double size = sqrt(y[slip] * y[slip] + y[slip + 1] * y[slip + 1]);
    model_add(all, i, MODEL_SLIDE, size > 0 ? y[slip] / size : 1, size > 0 ? y[slip + 1] / size : 0, 1,
              given);
  }
}

/* The problem of the rates y of the elements that are struck, the others left alone. */
static void model_impact_problem(const model_rows *r, const int *struck, const double *y,
                                 model_problem *problem) {
  int i, j;
  memcpy(problem->laws, r->laws, sizeof r->laws);
  memset(problem->base, 0, sizeof problem->base);
  for (j = 0; j < MODEL_ROWS; ++j) problem->c[j] = y[j];
  problem->limits = 0;
  problem->size = 0;
  for (i = 0; i < MODEL_CONTACTS; ++i) {
    problem->laws[i][2] = problem->laws[i][1];
    if (!struck[i]) continue;
    for (j = model_elements[i].gap; j <= model_elements[i].gap + model_elements[i].slips; ++j)
      problem->size = model_larger(problem->size, fabs(y[j]) / sqrt(r->W[j][j]));
  }
}

static int model_blow(const model_rows *r, const int *struck, const double *y, int restitution,
                      double *P) {
  model_problem problem;
  model_candidates all;
  model_mode modes[MODEL_ELEMENTS + 1];
  model_solution s;
  int i, j;
  model_impact_problem(r, struck, y, &problem);
  model_free_modes(&all);
  for (i = 0; i < MODEL_ELEMENTS; ++i) {
    if (i < MODEL_CONTACTS && struck[i]) {
      const int gap = model_elements[i].gap;
      model_add_tangential(&all, i, &problem, 0, y);
      model_add(&all, i, MODEL_OPEN, 0, 0, 0, 0);
      if (restitution && y[gap] < 0) problem.c[gap] += r->laws[i][0] * y[gap];
    } else {
      model_add(&all, i, MODEL_OPEN, 0, 0, 0, 1);
    }
  }
  if (!model_choose(r, &problem, &all, modes, &s)) return 0;
  for (j = 0; j < MODEL_ROWS; ++j) P[j] = s.p[j];
  return 1;
}

/* What impulses of constraints do beside one of this row, and the rates that all make together. */
static void model_own_response(const model_rows *r, int row, double *unit, double *y) {
  model_problem problem;
  model_mode apart[MODEL_ELEMENTS + 1];
  model_equations e;
  model_solution s;
  int j;
  memset(&problem, 0, sizeof problem);
  memset(apart, 0, sizeof apart);
  for (j = 0; j < MODEL_ELEMENTS; ++j) apart[j].given = 1;
  for (j = 0; j < MODEL_ROWS; ++j) {
    problem.c[j] = r->W[j][row];
    problem.size = model_larger(problem.size, fabs(problem.c[j]));
  }
  model_solve_mode(r, &problem, apart, &e, &s);
  for (j = 0; j < MODEL_ROWS; ++j) {
    unit[j] = s.p[j] + (j == row ? 1 : 0);
    y[j] = s.y[j];
  }
}

/* Stronge's law for the one contact i: along its normal impulse, slip and friction followed through
   reversals, the work regained is e^2 that of the compression. Between reversals the rates c of the
   gap and s of the slip are linear in the impulse. */
static int model_energetic(const model_rows *r, int i, const double *y, double *P) {
  const int gap = model_elements[i].gap, slip = model_elements[i].slip;
  const double mu = model_elements[i].slips > 0 ? r->laws[i][1] : 0, e = r->laws[i][0];
  double units[2][MODEL_MOST] = {{0}}, responses[2][MODEL_MOST] = {{0}}, w[2][2] = {{0}};
  double c = y[gap], s = 0, tiny, normal = 0, tangential = 0, work = 0, wanted = 0;
  int compresses = 1, phase, j;
  if (model_elements[i].slips > 1) return 0;
  model_own_response(r, gap, units[0], responses[0]);
  w[0][0] = responses[0][gap];
  if (model_elements[i].slips > 0) {
    s = y[slip];
    model_own_response(r, slip, units[1], responses[1]);
    w[0][1] = responses[1][gap];
    w[1][0] = responses[0][slip];
    w[1][1] = responses[1][slip];
  }
  tiny = 1e-14 * fabs(s);
  for (phase = 0; phase < 8; ++phase) {
    double ratio = 0, most = model_largest, end = model_largest, p, slope, turning;
    if (mu > 0) { /* of the friction impulse to p */
      if (fabs(s) > tiny) {
        ratio = s > 0 ? -mu : mu;
      } else if (fabs(w[1][0]) <= mu * w[1][1]) {
        ratio = -w[1][0] / w[1][1];
      } else {
        ratio = w[1][0] > 0 ? -mu : mu;
      }
    }
    slope = w[0][0] + w[0][1] * ratio;
    turning = w[1][0] + w[1][1] * ratio;
    /* How far until the slip has gone, the compression ends, or the work is regained. */
    if (fabs(s) > tiny && s * turning < 0) most = -s / turning;
    if (compresses) {
      if (slope > 0) end = -c / slope;
    } else if (slope > 0 || c > 0) {
      /* work + c p + slope p^2/2 = wanted */
      const double root = c * c + 2 * slope * (wanted - work);
      if (root >= 0) end = 2 * (wanted - work) / (c + sqrt(root));
    }
    p = most < end ? most : end;
    if (!(p < model_largest)) return 0;
    work += c * p + slope * p * p / 2;
    c += slope * p;
    s = most <= end ? 0 : s + turning * p;
    normal += p;
    tangential += ratio * p;
    if (end > most) continue;
    if (!compresses || e == 0) break;
    compresses = 0;
    c = 0;
    wanted = work * (1 - e * e);
  }
  for (j = 0; j < MODEL_ROWS; ++j) P[j] = normal * units[0][j] + tangential * units[1][j];
  return 1;
}

/* Of several that touch only the one that approaches, if it leaves the others alone. */
static int model_energetic_of(const model_rows *r, const int *struck, const double *y, double *P) {
  int i, count = 0, striking = 0, one = -1, only = -1;
  for (i = 0; i < MODEL_CONTACTS; ++i) {
    if (!struck[i]) continue;
    ++count;
    only = i;
    if (!(y[model_elements[i].gap] < 0)) continue;
    ++striking;
    one = i;
  }
  if (count == 1) return model_energetic(r, only, y, P);
  if (striking != 1 || !model_energetic(r, one, y, P)) return 0;
  for (i = 0; i < MODEL_CONTACTS; ++i) {
    const int gap = model_elements[i].gap;
    if (struck[i] && y[gap] + model_dot(r->W[gap], P, MODEL_ROWS) <
                         -1e-9 * fabs(y[model_elements[one].gap]))
      return 0;
  }
  return 1;
}

/* The impulses P that turn the rates y: by Newton's law; Poisson's, compression and expansion; or the
   energetic one. */
static int model_impact(const model_rows *r, const int *struck, int law, const double *y, double *P) {
  model_problem problem, before;
  model_candidates all;
  model_mode modes[MODEL_ELEMENTS + 1];
  model_solution s;
  double between[MODEL_MOST];
  int i, j, expands = 0;
  if (law == 0) return model_blow(r, struck, y, 1, P);
  if (law == 2) return model_energetic_of(r, struck, y, P);
  if (!model_blow(r, struck, y, 0, P)) return 0;
  for (j = 0; j < MODEL_ROWS; ++j) between[j] = y[j] + model_dot(r->W[j], P, MODEL_ROWS);
  model_impact_problem(r, struck, y, &before);
  model_impact_problem(r, struck, between, &problem);
  problem.size = before.size;
  model_free_modes(&all);
  for (i = 0; i < MODEL_ELEMENTS; ++i) {
    if (i < MODEL_CONTACTS && struck[i]) {
      model_add_tangential(&all, i, &problem, 0, between);
      model_add_tangential(&all, i, &problem, 1, between);
      problem.base[i] = r->laws[i][0] * P[model_elements[i].gap];
      if (problem.base[i] > 0) expands = 1;
    } else {
      model_add(&all, i, MODEL_OPEN, 0, 0, 0, 1);
    }
  }
  if (!expands) return 1;
  if (!model_choose(r, &problem, &all, modes, &s)) return 0;
  for (j = 0; j < MODEL_ROWS; ++j) P[j] += s.p[j];
  return 1;
}

/* Whether blows of one contact after the other lead elsewhere than all at once. */
static int model_order_matters(const model_rows *r, const int *struck, int law, const double *before,
                               const double *after, double size) {
  int backwards, i, k, j, round, blows;
  for (backwards = 0; backwards < 2; ++backwards) {
    double y[MODEL_MOST], P[MODEL_MOST];
    memcpy(y, before, sizeof y);
    for (round = 0, blows = 1; round < 300 && blows; ++round) {
      blows = 0;
      for (k = 0; k < MODEL_CONTACTS; ++k) {
        int one[MODEL_ELEMENTS + 1] = {0};
        i = backwards ? MODEL_CONTACTS - 1 - k : k;
        j = model_elements[i].gap;
        if (!struck[i] || !(y[j] / sqrt(r->W[j][j]) < -1e-9 * size)) continue;
        one[i] = 1;
        if (!model_impact(r, one, law, y, P)) break;
        for (j = 0; j < MODEL_ROWS; ++j) y[j] += model_dot(r->W[j], P, MODEL_ROWS);
        blows = 1;
      }
      if (k < MODEL_CONTACTS) break;
    }
    if (blows) continue;
    for (i = 0; i < MODEL_CONTACTS; ++i) {
      j = model_elements[i].gap;
      if (struck[i] && fabs(y[j] - after[j]) / sqrt(r->W[j][j]) > 1e-6 * size) return 1;
    }
  }
  return 0;
}

/* Whether an impact has taken the rate of a row away. */
static int model_has_gone(const model_system *system, const model_rows *r, int row,
                          const double *after) {
  return fabs(after[row]) <= 1e-12 * model_larger(fabs(r->rates[row]), system->rate_size[row]);
}

/* The impact of all contacts that touch, if one of them approaches. */
static int model_strike_contacts(model_system *system, model_motion *motion, const int *fired,
                                 int *struck_now) {
  model_rows r;
  int touching[MODEL_ELEMENTS + 1] = {0}, count = 0, approaches = 0, stated = 1, differs = 0;
  int law = -1, i, j, status;
  double P[MODEL_MOST], after[MODEL_MOST], jump[MODEL_COORDINATES], size = 0, energy = 0, in_play = 0;
  double touched[MODEL_ELEMENTS + 1] = {0}, closed[MODEL_ELEMENTS + 1] = {0};
  *struck_now = 0;
  status = model_note_sizes(system, motion, &r);
  if (status != MODEL_OK) return status;
  for (i = 0; i < MODEL_CONTACTS; ++i) {
    const int gap = model_elements[i].gap;
    const double rate = r.rates[gap];
    if (!((fired[MODEL_NORMAL + 2 * i] && system->hold[i] == MODEL_OPEN) ||
          system->hold[i] != MODEL_OPEN ||
          r.residuals[gap] <= model_small_gap(system, motion->t, i, rate)))
      continue;
    touching[i] = 1;
    ++count;
    stated = stated && model_elements[i].stated;
    differs |= law >= 0 && law != model_elements[i].law;
    law = model_elements[i].law;
    size = model_larger(size, fabs(rate) / sqrt(r.W[gap][gap]));
    if (rate < -model_small_rate(system, gap)) approaches = 1;
  }
  if (!approaches) return MODEL_OK;
  if (differs || !model_impact(&r, touching, law, r.rates, P)) return MODEL_CONTACT;
  for (j = 0; j < MODEL_ROWS; ++j) after[j] = r.rates[j] + model_dot(r.W[j], P, MODEL_ROWS);
  for (i = 0; i < MODEL_CONTACTS; ++i) {
    if (!touching[i]) continue;
    for (j = model_elements[i].gap; j <= model_elements[i].gap + model_elements[i].slips; ++j) {
      energy += P[j] * (after[j] + r.rates[j]) / 2;
      in_play += r.rates[j] * r.rates[j] / r.W[j][j] / 2;
    }
  }
  if (energy > 1e-9 * in_play) return MODEL_CONTACT;
  if (count > 1 && !stated && model_order_matters(&r, touching, law, r.rates, after, size))
    return MODEL_CONTACT;
  *struck_now = 1;
  model_response(&r, P, jump);
  for (i = 0; i < MODEL_COORDINATES; ++i) motion->y[MODEL_COORDINATES + i] += jump[i];
  /* What its law lets rest and stick does, to rounding, also where positions are moved a little. */
  for (i = 0; i < MODEL_CONTACTS; ++i) {
    const int gap = model_elements[i].gap;
    if (!touching[i]) continue;
    touched[i] = MODEL_SMOOTH;
    if (!model_has_gone(system, &r, gap, after)) continue;
    closed[i] = MODEL_STICK;
    for (j = 1; j <= model_elements[i].slips; ++j)
      if (!model_has_gone(system, &r, gap + j, after)) closed[i] = MODEL_SMOOTH;
  }
  status = model_onto(system, motion->t, motion->y, motion->y + MODEL_COORDINATES, touched, 0);
  if (status != MODEL_OK) return status;
  return model_onto(system, motion->t, motion->y, motion->y + MODEL_COORDINATES, closed, 1);
}

/* Heights of bounces in units of what rounding makes of the gap: below the first they may be summed,
   below the second they must. */
static const double model_low = 1e6, model_lowest = 1e3;

/* After an impact: the contacts that come to rest by bounces without end. */
static int model_follow_bounces(model_system *system, model_motion *motion, int *rested) {
  model_rows r;
  model_mode modes[MODEL_ELEMENTS + 1];
  model_problem problem;
  model_solution s;
  double qdd[MODEL_COORDINATES];
  int i, any = 0;
  if (model_note_sizes(system, motion, &r) != MODEL_OK ||
      model_accelerate(system, &r, modes, &problem, &s, qdd) != MODEL_OK)
    return 0;
  for (i = 0; i < MODEL_CONTACTS; ++i) {
    const int gap = model_elements[i].gap;
    const double rate = r.rates[gap], a = s.y[gap];
    const double grain = model_epsilon * model_larger(system->gap_size[gap], 1e-300);
    const model_bounce last = motion->bounces[i];
    model_bounce *bounce = &motion->bounces[i];
    double apart, left, unsteady, off;
    if (system->hold[i] != MODEL_OPEN || r.residuals[gap] > model_low * grain || !(rate > 0)) continue;
    if (!(a < 0)) {
      bounce->count = 0;
      continue;
    }
    bounce->t = motion->t;
    bounce->rate = rate;
    bounce->flight = -2 * rate / a;
    bounce->height = -rate * rate / (2 * a);
    bounce->ratio = last.count > 0 ? rate / last.rate : -1;
    bounce->count += 1;
    apart = motion->t - last.t;
    if (bounce->height <= 30 * grain) {
      rested[i] = any = 1;
      continue;
    }
    if (last.count == 0 || last.ratio < 0 || !(bounce->ratio < 1) ||
        !(bounce->height <= model_low * grain))
      continue;
    off = fabs(apart / last.flight - 1);
    left = off < 1e-3 ? bounce->flight / (1 - bounce->ratio)
                      : apart * bounce->ratio / (1 - bounce->ratio);
    unsteady = (off < 1e-3 ? off : 0) + fabs(bounce->ratio - last.ratio);
    if (left * unsteady / (1 - bounce->ratio) > 1e-12 * model_larger(motion->t, left) &&
        bounce->height > model_lowest * grain)
      continue;
    rested[i] = any = 1;
  }
  /* With them what all but touches. */
  for (i = 0; any && i < MODEL_CONTACTS; ++i) {
    const int gap = model_elements[i].gap;
    const double grain = model_epsilon * model_larger(system->gap_size[gap], 1e-300);
    if (!rested[i] && system->hold[i] == MODEL_OPEN && r.residuals[gap] <= model_low * grain &&
        motion->bounces[i].count > 0 && motion->bounces[i].height <= model_low * grain)
      rested[i] = 1;
  }
  return any;
}

/* Takes the rates of gaps away, with the friction that goes with it. */
static int model_settle(model_system *system, model_motion *motion, const int *rested) {
  model_rows r;
  model_mode modes[MODEL_ELEMENTS + 1];
  model_problem problem;
  model_equations e;
  model_solution s;
  double jump[MODEL_COORDINATES];
  int i, j, k;
  const int status = model_note_sizes(system, motion, &r);
  if (status != MODEL_OK) return status;
  memset(&problem, 0, sizeof problem);
  memset(modes, 0, sizeof modes);
  memcpy(problem.laws, r.laws, sizeof r.laws);
  for (i = 0; i < MODEL_CONTACTS; ++i) {
    const int gap = model_elements[i].gap, slip = model_elements[i].slip;
    double u[2], speed;
    int slipping;
    if (!rested[i] && system->hold[i] == MODEL_OPEN) continue;
    problem.c[gap] = r.rates[gap];
    modes[i].hold = MODEL_SMOOTH;
    if (model_elements[i].slips == 0 || r.laws[i][1] == 0) continue;
    speed = model_slip_rate(&r, i, u);
    for (k = 0; k < model_elements[i].slips; ++k) problem.c[slip + k] = u[k];
    slipping = model_slides(system, &r, i) && speed > 10 * r.laws[i][1] * fabs(r.rates[gap]);
    modes[i].hold = slipping ? MODEL_SLIDE : MODEL_STICK;
    for (k = 0; slipping && k < 2; ++k) modes[i].d[k] = u[k] / speed;
  }
  for (j = 0; j < MODEL_ROWS; ++j) problem.size = model_larger(problem.size, fabs(problem.c[j]));
  model_solve_mode(&r, &problem, modes, &e, &s);
  if (!s.solved) return MODEL_OK;
  model_response(&r, s.p, jump);
  for (i = 0; i < MODEL_COORDINATES; ++i) motion->y[MODEL_COORDINATES + i] += jump[i];
  return MODEL_OK;
}

/* Behind impacts and events. */
static int model_go_on(model_system *system, model_motion *motion, const int *fired, int struck) {
  int none[MODEL_WHENS + 1] = {0}, rested[MODEL_ELEMENTS + 1] = {0};
  int status = model_decide(system, motion, fired, rested);
  if (status != MODEL_OK || !struck || !model_follow_bounces(system, motion, rested)) return status;
  status = model_settle(system, motion, rested);
  return status == MODEL_OK ? model_decide(system, motion, none, rested) : status;
}

