/*@TITLE_SHORT@*/
#include "model.h"

#include <math.h>
#include <string.h>

/* Sums of products are rounded once, as dalembert does it, by fma(): fast where the compiler knows
   the instruction (-mfma, -march=native, or 64-bit Arm). With MODEL_PLAIN they are rounded twice,
   and sine and cosine come from the library: for processors without the instruction. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

#ifdef MODEL_PLAIN
#define model_fma(a, b, c) ((a) * (b) + (c))
#else
#define model_fma(a, b, c) fma(a, b, c)
#endif

/*@ELEMENTARY@*/
/*@TAPES@*/
const char *model_message(int status) {
  switch (status) {
    case MODEL_OK:
      return "all is well";
    case MODEL_DOUBT:
      return "a pivot of the elimination is too small: the constraints or the masses become "
             "dependent here";
    case MODEL_INCONSISTENT:
      return "no state on the constraints was found nearby";
    case MODEL_CONDITION:
      return "a condition of the model is violated";
    case MODEL_STEP:
      return "the steps became too short";
    case MODEL_ABSENT:
      return "derivatives were left out of this file: the model is too large for them";
    case MODEL_CONTACT:
      return "the laws of contact, friction or impact have no answer here, or several";
    case MODEL_EVENT:
      return "an event waits for or sets what is not a finite number, or events bring each other "
             "about without end";
    default:
      return "unknown status";
  }
}

/*@NAME_FUNCTIONS@*/
#if MODEL_WITH_INPUTS
static const int model_places[] = {/*@PLACES@*/}; /* of the inputs among the parameters */
#endif

void model_defaults(model_system *system) {
  static const double p[] = {/*@DEFAULTS@*/};
  int i;
  for (i = 0; i < MODEL_PARAMETERS; ++i) system->p[i] = p[i];
#if MODEL_WITH_INPUTS
  for (i = 0; i < MODEL_INPUTS; ++i) system->u[i] = system->passed[i] = p[model_places[i]];
#endif
  model_know(system);
}

void model_update(model_system *system) {
#if MODEL_WITH_INPUTS
  int i;
  for (i = 0; i < MODEL_INPUTS; ++i) {
    if (system->p[model_places[i]] == system->passed[i]) continue;
    system->u[i] = system->passed[i] = system->p[model_places[i]];
  }
#endif
/*@DEPENDENT@*/  model_know(system);
}

/*@EVALUATION@*/int model_directional(const model_system *system, double t, const double *y, const double *dy,
                      double *ddydt, double *ds) {
  return model_input_directional(system, t, y, dy, 0, ddydt, ds);
}

int model_jacobian(const model_system *system, double t, const double *y, double *J) {
  double dy[MODEL_STATES], column[MODEL_STATES];
  int i, j, status;
  for (j = 0; j < MODEL_STATES; ++j) dy[j] = 0;
  for (j = 0; j < MODEL_STATES; ++j) {
    dy[j] = 1;
    status = model_directional(system, t, y, dy, column, 0);
    if (status != MODEL_OK) return status;
    dy[j] = 0;
    for (i = 0; i < MODEL_STATES; ++i) J[i * MODEL_STATES + j] = column[i];
  }
  return MODEL_OK;
}

int model_input_jacobian(const model_system *system, double t, const double *y, double *B) {
  double dy[MODEL_STATES], du[MODEL_INPUTS + 1], column[MODEL_STATES];
  int i, j, status;
  for (j = 0; j < MODEL_STATES; ++j) dy[j] = 0;
  for (j = 0; j < MODEL_INPUTS; ++j) du[j] = 0;
  for (j = 0; j < MODEL_INPUTS; ++j) {
    du[j] = 1;
    status = model_input_directional(system, t, y, dy, du, column, 0);
    if (status != MODEL_OK) return status;
    du[j] = 0;
    for (i = 0; i < MODEL_STATES; ++i) B[i * MODEL_INPUTS + j] = column[i];
  }
  return MODEL_OK;
}

int model_check(const model_system *system, double t, const double *y) {
#if MODEL_WITH_CONDITIONS
  double x[1 + MODEL_COORDINATES], doubt;
  int i;
  x[0] = t;
  for (i = 0; i < MODEL_COORDINATES; ++i) x[1 + i] = y[i];
  model_tape_conditions(system->p, system->known + MODEL_KNOWN_CONDITIONS, x, system->u, &doubt);
  return doubt <= 1 ? MODEL_OK : MODEL_CONDITION;
#else
  (void)system;
  (void)t;
  (void)y;
  return MODEL_OK;
#endif
}

