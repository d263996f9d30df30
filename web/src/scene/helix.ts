// The wire of a spring, as numbers.

export interface Helix {
  /** Of the coils, about the z axis. */
  radius: number;
  /** From end to end, along z from 0. */
  length: number;
  /** Of the wire. */
  wire: number;
  coils: number;
}

/** How much of the length each of the straight ends takes. */
const lead = 0.1;
const stepsOfCoil = 20;
const sides = 6;

/** The middle of the wire at s from 0 to 1: straight ends on the axis, coils between, which open and close smoothly. */
export function helixPoint(helix: Helix, s: number, out: number[]): void {
  const u = Math.min(Math.max((s - lead) / (1 - 2 * lead), 0), 1);
  const open = Math.min(u, 1 - u) * helix.coils * 2;
  const smooth = open >= 1 ? 1 : open * open * (3 - 2 * open);
  const angle = 2 * Math.PI * helix.coils * u;
  out[0] = helix.radius * smooth * Math.cos(angle);
  out[1] = helix.radius * smooth * Math.sin(angle);
  out[2] = helix.length * s;
}

/** A tube around that line: positions and normals of its corners, and its triangles. */
export function helixMesh(helix: Helix): { positions: Float32Array; normals: Float32Array; triangles: Uint32Array } {
  const rings = Math.ceil((helix.coils * stepsOfCoil) / (1 - 2 * lead)) + 1;
  const positions = new Float32Array(rings * sides * 3);
  const normals = new Float32Array(rings * sides * 3);
  const triangles = new Uint32Array((rings - 1) * sides * 6);
  const before = [0, 0, 0];
  const here = [0, 0, 0];
  const after = [0, 0, 0];
  for (let ring = 0; ring < rings; ++ring) {
    const s = ring / (rings - 1);
    helixPoint(helix, s, here);
    helixPoint(helix, Math.max(s - 0.5 / rings, 0), before);
    helixPoint(helix, Math.min(s + 0.5 / rings, 1), after);
    // Two directions across the wire: level, then upright to both.
    let tx = after[0]! - before[0]!;
    let ty = after[1]! - before[1]!;
    let tz = after[2]! - before[2]!;
    const length = Math.hypot(tx, ty, tz) || 1;
    tx /= length;
    ty /= length;
    tz /= length;
    const level = Math.hypot(tx, ty);
    const ax = level > 1e-9 ? -ty / level : 1;
    const ay = level > 1e-9 ? tx / level : 0;
    const bx = -tz * ay;
    const by = tz * ax;
    const bz = tx * ay - ty * ax;
    for (let side = 0; side < sides; ++side) {
      const angle = (2 * Math.PI * side) / sides;
      const c = Math.cos(angle);
      const d = Math.sin(angle);
      const at = (ring * sides + side) * 3;
      const normal = [c * ax + d * bx, c * ay + d * by, d * bz];
      for (let i = 0; i < 3; ++i) {
        normals[at + i] = normal[i]!;
        positions[at + i] = here[i]! + helix.wire * normal[i]!;
      }
    }
  }
  let next = 0;
  for (let ring = 0; ring + 1 < rings; ++ring) {
    for (let side = 0; side < sides; ++side) {
      const a = ring * sides + side;
      const b = ring * sides + ((side + 1) % sides);
      triangles.set([a, b, a + sides, b, b + sides, a + sides], next);
      next += 6;
    }
  }
  return { positions, normals, triangles };
}
