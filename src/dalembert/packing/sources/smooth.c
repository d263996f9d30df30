static void model_inputs(double t, const double *y, int count, double *x) {
  int i;
  x[0] = t;
  for (i = 0; i < count; ++i) x[1 + i] = y[i];
}

static int model_vouched(double doubt) { return doubt <= 1 ? MODEL_OK : MODEL_DOUBT; }

int model_derivative(const model_system *system, double t, const double *y, double *dydt) {
  double doubts[2];
  model_tape_derivative(system->p, system->known + MODEL_KNOWN_DERIVATIVE, t, y, system->u, dydt,
                        doubts);
  return model_vouched(doubts[0]);
}

int model_observe(const model_system *system, double t, const double *y, double *s) {
  double x[1 + MODEL_STATES], out[MODEL_SAMPLES + 1];
  int i;
  model_inputs(t, y, MODEL_STATES, x);
  model_tape_sample(system->p, system->known + MODEL_KNOWN_SAMPLE, x, system->u, out);
  for (i = 0; i < MODEL_SAMPLES; ++i) s[i] = out[i];
  return model_vouched(out[MODEL_SAMPLES]);
}

int model_input_directional(const model_system *system, double t, const double *y, const double *dy,
                            const double *du, double *ddydt, double *ds) {
#if MODEL_WITH_JACOBIAN
  enum { own = MODEL_STATES + MODEL_INPUTS };
  double x[1 + 2 * own];
  int i;
  model_inputs(t, y, MODEL_STATES, x);
  for (i = 0; i < MODEL_STATES; ++i) x[1 + own + i] = dy[i];
  for (i = 0; i < MODEL_INPUTS; ++i) {
    x[1 + MODEL_STATES + i] = system->u[i];
    x[1 + own + MODEL_STATES + i] = du ? du[i] : 0;
  }
  if (ddydt) model_tape_turning(system->p, system->known + MODEL_KNOWN_TURNING, x, system->u, ddydt);
  if (ds) model_tape_changing(system->p, system->known + MODEL_KNOWN_CHANGING, x, system->u, ds);
  return MODEL_OK;
#else
  (void)system;
  (void)t;
  (void)y;
  (void)dy;
  (void)du;
  (void)ddydt;
  (void)ds;
  return MODEL_ABSENT;
#endif
}

void model_state(const model_system *system, double t, const double *q, const double *v, double *y) {
  double x[1 + 2 * MODEL_COORDINATES];
  int i;
  x[0] = t;
  for (i = 0; i < MODEL_COORDINATES; ++i) {
    x[1 + i] = q[i];
    x[1 + MODEL_COORDINATES + i] = v[i];
    y[i] = q[i];
  }
  model_tape_rates(system->p, system->known + MODEL_KNOWN_RATES, x, system->u, y + MODEL_COORDINATES);
}

int model_start(const model_system *system, double *y) {
  static const double start[] = {/*@START@*/};   /* found on the constraints, for the defaults */
  static const double written[] = {/*@WRITTEN@*/}; /* as the model says, for the defaults */
  double now[2 * MODEL_COORDINATES];
  int i;
  model_tape_written(system->p, system->known + MODEL_KNOWN_WRITTEN, system->p, system->u, now);
  for (i = 0; i < 2 * MODEL_COORDINATES; ++i) now[i] = start[i] + (now[i] - written[i]);
  model_state(system, 0, now, now + MODEL_COORDINATES, y);
  return model_project(system, 0, y);
}

/* What the projections ask for: t q v. Of a state whose velocities follow from it, v is found. */
static void model_full(const model_system *system, double t, const double *y, double *x) {
  int i;
  model_inputs(t, y, MODEL_COORDINATES, x);
#if MODEL_REDUCED
  {
    double s[MODEL_SAMPLES];
    (void)model_observe(system, t, y, s);
    for (i = 0; i < MODEL_COORDINATES; ++i) x[1 + MODEL_COORDINATES + i] = s[i];
  }
#else
  (void)system;
  for (i = 0; i < MODEL_COORDINATES; ++i) x[1 + MODEL_COORDINATES + i] = y[MODEL_COORDINATES + i];
#endif
}

