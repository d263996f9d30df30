/* FMI 3.0, model exchange and co-simulation: the interface of the standard (fmi-standard.org) over
   fmu.h. No global data: any number of instances, each used by one thread at a time. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fmu.h"

#if defined(_WIN32)
#define FMI3_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define FMI3_EXPORT __attribute__((visibility("default")))
#else
#define FMI3_EXPORT
#endif

typedef void *fmi3Instance;
typedef void *fmi3InstanceEnvironment;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef bool fmi3Boolean;
typedef const char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte *fmi3Binary;
typedef bool fmi3Clock;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef int fmi3DependencyKind;
typedef int fmi3IntervalQualifier;
typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String);
typedef void (*fmi3Callback)(void);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64, fmi3Boolean,
                                               fmi3Boolean, fmi3Boolean, fmi3Boolean, fmi3Boolean *,
                                               fmi3Float64 *);

typedef union {
  fmi3LogMessageCallback function;
  void *pointer;
} model_fmi3_callback;

/* An instance, with what co-simulation of this version has beside. */
typedef struct {
  model_fmu fmu; /* the first, so that a pointer to one is a pointer to the other */
  fmi3IntermediateUpdateCallback update;
  int may_return;
} model_fmi3;

static void model_fmi3_log(const model_fmu *fmu, const char *category, const char *message) {
  const int is_error = strcmp(category, "logStatusError") == 0;
  model_fmi3_callback callback;
  callback.pointer = fmu->callback;
  if (callback.pointer && (is_error ? !fmu->is_silent : fmu->logging))
    callback.function(fmu->environment, is_error ? fmi3Error : fmi3OK, category, message);
}

static fmi3Status model_fmi3_status(int good) { return good ? fmi3OK : fmi3Error; }

/* Tells the importer of a step of the integrator; where it wants doStep to end. */
static double model_fmi3_between(model_fmu *fmu, double t_end) {
  model_fmi3 *instance = (model_fmi3 *)fmu;
  const double t = fmu->state.motion.t;
  fmi3Boolean wants = false;
  fmi3Float64 until = t;
  instance->update(fmu->environment, t, false, true, true, instance->may_return && t < t_end, &wants,
                   &until);
  if (!wants || !instance->may_return || !(until < t_end)) return t_end;
  return until > t ? until : t;
}

static fmi3Instance model_fmi3_instantiate(fmi3String name, fmi3String token, bool logging,
                                           fmi3InstanceEnvironment environment,
                                           fmi3LogMessageCallback log) {
  model_fmu *fmu = (model_fmu *)calloc(1, sizeof(model_fmi3));
  model_fmi3_callback callback;
  char *copy;
  if (!fmu) return 0;
  callback.pointer = 0;
  callback.function = log;
  fmu->log = model_fmi3_log;
  fmu->callback = callback.pointer;
  fmu->environment = environment;
  fmu->logging = logging;
  copy = (char *)malloc(strlen(name ? name : "") + 1);
  if (copy) strcpy(copy, name ? name : "");
  fmu->name = copy;
  if (!copy || !token || strcmp(token, MODEL_FMU_TOKEN) != 0) {
    if (copy) fmu->log(fmu, "logStatusError", "the instantiation token is that of another model");
    free(copy);
    free(fmu);
    return 0;
  }
  model_fmu_reset(fmu);
  return fmu;
}

FMI3_EXPORT const char *fmi3GetVersion(void) { return "3.0"; }

FMI3_EXPORT fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t count,
                                           const fmi3String categories[]) {
  return model_fmi3_status(model_fmu_set_logging((model_fmu *)c, on, categories, count));
}

FMI3_EXPORT fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token,
                                                      fmi3String resources, fmi3Boolean visible,
                                                      fmi3Boolean logging,
                                                      fmi3InstanceEnvironment environment,
                                                      fmi3LogMessageCallback log) {
  (void)resources;
  (void)visible;
  return model_fmi3_instantiate(name, token, logging, environment, log);
}

