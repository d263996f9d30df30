/* Events. An expression counts as zero within what rounding makes of it, and directly behind its own
   event within twice what it was there: it must leave before it can change its sign again. */
static const struct {
  int when, clock; /* which of those; -1: none */
  int direction;   /* 1 rising, -1 falling, 0 both */
  int stop;
  int first, settings; /* what it sets, in model_sets */
} model_events[] = {/*@EVENT_TABLE@*/};
static const struct {
  int target; /* 0 a position, 1 a velocity, 2 a parameter */
  int index;
} model_sets[] = {/*@SET_TABLE@*/};
static const int model_event_of_when[] = {/*@EVENT_OF_WHEN@*/};

/*@TOUCHES@*/#if MODEL_TOUCHES
static int model_watch_all(const model_system *system, double t, const double *y, double *g,
                           double *rates, double *small) {
  double x[MODEL_X], out[4 * MODEL_ROWS + 2 * MODEL_OWN_WHENS + 1];
  const double *at = out + 4 * (MODEL_ROWS - MODEL_CONSTRAINTS);
  int i;
  const int status = model_watch_touches(system, t, y, g, rates, small, x);
  if (status != MODEL_OK) return status;
  model_tape_watched(system->p, system->known + MODEL_KNOWN_WATCHED, x, system->u, out);
  for (i = 0; i < MODEL_OWN_WHENS; ++i) {
    if (!(fabs(at[i]) <= model_largest)) return MODEL_EVENT;
    g[i] = at[i];
    if (rates) rates[i] = at[MODEL_OWN_WHENS + i];
  }
  return MODEL_OK;
}

static int model_watch(const model_system *system, double t, const double *y, double *g,
                       double *rates) {
  return model_watch_all(system, t, y, g, rates, 0);
}
#else
static const double model_epsilon = 2.220446049250313e-16;
static const double model_largest = 1.7976931348623157e308;

int model_regular(const model_system *system, const model_motion *motion) {
  (void)system;
  (void)motion;
  return MODEL_OK;
}

/* The expressions, and unless rates is 0 how fast they change along the motion. */
static int model_watch(const model_system *system, double t, const double *y, double *g,
                       double *rates) {
  double x[1 + 3 * MODEL_COORDINATES], out[2 * MODEL_WHENS + 1];
  int i;
  model_full(system, t, y, x);
  for (i = 0; i < MODEL_COORDINATES; ++i) x[1 + 2 * MODEL_COORDINATES + i] = 0;
  if (rates) {
    double s[MODEL_SAMPLES];
    const int status = model_observe(system, t, y, s);
    if (status != MODEL_OK) return status;
    for (i = 0; i < MODEL_COORDINATES; ++i)
      x[1 + 2 * MODEL_COORDINATES + i] = s[MODEL_COORDINATES + i];
  }
  model_tape_watched(system->p, system->known + MODEL_KNOWN_WATCHED, x, system->u, out);
  for (i = 0; i < MODEL_WHENS; ++i) {
    if (!(fabs(out[i]) <= model_largest)) return MODEL_EVENT;
    g[i] = out[i];
    if (rates) rates[i] = out[MODEL_WHENS + i];
  }
  return MODEL_OK;
}
#endif

int model_event_functions(const model_system *system, double t, const double *y, double *g) {
  return model_watch(system, t, y, g, 0);
}

static int model_side(double g) { return g > 0 ? 1 : -1; }

/* Whether an event comes when its expression leaves this side. */
static int model_matters(int when, int side) {
  const int direction = model_events[model_event_of_when[when]].direction;
  return direction == 0 || direction == -side;
}

