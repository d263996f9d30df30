// Where things are between two frames: pure functions of the numbers of a motion, without allocation.

/** A moment: the frame before it, and how far it is to the next one, 0 to 1. */
export interface Moment {
  frame: number;
  part: number;
}

/** The last i with times[i] <= t, found by bisection; 0 before the first, and n - 1 from the last on. */
export function findFrame(times: ArrayLike<number>, t: number): number {
  let low = 0;
  let high = times.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= t) low = middle;
    else high = middle;
  }
  return low;
}

/** Sets the moment of time t; the first or the last frame where t is outside. */
export function setMoment(moment: Moment, times: ArrayLike<number>, t: number): void {
  const frame = findFrame(times, t);
  moment.frame = frame;
  moment.part = 0;
  if (frame + 1 >= times.length) return;
  const length = times[frame + 1]! - times[frame]!;
  const part = (t - times[frame]!) / length;
  if (length > 0 && part > 0) moment.part = Math.min(part, 1);
}

/** The vector of a moment, from frames of `stride` doubles at `index`; false, and `out` unspecified, if it is not finite. */
export function vectorAt(
  values: Float64Array, index: number, stride: number, moment: Moment, out: Float64Array,
): boolean {
  const here = index + moment.frame * stride;
  const part = moment.part;
  for (let i = 0; i < 3; ++i) {
    const a = values[here + i]!;
    out[i] = part > 0 ? a + part * (values[here + stride + i]! - a) : a;
  }
  return Number.isFinite(out[0]! + out[1]! + out[2]!);
}

/**
 * The pose of a moment, from frames of x y z and quaternion w x y z: `out` is x y z and quaternion x y z w, of length 1.
 * The way between two orientations is the shorter one, at an even rate. False if it is not finite.
 */
export function poseAt(values: Float64Array, index: number, moment: Moment, out: Float64Array): boolean {
  if (!vectorAt(values, index, 7, moment, out)) return false;
  const a = index + moment.frame * 7 + 3;
  let w = values[a]!;
  let x = values[a + 1]!;
  let y = values[a + 2]!;
  let z = values[a + 3]!;
  if (moment.part > 0) {
    const b = a + 7;
    const cosine = w * values[b]! + x * values[b + 1]! + y * values[b + 2]! + z * values[b + 3]!;
    const angle = Math.acos(Math.min(Math.abs(cosine), 1));
    const sine = Math.sin(angle);
    // For a small angle the straight way is the same to rounding; the length is mended below.
    const near = sine > 1e-6 ? Math.sin((1 - moment.part) * angle) / sine : 1 - moment.part;
    const far = (sine > 1e-6 ? Math.sin(moment.part * angle) / sine : moment.part) * (cosine < 0 ? -1 : 1);
    w = near * w + far * values[b]!;
    x = near * x + far * values[b + 1]!;
    y = near * y + far * values[b + 2]!;
    z = near * z + far * values[b + 3]!;
  }
  const length = Math.sqrt(w * w + x * x + y * y + z * z);
  if (!(length > 0) || !Number.isFinite(length)) return false;
  out[3] = x / length;
  out[4] = y / length;
  out[5] = z / length;
  out[6] = w / length;
  return true;
}

/** 1, 2 or 5 times a power of ten: the largest of them up to x. */
export function niceBelow(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  const digit = x / power;
  return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
}