FMI3_EXPORT fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3Boolean eventMode, fmi3Boolean earlyReturn,
    const fmi3ValueReference required[], size_t requireds, fmi3InstanceEnvironment environment,
    fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback intermediateUpdate) {
  fmi3Instance c = model_fmi3_instantiate(name, token, logging, environment, log);
  model_fmi3 *instance = (model_fmi3 *)c;
  (void)resources;
  (void)visible;
  (void)required; /* outputs may be asked for between steps, inputs not be set */
  (void)requireds;
  if (!instance) return 0;
  instance->update = intermediateUpdate;
  instance->may_return = earlyReturn;
  /* Where a step may not end early, events happen within it. */
  instance->fmu.pauses = eventMode && earlyReturn;
  if (intermediateUpdate) instance->fmu.between = model_fmi3_between;
  return c;
}

FMI3_EXPORT fmi3Instance fmi3InstantiateScheduledExecution(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
    fmi3Callback clockUpdate, fmi3Callback lockPreemption, fmi3Callback unlockPreemption) {
  (void)name;
  (void)token;
  (void)resources;
  (void)visible;
  (void)logging;
  (void)environment;
  (void)log;
  (void)clockUpdate;
  (void)lockPreemption;
  (void)unlockPreemption;
  return 0;
}

FMI3_EXPORT void fmi3FreeInstance(fmi3Instance c) {
  model_fmu *fmu = (model_fmu *)c;
  if (!fmu) return;
  free((void *)fmu->name);
  free(fmu);
}

FMI3_EXPORT fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean toleranceDefined,
                                                   fmi3Float64 tolerance, fmi3Float64 start,
                                                   fmi3Boolean stopDefined, fmi3Float64 stop) {
  model_fmu *fmu = (model_fmu *)c;
  (void)stopDefined;
  (void)stop;
  fmu->state.motion.t = start;
  if (toleranceDefined && tolerance > 0) {
    fmu->state.motion.atol *= tolerance / fmu->state.motion.rtol;
    fmu->state.motion.rtol = tolerance;
  }
  fmu->state.is_stale = 1;
  fmu->state.mode = MODEL_FMU_INITIALISING;
  return fmi3OK;
}

FMI3_EXPORT fmi3Status fmi3ExitInitializationMode(fmi3Instance c) {
  model_fmu *fmu = (model_fmu *)c;
  if (!model_fmu_find_start(fmu)) return fmi3Error;
  fmu->state.mode = MODEL_FMU_RUNNING;
  return fmi3OK;
}

FMI3_EXPORT fmi3Status fmi3EnterEventMode(fmi3Instance c) {
  (void)c;
  return fmi3OK;
}

FMI3_EXPORT fmi3Status fmi3Terminate(fmi3Instance c) {
  ((model_fmu *)c)->state.mode = MODEL_FMU_ENDED;
  return fmi3OK;
}

FMI3_EXPORT fmi3Status fmi3Reset(fmi3Instance c) {
  model_fmu_reset((model_fmu *)c);
  return fmi3OK;
}

FMI3_EXPORT fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                      fmi3Float64 value[], size_t values) {
  size_t i;
  if (count != values) return fmi3Error;
  for (i = 0; i < count; ++i)
    if (!model_fmu_get((model_fmu *)c, vr[i], value + i)) return fmi3Error;
  return fmi3OK;
}

FMI3_EXPORT fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                      const fmi3Float64 value[], size_t values) {
  size_t i;
  if (count != values) return fmi3Error;
  for (i = 0; i < count; ++i)
    if (!model_fmu_set((model_fmu *)c, vr[i], value[i])) return fmi3Error;
  return fmi3OK;
}

