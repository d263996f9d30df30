/* Prints a trajectory: t and the states, then how far the last state is from the constraints. */
#include <stdio.h>

#include "model.h"

int main(void) {
  const double duration = /*@DURATION@*/;
  const int rows = 11;
  model_system system;
  model_motion motion;
  int i, row, status;

  model_defaults(&system);
  /* system.p[MODEL_PARAMETER_...] = ...; model_update(&system); */
  status = model_begin(&system, &motion);
  if (status != MODEL_OK) {
    fprintf(stderr, "start: %s\n", model_message(status));
    return 1;
  }
  printf("t");
  for (i = 0; i < MODEL_STATES; ++i) printf(",%s", model_state_name(i));
  printf("\n");
  for (row = 0; row < rows; ++row) {
    status = model_integrate(&system, &motion, duration * row / (rows - 1));
    if (status != MODEL_OK) {
      fprintf(stderr, "t = %g: %s\n", motion.t, model_message(status));
      return 1;
    }
    if (motion.stopped != 0) row = rows; /* an event has ended it */
    printf("%.17g", motion.t);
    for (i = 0; i < MODEL_STATES; ++i) printf(",%.17g", motion.y[i]);
    printf("\n");
  }
  fprintf(stderr, "%.0f steps, residual %.1e\n", motion.steps,
          model_residual(&system, motion.t, motion.y));
  return 0;
}
