#include "fmu.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int model_fmu_fail(model_fmu *fmu, const char *what, int status) {
  char text[256];
  sprintf(text, "%.80s at t = %.17g: %.120s", what, fmu->state.motion.t, model_message(status));
  fmu->log(fmu, "logStatusError", text);
  return 0;
}

static int model_fmu_refuse(model_fmu *fmu, const char *what, unsigned variable) {
  char text[160];
  sprintf(text, "variable %u %.100s", variable, what);
  fmu->log(fmu, "logStatusError", text);
  return 0;
}

void model_fmu_moved(model_fmu *fmu) { fmu->knows_dydt = fmu->knows_samples = 0; }

void model_fmu_reset(model_fmu *fmu) {
  memset(&fmu->state, 0, sizeof fmu->state);
  model_defaults(&fmu->state.system);
  (void)model_begin(&fmu->state.system, &fmu->state.motion);
  fmu->state.is_stale = 1;
  model_fmu_moved(fmu);
}

int model_fmu_find_start(model_fmu *fmu) {
  model_fmu_state *s = &fmu->state;
  int i, status, given = 0;
  if (s->is_stale == 0) return 1;
#if /*@WITH_EVENTS@*/
  model_begin_discretes(&s->system);
#endif
  status = model_start(&s->system, s->motion.y);
  if (status != MODEL_OK) return model_fmu_fail(fmu, "start", status);
  for (i = 0; i < MODEL_STATES; ++i) {
    if (s->given[i] == 0) continue;
    s->motion.y[i] = s->start[i];
    given = 1;
  }
  if (given || s->motion.t != 0) {
    status = model_project(&s->system, s->motion.t, s->motion.y);
    if (status != MODEL_OK) return model_fmu_fail(fmu, "start", status);
  }
  status = model_check(&s->system, s->motion.t, s->motion.y);
  if (status != MODEL_OK) return model_fmu_fail(fmu, "start", status);
  model_forget_turns(&s->system, s->motion.t, s->motion.y);
  s->motion.h = 0;
#if /*@WITH_EVENTS@*/
  status = model_begin_events(&s->system, &s->motion);
  if (status != MODEL_OK) return model_fmu_fail(fmu, "start", status);
#endif
  s->is_stale = 0;
  model_fmu_moved(fmu);
  return 1;
}

static int model_fmu_ready(model_fmu *fmu) {
  return fmu->state.mode >= MODEL_FMU_RUNNING || model_fmu_find_start(fmu);
}

int model_fmu_find_dydt(model_fmu *fmu) {
  int status;
  if (!model_fmu_ready(fmu)) return 0;
  if (fmu->knows_dydt) return 1;
  status = model_derivative(&fmu->state.system, fmu->state.motion.t, fmu->state.motion.y, fmu->dydt);
  /* An importer may try states far off the constraints: whether to trust is asked where a step ends. */
  if (status == MODEL_DOUBT && fmu->state.mode == MODEL_FMU_RUNNING) {
    int i, finite = 1;
    for (i = 0; i < MODEL_STATES; ++i) finite &= fabs(fmu->dydt[i]) <= 1.7976931348623157e308;
    if (finite) status = MODEL_OK;
  }
  if (status != MODEL_OK) return model_fmu_fail(fmu, "derivatives", status);
  fmu->knows_dydt = 1;
  return 1;
}

static int model_fmu_find_samples(model_fmu *fmu) {
  int status;
  if (!model_fmu_ready(fmu)) return 0;
  if (fmu->knows_samples) return 1;
  status = model_observe(&fmu->state.system, fmu->state.motion.t, fmu->state.motion.y, fmu->samples);
  if (status != MODEL_OK) return model_fmu_fail(fmu, "outputs", status);
  fmu->knows_samples = 1;
  return 1;
}

/* Which input a parameter is; -1: none. */
static int model_fmu_input(unsigned parameter) {
  static const int inputs[] = {/*@INPUT_OF@*/};
  return inputs[parameter];
}