/* Takes note of where the expressions are; `fresh`: those that are at zero go where their rates say. */
static int model_take_sides(model_system *system, model_motion *motion, int fresh) {
  int w;
#if MODEL_TOUCHES
  double small[MODEL_WHENS + 1];
  model_rows r;
  model_mode modes[MODEL_ELEMENTS + 1];
  int status = model_note_sizes(system, motion, &r);
  if (status != MODEL_OK) return status;
  model_directed(system, &r, modes);
  for (w = 0; w < MODEL_ELEMENTS; ++w) {
    system->d[w][0] = modes[w].d[0];
    system->d[w][1] = modes[w].d[1];
  }
  status = model_watch_all(system, motion->t, motion->y, motion->value, motion->rate, small);
#else
  const int status = model_watch(system, motion->t, motion->y, motion->value, motion->rate);
#endif
  if (status != MODEL_OK) return status;
  for (w = 0; w < MODEL_WHENS; ++w) {
    const double size = fabs(motion->value[w]), rate = fabs(motion->rate[w]);
    double margin;
#if MODEL_TOUCHES
    if (w >= MODEL_OWN_WHENS) {
      if (fresh || size > motion->size[w]) motion->size[w] = size;
      motion->side[w] = 1;
      motion->small[w] = small[w];
      if (system->hold[(w - MODEL_OWN_WHENS) / 2] != MODEL_OPEN &&
          1e-12 * motion->size[w] > motion->small[w])
        motion->small[w] = 1e-12 * motion->size[w];
      if (fresh) motion->margin[w] = motion->small[w];
      continue;
    }
#endif
    if (size > motion->size[w]) motion->size[w] = size;
    margin = 32 * model_epsilon * (motion->size[w] + (rate <= model_largest ? rate : 0) * fabs(motion->t));
    if (motion->floor[w] > margin) margin = motion->floor[w];
    if (!(margin > 0)) margin = 1e-14;
    if (size > margin) {
      motion->side[w] = model_side(motion->value[w]);
      if (!fresh) motion->floor[w] = 0;
    } else if (fresh && motion->side[w] == 0 && motion->rate[w] != 0) {
      motion->side[w] = model_side(motion->rate[w]);
    }
    if (fresh) motion->margin[w] = margin;
    motion->small[w] = margin;
  }
#if MODEL_TOUCHES
  if (!fresh) return model_regular(system, motion);
  return model_find_determinant(system, motion->t, motion->y, &motion->determinant);
#else
  return MODEL_OK;
#endif
}

static int model_happen(model_system *system, model_motion *motion, const int *first);

void model_begin_discretes(model_system *system) {
/*@DISCRETES@*/  model_know(system);
#if MODEL_TOUCHES
  memset(system->hold, 0, sizeof system->hold);
#endif
}

int model_begin_events(model_system *system, model_motion *motion) {
  double periods[MODEL_CLOCKS + 1];
  int i;
  for (i = 0; i < MODEL_WHENS; ++i)
    motion->side[i] = motion->size[i] = motion->floor[i] = motion->margin[i] = 0;
  model_tape_periods(system->p, system->known + MODEL_KNOWN_PERIODS, system->p, system->u, periods);
  for (i = 0; i < MODEL_CLOCKS; ++i) {
    if (!(periods[i] > 0)) return MODEL_EVENT;
    motion->strikes[i] = floor(motion->t / periods[i] * (1 + model_epsilon));
  }
  for (i = 0; i < MODEL_EVENTS; ++i) motion->happened[i] = 0;
  motion->stopped = 0;
#if MODEL_TOUCHES
  {
    model_rows r;
    int none[MODEL_EVENTS + 1] = {0}, status;
    memset(system->hold, 0, sizeof system->hold);
    memset(system->d, 0, sizeof system->d);
    memset(system->gap_size, 0, sizeof system->gap_size);
    memset(system->rate_size, 0, sizeof system->rate_size);
    memset(motion->bounces, 0, sizeof motion->bounces);
    system->started = 0;
    status = model_note_sizes(system, motion, &r);
    if (status != MODEL_OK) return status;
    for (i = 0; i < MODEL_CONTACTS; ++i) {
      const int gap = model_elements[i].gap;
      if (r.residuals[gap] < -1e-9 * system->gap_size[gap]) return MODEL_CONTACT;
    }
    status = model_take_sides(system, motion, 1);
    if (status == MODEL_OK) status = model_happen(system, motion, none);
    system->started = 1;
    if (status != MODEL_OK) return status;
  }
#endif
  return model_take_sides(system, motion, 1);
}

