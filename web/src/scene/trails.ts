// The paths of things, as ribbons of constant width on the screen. Whole paths are on the graphics card; what is past,
// how it fades, and the cut at the present are left to the shader, so that a new time costs nothing here.
import * as THREE from 'three';
import type { Motion, Scene } from '../document';

const corners = new Float32Array([0, -1, 0, 1, -1, 0, 0, 1, 0, 1, 1, 0]);
/** A path is drawn through no more points than this. */
const mostPoints = 2000;
/** A time that no motion has: the pieces beside it are not drawn. */
const never = -1e30;

/** x y z from the centre and the time, of every `step`th frame and the last; places that are not finite break the path. */
export function pathOf(motion: Motion, scene: Scene, index: number, stride: number, most = mostPoints): Float32Array {
  const step = Math.max(1, Math.ceil((scene.frames - 1) / (most - 1)));
  const frames: number[] = [];
  for (let frame = 0; frame < scene.frames - 1; frame += step) frames.push(frame);
  if (scene.frames > 0) frames.push(scene.frames - 1);
  const path = new Float32Array(frames.length * 4);
  frames.forEach((frame, i) => {
    const at = index + frame * stride;
    for (let k = 0; k < 3; ++k) path[4 * i + k] = motion.values[at + k]! - scene.center[k]!;
    path[4 * i + 3] = motion.values[scene.times + frame]!;
    if (Number.isFinite(path[4 * i]! + path[4 * i + 1]! + path[4 * i + 2]!)) return;
    path.fill(0, 4 * i, 4 * i + 3);
    path[4 * i + 3] = never;
  });
  return path;
}

export class Trails {
  readonly group = new THREE.Group();
  private readonly geometries: THREE.InstancedBufferGeometry[] = [];

  constructor(private readonly material: THREE.ShaderMaterial) {}

  add(path: Float32Array, color: THREE.Color): void {
    const pieces = path.length / 4 - 1;
    if (pieces < 1) return;
    const geometry = new THREE.InstancedBufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(corners, 3));
    geometry.setIndex([0, 1, 2, 2, 1, 3]);
    // One buffer seen twice: a piece ends where the next begins.
    const buffer = new THREE.InstancedInterleavedBuffer(path, 4, 1);
    geometry.setAttribute('start', new THREE.InterleavedBufferAttribute(buffer, 4, 0));
    geometry.setAttribute('end', new THREE.InterleavedBufferAttribute(buffer, 4, 4));
    geometry.instanceCount = pieces;
    const mesh = new THREE.Mesh(geometry, this.material);
    mesh.frustumCulled = false;
    mesh.renderOrder = 2;
    mesh.onBeforeRender = () => {
      this.material.uniforms['color']!.value = color;
      this.material.uniformsNeedUpdate = true;
    };
    this.group.add(mesh);
    this.geometries.push(geometry);
  }

  dispose(): void {
    for (const geometry of this.geometries) geometry.dispose();
  }
}