int model_count_turns(model_system *system, double t, const double *y) {
#if MODEL_TURNS
  static const int references[] = {/*@REFERENCES@*/};
  /* Half a turn from its reference an angle jumps. */
  const double leash = 1, most = 2.5;
  double x[1 + 2 * MODEL_COORDINATES], angles[MODEL_TURNS];
  int i, moved = 0;
  model_full(system, t, y, x);
  model_tape_angles(system->p, system->known + MODEL_KNOWN_ANGLES, x, system->u, angles);
  for (i = 0; i < MODEL_TURNS; ++i)
    if (!(fabs(angles[i] - system->p[references[i]]) <= most)) return MODEL_STEP;
  for (i = 0; i < MODEL_TURNS; ++i) {
    if (fabs(angles[i] - system->p[references[i]]) <= leash) continue;
    system->p[references[i]] = angles[i];
    moved = 1;
  }
  if (moved) model_know(system);
#else
  (void)system;
  (void)t;
  (void)y;
#endif
  return MODEL_OK;
}

void model_forget_turns(model_system *system, double t, const double *y) {
#if MODEL_TURNS
  static const int references[] = {/*@REFERENCES@*/};
  double x[1 + 2 * MODEL_COORDINATES], angles[MODEL_TURNS];
  int i;
  for (i = 0; i < MODEL_TURNS; ++i) system->p[references[i]] = 0;
  model_know(system);
  model_full(system, t, y, x);
  model_tape_angles(system->p, system->known + MODEL_KNOWN_ANGLES, x, system->u, angles);
  for (i = 0; i < MODEL_TURNS; ++i) system->p[references[i]] = angles[i];
  model_know(system);
#else
  (void)system;
  (void)t;
  (void)y;
#endif
}

/* Dormand and Prince's method of order 8(5,3): Hairer, Norsett, Wanner, Solving Ordinary
   Differential Equations I, section II.5. */
enum { MODEL_STAGES = 12 };

/*@COEFFICIENTS@*/
static double model_scale(const model_motion *motion, double y, double y_new) {
  double size = fabs(y) > fabs(y_new) ? fabs(y) : fabs(y_new);
  return motion->atol + motion->rtol * size;
}

/* A first step, from the sizes of y and y' (section II.4 there). */
static double model_first_step(const model_motion *motion, const double *k, double most) {
  double y_size = 0, k_size = 0, scale, h;
  int i;
  for (i = 0; i < MODEL_STATES; ++i) {
    scale = model_scale(motion, motion->y[i], motion->y[i]);
    y_size += motion->y[i] / scale * (motion->y[i] / scale);
    k_size += k[i] / scale * (k[i] / scale);
  }
  h = y_size > 1e-10 && k_size > 1e-10 ? 0.01 * sqrt(y_size / k_size) : 1e-6;
  return h < most ? h : most;
}

/* The end of a step of length h from k = y', and its error in units of the tolerance; below 0
   where a stage has no value, with the reason in status. */
static double model_try(const model_system *system, const model_motion *motion, double h,
                        double k[MODEL_STAGES][MODEL_STATES], double *y_new, int *status) {
  double s5 = 0, s3 = 0, d;
  int i, j, stage;
  for (stage = 1; stage < MODEL_STAGES; ++stage) {
    for (i = 0; i < MODEL_STATES; ++i) {
      double sum = 0;
      for (j = 0; j < stage; ++j)
        if (model_a[stage][j] != 0) sum += model_a[stage][j] * k[j][i];
      y_new[i] = motion->y[i] + h * sum;
    }
    *status = model_step_derivative(system, motion->t + model_c[stage] * h, y_new, k[stage], 0);
    if (*status != MODEL_OK) return -1;
  }
  for (i = 0; i < MODEL_STATES; ++i) {
    double sum = 0, e5 = 0, e3 = 0, scale;
    for (j = 0; j < MODEL_STAGES; ++j) {
      sum += model_b[j] * k[j][i];
      e5 += model_e5[j] * k[j][i];
      e3 += model_e3[j] * k[j][i];
    }
    y_new[i] = motion->y[i] + h * sum;
    scale = model_scale(motion, motion->y[i], y_new[i]);
    s5 += e5 / scale * (e5 / scale);
    s3 += e3 / scale * (e3 / scale);
  }
  d = s5 + 0.01 * s3;
  return d > 0 ? h * s5 / sqrt(MODEL_STATES * d) : 0;
}

