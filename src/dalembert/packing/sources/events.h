/* Events: instants at which something changes. Some wait until an expression changes its sign, others
   are clocks. model_integrate finds them and does what they do. */
const char *model_event_name(int i);
/* The values g of the expressions at a state (MODEL_WHENS), in the order of the events that have one. */
int model_event_functions(const model_system *system, double t, const double *y, double *g);
/* Does what event i does at motion->t: y and discrete values, which are parameters, are set, y is
   brought onto the constraints, and events that this brings about follow. */
int model_event(model_system *system, model_motion *motion, int i);

/* Does what waits: see model_motion. */
int model_resume(model_system *system, model_motion *motion);

/* For other integrators: the expressions, moved by a margin to the side on which they are, so that
   each changes its sign once behind its root; the next strike of a clock; and at an instant at which
   one of them says so, what happens there (`happened`: 1 if anything did). */
int model_indicators(const model_system *system, const model_motion *motion, double *z);
double model_next_strike(const model_system *system, const model_motion *motion);
int model_meet(model_system *system, model_motion *motion, int *happened);
/* Where a motion begins: on which side each expression is. */
int model_begin_events(model_system *system, model_motion *motion);
/* Before that: discrete values that the model states in terms of parameters. */
void model_begin_discretes(model_system *system);
/* Behind a step of theirs: MODEL_CONTACT where the equations of what slides have become singular since
   the last instant, and Coulomb's law has no solution or several from there on. */
int model_regular(const model_system *system, const model_motion *motion);

