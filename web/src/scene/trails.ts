// The paths of things, as ribbons of constant width on the screen. Whole paths are on the graphics card; a new time only
// says which pieces of them are drawn, and the shader cuts the first and the last where the trail begins and ends.
import * as THREE from 'three';
import type { Motion, Scene } from '../document';
import { findFrame } from './frames';
import { framesOfPath, ribbon, stride } from './ribbon';

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
