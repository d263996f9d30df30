// What a motion is seen against: lights, the ground or a sheet of squared paper, the fixed axes.
import * as THREE from 'three';
import type { Scene } from '../document';
import { niceBelow } from './frames';
import type { Materials } from './materials';
import { nearRadius, upAxis, upSign } from './measure';
import type { Shapes } from './shapes';

/** The shadow on the plane where coordinate `axis` is `height`, in light that goes along `direction`. */
export function shadowMatrix(axis: number, height: number, direction: THREE.Vector3, out: THREE.Matrix4): THREE.Matrix4 {
  const e = out.identity().elements;
  const down = direction.getComponent(axis);
  for (let row = 0; row < 3; ++row) {
    const slope = direction.getComponent(row) / down;
    e[axis * 4 + row]! -= slope;
    e[12 + row] = slope * height;
  }
  return out;
}

export class Setting {
  readonly group = new THREE.Group();
  readonly shadow = new THREE.Matrix4();
  /** Between two lines of the grid; 0 where there is none. */
  readonly spacing: number;
  readonly axes: { letter: string; tip: THREE.Vector3 }[] = [];

  constructor(scene: Scene, flat: 0 | 1 | 2 | null, shapes: Shapes, materials: Materials, plane: THREE.PlaneGeometry) {
    const up = upAxis(scene);
    const sign = upSign(scene);
    const light = new THREE.Vector3(-0.32, -0.32, -0.32);
    // Flat motions throw their shadow straight below themselves.
    if (flat !== null) light.setComponent(flat, 0);
    light.setComponent(up, -sign);
    const sun = new THREE.DirectionalLight(0xffffff, 1.6);
    sun.position.set(0.45, 0.45, 0.45);
    sun.position.setComponent(up, sign);
    if (up === 2) sun.position.y = -0.45;
    const sky = new THREE.HemisphereLight(0xffffff, 0xc4ccd6, 1.45);
    sky.position.set(0, 0, 0).setComponent(up, sign);
    this.group.add(sun, sky);

    const axis = scene.ground !== null ? up : flat;
    this.spacing = axis === null ? 0 : niceBelow(scene.radius / 3);
    if (axis !== null) {
      const place = new THREE.Vector3();
      if (scene.ground !== null) {
        const height = scene.ground - scene.center[up]!;
        shadowMatrix(up, height + sign * 1e-3 * scene.radius, light, this.shadow);
        place.setComponent(up, height);
      } else {
        place.setComponent(axis, (axis === 1 ? 0.08 : -0.08) * scene.radius);
      }
      this.group.add(this.sheet(scene, axis, place, materials, plane));
    }
    this.addAxes(scene, up, shapes, materials);
  }

  dispose(): void {
    this.group.traverse((object) => {
      if (object instanceof THREE.Light) object.dispose();
    });
  }

  /** A grid across an axis, whose lines are at round numbers. */
  private sheet(scene: Scene, axis: number, place: THREE.Vector3, materials: Materials, plane: THREE.PlaneGeometry): THREE.Mesh {
    const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
    const unit = (i: number): THREE.Vector3 => new THREE.Vector3().setComponent(i, 1);
    const mesh = new THREE.Mesh(plane, materials.grid);
    const size = 5 * scene.radius;
    const { uniforms } = materials.grid;
    const wide = 5 * this.spacing;
    uniforms['size']!.value = size;
    uniforms['spacing']!.value = this.spacing;
    (uniforms['shift']!.value as THREE.Vector2).set(scene.center[u]! % wide, scene.center[v]! % wide);
    mesh.matrixAutoUpdate = false;
    mesh.matrix.makeBasis(unit(u).multiplyScalar(size), unit(v).multiplyScalar(size), unit(axis)).setPosition(place);
    mesh.frustumCulled = false;
    mesh.renderOrder = -1;
    return mesh;
  }

  /** At the origin, or, where that is far away, on the ground below the centre. */
  private addAxes(scene: Scene, up: 1 | 2, shapes: Shapes, materials: Materials): void {
    const origin = new THREE.Vector3(...scene.center).negate();
    if (origin.length() > 1.6 * scene.radius) {
      origin.set(0, 0, 0).setComponent(up, scene.ground === null ? 0 : scene.ground - scene.center[up]!);
    }
    const size = 0.22 * nearRadius(scene);
    for (let axis = 0; axis < 3; ++axis) {
      const direction = new THREE.Vector3().setComponent(axis, 1);
      const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), direction);
      const material = materials.axes[axis]!;
      const shaft = new THREE.Mesh(shapes.get('cylinder', false), material);
      shaft.position.copy(origin).addScaledVector(direction, 0.42 * size);
      shaft.scale.set(0.016 * size, 0.016 * size, 0.84 * size);
      const head = new THREE.Mesh(shapes.get('cone', false), material);
      head.position.copy(origin).addScaledVector(direction, 0.84 * size);
      head.scale.set(0.045 * size, 0.045 * size, 0.16 * size);
      for (const mesh of [shaft, head]) {
        mesh.quaternion.copy(turn);
        this.group.add(mesh);
      }
      this.axes.push({ letter: 'xyz'[axis]!, tip: origin.clone().addScaledVector(direction, 1.12 * size) });
    }
  }
}
