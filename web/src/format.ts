// Numbers as people read them.

/** `digits` significant digits, fewer where they say it all; small and large ones with an exponent. */
export function formatNumber(x: number | null | undefined, digits = 7): string {
  if (x === null || x === undefined || Number.isNaN(x)) return 'nan';
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : '-inf';
  if (x === 0) return '0';
  const exponent = Math.floor(Math.log10(Math.abs(x)));
  const whole = String(x);
  if (exponent < -4 || exponent >= Math.max(digits, 6)) {
    const rounded = x.toExponential(digits - 1);
    const exact = x.toExponential();
    return exact.length < rounded.length ? exact : rounded;
  }
  const rounded = x.toPrecision(digits);
  return whole.length < rounded.length ? whole : rounded;
}

/** The label of a tick on a linear axis whose ticks are `step` apart. */
export function formatTick(x: number, step: number): string {
  if (Math.abs(x) < step * 1e-6) return '0';
  const magnitude = Math.abs(x);
  const decimals = decimalsOf(step);
  if (magnitude >= 1e6 || magnitude < 1e-4 || decimals > 6) {
    const digits = Math.floor(Math.log10(magnitude) + 1e-9) - Math.floor(Math.log10(step) + 1e-9) + 1;
    return trimZeros(x.toExponential(Math.min(Math.max(digits, 0), 15)));
  }
  return x.toFixed(decimals);
}

/** As many as a step such as 20, 2.5 or 0.25 needs. */
function decimalsOf(step: number): number {
  const first = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const scaled = step * 10 ** first;
  return Math.abs(scaled - Math.round(scaled)) < 1e-6 * scaled ? first : first + 1;
}

function trimZeros(text: string): string {
  return text.replace(/(\.\d*?)0+(e|$)/, '$1$2').replace(/\.(e|$)/, '$1');
}

/** The label of a tick on an axis of decimal logarithms. */
export function formatPower(logarithm: number): string {
  const whole = Math.round(logarithm);
  if (Math.abs(logarithm - whole) < 1e-9) {
    return whole >= -3 && whole <= 4 ? String(Number(`1e${whole}`)) : `1e${whole}`;
  }
  return trimZeros(formatNumber(10 ** logarithm, 3));
}

/** "1 row", "2 rows", "10,000 rows". */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;
}

/** A time among others that are `spacing` apart, with as many decimals for all of them. */
export function formatRowTime(t: number, spacing: number): string {
  const decimals = spacing > 0 && Number.isFinite(spacing) ? Math.ceil(-Math.log10(spacing)) + 1 : 3;
  return decimals > 9 ? formatNumber(t) : t.toFixed(Math.max(decimals, 0));
}
