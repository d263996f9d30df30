/*@TITLE@*/
#ifndef MODEL_H
#define MODEL_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
  MODEL_COORDINATES = /*@COORDINATES@*/, /* q */
  MODEL_STATES = /*@STATES@*/,           /* y */
  MODEL_PARAMETERS = /*@PARAMETERS@*/,   /* p */
  MODEL_INPUTS = /*@INPUTS@*/,           /* u */
  MODEL_SAMPLES = /*@SAMPLES@*/,         /* what model_observe tells */
  MODEL_EVENTS = /*@EVENTS@*/, /* instants at which something changes ... */
  MODEL_WHENS = /*@WHENS@*/,   /* ... where an expression changes its sign, */
  MODEL_CLOCKS = /*@CLOCKS@*/, /* ... or at even distances */
  MODEL_OWN_WHENS = /*@OWN_WHENS@*/, /* of the expressions those of the model's events; two more for
                                        each contact and friction follow */
  MODEL_ELEMENTS = /*@ELEMENT_COUNT@*/, /* contacts, then frictions */
  MODEL_ROWS = /*@ROW_COUNT@*/,         /* of constraints, gaps and slips */
  MODEL_SETTINGS = /*@SETTINGS@*/, /* what they set, all together */
  MODEL_KNOWN = /*@KNOWN@*/,             /* numbers that follow from the parameters */
  MODEL_HAS_JACOBIAN = /*@HAS_JACOBIAN@*/
};

/* Where parameters, inputs, states and samples stand in p, u, y and s. */
/*@NAMES@*/
/* What functions return. */
enum {
  MODEL_OK = 0,
  MODEL_DOUBT = 1,        /* a pivot of the elimination is too small here: the numbers may be wrong */
  MODEL_INCONSISTENT = 2, /* no state on the constraints was found nearby */
  MODEL_CONDITION = 3,    /* a condition of the model (a length that must be positive, say) is broken */
  MODEL_STEP = 4,         /* the steps became too short */
  MODEL_ABSENT = 5,       /* left out of this file: see MODEL_HAS_JACOBIAN */
  MODEL_CONTACT = 7,      /* the laws of contact, friction or impact have no answer here, or several */
  MODEL_EVENT = 6         /* an event waits for or sets what is no finite number, or events bring each
                             other about without end */
};
/* In words. */
const char *model_message(int status);

/* The names of parameters, inputs, states and samples, as in the model file (UTF-8); 0 beyond the last. */
const char *model_parameter_name(int i);
const char *model_input_name(int i);
const char *model_state_name(int i);
const char *model_sample_name(int i);

/* A system: its parameters and what follows from them, and its inputs u, which may be written at any
   time. Copy it freely; nothing points anywhere. An input has a place among the parameters too:
   written there, it counts from the next update on. */
typedef struct {
  double u[MODEL_INPUTS + 1], passed[MODEL_INPUTS + 1];
  double p[MODEL_PARAMETERS + 1];
  double known[MODEL_KNOWN + 1];
/*@SYSTEM_FIELDS@*/} model_system;

/* The parameters of the model file. */
void model_defaults(model_system *system);
/* To be called after p was written: parameters that the model states in terms of others follow. */
void model_update(model_system *system);

/* y at the start of the motion (t = 0) for these parameters, on the constraints. */
int model_start(const model_system *system, double *y);
/* y of positions q and velocities v, MODEL_COORDINATES each. Does not project. */
void model_state(const model_system *system, double t, const double *q, const double *v, double *y);

/* y' = f(t, y). dydt is another array than y. */
int model_derivative(const model_system *system, double t, const double *y, double *dydt);
/* Everything at a state: velocities, accelerations, forces, energies, outputs (MODEL_SAMPLES). */
int model_observe(const model_system *system, double t, const double *y, double *s);
/* df/dy dy and ds/dy dy; either result may be 0. */
int model_directional(const model_system *system, double t, const double *y, const double *dy,
                      double *ddydt, double *ds);
/* J = df/dy, row by row: J[i*MODEL_STATES + j] = df_i/dy_j. */
int model_jacobian(const model_system *system, double t, const double *y, double *J);
/* The same with inputs: df/dy dy + df/du du, and B = df/du, B[i*MODEL_INPUTS + j] = df_i/du_j. */
int model_input_directional(const model_system *system, double t, const double *y, const double *dy,
                            const double *du, double *ddydt, double *ds);
int model_input_jacobian(const model_system *system, double t, const double *y, double *B);

/* Moves y to the constraints along the shortest way in the kinetic metric: positions, then
   velocities. */
int model_project(const model_system *system, double t, double *y);
/* How far y is from the constraints: the largest residual, as a part of its own scale. */
double model_residual(const model_system *system, double t, const double *y);
/* Whether the conditions of the model hold: MODEL_OK or MODEL_CONDITION. */
int model_check(const model_system *system, double t, const double *y);

/* Hinges whose angle is known but for whole turns: continuity tells these. To be called at the ends
   of steps with a state less than half a turn from the last; MODEL_STEP: it was too far.
   model_integrate does it by itself. */
int model_count_turns(model_system *system, double t, const double *y);
/* Where a motion begins: the angles are between -pi and pi. */
void model_forget_turns(model_system *system, double t, const double *y);

/*@TOUCH_TYPES@*//* A motion under way, for the explicit Runge-Kutta method of order 8 with step control. */
typedef struct {
  double t;
  double y[MODEL_STATES];
  double h;                  /* of the next step; 0: to be found */
  double rtol, atol;         /* error allowed in a step: atol + rtol |y| */
  double steps, rejected;    /* counted */
  double after_rejection;    /* 1 after a step that was tried again, else 0 */
  double stopped;            /* 1 where an event has ended the motion, else 0 */
  double happened[MODEL_EVENTS + 1]; /* how often each event came */
  /* Set to 1: model_integrate returns behind each step; before what happens at an event, which then
     waits (1) for the next call of it, or for model_resume. */
  double steps_singly, pauses, waits, due[MODEL_EVENTS + 1];
  /* Of the events' own: */
  double strikes[MODEL_CLOCKS + 1], side[MODEL_WHENS + 1], size[MODEL_WHENS + 1],
      floor[MODEL_WHENS + 1], margin[MODEL_WHENS + 1], small[MODEL_WHENS + 1],
      value[MODEL_WHENS + 1], rate[MODEL_WHENS + 1];
/*@MOTION_FIELDS@*/} model_motion;

/* At the start of the model, with its tolerances. */
int model_begin(model_system *system, model_motion *motion);
/* Goes on to t_end, exactly; each step ends on the constraints. If it cannot, or an event ends the
   motion, motion is where it came to. */
int model_integrate(model_system *system, model_motion *motion, double t_end);

/*@EVENT_FUNCTIONS@*/#ifdef __cplusplus
}
#endif
#endif
