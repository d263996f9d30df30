// How fine to draw while things move: slow machines get a coarser picture rather than a slow one.

/** Pictures over which the time of one is averaged. */
const sample = 12;
const coarsest = 0.5;

export class Quality {
  /** Of the resolution, up to 1. */
  factor = 1;
  private last = -Infinity;
  private count = 0;
  private sum = 0;

  /** `slow`: milliseconds a picture may take before it is made coarser. */
  constructor(private readonly slow: number) {}

  /** Told of each picture of a run of them, at `now` in milliseconds; true if `factor` has changed. */
  picture(now: number): boolean {
    const passed = now - this.last;
    this.last = now;
    // The first of a run, or one after a page was out of sight, says nothing.
    if (!(passed < 1000)) {
      this.count = 0;
      this.sum = 0;
      return false;
    }
    ++this.count;
    this.sum += passed;
    if (this.count < sample) return false;
    const mean = this.sum / this.count;
    this.count = 0;
    this.sum = 0;
    if (mean <= this.slow || this.factor <= coarsest) return false;
    this.factor = Math.max(this.factor * 0.8, coarsest);
    return true;
  }

  /** The next picture is not of this run. */
  rest(): void {
    this.last = -Infinity;
  }
}