static void model_strikes(const model_system *system, const model_motion *motion, double *next) {
  double periods[MODEL_CLOCKS + 1];
  int i;
  model_tape_periods(system->p, system->known + MODEL_KNOWN_PERIODS, system->p, system->u, periods);
  for (i = 0; i < MODEL_CLOCKS; ++i) next[i] = periods[i] * (motion->strikes[i] + 1);
}

double model_next_strike(const model_system *system, const model_motion *motion) {
  double next[MODEL_CLOCKS + 1] = {0}, first = model_largest;
  int i;
  model_strikes(system, motion, next);
  for (i = 0; i < MODEL_CLOCKS; ++i)
    if (next[i] < first) first = next[i];
  return first;
}

static int model_set(model_system *system, model_motion *motion, int event) {
  double out[MODEL_SETTINGS + 1] = {0};
  int i, moved = 0, changed = 0;
#if MODEL_TOUCHES
  double x[MODEL_X];
  if (MODEL_SETS_BY_REACTIONS) {
    const int status = model_place_all(system, motion->t, motion->y, x);
    if (status != MODEL_OK) return status;
  } else {
    model_place(system, motion->t, motion->y, motion->y + MODEL_COORDINATES, x);
  }
#else
  double x[1 + 2 * MODEL_COORDINATES];
  model_full(system, motion->t, motion->y, x);
#endif
  model_tape_settings(system->p, system->known + MODEL_KNOWN_SETTINGS, x, system->u, out);
  for (i = model_events[event].first; i < model_events[event].first + model_events[event].settings; ++i) {
    if (!(fabs(out[i]) <= model_largest)) return MODEL_EVENT;
    if (model_sets[i].target == 2) {
      system->p[model_sets[i].index] = out[i];
      changed = 1;
    } else {
      x[1 + model_sets[i].target * MODEL_COORDINATES + model_sets[i].index] = out[i];
      moved = 1;
    }
  }
  if (changed) model_know(system);
  if (!moved) return MODEL_OK;
#if MODEL_TOUCHES
  {
    /* Onto the constraints, contacts and sticking left to themselves: they may part. */
    double none[MODEL_ELEMENTS + 1] = {0};
    model_rows r;
    int status = model_onto(system, motion->t, x + 1, x + 1 + MODEL_COORDINATES, none, 0);
    if (status == MODEL_OK)
      status = model_onto(system, motion->t, x + 1, x + 1 + MODEL_COORDINATES, none, 1);
    if (status == MODEL_OK)
      status = model_measure(system, motion->t, x + 1, x + 1 + MODEL_COORDINATES, &r);
    for (i = 0; status == MODEL_OK && i < MODEL_CONTACTS; ++i)
      if (r.residuals[model_elements[i].gap] < -1e-9 * system->gap_size[model_elements[i].gap])
        status = MODEL_CONTACT;
    if (status != MODEL_OK) return status;
  }
#endif
#if MODEL_CORRECTS_POSITIONS
  {
    const int status =
        model_correct(system, model_tape_positions, MODEL_KNOWN_POSITIONS, x, 1);
    if (status != MODEL_OK) return status;
  }
#endif
#if MODEL_CORRECTS_VELOCITIES
  {
    const int status = model_correct(system, model_tape_velocities, MODEL_KNOWN_VELOCITIES, x,
                                     1 + MODEL_COORDINATES);
    if (status != MODEL_OK) return status;
  }
#endif
  model_state(system, motion->t, x + 1, x + 1 + MODEL_COORDINATES, motion->y);
  return MODEL_OK;
}

/* What these events do, in the order of the model, each from the values that the one before it left,
   and the events whose expressions jump to the other side by that. */
