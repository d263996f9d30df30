/* /*@TITLE@*/ */

export const PARAMETERS = /*@PARAMETERS@*/;
export const INPUTS = /*@INPUTS@*/;
export const STATES = /*@STATES@*/;
export const SAMPLES = /*@SAMPLES@*/;
export const DURATION = /*@DURATION@*/;

const free = /*@FREE@*/;
const start = /*@START@*/;
const written = /*@WRITTEN@*/;
const n = /*@COORDINATES@*/;

/*@TAPES@*//** A system with these values of its parameters; those that follow from others follow. Inputs have
 * the values given here until `u` is written, in the order of INPUTS. Arrays hold one state. Where a pivot of the elimination is too small, an Error is thrown. */
export class System {
  constructor(parameters = {}) {
    const names = Object.keys(PARAMETERS);
    for (const name of Object.keys(parameters)) {
      if (!free[names.indexOf(name)]) throw new TypeError(`no parameter that can be set: ${name}`);
    }
    this.p = names.map((name) => (Object.hasOwn(parameters, name) ? parameters[name] : PARAMETERS[name]));
    if (Object.keys(parameters).length > 0) {
      const values = dependent(this.p, dependent_known(this.p), []);
      let next = 0;
      free.forEach((is_free, i) => {
        if (!is_free) this.p[i] = values[next++];
      });
    }
    this.u = this.p.filter((_, i) => INPUTS.includes(names[i]));
    this.known = {};
    for (const name of Object.keys(known)) this.known[name] = known[name](this.p);
  }

  run(name, x) {
    return tapes[name](this.p, this.known[name], [...x, ...this.u]);
  }

  vouched(values, doubt) {
    if (!(doubt <= 1)) throw new Error("a pivot of the elimination is too small at this state");
    return values;
  }

  /** y' = f(t, y). */
  derivative(t, y) {
    const out = this.run("derivative", [t, ...y]);
    return this.vouched(out.slice(0, STATES.length), out[STATES.length]);
  }

  /** Everything at a state, in the order of SAMPLES. */
  observe(t, y) {
    const out = this.run("sample", [t, ...y]);
    return this.vouched(out.slice(0, SAMPLES.length), out[SAMPLES.length]);
  }

  /** y of positions and velocities. Does not project. */
  state(t, q, v) {
    return [...q, ...this.run("rates", [t, ...q, ...v])];
  }

  /** y at t = 0, on the constraints. */
  start() {
    const now = this.run("written", []).map((value, i) => start[i] + (value - written[i]));
    return this.project(0, this.state(0, now.slice(0, n), now.slice(n)));
  }

  full(t, y) {
    return /*@REDUCED@*/ ? [t, ...y.slice(0, n), ...this.observe(t, y).slice(0, n)] : [t, ...y];
  }

  /** How far a state is from the constraints: the largest residual, as a part of its scale. */
  residual(t, y) {
    const x = this.full(t, y);
    return Math.max(0, .../*@LEVELS@*/.map((level) => this.run(level, x)[n]));
  }

  /** A state moved to the constraints along the shortest way in the kinetic metric. */
  project(t, y) {
    const levels = /*@PROJECTED@*/;
    if (levels.length === 0) return [...y];
    let x = this.full(t, y);
    for (const level of levels) {
      const at = level === "positions" ? 1 : 1 + n;
      let out = this.run(level, x);
      for (let round = 0; round < 20 && out[n] > 1e-14 && out[n + 1] <= 1; ++round) {
        const next = x.map((value, i) => (i >= at && i < at + n ? value + out[i - at] : value));
        const after = this.run(level, next);
        if (!(after[n] < out[n])) break;
        x = next;
        out = after;
      }
      const size = Math.max(...x.slice(1, 1 + n).map(Math.abs));
      if (!(out[n] <= Math.max(1e-12, 1.5e-14 * (1 + size))))
        throw new Error("no state on the constraints was found nearby");
    }
    return x.slice(1);
  }
}
