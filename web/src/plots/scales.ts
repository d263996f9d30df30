// How far axes reach and where their ticks stand.

export type Range = [number, number];

/** The largest number that is drawn: with larger ones the length of an axis would be no number. */
const largestDrawn = Number.MAX_VALUE / 4;

/** The range of a linear axis for values between min and max: a little more on both sides, never empty. */
export function linearRange(min: number | null, max: number | null): Range {
  if (min === null || max === null || !(min <= max)) return [-1, 1];
  if (Math.max(-min, max) > largestDrawn) return linearRange(drawnValue(min), drawnValue(max));
  const size = Math.max(Math.abs(min), Math.abs(max));
  if (size === 0) return [-1, 1];
  // What differs less than this is drawn as a level line: rounding errors are no shape.
  const span = Math.max(max - min, 1e-9 * size);
  const middle = min + (max - min) / 2;
  const flat = max - min < 1e-9 * size;
  const half = flat ? Math.max(0.05 * size, span) : 0.54 * span;
  return [middle - half, middle + half];
}

/** The value as it is drawn on a linear axis: itself, but for those at the end of all numbers. */
export function drawnValue(value: number): number {
  return Math.min(Math.max(value, -largestDrawn), largestDrawn);
}

/** The decades an axis of logarithms shows when it is left to itself: what is smaller is below any noise. */
const most_decades = 30;

/** The same for decimal logarithms: whole decades, one at least. */
export function decadeRange(min: number | null, max: number | null): Range {
  if (min === null || max === null || !(min <= max)) return [-16, 0];
  const top = Math.ceil(max + 1e-9);
  const bottom = Math.max(Math.floor(min), top - most_decades);
  return [bottom < top ? bottom : top - 1, top];
}

/** Ticks of an axis of decimal logarithms, about `wanted` of them: whole decades, or 1, 2, 5 within few. */
export function decadeTicks(min: number, max: number, wanted: number): number[] {
  const decades = max - min;
  const ticks: number[] = [];
  if (decades <= 1.2) {
    for (let k = Math.floor(min); k <= max; ++k) {
      for (const factor of decades < 0.4 ? [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9] : [1, 2, 5]) {
        const tick = k + Math.log10(factor);
        if (tick >= min - 1e-9 && tick <= max + 1e-9) ticks.push(tick);
      }
    }
    if (ticks.length >= 2) return ticks;
    return [min, max];
  }
  const step = Math.max(1, Math.ceil(decades / Math.max(wanted, 1)));
  for (let k = Math.ceil(min / step - 1e-9) * step; k <= max + 1e-9; k += step) ticks.push(k);
  return ticks;
}

/** Whether the numbers of a range are far enough apart for ticks between them: doubles have 16 digits. */
export function isDrawable([low, high]: Range): boolean {
  return high > low && high - low >= 1e-11 * Math.max(Math.abs(low), Math.abs(high));
}

/** What part of `range` lies within `full`; null where it is all of it, or too little to be drawn. */
export function within(range: Range | null, full: Range): Range | null {
  if (range === null || covers(range, full)) return null;
  const part: Range = [Math.max(range[0], full[0]), Math.min(range[1], full[1])];
  return isDrawable(part) ? part : null;
}

/** What is shown after zooming from `shown` to `wanted`, null being all: what is too little to be drawn changes nothing. */
export function zoomed(shown: Range | null, wanted: Range | null, full: Range): Range | null {
  if (wanted === null || covers(wanted, full)) return null;
  return within(wanted, full) ?? shown;
}

function covers(range: Range, full: Range): boolean {
  return range[0] <= full[0] && range[1] >= full[1];
}
