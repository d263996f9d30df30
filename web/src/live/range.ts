// Between which values a slider moves, and how finely.

export interface Range {
  low: number;
  high: number;
}

export const positions = 1000;

/** Ranges must have a length that is a number. */
function bounded(value: number): number {
  const most = Number.MAX_VALUE / 4;
  return Math.min(Math.max(value, -most), most);
}

/** From zero to twice the value; around a zero, to both sides. */
export function rangeAround(value: number): Range {
  if (value > 0) return { low: 0, high: bounded(2 * value) };
  if (value < 0) return { low: bounded(2 * value), high: 0 };
  return { low: -1, high: 1 };
}

/** The same range, or a wider one that holds the value with room beyond it. */
export function widened(range: Range, value: number): Range {
  const { low, high } = range;
  if (value > high) return { low, high: Math.max(value, bounded(2 * value - Math.min(value, Math.max(low, 0)))) };
  if (value < low) return { low: Math.min(value, bounded(2 * value - Math.max(value, Math.min(high, 0)))), high };
  return range;
}

/** Twice as far, for a slider that has been left at an end. Zero stays an end: what is positive rarely may change sign. */
export function extended(range: Range, value: number): Range {
  const { low, high } = range;
  if (value >= high && high !== 0) return { low, high: bounded(high + (high - low)) };
  if (value <= low && low !== 0) return { low: bounded(low - (high - low)), high };
  return range;
}

/** The value at a position, rounded to what one step can tell apart. */
export function valueAt(range: Range, position: number): number {
  const step = (range.high - range.low) / positions;
  const value = range.low + position * step;
  const digits = Math.ceil(-Math.log10(step));
  if (Math.abs(digits) > 20) return Number(value.toPrecision(4));
  if (digits >= 0) return Number(value.toFixed(digits));
  const unit = 10 ** -digits;
  return Math.round(value / unit) * unit;
}

export function positionOf(range: Range, value: number): number {
  const part = (value - range.low) / (range.high - range.low);
  return Math.round(Math.min(Math.max(part, 0), 1) * positions);
}

/** As people write it; exact where that is short. */
export function shown(value: number): string {
  return String(Number(value.toPrecision(7)));
}