/* All variables are Float64. */
#define MODEL_FMI3_NONE(Name, Type)                                                                \
  FMI3_EXPORT fmi3Status fmi3Get##Name(fmi3Instance c, const fmi3ValueReference vr[],              \
                                       size_t count, Type value[], size_t values) {                \
    (void)c;                                                                                       \
    (void)vr;                                                                                      \
    (void)value;                                                                                   \
    return count == 0 && values == 0 ? fmi3OK : fmi3Error;                                         \
  }                                                                                                \
  FMI3_EXPORT fmi3Status fmi3Set##Name(fmi3Instance c, const fmi3ValueReference vr[],              \
                                       size_t count, const Type value[], size_t values) {          \
    (void)c;                                                                                       \
    (void)vr;                                                                                      \
    (void)value;                                                                                   \
    return count == 0 && values == 0 ? fmi3OK : fmi3Error;                                         \
  }
MODEL_FMI3_NONE(Float32, fmi3Float32)
MODEL_FMI3_NONE(Int8, int8_t)
MODEL_FMI3_NONE(UInt8, uint8_t)
MODEL_FMI3_NONE(Int16, int16_t)
MODEL_FMI3_NONE(UInt16, uint16_t)
MODEL_FMI3_NONE(Int32, int32_t)
MODEL_FMI3_NONE(UInt32, uint32_t)
MODEL_FMI3_NONE(Int64, int64_t)
MODEL_FMI3_NONE(UInt64, uint64_t)
MODEL_FMI3_NONE(Boolean, fmi3Boolean)
MODEL_FMI3_NONE(String, fmi3String)

FMI3_EXPORT fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                     size_t sizes[], fmi3Binary value[], size_t values) {
  (void)c;
  (void)vr;
  (void)sizes;
  (void)value;
  return count == 0 && values == 0 ? fmi3OK : fmi3Error;
}

FMI3_EXPORT fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                     const size_t sizes[], const fmi3Binary value[],
                                     size_t values) {
  (void)c;
  (void)vr;
  (void)sizes;
  (void)value;
  return count == 0 && values == 0 ? fmi3OK : fmi3Error;
}

/* There are no clocks. */
#define MODEL_FMI3_CLOCK(Name, Parameters, Discarded)                                              \
  FMI3_EXPORT fmi3Status fmi3##Name Parameters {                                                   \
    (void)c;                                                                                       \
    (void)vr;                                                                                      \
    Discarded return count == 0 ? fmi3OK : fmi3Error;                                              \
  }
MODEL_FMI3_CLOCK(GetClock,
                 (fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Clock value[]),
                 (void)value;)
MODEL_FMI3_CLOCK(SetClock,
                 (fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                  const fmi3Clock value[]),
                 (void)value;)
MODEL_FMI3_CLOCK(GetIntervalDecimal,
                 (fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                  fmi3Float64 interval[], fmi3IntervalQualifier qualifier[]),
                 (void)interval;
                 (void)qualifier;)
MODEL_FMI3_CLOCK(GetIntervalFraction,
                 (fmi3Instance c, const fmi3ValueReference vr[], size_t count, uint64_t counter[],
                  uint64_t resolution[], fmi3IntervalQualifier qualifier[]),
                 (void)counter;
                 (void)resolution; (void)qualifier;)
MODEL_FMI3_CLOCK(GetShiftDecimal,
                 (fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                  fmi3Float64 shift[]),
                 (void)shift;)
MODEL_FMI3_CLOCK(GetShiftFraction,
                 (fmi3Instance c, const fmi3ValueReference vr[], size_t count, uint64_t counter[],
                  uint64_t resolution[]),
                 (void)counter;
                 (void)resolution;)
MODEL_FMI3_CLOCK(SetIntervalDecimal,
                 (fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                  const fmi3Float64 interval[]),
                 (void)interval;)
MODEL_FMI3_CLOCK(SetIntervalFraction,
                 (fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                  const uint64_t counter[], const uint64_t resolution[]),
                 (void)counter;
                 (void)resolution;)
MODEL_FMI3_CLOCK(SetShiftDecimal,
                 (fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                  const fmi3Float64 shift[]),
                 (void)shift;)
MODEL_FMI3_CLOCK(SetShiftFraction,
                 (fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                  const uint64_t counter[], const uint64_t resolution[]),
                 (void)counter;
                 (void)resolution;)

FMI3_EXPORT fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference vr,
                                                           size_t *count) {
  (void)c;
  (void)vr;
  *count = 0;
  return fmi3Error;
}