static int model_happen(model_system *system, model_motion *motion, const int *first) {
  const int most_passes = 100;
  double before[MODEL_WHENS + 1], g[MODEL_WHENS + 1];
  int due[MODEL_EVENTS + 1], i, w, pass, any, status;
#if MODEL_TOUCHES
  int fired[MODEL_WHENS + 1] = {0}, none[MODEL_WHENS + 1] = {0}, struck = 0, struck_now = 0;
  for (w = MODEL_OWN_WHENS; w < MODEL_WHENS; ++w) fired[w] = first[model_event_of_when[w]];
#endif
  status = model_watch(system, motion->t, motion->y, before, 0);
  if (status != MODEL_OK) return status;
  for (i = 0; i < MODEL_EVENTS; ++i) {
    due[i] = first[i];
    if (!due[i] || model_events[i].when < 0) continue;
    w = model_events[i].when;
    if (w >= MODEL_OWN_WHENS) continue;
    motion->side[w] = 0;
    motion->floor[w] = 2 * fabs(before[w]);
  }
  for (pass = 0; pass < most_passes; ++pass) {
#if MODEL_TOUCHES
    status = model_strike_contacts(system, motion, pass == 0 ? fired : none, &struck_now);
    if (status != MODEL_OK) return status;
    struck |= struck_now;
#endif
    for (i = 0; i < MODEL_EVENTS; ++i) {
      if (!due[i]) continue;
      motion->happened[i] += 1;
      status = model_set(system, motion, i);
      if (status != MODEL_OK) return status;
      if (model_events[i].stop) motion->stopped = 1;
      due[i] = 0;
    }
    if (motion->stopped != 0) return MODEL_OK;
    status = model_watch(system, motion->t, motion->y, g, 0);
    if (status != MODEL_OK) return status;
    any = 0;
#if MODEL_TOUCHES
    any = struck_now;
#endif
    for (w = 0; w < MODEL_OWN_WHENS; ++w) {
      double rounding;
      const double jump = fabs(g[w] - before[w]);
      if (fabs(g[w]) > motion->size[w]) motion->size[w] = fabs(g[w]);
      rounding = 16 * model_epsilon * motion->size[w];
      before[w] = g[w];
      if (fabs(g[w]) <= rounding || jump <= rounding) continue;
      if (motion->side[w] == -model_side(g[w]) && model_matters(w, -model_side(g[w])))
        due[model_event_of_when[w]] = any = 1;
      motion->side[w] = model_side(g[w]);
      motion->floor[w] = 0;
    }
    if (!any) {
      motion->h = 0;
      motion->after_rejection = 0;
#if MODEL_TOUCHES
      status = model_go_on(system, motion, fired, struck);
      if (status != MODEL_OK) return status;
#endif
      return model_take_sides(system, motion, 1);
    }
  }
  return MODEL_EVENT;
}

int model_event(model_system *system, model_motion *motion, int i) {
  int first[MODEL_EVENTS + 1] = {0};
  if (i < 0 || i >= MODEL_EVENTS) return MODEL_EVENT;
  first[i] = 1;
  return model_happen(system, motion, first);
}

int model_resume(model_system *system, model_motion *motion) {
  int due[MODEL_EVENTS + 1] = {0}, i;
  if (motion->waits == 0) return MODEL_OK;
  motion->waits = 0;
  for (i = 0; i < MODEL_EVENTS; ++i) due[i] = motion->due[i] != 0;
  return model_happen(system, motion, due);
}

/* The clocks that strike now. */
static int model_strike(const model_system *system, model_motion *motion, int *due) {
  double next[MODEL_CLOCKS + 1] = {0};
  int i, any = 0;
  model_strikes(system, motion, next);
  for (i = 0; i < MODEL_EVENTS; ++i) {
    const int clock = model_events[i].clock;
    if (clock < 0 || !(next[clock] <= motion->t + 8 * model_epsilon * fabs(motion->t))) continue;
    motion->strikes[clock] += 1;
    due[i] = any = 1;
  }
  return any;
}

int model_indicators(const model_system *system, const model_motion *motion, double *z) {
  int w;
  const int status = model_watch(system, motion->t, motion->y, z, 0);
  if (status != MODEL_OK) return status;
  for (w = 0; w < MODEL_WHENS; ++w) z[w] += (motion->side[w] < 0 ? -1 : 1) * motion->margin[w];
  return MODEL_OK;
}

