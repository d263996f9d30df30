/* What FMI 2 and FMI 3 share: one instance of the model. Numbers of variables (value references):
   time, parameters, states, their derivatives, samples, the residual of the constraints, event
   indicators. */
#ifndef MODEL_FMU_H
#define MODEL_FMU_H

#include <stddef.h>

#include "model.h"

#define MODEL_FMU_TOKEN "/*@TOKEN@*/"

enum {
  MODEL_FMU_TIME = 0,
  MODEL_FMU_P = 1,
  MODEL_FMU_Y = MODEL_FMU_P + MODEL_PARAMETERS,
  MODEL_FMU_DY = MODEL_FMU_Y + MODEL_STATES,
  MODEL_FMU_S = MODEL_FMU_DY + MODEL_STATES,
  MODEL_FMU_RESIDUAL = MODEL_FMU_S + MODEL_SAMPLES,
  MODEL_FMU_Z = MODEL_FMU_RESIDUAL + 1,
  MODEL_FMU_END = MODEL_FMU_Z + MODEL_WHENS
};

enum { MODEL_FMU_BEFORE = 0, MODEL_FMU_INITIALISING = 1, MODEL_FMU_RUNNING = 2, MODEL_FMU_ENDED = 3 };

/* Everything that a saved state is: numbers, no pointers. */
typedef struct {
  model_system system;
  model_motion motion;
  double start[MODEL_STATES]; /* what the importer gave for the start ... */
  double given[MODEL_STATES]; /* ... where this is 1 */
  double mode;                /* one of the above */
  double is_stale;            /* the start is to be found anew: parameters or start values were set */
  double is_off;              /* parameters were set on the way: the state is to be projected */
} model_fmu_state;

/* Called with a category ("logStatusError", "logEvents") and a sentence. */
typedef struct model_fmu model_fmu;
typedef void model_fmu_log(const model_fmu *fmu, const char *category, const char *message);

struct model_fmu {
  model_fmu_state state;
  double dydt[MODEL_STATES], samples[MODEL_SAMPLES]; /* at the state, where known is 1 */
  int knows_dydt, knows_samples;
  model_fmu_log *log;
  void *environment, *callback; /* of the importer */
  const char *name;
  int logging;   /* whether the importer wants events */
  int is_silent; /* and no errors */
};

/* All return 1, or 0 after a word to the log. */
void model_fmu_reset(model_fmu *fmu);
int model_fmu_find_start(model_fmu *fmu);
int model_fmu_get(model_fmu *fmu, unsigned variable, double *value);
int model_fmu_set(model_fmu *fmu, unsigned variable, double value);
void model_fmu_moved(model_fmu *fmu); /* t or y were written */
int model_fmu_find_dydt(model_fmu *fmu);
/* Projects the state; `moved` tells whether that changed it. */
int model_fmu_project(model_fmu *fmu, int *moved);
/* After a step of the importer's: whether the state has left the constraints by more than 1e-10 of
   their scale, or an event has been passed; 0 where a condition of the model is violated. */
int model_fmu_look(model_fmu *fmu, int *drifted);
int model_fmu_step(model_fmu *fmu, double t_end);
/* At an instant at which an event may come: what comes, then the projection. */
int model_fmu_meet(model_fmu *fmu, int *moved);
int model_fmu_indicators(model_fmu *fmu, double *z);
int model_fmu_has_ended(const model_fmu *fmu);
/* When the next clock strikes; 0 if none does. */
int model_fmu_next(const model_fmu *fmu, double *t);
/* sensitivity[i] = sum_j d(unknown_i)/d(known_j) seed[j]; the other way round for the adjoint. */
int model_fmu_directional(model_fmu *fmu, const unsigned *unknown, size_t unknowns,
                          const unsigned *known, size_t knowns, const double *seed,
                          double *sensitivity);
int model_fmu_adjoint(model_fmu *fmu, const unsigned *unknown, size_t unknowns,
                      const unsigned *known, size_t knowns, const double *seed,
                      double *sensitivity);
/* Turns categories on or off, all of them if none is named; 0 if one does not exist. Errors are told
   unless they are turned off by name. */
int model_fmu_set_logging(model_fmu *fmu, int on, const char *const *categories, size_t count);
size_t model_fmu_size(void); /* of a saved state, in bytes */
void model_fmu_save(const model_fmu *fmu, char *bytes);
int model_fmu_restore(model_fmu *fmu, const char *bytes, size_t size);

#endif