FMI3_EXPORT fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference dependent,
                                                   size_t elementsOfDependent[],
                                                   fmi3ValueReference independents[],
                                                   size_t elementsOfIndependents[],
                                                   fmi3DependencyKind kinds[], size_t count) {
  (void)c;
  (void)dependent;
  (void)elementsOfDependent;
  (void)independents;
  (void)elementsOfIndependents;
  (void)kinds;
  (void)count;
  return fmi3Error;
}

FMI3_EXPORT fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state) {
  if (!*state) *state = malloc(model_fmu_size());
  if (!*state) return fmi3Error;
  model_fmu_save((const model_fmu *)c, (char *)*state);
  return fmi3OK;
}

FMI3_EXPORT fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) {
  return model_fmi3_status(
      state && model_fmu_restore((model_fmu *)c, (const char *)state, model_fmu_size()));
}

FMI3_EXPORT fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state) {
  (void)c;
  if (state) {
    free(*state);
    *state = 0;
  }
  return fmi3OK;
}

FMI3_EXPORT fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state,
                                                  size_t *size) {
  (void)c;
  (void)state;
  *size = model_fmu_size();
  return fmi3OK;
}

FMI3_EXPORT fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[],
                                             size_t size) {
  (void)c;
  if (!state || size < model_fmu_size()) return fmi3Error;
  memcpy(bytes, state, model_fmu_size());
  return fmi3OK;
}

FMI3_EXPORT fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size,
                                               fmi3FMUState *state) {
  (void)c;
  if (size != model_fmu_size()) return fmi3Error;
  if (!*state) *state = malloc(size);
  if (!*state) return fmi3Error;
  memcpy(*state, bytes, size);
  return fmi3OK;
}

FMI3_EXPORT fmi3Status fmi3GetDirectionalDerivative(
    fmi3Instance c, const fmi3ValueReference unknown[], size_t unknowns,
    const fmi3ValueReference known[], size_t knowns, const fmi3Float64 seed[], size_t seeds,
    fmi3Float64 sensitivity[], size_t sensitivities) {
  if (seeds != knowns || sensitivities != unknowns) return fmi3Error;
  return model_fmi3_status(
      model_fmu_directional((model_fmu *)c, unknown, unknowns, known, knowns, seed, sensitivity));
}

FMI3_EXPORT fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference unknown[],
                                                size_t unknowns, const fmi3ValueReference known[],
                                                size_t knowns, const fmi3Float64 seed[],
                                                size_t seeds, fmi3Float64 sensitivity[],
                                                size_t sensitivities) {
  if (seeds != unknowns || sensitivities != knowns) return fmi3Error;
  return model_fmi3_status(
      model_fmu_adjoint((model_fmu *)c, unknown, unknowns, known, knowns, seed, sensitivity));
}

FMI3_EXPORT fmi3Status fmi3EnterConfigurationMode(fmi3Instance c) {
  (void)c;
  return fmi3OK;
}

FMI3_EXPORT fmi3Status fmi3ExitConfigurationMode(fmi3Instance c) {
  (void)c;
  return fmi3OK;
}

FMI3_EXPORT fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c) {
  (void)c;
  return fmi3OK;
}

FMI3_EXPORT fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *needUpdate,
                                                fmi3Boolean *terminate,
                                                fmi3Boolean *nominalsChanged,
                                                fmi3Boolean *valuesChanged,
                                                fmi3Boolean *nextEventTimeDefined,
                                                fmi3Float64 *nextEventTime) {
  int moved = 0;
  *needUpdate = *terminate = *nominalsChanged = *valuesChanged = *nextEventTimeDefined = false;
  *nextEventTime = 0;
  if (!model_fmu_meet((model_fmu *)c, &moved)) return fmi3Error;
  *valuesChanged = moved != 0;
  *terminate = model_fmu_has_ended((const model_fmu *)c) != 0;
  *nextEventTimeDefined = model_fmu_next((const model_fmu *)c, nextEventTime) != 0;
  return fmi3OK;
}

