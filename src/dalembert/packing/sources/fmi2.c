/* FMI 2.0, model exchange and co-simulation: the interface of the standard (fmi-standard.org) over
   fmu.h. No global data: any number of instances, each used by one thread at a time. */
#include <stdlib.h>
#include <string.h>

#include "fmu.h"

#if defined(_WIN32)
#define FMI2_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define FMI2_EXPORT __attribute__((visibility("default")))
#else
#define FMI2_EXPORT
#endif

typedef void *fmi2Component;
typedef void *fmi2ComponentEnvironment;
typedef void *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Char;
typedef const fmi2Char *fmi2String;
typedef char fmi2Byte;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum {
  fmi2DoStepStatus,
  fmi2PendingStatus,
  fmi2LastSuccessfulTime,
  fmi2Terminated
} fmi2StatusKind;

typedef void (*fmi2CallbackLogger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String,
                                   fmi2String, ...);
typedef struct {
  fmi2CallbackLogger logger;
  void *(*allocateMemory)(size_t, size_t);
  void (*freeMemory)(void *);
  void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
  fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;
typedef struct {
  fmi2Boolean newDiscreteStatesNeeded;
  fmi2Boolean terminateSimulation;
  fmi2Boolean nominalsOfContinuousStatesChanged;
  fmi2Boolean valuesOfContinuousStatesChanged;
  fmi2Boolean nextEventTimeDefined;
  fmi2Real nextEventTime;
} fmi2EventInfo;

static void model_fmi2_log(const model_fmu *fmu, const char *category, const char *message) {
  const fmi2CallbackFunctions *callbacks = (const fmi2CallbackFunctions *)fmu->callback;
  const int is_error = strcmp(category, "logStatusError") == 0;
  if (callbacks && callbacks->logger && (is_error ? !fmu->is_silent : fmu->logging))
    callbacks->logger(callbacks->componentEnvironment, fmu->name, is_error ? fmi2Error : fmi2OK,
                      category, "%s", message);
}

static fmi2Status model_fmi2_status(int good) { return good ? fmi2OK : fmi2Error; }

static char *model_fmi2_copy(const char *text) {
  char *copy = (char *)malloc(strlen(text) + 1);
  if (copy) strcpy(copy, text);
  return copy;
}

FMI2_EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
FMI2_EXPORT const char *fmi2GetVersion(void) { return "2.0"; }

FMI2_EXPORT fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t count,
                                           const fmi2String categories[]) {
  return model_fmi2_status(model_fmu_set_logging((model_fmu *)c, on, categories, count));
}

FMI2_EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid,
                                          fmi2String resources,
                                          const fmi2CallbackFunctions *callbacks,
                                          fmi2Boolean visible, fmi2Boolean logging) {
  model_fmu *fmu = (model_fmu *)calloc(1, sizeof(model_fmu));
  (void)type;
  (void)resources;
  (void)visible;
  if (!fmu) return 0;
  fmu->log = model_fmi2_log;
  fmu->callback = (void *)callbacks;
  fmu->logging = logging;
  fmu->name = model_fmi2_copy(name ? name : "");
  if (!fmu->name || !guid || strcmp(guid, MODEL_FMU_TOKEN) != 0) {
    if (fmu->name) fmu->log(fmu, "logStatusError", "the guid is that of another model");
    free((void *)fmu->name);
    free(fmu);
    return 0;
  }
  model_fmu_reset(fmu);
  return fmu;
}

FMI2_EXPORT void fmi2FreeInstance(fmi2Component c) {
  model_fmu *fmu = (model_fmu *)c;
  if (!fmu) return;
  free((void *)fmu->name);
  free(fmu);
}

FMI2_EXPORT fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean toleranceDefined,
                                           fmi2Real tolerance, fmi2Real start,
                                           fmi2Boolean stopDefined, fmi2Real stop) {
  model_fmu *fmu = (model_fmu *)c;
  (void)stopDefined;
  (void)stop;
  fmu->state.motion.t = start;
  if (toleranceDefined && tolerance > 0) {
    fmu->state.motion.atol *= tolerance / fmu->state.motion.rtol;
    fmu->state.motion.rtol = tolerance;
  }
  fmu->state.is_stale = 1;
  return fmi2OK;
}

FMI2_EXPORT fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  ((model_fmu *)c)->state.mode = MODEL_FMU_INITIALISING;
  return fmi2OK;
}

