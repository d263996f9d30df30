// Speeds of play and times, as numbers and as people read them.

/** A speed at which a motion of that duration takes about ten seconds; 1 where it takes 4 to 40 as it is. */
export function fittingSpeed(duration: number): number {
  if (!(duration > 0) || (duration >= 4 && duration <= 40)) return 1;
  const exact = duration / 10;
  const power = 10 ** Math.floor(Math.log10(exact));
  const digit = exact / power;
  return Number(((digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10) * power).toPrecision(1));
}

/** A time in seconds with digits that suit a motion up to `end`. */
export function formatTime(t: number, end: number): string {
  if (end > 0 && (end < 1e-4 || end >= 1e7)) return t.toExponential(3);
  const digits = end > 0 ? 3 - Math.floor(Math.log10(end)) : 2;
  return t.toFixed(Math.min(Math.max(digits, 0), 7));
}

export function formatSpeed(speed: number): string {
  return `${speed >= 1e-3 && speed < 1e5 ? speed : speed.toExponential(0)}×`;
}