int model_meet(model_system *system, model_motion *motion, int *happened) {
  int due[MODEL_EVENTS + 1] = {0}, w, status;
  double g[MODEL_WHENS + 1];
  *happened = 0;
  if (motion->stopped != 0) return MODEL_OK;
  status = model_watch(system, motion->t, motion->y, g, 0);
  if (status != MODEL_OK) return status;
  for (w = 0; w < MODEL_WHENS; ++w) {
    const int side = motion->side[w] < 0 ? -1 : 1;
    if (!(side * g[w] < -motion->margin[w] / 2)) continue;
    if (model_matters(w, side)) {
      due[model_event_of_when[w]] = *happened = 1;
    } else {
      motion->side[w] = -side;
      motion->floor[w] = 0;
    }
  }
  if (model_strike(system, motion, due)) *happened = 1;
  if (!*happened) return model_take_sides(system, motion, 1);
  /* What has drifted off what holds must not pass for sliding or leaving. */
  status = model_project(system, motion->t, motion->y);
  return status == MODEL_OK ? model_happen(system, motion, due) : status;
}

/* The continuous output of a step, of order 7 (section II.6 there), which starts at motion. */
typedef struct {
  double h, r[7][MODEL_STATES];
} model_dense;

static int model_make_dense(const model_system *system, const model_motion *motion, double h,
                            double k[MODEL_STAGES][MODEL_STATES], const double *y_new,
                            model_dense *dense) {
  double more[4][MODEL_STATES], y[MODEL_STATES];
  int i, j, l, stage, status;
  status = model_step_derivative(system, motion->t + h, y_new, more[0], 0);
  if (status != MODEL_OK) return status;
  for (stage = 0; stage < 3; ++stage) {
    for (i = 0; i < MODEL_STATES; ++i) {
      double sum = 0;
      for (j = 0; j < MODEL_STAGES + 1 + stage; ++j)
        sum += model_a_dense[stage][j] * (j < MODEL_STAGES ? k[j][i] : more[j - MODEL_STAGES][i]);
      y[i] = motion->y[i] + h * sum;
    }
    status = model_step_derivative(system, motion->t + model_c_dense[stage] * h, y, more[1 + stage], 0);
    if (status != MODEL_OK) return status;
  }
  dense->h = h;
  for (i = 0; i < MODEL_STATES; ++i) {
    const double difference = y_new[i] - motion->y[i];
    dense->r[0][i] = difference;
    dense->r[1][i] = h * k[0][i] - difference;
    dense->r[2][i] = 2 * difference - h * (k[0][i] + more[0][i]);
    for (l = 0; l < 4; ++l) {
      double sum = 0;
      for (j = 0; j < MODEL_STAGES + 4; ++j)
        sum += model_d[l][j] * (j < MODEL_STAGES ? k[j][i] : more[j - MODEL_STAGES][i]);
      dense->r[3 + l][i] = h * sum;
    }
  }
  return MODEL_OK;
}

static int model_inside(const model_system *system, const model_motion *motion,
                        const model_dense *dense, double theta, double *g) {
  double y[MODEL_STATES];
  int i, l;
  for (i = 0; i < MODEL_STATES; ++i) {
    double value = dense->r[6][i];
    for (l = 5; l >= 0; --l) value = dense->r[l][i] + (l % 2 ? theta : 1 - theta) * value;
    y[i] = motion->y[i] + theta * value;
  }
  return model_watch(system, motion->t + theta * dense->h, y, g, 0);
}

static double model_value_inside(const model_system *system, const model_motion *motion,
                                 const model_dense *dense, int w, double theta) {
  double g[MODEL_WHENS + 1];
  return model_inside(system, motion, dense, theta, g) == MODEL_OK ? g[w] : NAN;
}

/* Where an expression that is on this side at `from` and not at `to` changes it: regula falsi with
   halving (Illinois). */
static double model_refine(const model_system *system, const model_motion *motion,
                           const model_dense *dense, int w, double from, double to, int side) {
  double f_from = model_value_inside(system, motion, dense, w, from);
  double f_to = model_value_inside(system, motion, dense, w, to);
  int round, last = 0;
  for (round = 0; round < 100 && to - from > 4 * model_epsilon * to; ++round) {
    double middle = to - f_to * (to - from) / (f_to - f_from), f;
    if (round % 8 == 7 || !(middle > from && middle < to)) middle = from + (to - from) / 2;
    f = model_value_inside(system, motion, dense, w, middle);
    if (f == 0) return middle;
    if (!(fabs(f) <= model_largest)) break;
    if (model_side(f) == side) {
      from = middle;
      f_from = f;
      if (last == -1) f_to /= 2;
      last = -1;
    } else {
      to = middle;
      f_to = f;
      if (last == 1) f_from /= 2;
      last = 1;
    }
  }
  return to;
}

