// Fewer points that draw the same picture. Of all rows that fall on one pixel a line shows no more
// than their smallest and largest value, so two points a pixel are enough, and no peak is lost.
import { drawnValue } from './scales';

/** Points for drawing: shared abscissas, and the ordinates of each series, null where there are none. */
export interface Drawn {
  x: number[];
  y: (number | null)[][];
}

/** The first index of ascending `values` with values[index] >= x; their length if there is none. */
export function lowerBound(values: ArrayLike<number>, x: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index of the value nearest to x; the earlier of two equally near; -1 of none. */
export function nearest(values: ArrayLike<number>, x: number): number {
  const after = lowerBound(values, x);
  if (after === 0) return values.length > 0 ? 0 : -1;
  if (after === values.length) return after - 1;
  return x - values[after - 1]! <= values[after]! - x ? after - 1 : after;
}

/**
 * The rows of `series` over ascending `times` between `from` and `to`, for a picture `pixels` wide, with one
 * row beyond each end so that lines leave at the edges. An ordinate is the value, or with `log` the decimal logarithm
 * of its absolute value; what is not finite, and with `log` a zero, is a gap.
 *
 * At most two points a pixel: a pixel's rows give their smallest and largest value in order of
 * occurrence, at the times of the first and the last of them. Where rows are fewer, they are drawn as they are.
 *
 * A gap is thus seen if it is a whole pixel: rows without a value among others of their pixel hide none of these, and are
 * themselves seen when the plot is zoomed in so far that rows have pixels of their own.
 */
export function decimate(
  times: Float64Array,
  series: Float64Array[],
  from: number,
  to: number,
  pixels: number,
  log: boolean,
): Drawn {
  const first = Math.max(lowerBound(times, from) - 1, 0);
  let end = lowerBound(times, to);
  while (end < times.length && times[end]! <= to) ++end;
  end = Math.min(end + 1, times.length);
  const ordinate = (value: number): number | null => {
    if (!Number.isFinite(value)) return null;
    if (!log) return drawnValue(value);
    return value === 0 ? null : Math.log10(Math.abs(value));
  };
  if (end - first <= 2 * pixels + 2 || !(to > from)) {
    return {
      x: Array.from(times.subarray(first, end)),
      y: series.map((values) => Array.from(values.subarray(first, end), ordinate)),
    };
  }
  const bounds = pixelBounds(times, first, end, from, to, pixels);
  const x: number[] = [];
  for (let b = 0; b + 1 < bounds.length; ++b) {
    x.push(times[bounds[b]!]!);
    if (bounds[b + 1]! - bounds[b]! > 1) x.push(times[bounds[b + 1]! - 1]!);
  }
  return { x, y: series.map((values) => extremes(values, bounds, ordinate, log)) };
}

/** Where the rows of each pixel begin; the last entry is `end`. Rows outside stand alone at the ends. */
function pixelBounds(times: Float64Array, first: number, end: number, from: number, to: number, pixels: number): number[] {
  const pixelOf = (row: number): number => {
    const t = times[row]!;
    if (t < from) return -1;
    return t > to ? pixels : Math.min(Math.floor(((t - from) / (to - from)) * pixels), pixels - 1);
  };
  const bounds = [first];
  let current = pixelOf(first);
  for (let row = first + 1; row < end; ++row) {
    const pixel = pixelOf(row);
    if (pixel === current) continue;
    bounds.push(row);
    current = pixel;
  }
  bounds.push(end);
  return bounds;
}

function extremes(
  values: Float64Array,
  bounds: number[],
  ordinate: (value: number) => number | null,
  log: boolean,
): (number | null)[] {
  const result: (number | null)[] = [];
  for (let b = 0; b + 1 < bounds.length; ++b) {
    const begin = bounds[b]!;
    const end = bounds[b + 1]!;
    if (end - begin === 1) {
      result.push(ordinate(values[begin]!));
      continue;
    }
    let least = -1;
    let most = -1;
    let leastValue = Infinity;
    let mostValue = -Infinity;
    for (let row = begin; row < end; ++row) {
      const value = log ? Math.abs(values[row]!) : values[row]!;
      // A zero has no logarithm: it is a gap, not the smallest of its pixel.
      if (!Number.isFinite(value) || (log && value === 0)) continue;
      if (value < leastValue) {
        leastValue = value;
        least = row;
      }
      if (value > mostValue) {
        mostValue = value;
        most = row;
      }
    }
    if (least < 0) result.push(null, null);
    else if (least <= most) result.push(ordinate(leastValue), ordinate(mostValue));
    else result.push(ordinate(mostValue), ordinate(leastValue));
  }
  return result;
}