int model_fmu_get(model_fmu *fmu, unsigned variable, double *value) {
  model_fmu_state *s = &fmu->state;
  if (variable == MODEL_FMU_TIME) {
    *value = s->motion.t;
  } else if (variable < MODEL_FMU_Y) {
    const int input = model_fmu_input(variable - MODEL_FMU_P);
    *value = input < 0 ? s->system.p[variable - MODEL_FMU_P] : s->system.u[input];
  } else if (variable < MODEL_FMU_DY) {
    if (!model_fmu_ready(fmu)) return 0;
    *value = s->motion.y[variable - MODEL_FMU_Y];
  } else if (variable < MODEL_FMU_S) {
    if (!model_fmu_find_dydt(fmu)) return 0;
    *value = fmu->dydt[variable - MODEL_FMU_DY];
  } else if (variable < MODEL_FMU_RESIDUAL) {
    if (!model_fmu_find_samples(fmu)) return 0;
    *value = fmu->samples[variable - MODEL_FMU_S];
  } else if (variable == MODEL_FMU_RESIDUAL) {
    if (!model_fmu_ready(fmu)) return 0;
    *value = model_residual(&s->system, s->motion.t, s->motion.y);
  } else if (variable < MODEL_FMU_END) {
    double z[MODEL_WHENS + 1];
    if (!model_fmu_indicators(fmu, z)) return 0;
    *value = z[variable - MODEL_FMU_Z];
  } else {
    return model_fmu_refuse(fmu, "does not exist", variable);
  }
  return 1;
}

/* Whether a parameter may be set: others follow from those. */
static int model_fmu_is_free(unsigned parameter) {
  static const char free_ones[] = {/*@FREE@*/};
  return free_ones[parameter];
}

static int model_fmu_is_discrete(unsigned parameter) {
  static const char discrete_ones[] = {/*@DISCRETE@*/};
  return discrete_ones[parameter];
}

int model_fmu_set(model_fmu *fmu, unsigned variable, double value) {
  model_fmu_state *s = &fmu->state;
  if (!(fabs(value) <= 1.7976931348623157e308))
    return model_fmu_refuse(fmu, "cannot be set to a value that is not finite", variable);
  if (variable >= MODEL_FMU_P && variable < MODEL_FMU_Y) {
    const int input = model_fmu_input(variable - MODEL_FMU_P);
    if (input >= 0) {
      if (s->system.u[input] == value) return 1;
      s->system.u[input] = value;
      if (s->mode >= MODEL_FMU_RUNNING) {
        s->is_off = 1;
      } else {
        s->is_stale = 1;
      }
      model_fmu_moved(fmu);
      return 1;
    }
    if (s->mode >= MODEL_FMU_RUNNING && model_fmu_is_discrete(variable - MODEL_FMU_P))
      return model_fmu_refuse(fmu, "is set by events and can be set only before the motion", variable);
    if (!model_fmu_is_free(variable - MODEL_FMU_P))
      return model_fmu_refuse(fmu, "follows from other parameters and cannot be set", variable);
    s->system.p[variable - MODEL_FMU_P] = value;
    model_update(&s->system);
    s->is_stale = 1;
    if (s->mode >= MODEL_FMU_RUNNING) s->is_off = 1;
  } else if (variable >= MODEL_FMU_Y && variable < MODEL_FMU_DY) {
    if (s->mode >= MODEL_FMU_RUNNING)
      return model_fmu_refuse(fmu, "is a state and can be set only before the motion", variable);
    s->start[variable - MODEL_FMU_Y] = value;
    s->given[variable - MODEL_FMU_Y] = 1;
    s->is_stale = 1;
  } else {
    return model_fmu_refuse(fmu, "cannot be set", variable);
  }
  model_fmu_moved(fmu);
  return 1;
}

int model_fmu_project(model_fmu *fmu, int *moved) {
  model_fmu_state *s = &fmu->state;
  double before[MODEL_STATES];
  int i, status;
  *moved = 0;
  for (i = 0; i < MODEL_STATES; ++i) before[i] = s->motion.y[i];
  status = model_project(&s->system, s->motion.t, s->motion.y);
  if (status != MODEL_OK) return model_fmu_fail(fmu, "projection", status);
  for (i = 0; i < MODEL_STATES; ++i) *moved |= s->motion.y[i] != before[i];
  if (*moved) {
    model_fmu_moved(fmu);
    if (fmu->logging) fmu->log(fmu, "logEvents", "the state was moved onto the constraints");
  }
  s->is_off = 0;
  return 1;
}