/* Where an expression that leaves zero is back at what it was at the start of the step. */
static double model_return(const model_system *system, const model_motion *motion,
                           const model_dense *dense, int w, double to, int side) {
  double from = 0;
  int round;
  for (round = 0; round < 100 && to - from > 4 * model_epsilon * to; ++round) {
    const double middle = from + (to - from) / 2;
    if (side * model_value_inside(system, motion, dense, w, middle) < side * motion->value[w]) {
      to = middle;
    } else {
      from = middle;
    }
  }
  return to;
}

/* The least distance from zero between two places, by golden sections. */
static double model_nearest(const model_system *system, const model_motion *motion,
                            const model_dense *dense, int w, double from, double to, int side) {
  const double golden = 0.3819660112501051;
  double x = from + golden * (to - from), z = to - golden * (to - from);
  double f_x = side * model_value_inside(system, motion, dense, w, x);
  double f_z = side * model_value_inside(system, motion, dense, w, z);
  int round;
  for (round = 0; round < 80 && to - from > 1e-9; ++round) {
    if (f_x < f_z) {
      to = z;
      z = x;
      f_z = f_x;
      x = from + golden * (to - from);
      f_x = side * model_value_inside(system, motion, dense, w, x);
    } else {
      from = x;
      x = z;
      f_x = f_z;
      z = to - golden * (to - from);
      f_z = side * model_value_inside(system, motion, dense, w, z);
    }
    if (f_x < -motion->small[w] || f_z < -motion->small[w]) break;
  }
  return f_x < f_z ? x : z;
}

enum { MODEL_PIECES = 32, MODEL_LOOKS = MODEL_PIECES + 48 };

/* The first root of an expression in a step, as a part of it; 2: none. `clear`: it was on its side
   before, beyond rounding. */
static double model_root(const model_system *system, const model_motion *motion,
                         const model_dense *dense, int w, const double *thetas,
                         double looks[MODEL_LOOKS][MODEL_WHENS + 1], int count, int *clear) {
  const double small = motion->small[w];
  int side = (int)motion->side[w], s, before;
  if (w >= MODEL_OWN_WHENS && looks[0][w] < -small) { /* it must not be there, unless it leaves */
    *clear = 0;
    return motion->rate[w] > 0 ? 2 : 0;
  }
  if (fabs(looks[0][w]) > small) side = model_side(looks[0][w]);
  *clear = 1;
  for (s = 1; s < count; ++s) {
    const double value = looks[s][w];
    int here;
    if (fabs(value) <= small) continue;
    here = model_side(value);
    if (side != 0 && here != side) {
      if (model_matters(w, side)) {
        for (before = s - 1; before > 0 && fabs(looks[before][w]) <= small;) --before;
        *clear = fabs(looks[before][w]) > small;
        if (*clear) return model_refine(system, motion, dense, w, thetas[before], thetas[s], side);
        return side * motion->rate[w] > 0 ? model_return(system, motion, dense, w, thetas[s], side)
                                          : 0;
      }
    } else if (s + 1 < count) {
      /* Nearer to zero than its neighbours: two roots close together? */
      const double a = here * looks[s - 1][w], f = here * value, b = here * looks[s + 1][w];
      const double bend = (a - 2 * f + b) / 2, tilt = (b - a) / 2;
      if (f < a && f <= b && a > 0 && f - tilt * tilt / (4 * bend) < 0.3 * f) {
        const double theta =
            model_nearest(system, motion, dense, w, thetas[s - 1], thetas[s + 1], here);
        if (here * model_value_inside(system, motion, dense, w, theta) < -small) {
          if (model_matters(w, here))
            return model_refine(system, motion, dense, w, thetas[s - 1], theta, here);
          return model_refine(system, motion, dense, w, theta, thetas[s + 1], -here);
        }
      }
    }
    side = here;
  }
  return 2;
}