FMI2_EXPORT fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  model_fmu *fmu = (model_fmu *)c;
  if (!model_fmu_find_start(fmu)) return fmi2Error;
  fmu->state.mode = MODEL_FMU_RUNNING;
  return fmi2OK;
}

FMI2_EXPORT fmi2Status fmi2Terminate(fmi2Component c) {
  ((model_fmu *)c)->state.mode = MODEL_FMU_ENDED;
  return fmi2OK;
}

FMI2_EXPORT fmi2Status fmi2Reset(fmi2Component c) {
  model_fmu_reset((model_fmu *)c);
  return fmi2OK;
}

FMI2_EXPORT fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t count,
                                   fmi2Real value[]) {
  size_t i;
  for (i = 0; i < count; ++i)
    if (!model_fmu_get((model_fmu *)c, vr[i], value + i)) return fmi2Error;
  return fmi2OK;
}

FMI2_EXPORT fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t count,
                                   const fmi2Real value[]) {
  size_t i;
  for (i = 0; i < count; ++i)
    if (!model_fmu_set((model_fmu *)c, vr[i], value[i])) return fmi2Error;
  return fmi2OK;
}

/* There are real variables only. */
#define MODEL_FMI2_NONE(Name, Type)                                                                \
  FMI2_EXPORT fmi2Status fmi2Get##Name(fmi2Component c, const fmi2ValueReference vr[],             \
                                       size_t count, Type value[]) {                               \
    (void)c;                                                                                       \
    (void)vr;                                                                                      \
    (void)value;                                                                                   \
    return count == 0 ? fmi2OK : fmi2Error;                                                        \
  }                                                                                                \
  FMI2_EXPORT fmi2Status fmi2Set##Name(fmi2Component c, const fmi2ValueReference vr[],             \
                                       size_t count, const Type value[]) {                         \
    (void)c;                                                                                       \
    (void)vr;                                                                                      \
    (void)value;                                                                                   \
    return count == 0 ? fmi2OK : fmi2Error;                                                        \
  }
MODEL_FMI2_NONE(Integer, fmi2Integer)
MODEL_FMI2_NONE(Boolean, fmi2Boolean)
MODEL_FMI2_NONE(String, fmi2String)

FMI2_EXPORT fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {
  if (!*state) *state = malloc(model_fmu_size());
  if (!*state) return fmi2Error;
  model_fmu_save((const model_fmu *)c, (char *)*state);
  return fmi2OK;
}

FMI2_EXPORT fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
  return model_fmi2_status(
      state && model_fmu_restore((model_fmu *)c, (const char *)state, model_fmu_size()));
}

FMI2_EXPORT fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
  (void)c;
  if (state) {
    free(*state);
    *state = 0;
  }
  return fmi2OK;
}

FMI2_EXPORT fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state,
                                                  size_t *size) {
  (void)c;
  (void)state;
  *size = model_fmu_size();
  return fmi2OK;
}

FMI2_EXPORT fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[],
                                             size_t size) {
  (void)c;
  if (!state || size < model_fmu_size()) return fmi2Error;
  memcpy(bytes, state, model_fmu_size());
  return fmi2OK;
}

FMI2_EXPORT fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size,
                                               fmi2FMUstate *state) {
  (void)c;
  if (size != model_fmu_size()) return fmi2Error;
  if (!*state) *state = malloc(size);
  if (!*state) return fmi2Error;
  memcpy(*state, bytes, size);
  return fmi2OK;
}

FMI2_EXPORT fmi2Status fmi2GetDirectionalDerivative(fmi2Component c,
                                                    const fmi2ValueReference unknown[],
                                                    size_t unknowns,
                                                    const fmi2ValueReference known[], size_t knowns,
                                                    const fmi2Real seed[],
                                                    fmi2Real sensitivity[]) {
  return model_fmi2_status(
      model_fmu_directional((model_fmu *)c, unknown, unknowns, known, knowns, seed, sensitivity));
}

/* Model exchange. */

FMI2_EXPORT fmi2Status fmi2EnterEventMode(fmi2Component c) {
  (void)c;
  return fmi2OK;
}

FMI2_EXPORT fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
  int moved = 0;
  memset(info, 0, sizeof *info);
  if (!model_fmu_meet((model_fmu *)c, &moved)) return fmi2Error;
  info->valuesOfContinuousStatesChanged = moved;
  info->terminateSimulation = model_fmu_has_ended((const model_fmu *)c);
  info->nextEventTimeDefined = model_fmu_next((const model_fmu *)c, &info->nextEventTime);
  return fmi2OK;
}