double model_residual(const model_system *system, double t, const double *y) {
  double x[1 + 2 * MODEL_COORDINATES], out[MODEL_COORDINATES + 2], largest = 0;
  model_full(system, t, y, x);
  (void)out;
#if MODEL_ON_POSITIONS
  model_tape_positions(system->p, system->known + MODEL_KNOWN_POSITIONS, x, system->u, out);
  if (!(out[MODEL_COORDINATES] <= largest)) largest = out[MODEL_COORDINATES];
#endif
#if MODEL_ON_VELOCITIES
  model_tape_velocities(system->p, system->known + MODEL_KNOWN_VELOCITIES, x, system->u, out);
  if (!(out[MODEL_COORDINATES] <= largest)) largest = out[MODEL_COORDINATES];
#endif
  return largest;
}

#if MODEL_CORRECTS
typedef void model_tape(const double *p, const double *k, const double *x, const double *u,
                        double *y);

/* Newton's steps x[at...] += dx until the residual is small or no longer falls. */
static int model_correct(const model_system *system, model_tape *tape, int known, double *x, int at) {
  const double goal = 1e-14, tolerance = 1e-12, rounding = 64 * 2.220446049250313e-16;
  double out[MODEL_COORDINATES + 2], best[MODEL_COORDINATES], current, size = 0;
  int i, round;
  tape(system->p, system->known + known, x, system->u, out);
  current = out[MODEL_COORDINATES];
  for (round = 0; round < 20 && current > goal; ++round) {
    double before = current;
    if (!(out[MODEL_COORDINATES + 1] <= 1)) break;
    for (i = 0; i < MODEL_COORDINATES; ++i) {
      best[i] = x[at + i];
      x[at + i] += out[i];
    }
    tape(system->p, system->known + known, x, system->u, out);
    if (!(out[MODEL_COORDINATES] < before)) {
      for (i = 0; i < MODEL_COORDINATES; ++i) x[at + i] = best[i];
      break;
    }
    current = out[MODEL_COORDINATES];
    if (current > before / 2) break;
  }
  /* What the rounding of large positions leaves is as good as nothing. */
  for (i = 0; i < MODEL_COORDINATES; ++i)
    if (fabs(x[1 + i]) > size) size = fabs(x[1 + i]);
  return current <= tolerance || current <= rounding * (1 + size) ? MODEL_OK : MODEL_INCONSISTENT;
}
#endif

int model_project(const model_system *system, double t, double *y) {
#if MODEL_PROJECTS
  double x[1 + 2 * MODEL_COORDINATES];
  int i, status = MODEL_OK;
  model_full(system, t, y, x);
#if MODEL_PROJECTS_POSITIONS
  status = model_correct(system, model_tape_positions, MODEL_KNOWN_POSITIONS, x, 1);
  if (status != MODEL_OK) return status;
#endif
#if MODEL_PROJECTS_VELOCITIES
  status = model_correct(system, model_tape_velocities, MODEL_KNOWN_VELOCITIES, x,
                         1 + MODEL_COORDINATES);
#endif
  for (i = 0; i < MODEL_STATES; ++i) y[i] = x[1 + i];
  return status;
#else
  (void)system;
  (void)t;
  (void)y;
  return MODEL_OK;
#endif
}

static int model_step_derivative(const model_system *system, double t, const double *y, double *dydt,
                                 int on_constraints) {
  double doubts[2];
  int i;
  model_tape_derivative(system->p, system->known + MODEL_KNOWN_DERIVATIVE, t, y, system->u, dydt,
                        doubts);
  for (i = 0; i < MODEL_STATES; ++i)
    if (!(fabs(dydt[i]) <= 1.7976931348623157e308)) return MODEL_DOUBT;
  return model_vouched(doubts[on_constraints ? 1 : 0]);
}

