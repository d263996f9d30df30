// The paths of things, as ribbons of constant width on the screen. Whole paths are on the graphics card; a new time only
// says which pieces of them are drawn, and the shader cuts the first and the last where the trail begins and ends.
import * as THREE from 'three';
import type { Motion, Scene } from '../document';
import { findFrame } from './frames';

/** A path is drawn through no more places than this. */
const mostPlaces = 2000;
/** x y z, time, side. */
const stride = 5;

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

export class Trails {
  readonly group = new THREE.Group();
  private readonly frames: number[];
  private readonly times: Float64Array;
  private readonly geometries: THREE.BufferGeometry[] = [];

  constructor(private readonly motion: Motion, private readonly scene: Scene, private readonly material: THREE.ShaderMaterial) {
    this.frames = framesOfPath(scene.frames);
    this.times = Float64Array.from(this.frames, (frame) => motion.values[scene.times + frame]!);
  }

  /** The path of what is at `index`, in frames of `size` doubles. */
  add(index: number, size: number, color: THREE.Color): void {
    if (this.frames.length < 2) return;
    const { corners, triangles } = ribbon(this.motion.values, index, size, this.times, this.frames, this.scene.center);
    const shown = color.clone().convertLinearToSRGB();
    const geometry = new THREE.BufferGeometry();
    const buffer = new THREE.InterleavedBuffer(corners, stride);
    // One buffer seen three times: a corner, and those of its neighbours on the same side.
    geometry.setAttribute('before', new THREE.InterleavedBufferAttribute(buffer, 4, 0));
    geometry.setAttribute('here', new THREE.InterleavedBufferAttribute(buffer, 4, 2 * stride));
    geometry.setAttribute('after', new THREE.InterleavedBufferAttribute(buffer, 4, 4 * stride));
    geometry.setAttribute('side', new THREE.InterleavedBufferAttribute(buffer, 1, 2 * stride + 4));
    geometry.setIndex(new THREE.BufferAttribute(triangles, 1));
    const mesh = new THREE.Mesh(geometry, this.material);
    mesh.frustumCulled = false;
    mesh.renderOrder = 2;
    mesh.onBeforeRender = () => {
      this.material.uniforms['color']!.value = shown;
      this.material.uniformsNeedUpdate = true;
    };
    this.group.add(mesh);
    this.geometries.push(geometry);
  }

  /** Draws what is not older than `span` at time t. */
  update(t: number, span: number): void {
    if (this.geometries.length === 0) return;
    this.material.uniforms['now']!.value = t;
    this.material.uniforms['span']!.value = span;
    const first = findFrame(this.times, t - span);
    const end = Math.min(findFrame(this.times, t) + 1, this.times.length - 1);
    for (const geometry of this.geometries) geometry.setDrawRange(6 * first, 6 * Math.max(end - first, 0));
  }

  dispose(): void {
    for (const geometry of this.geometries) geometry.dispose();
  }
}