/* The events of a step that come first, in due; `theta`: where, 2: nowhere. */
static int model_first_event(const model_system *system, const model_motion *motion,
                             const model_dense *dense, int *due, double *theta, int *first,
                             int *first_is_clear) {
  double thetas[MODEL_LOOKS], looks[MODEL_LOOKS][MODEL_WHENS + 1], roots[MODEL_WHENS + 1], near;
  int w, s, count = 1, at_zero = 0, clear;
  thetas[0] = 0;
  *theta = 2;
  for (w = 0; w < MODEL_WHENS; ++w) {
    looks[0][w] = motion->value[w];
    if (fabs(motion->value[w]) <= motion->small[w]) at_zero = 1;
  }
  /* What stands at zero is looked at from near by: it may leave and come back. */
  for (near = 5.684341886080802e-14; at_zero && near < 0.7 / MODEL_PIECES; near *= 2)
    thetas[count++] = near;
  for (s = 1; s <= MODEL_PIECES; ++s) thetas[count++] = s / (double)MODEL_PIECES;
  for (s = 1; s < count; ++s) {
    const int status = model_inside(system, motion, dense, thetas[s], looks[s]);
    if (status != MODEL_OK) return status;
  }
  for (w = 0; w < MODEL_WHENS; ++w) {
    roots[w] = model_root(system, motion, dense, w, thetas, looks, count, &clear);
    if (!(roots[w] < *theta)) continue;
    *theta = roots[w];
    *first = w;
    *first_is_clear = clear;
  }
  for (w = 0; w < MODEL_WHENS; ++w)
    if (*theta <= 1 && (roots[w] - *theta) * dense->h <=
                           1e-11 * dense->h + 8 * model_epsilon * fabs(motion->t))
      due[model_event_of_when[w]] = 1;
  return MODEL_OK;
}

/* A step that ends at the root: shorter and longer ones, until the expression vanishes. */
static int model_locate(const model_system *system, const model_motion *motion,
                        const model_dense *dense, int w, int clear, double theta,
                        double k[MODEL_STAGES][MODEL_STATES], double *y_new, double *located) {
  const double h = dense->h, t = motion->t;
  const double grain = 2 * model_epsilon * (fabs(t) > fabs(t + h) ? fabs(t) : fabs(t + h));
  const double delta = theta / 2 < 1 - theta ? theta / 2 : 1 - theta;
  const double by = delta < 1e-3 ? delta : 1e-3;
  double x = theta * h, slope = NAN, last = NAN, last_value = NAN, best = model_largest;
  double g[MODEL_WHENS + 1];
  int i, round, status = MODEL_OK;
  *located = x;
  if (x <= grain) {
    *located = 0;
    for (i = 0; i < MODEL_STATES; ++i) y_new[i] = motion->y[i];
    return MODEL_OK;
  }
  if (by > 1e-9)
    slope = (model_value_inside(system, motion, dense, w, theta + by) -
             model_value_inside(system, motion, dense, w, theta - by)) /
            (2 * by * h);
  for (round = 0; clear && round < 12; ++round) {
    double step;
    if (model_try(system, motion, x, k, y_new, &status) < 0) return status;
    status = model_watch(system, t + x, y_new, g, 0);
    if (status != MODEL_OK) return status;
    if (fabs(g[w]) < best) {
      best = fabs(g[w]);
      *located = x;
    }
    if (g[w] == 0) break;
    if (round > 0 && x != last && g[w] != last_value) {
      const double secant = (g[w] - last_value) / (x - last);
      if (isnan(slope) || fabs(secant - slope) < fabs(slope)) slope = secant;
    }
    last = x;
    last_value = g[w];
    step = -g[w] / slope;
    if (!(fabs(step) <= 0.1 * h) || fabs(step) <= grain / 4) break;
    step = x + step;
    if (step < x / 2) step = x / 2;
    if (step > 2 * x) step = 2 * x;
    if (step > h * (1 + 1e-6)) step = h * (1 + 1e-6);
    if (t + step == t + x) break;
    x = step;
  }
  return model_try(system, motion, *located, k, y_new, &status) < 0 ? status : MODEL_OK;
}