/* Model exchange. */

FMI3_EXPORT fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) {
  (void)c;
  return fmi3OK;
}

FMI3_EXPORT fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean noSetPrior,
                                                   fmi3Boolean *enterEventMode,
                                                   fmi3Boolean *terminate) {
  int drifted = 0;
  (void)noSetPrior;
  *enterEventMode = *terminate = false;
  if (!model_fmu_look((model_fmu *)c, &drifted)) {
    *terminate = true;
    return fmi3Error;
  }
  *enterEventMode = drifted != 0;
  return fmi3OK;
}

FMI3_EXPORT fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time) {
  ((model_fmu *)c)->state.motion.t = time;
  model_fmu_moved((model_fmu *)c);
  return fmi3OK;
}

FMI3_EXPORT fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 x[],
                                               size_t count) {
  if (count != MODEL_STATES) return fmi3Error;
  memcpy(((model_fmu *)c)->state.motion.y, x, count * sizeof *x);
  model_fmu_moved((model_fmu *)c);
  return fmi3OK;
}

FMI3_EXPORT fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 dx[],
                                                         size_t count) {
  model_fmu *fmu = (model_fmu *)c;
  if (count != MODEL_STATES || !model_fmu_find_dydt(fmu)) return fmi3Error;
  memcpy(dx, fmu->dydt, count * sizeof *dx);
  return fmi3OK;
}

FMI3_EXPORT fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 indicators[],
                                              size_t count) {
  return model_fmi3_status(count == MODEL_WHENS && model_fmu_indicators((model_fmu *)c, indicators));
}

FMI3_EXPORT fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t count) {
  model_fmu *fmu = (model_fmu *)c;
  if (count != MODEL_STATES) return fmi3Error;
  if (fmu->state.mode < MODEL_FMU_RUNNING && !model_fmu_find_start(fmu)) return fmi3Error;
  memcpy(x, fmu->state.motion.y, count * sizeof *x);
  return fmi3OK;
}

FMI3_EXPORT fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 nominals[],
                                                         size_t count) {
  size_t i;
  (void)c;
  if (count != MODEL_STATES) return fmi3Error;
  for (i = 0; i < count; ++i) nominals[i] = 1;
  return fmi3OK;
}

FMI3_EXPORT fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *count) {
  (void)c;
  *count = MODEL_WHENS;
  return fmi3OK;
}

FMI3_EXPORT fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *count) {
  (void)c;
  *count = MODEL_STATES;
  return fmi3OK;
}

/* Co-simulation. */

FMI3_EXPORT fmi3Status fmi3EnterStepMode(fmi3Instance c) {
  (void)c;
  return fmi3OK;
}

FMI3_EXPORT fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference vr[],
                                                size_t count, const int32_t orders[],
                                                fmi3Float64 value[], size_t values) {
  (void)c;
  (void)vr;
  (void)orders;
  (void)value;
  return count == 0 && values == 0 ? fmi3OK : fmi3Error;
}

FMI3_EXPORT fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 now, fmi3Float64 step,
                                  fmi3Boolean noSetPrior, fmi3Boolean *eventHandlingNeeded,
                                  fmi3Boolean *terminate, fmi3Boolean *earlyReturn,
                                  fmi3Float64 *lastSuccessfulTime) {
  model_fmu *fmu = (model_fmu *)c;
  const int good = model_fmu_step(fmu, now + step);
  (void)noSetPrior;
  *eventHandlingNeeded = model_fmu_waits(fmu) != 0;
  *earlyReturn = good && fmu->state.motion.t < now + step && !model_fmu_has_ended(fmu);
  *terminate = model_fmu_has_ended(fmu) != 0;
  *lastSuccessfulTime = fmu->state.motion.t;
  return model_fmi3_status(good);
}

FMI3_EXPORT fmi3Status fmi3ActivateModelPartition(fmi3Instance c, fmi3ValueReference clock,
                                                  fmi3Float64 time) {
  (void)c;
  (void)clock;
  (void)time;
  return fmi3Error;
}
