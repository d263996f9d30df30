// The path of something as a ribbon, as numbers.

/** A path is drawn through no more places than this. */
const mostPlaces = 2000;
/** Numbers a corner: x y z, time, side. */
export const stride = 5;

/** The frames through which paths go: evenly, with the first and the last. */
export function framesOfPath(frames: number, most = mostPlaces): number[] {
  const step = Math.max(1, Math.ceil((frames - 1) / (most - 1)));
  const chosen: number[] = [];
  for (let frame = 0; frame < frames - 1; frame += step) chosen.push(frame);
  if (frames > 0) chosen.push(frames - 1);
  return chosen;
}

/**
 * A path as a ribbon: two corners a place, one on each side, with one more place at either end so that each corner finds
 * its neighbours in the same buffer; and two triangles a piece, which are empty where a place is not finite.
 */
export function ribbon(
  values: Float64Array, index: number, size: number, times: ArrayLike<number>, frames: readonly number[],
  center: readonly [number, number, number],
): { corners: Float32Array; triangles: Uint32Array } {
  const n = frames.length;
  const corners = new Float32Array((n + 2) * 2 * stride);
  const triangles = new Uint32Array(Math.max(n - 1, 0) * 6);
  const finite: boolean[] = [];
  for (let i = -1; i <= n; ++i) {
    const place = Math.min(Math.max(i, 0), n - 1);
    const at = index + frames[place]! * size;
    const p = center.map((c, k) => values[at + k]! - c);
    const seen = Number.isFinite(p[0]! + p[1]! + p[2]!);
    if (i === place) finite.push(seen);
    for (let side = 0; side < 2; ++side) {
      const o = ((i + 1) * 2 + side) * stride;
      if (seen) corners.set(p, o);
      corners[o + 3] = times[place]!;
      corners[o + 4] = side === 0 ? -1 : 1;
    }
  }
  for (let i = 0; i + 1 < n; ++i) {
    const a = 2 * i;
    if (finite[i] && finite[i + 1]) triangles.set([a, a + 1, a + 2, a + 2, a + 1, a + 3], 6 * i);
  }
  return { corners, triangles };
}