FMI2_EXPORT fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
  (void)c;
  return fmi2OK;
}

FMI2_EXPORT fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean noSetPrior,
                                                   fmi2Boolean *enterEventMode,
                                                   fmi2Boolean *terminate) {
  int drifted = 0;
  (void)noSetPrior;
  *enterEventMode = *terminate = 0;
  if (!model_fmu_look((model_fmu *)c, &drifted)) {
    *terminate = 1;
    return fmi2Error;
  }
  *enterEventMode = drifted;
  return fmi2OK;
}

FMI2_EXPORT fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
  ((model_fmu *)c)->state.motion.t = time;
  model_fmu_moved((model_fmu *)c);
  return fmi2OK;
}

FMI2_EXPORT fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t count) {
  if (count != MODEL_STATES) return fmi2Error;
  memcpy(((model_fmu *)c)->state.motion.y, x, count * sizeof *x);
  model_fmu_moved((model_fmu *)c);
  return fmi2OK;
}

FMI2_EXPORT fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dx[], size_t count) {
  model_fmu *fmu = (model_fmu *)c;
  if (count != MODEL_STATES || !model_fmu_find_dydt(fmu)) return fmi2Error;
  memcpy(dx, fmu->dydt, count * sizeof *dx);
  return fmi2OK;
}

FMI2_EXPORT fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real indicators[],
                                              size_t count) {
  return model_fmi2_status(count == MODEL_WHENS && model_fmu_indicators((model_fmu *)c, indicators));
}

FMI2_EXPORT fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t count) {
  model_fmu *fmu = (model_fmu *)c;
  if (count != MODEL_STATES) return fmi2Error;
  if (fmu->state.mode < MODEL_FMU_RUNNING && !model_fmu_find_start(fmu)) return fmi2Error;
  memcpy(x, fmu->state.motion.y, count * sizeof *x);
  return fmi2OK;
}

FMI2_EXPORT fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real nominals[],
                                                         size_t count) {
  size_t i;
  (void)c;
  if (count != MODEL_STATES) return fmi2Error;
  for (i = 0; i < count; ++i) nominals[i] = 1;
  return fmi2OK;
}

/* Co-simulation. */

FMI2_EXPORT fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[],
                                                   size_t count, const fmi2Integer order[],
                                                   const fmi2Real value[]) {
  (void)c;
  (void)vr;
  (void)order;
  (void)value;
  return count == 0 ? fmi2OK : fmi2Error;
}

FMI2_EXPORT fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[],
                                                    size_t count, const fmi2Integer order[],
                                                    fmi2Real value[]) {
  (void)c;
  (void)vr;
  (void)order;
  (void)value;
  return count == 0 ? fmi2OK : fmi2Error;
}

FMI2_EXPORT fmi2Status fmi2DoStep(fmi2Component c, fmi2Real now, fmi2Real step,
                                  fmi2Boolean noSetPrior) {
  model_fmu *fmu = (model_fmu *)c;
  (void)noSetPrior;
  if (!model_fmu_step(fmu, now + step)) return fmi2Error;
  /* An event has ended the motion: fmi2Terminated says so, fmi2LastSuccessfulTime when. */
  return model_fmu_has_ended(fmu) ? fmi2Discard : fmi2OK;
}

FMI2_EXPORT fmi2Status fmi2CancelStep(fmi2Component c) {
  (void)c;
  return fmi2Error;
}

FMI2_EXPORT fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind,
                                     fmi2Status *value) {
  (void)c;
  (void)kind;
  *value = fmi2OK;
  return fmi2Discard;
}

FMI2_EXPORT fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind,
                                         fmi2Real *value) {
  if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
  *value = ((model_fmu *)c)->state.motion.t;
  return fmi2OK;
}

FMI2_EXPORT fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind,
                                            fmi2Integer *value) {
  (void)c;
  (void)kind;
  *value = 0;
  return fmi2Discard;
}

FMI2_EXPORT fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind,
                                            fmi2Boolean *value) {
  *value = model_fmu_has_ended((const model_fmu *)c);
  return kind == fmi2Terminated ? fmi2OK : fmi2Discard;
}

FMI2_EXPORT fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind,
                                           fmi2String *value) {
  (void)c;
  (void)kind;
  *value = "";
  return fmi2Discard;
}