int model_fmu_look(model_fmu *fmu, int *drifted) {
  model_fmu_state *s = &fmu->state;
  const int status = model_check(&s->system, s->motion.t, s->motion.y);
  *drifted = 0;
  if (status != MODEL_OK) return model_fmu_fail(fmu, "step", status);
  if (model_count_turns(&s->system, s->motion.t, s->motion.y) != MODEL_OK)
    return model_fmu_fail(fmu, "a hinge turned too far in one step of the importer", MODEL_STEP);
  model_fmu_moved(fmu);
  {
    double dydt[MODEL_STATES];
    const int trust = model_derivative(&s->system, s->motion.t, s->motion.y, dydt);
    if (trust != MODEL_OK) return model_fmu_fail(fmu, "step", trust);
  }
#if /*@PROJECTS@*/
  *drifted = !(model_residual(&s->system, s->motion.t, s->motion.y) <= 1e-10);
#endif
#if /*@WITH_EVENTS@*/
  {
    double z[MODEL_WHENS + 1];
    int i;
    if (!model_fmu_indicators(fmu, z)) return 0;
    for (i = 0; i < MODEL_WHENS; ++i) *drifted |= s->motion.side[i] < 0 ? z[i] > 0 : z[i] < 0;
  }
#endif
  return 1;
}

int model_fmu_indicators(model_fmu *fmu, double *z) {
#if /*@WITH_EVENTS@*/
  int status;
  if (!model_fmu_ready(fmu)) return 0;
  status = model_indicators(&fmu->state.system, &fmu->state.motion, z);
  return status == MODEL_OK ? 1 : model_fmu_fail(fmu, "event indicators", status);
#else
  (void)z;
  return model_fmu_ready(fmu);
#endif
}

int model_fmu_has_ended(const model_fmu *fmu) { return fmu->state.motion.stopped != 0; }

int model_fmu_next(const model_fmu *fmu, double *t) {
#if /*@WITH_EVENTS@*/
  *t = model_next_strike(&fmu->state.system, &fmu->state.motion);
  return MODEL_CLOCKS > 0 && !model_fmu_has_ended(fmu);
#else
  (void)fmu;
  *t = 0;
  return 0;
#endif
}

/* Tells the log what came since. */
static void model_fmu_tell(const model_fmu *fmu, const double *before) {
#if /*@WITH_EVENTS@*/
  int i;
  for (i = 0; fmu->logging && i < MODEL_EVENTS; ++i) {
    char text[200];
    if (fmu->state.motion.happened[i] == before[i]) continue;
    sprintf(text, "event '%.120s', %.0f times so far", model_event_name(i),
            fmu->state.motion.happened[i]);
    fmu->log(fmu, "logEvents", text);
  }
#else
  (void)fmu;
  (void)before;
#endif
}

int model_fmu_meet(model_fmu *fmu, int *moved) {
  int happened = 0, also = 0;
#if /*@WITH_EVENTS@*/
  int status;
  double before[MODEL_EVENTS + 1];
  memcpy(before, fmu->state.motion.happened, sizeof before);
  if (!model_fmu_ready(fmu)) return 0;
  status = model_meet(&fmu->state.system, &fmu->state.motion, &happened);
  if (status != MODEL_OK) return model_fmu_fail(fmu, "event", status);
  if (happened) model_fmu_moved(fmu);
  model_fmu_tell(fmu, before);
#endif
  if (!model_fmu_project(fmu, &also)) return 0;
  *moved = happened || also;
  return 1;
}

int model_fmu_step(model_fmu *fmu, double t_end) {
  int moved, status;
  double before[MODEL_EVENTS + 1];
  memcpy(before, fmu->state.motion.happened, sizeof before);
  if (fmu->state.is_off != 0 && !model_fmu_project(fmu, &moved)) return 0;
  status = model_integrate(&fmu->state.system, &fmu->state.motion, t_end);
  model_fmu_moved(fmu);
  model_fmu_tell(fmu, before);
  return status == MODEL_OK ? 1 : model_fmu_fail(fmu, "step", status);
}

static int model_fmu_is_unknown(unsigned v) {
  return (v >= MODEL_FMU_Y && v < MODEL_FMU_RESIDUAL) ? 1 : 0;
}

static int model_fmu_check_names(model_fmu *fmu, const unsigned *unknown, size_t unknowns,
                                 const unsigned *known, size_t knowns) {
  size_t i;
  for (i = 0; i < unknowns; ++i)
    if (!model_fmu_is_unknown(unknown[i]))
      return model_fmu_refuse(fmu, "has no derivatives", unknown[i]);
  for (i = 0; i < knowns; ++i)
    if (known[i] >= MODEL_FMU_DY || known[i] < MODEL_FMU_P ||
        (known[i] < MODEL_FMU_Y && model_fmu_input(known[i] - MODEL_FMU_P) < 0))
      return model_fmu_refuse(fmu, "is neither a state nor an input: derivatives are with respect to these", known[i]);
  return model_fmu_ready(fmu);
}