/*@EVENT_CODE@*/
int model_begin(model_system *system, model_motion *motion) {
  int status;
#if MODEL_WITH_EVENTS
  model_begin_discretes(system);
#endif
  memset(motion, 0, sizeof *motion);
  motion->rtol = /*@RTOL@*/;
  motion->atol = /*@ATOL@*/;
  status = model_start(system, motion->y);
  if (status == MODEL_OK) model_forget_turns(system, 0, motion->y);
#if MODEL_WITH_EVENTS
  if (status == MODEL_OK) status = model_begin_events(system, motion);
#endif
  return status;
}

int model_integrate(model_system *system, model_motion *motion, double t_end) {
  const double most_attempts = 1e7;
  double k[MODEL_STAGES][MODEL_STATES], y_new[MODEL_STATES], attempts;
  int i, status, known = 0;
  for (attempts = 0; motion->t < t_end && motion->stopped == 0; ++attempts) {
    double limit = t_end, left, h, error, factor, most, t_new;
    int last;
#if MODEL_WITH_EVENTS
    int due[MODEL_EVENTS + 1] = {0}, first = 0, clear = 1;
    double theta = 2;
    const double strike = model_next_strike(system, motion);
    if (strike < limit) limit = strike;
#endif
    left = limit - motion->t;
    if (!known) {
      status = model_step_derivative(system, motion->t, motion->y, k[0], 1);
      if (status != MODEL_OK) return status;
      known = 1;
    }
    if (!(motion->h > 0)) motion->h = model_first_step(motion, k[0], left);
    last = motion->h >= left * (1 - 1e-12);
    h = last ? left : motion->h;
    /* Two steps of equal length rather than one and a scrap. */
    if (!last && 2 * h > left) h = 0.5 * left;
    t_new = last ? limit : motion->t + h;
    status = MODEL_OK;
    error = model_try(system, motion, h, k, y_new, &status);
#if MODEL_WITH_EVENTS
    if (MODEL_WHENS > 0 && error >= 0 && error <= 1) {
      model_dense dense;
      status = model_make_dense(system, motion, h, k, y_new, &dense);
      if (status == MODEL_OK)
        status = model_first_event(system, motion, &dense, due, &theta, &first, &clear);
      if (status == MODEL_OK && theta <= 1) {
        double located;
        status = model_locate(system, motion, &dense, first, clear, theta, k, y_new, &located);
        t_new = motion->t + located;
      }
      if (status != MODEL_OK) error = -1;
    }
#endif
    if (error >= 0 && error <= 1) {
      status = model_project(system, t_new, y_new);
      if (status == MODEL_OK) status = model_check(system, t_new, y_new);
      if (status == MODEL_OK) status = model_count_turns(system, t_new, y_new);
      if (status != MODEL_OK) error = -1;
    }
    if (error >= 0 && error <= 1) {
      factor = error > 0 ? 0.8 / sqrt(sqrt(sqrt(error))) : 6;
      most = motion->after_rejection != 0 ? 1 : 6;
      if (factor > most) factor = most;
      if (factor < 1.0 / 3.0) factor = 1.0 / 3.0;
      /* A step cut short tells little about the next. */
      if (h == motion->h || factor < 1 || h * factor > motion->h) motion->h = h * factor;
      motion->after_rejection = 0;
      motion->steps += 1;
      motion->t = t_new;
      for (i = 0; i < MODEL_STATES; ++i) motion->y[i] = y_new[i];
      known = 0;
#if MODEL_WITH_EVENTS
      if (model_strike(system, motion, due) || theta <= 1) {
        status = model_happen(system, motion, due);
      } else {
        status = model_take_sides(system, motion, 0);
      }
      if (status != MODEL_OK) return status;
#endif
      continue;
    }
    if (error > 1) {
      factor = 0.8 / sqrt(sqrt(sqrt(error)));
      if (factor < 1.0 / 3.0) factor = 1.0 / 3.0;
    } else {
      factor = 0.1;
    }
    motion->rejected += 1;
    motion->after_rejection = 1;
    if (!(h * factor > 2.3e-15 * fabs(motion->t)) || !(h * factor > 1e-300) ||
        attempts > most_attempts)
      return status != MODEL_OK ? status : MODEL_STEP;
    motion->h = h * factor;
  }
  return MODEL_OK;
}