/* The place of a known variable in dx = (dy, du). */
static size_t model_fmu_place(unsigned known) {
  return known >= MODEL_FMU_Y ? known - MODEL_FMU_Y
                              : (size_t)(MODEL_STATES + model_fmu_input(known - MODEL_FMU_P));
}

/* Derivatives of everything along dx. */
static int model_fmu_along(model_fmu *fmu, const double *dx, double *ddydt, double *ds) {
  const int status =
      model_input_directional(&fmu->state.system, fmu->state.motion.t, fmu->state.motion.y, dx,
                              dx + MODEL_STATES, ddydt, ds);
  return status == MODEL_OK ? 1 : model_fmu_fail(fmu, "derivatives", status);
}

static double model_fmu_part(unsigned v, const double *dx, const double *ddydt, const double *ds) {
  return v < MODEL_FMU_DY  ? dx[v - MODEL_FMU_Y]
         : v < MODEL_FMU_S ? ddydt[v - MODEL_FMU_DY]
                           : ds[v - MODEL_FMU_S];
}

int model_fmu_directional(model_fmu *fmu, const unsigned *unknown, size_t unknowns,
                          const unsigned *known, size_t knowns, const double *seed,
                          double *sensitivity) {
  double dx[MODEL_STATES + MODEL_INPUTS] = {0}, ddydt[MODEL_STATES], ds[MODEL_SAMPLES];
  size_t i;
  if (!model_fmu_check_names(fmu, unknown, unknowns, known, knowns)) return 0;
  for (i = 0; i < knowns; ++i) dx[model_fmu_place(known[i])] += seed[i];
  if (!model_fmu_along(fmu, dx, ddydt, ds)) return 0;
  for (i = 0; i < unknowns; ++i) sensitivity[i] = model_fmu_part(unknown[i], dx, ddydt, ds);
  return 1;
}

int model_fmu_adjoint(model_fmu *fmu, const unsigned *unknown, size_t unknowns,
                      const unsigned *known, size_t knowns, const double *seed,
                      double *sensitivity) {
  double dx[MODEL_STATES + MODEL_INPUTS] = {0}, ddydt[MODEL_STATES], ds[MODEL_SAMPLES];
  size_t i, j;
  if (!model_fmu_check_names(fmu, unknown, unknowns, known, knowns)) return 0;
  for (j = 0; j < knowns; ++j) {
    dx[model_fmu_place(known[j])] = 1;
    if (!model_fmu_along(fmu, dx, ddydt, ds)) return 0;
    sensitivity[j] = 0;
    for (i = 0; i < unknowns; ++i)
      sensitivity[j] += seed[i] * model_fmu_part(unknown[i], dx, ddydt, ds);
    dx[model_fmu_place(known[j])] = 0;
  }
  return 1;
}

int model_fmu_set_logging(model_fmu *fmu, int on, const char *const *categories, size_t count) {
  size_t i;
  if (count == 0) {
    fmu->logging = on;
    fmu->is_silent = 0;
  }
  for (i = 0; i < count; ++i) {
    if (strcmp(categories[i], "logEvents") == 0) {
      fmu->logging = on;
    } else if (strcmp(categories[i], "logStatusError") == 0) {
      fmu->is_silent = !on;
    } else {
      return 0;
    }
  }
  return 1;
}

size_t model_fmu_size(void) { return sizeof(MODEL_FMU_TOKEN) + sizeof(model_fmu_state); }

void model_fmu_save(const model_fmu *fmu, char *bytes) {
  memcpy(bytes, MODEL_FMU_TOKEN, sizeof(MODEL_FMU_TOKEN));
  memcpy(bytes + sizeof(MODEL_FMU_TOKEN), &fmu->state, sizeof(model_fmu_state));
}

int model_fmu_restore(model_fmu *fmu, const char *bytes, size_t size) {
  if (size != model_fmu_size() ||
      memcmp(bytes, MODEL_FMU_TOKEN, sizeof(MODEL_FMU_TOKEN)) != 0) {
    fmu->log(fmu, "logStatusError", "this is not a saved state of this model");
    return 0;
  }
  memcpy(&fmu->state, bytes + sizeof(MODEL_FMU_TOKEN), sizeof(model_fmu_state));
  model_fmu_moved(fmu);
  return 1;
}
