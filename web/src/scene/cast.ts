// Everything of a motion that is drawn, put together from the document: who is where at a moment.
import * as THREE from 'three';
import type { Motion, Scene, SceneObject, Shape } from '../document';
import { Arrows } from './arrows';
import { Batch } from './batch';
import { poseAt, vectorAt, type Moment } from './frames';
import type { Materials } from './materials';
import { upAxis } from './measure';
import { springGeometry, type Shapes, type UnitShape } from './shapes';
import { Touches } from './touches';
import { Trails } from './trails';

/** With more objects than this, each has fewer corners. */
const many = 60;

/** Something with a name and a place. */
export interface Named {
  name: string;
  /** Whether the camera can follow it. */
  followed: boolean;
  /** Writes its place, seen from the centre of the scene; false if it is nowhere. */
  locate(moment: Moment, out: Float64Array): boolean;
}

type Placed = Extract<SceneObject, { pose: number }>;
type Segment = Extract<SceneObject, { kind: 'segment' }>;
type Joint = Extract<SceneObject, { kind: 'joint' }>;

/** Sizes in those of a mark; the third along the axis of the joint. Kinds that are not here get the neutral mark. */
const jointMarks: Record<string, { shape: UnitShape; size: [number, number, number] }> = {
  hinge: { shape: 'cylinder', size: [1, 1, 2.6] },
  ball: { shape: 'sphere', size: [1.1, 1.1, 1.1] },
  slider: { shape: 'plainBox', size: [1.8, 1.8, 2.6] },
  weld: { shape: 'plainBox', size: [1.7, 1.7, 1.7] },
};
const neutralMark: { shape: UnitShape; size: [number, number, number] } = { shape: 'octahedron', size: [1.2, 1.2, 1.2] };

/** The unit shape of a body, and its sizes along its own axes; nothing is thinner than `thinnest`. */
function bodyForm(shape: Exclude<Shape, { type: 'axes' }>, turning: boolean, thinnest: number): [UnitShape, number, number, number] {
  const at = (size: number): number => Math.max(size, thinnest);
  switch (shape.type) {
    case 'sphere':
      return [turning ? 'ball' : 'sphere', at(shape.radius), at(shape.radius), at(shape.radius)];
    case 'ellipsoid':
      return [turning ? 'ball' : 'sphere', at(shape.size[0]), at(shape.size[1]), at(shape.size[2])];
    case 'box':
      return ['box', at(shape.size[0]), at(shape.size[1]), at(shape.size[2])];
    case 'rod':
      return ['rod', at(shape.radius), at(shape.radius), at(shape.length)];
    case 'disk':
    case 'cylinder':
      return ['disk', at(shape.radius), at(shape.radius), at(shape.length)];
  }
}

/** How large a joint at that body would look right. */
function jointSize(shape: Shape): number {
  switch (shape.type) {
    case 'rod':
      return Math.max(1.5 * shape.radius, 0.05 * shape.length);
    case 'box':
      return 0.14 * Math.hypot(...shape.size);
    case 'ellipsoid':
      return 0.2 * Math.max(...shape.size);
    default:
      return 0.2 * shape.radius;
  }
}

export class Cast {
  readonly root = new THREE.Group();
  readonly shadows = new THREE.Group();
  readonly trails: Trails;
  readonly arrows: Arrows;
  readonly touches: Touches;
  readonly named: Named[] = [];
  readonly times: Float64Array;
  private readonly values: Float64Array;
  private readonly batches = new Map<string, Batch>();
  private readonly updates: ((moment: Moment) => void)[] = [];
  private readonly reference: 'y' | 'z';
  private readonly thinnest: number;
  private readonly mark: number;
  private readonly place = new Float64Array(7);
  private readonly other = new Float64Array(3);
  private colored = 0;

  /** `perForce`: the length of the arrow of a unit of force. */
  constructor(
    motion: Motion, readonly scene: Scene, perForce: number, private readonly shapes: Shapes, private readonly materials: Materials,
  ) {
    this.values = motion.values;
    this.times = motion.values.subarray(scene.times, scene.times + scene.frames);
    // Flat motions are in x and y, or in x and z: the third axis is one to which nothing in them points.
    this.reference = upAxis(scene) === 1 ? 'z' : 'y';
    this.thinnest = 0.0025 * scene.radius;
    const sizes = scene.objects.flatMap((o) => ('shape' in o ? [jointSize(o.shape)] : [])).sort((a, b) => a - b);
    const middle = sizes[sizes.length >> 1] ?? Infinity;
    this.mark = Math.max(Math.min(0.022 * scene.radius, middle), 1.2 * this.thinnest);
    this.trails = new Trails(motion, scene, materials.trail);
    for (const object of scene.objects) this.add(object);
    this.arrows = new Arrows(motion, scene, shapes, materials, this.reference, perForce);
    this.touches = new Touches(motion, scene, shapes, materials, this.reference, perForce);
    for (const batch of this.batches.values()) {
      this.root.add(batch.build());
      if (scene.ground === null) continue;
      const shadow = batch.double(materials.shadow);
      shadow.renderOrder = 1;
      this.shadows.add(shadow);
    }
    this.root.add(this.trails.group, this.arrows.group, this.touches.group);
  }

  update(moment: Moment): void {
    for (const update of this.updates) update(moment);
    for (const batch of this.batches.values()) batch.changed();
    this.arrows.update(moment);
    this.touches.update(moment, this.arrows.scale);
  }

  /** The name of what a ray meets first; '' where that is nothing, or has no numbers. */
  pick(ray: THREE.Raycaster): string {
    let name = '';
    let least = Infinity;
    for (const batch of this.batches.values()) {
      // It was that of the places at the time it was made.
      batch.mesh!.boundingSphere = null;
      for (const { distance, instanceId } of ray.intersectObject(batch.mesh!)) {
        if (distance >= least || instanceId === undefined) continue;
        least = distance;
        name = batch.owners[instanceId]!;
      }
    }
    return name;
  }

  dispose(): void {
    for (const batch of this.batches.values()) batch.dispose();
    this.trails.dispose();
    this.arrows.dispose();
    this.touches.dispose();
  }

  private add(object: SceneObject): void {
    switch (object.kind) {
      case 'body':
      case 'particle':
      case 'frame':
        this.name(object.name, object.shape.type !== 'axes', (moment, out) => this.vector(object.pose, 7, moment, out));
        this.addPlaced(object);
        break;
      case 'point':
        this.name(object.name, true, (moment, out) => this.vector(object.position, 3, moment, out));
        this.addPoint(object);
        break;
      case 'segment':
        this.name(object.name, false, (moment, out) => {
          if (!this.vector(object.from, 3, moment, out) || !this.vector(object.to, 3, moment, this.other)) return false;
          for (let i = 0; i < 3; ++i) out[i] = (out[i]! + this.other[i]!) / 2;
          return true;
        });
        this.addSegment(object);
        break;
      case 'joint':
        this.name(object.name, false, (moment, out) => this.vector(object.position, 3, moment, out));
        this.addJoint(object);
        break;
    }
  }

  private name(name: string, followed: boolean, locate: Named['locate']): void {
    this.named.push({ name, followed, locate });
  }

  private addPlaced(object: Placed): void {
    if (object.shape.type === 'axes') {
      this.addTriad(object, object.shape.radius);
      if (object.trail) this.trails.add(object.pose, 7, this.materials.neutral(0.4));
      return;
    }
    const color = this.materials.body(this.colored++);
    const [shape, sx, sy, sz] = bodyForm(object.shape, object.kind !== 'particle', this.thinnest);
    const batch = this.batch(shape);
    const slot = batch.add(color, object.name);
    this.updates.push((moment) => {
      if (this.pose(object.pose, moment)) batch.place(slot, this.place, sx, sy, sz);
      else batch.hide(slot);
    });
    if (object.trail) this.trails.add(object.pose, 7, color);
  }

  private addTriad(object: Placed, radius: number): void {
    const shafts = this.batch('cylinder');
    const heads = this.batch('cone');
    const size = Math.max(radius, 4 * this.thinnest);
    const width = Math.max(0.035 * size, 0.6 * this.thinnest);
    const slots = [0, 1, 2].map((axis) => [shafts.add(this.materials.axis(axis)), heads.add(this.materials.axis(axis))] as const);
    const q = new THREE.Quaternion();
    const d = new THREE.Vector3();
    this.updates.push((moment) => {
      const seen = this.pose(object.pose, moment);
      for (let axis = 0; axis < 3; ++axis) {
        const [shaft, head] = slots[axis]!;
        if (!seen) {
          shafts.hide(shaft);
          heads.hide(head);
          continue;
        }
        const [x, y, z] = [this.place[0]!, this.place[1]!, this.place[2]!];
        d.set(axis === 0 ? 1 : 0, axis === 1 ? 1 : 0, axis === 2 ? 1 : 0);
        d.applyQuaternion(q.set(this.place[3]!, this.place[4]!, this.place[5]!, this.place[6]!));
        const half = 0.4 * size;
        shafts.along(shaft, x + half * d.x, y + half * d.y, z + half * d.z, d.x, d.y, d.z, width, 2 * half, this.reference);
        heads.along(head, x + 2 * half * d.x, y + 2 * half * d.y, z + 2 * half * d.z, d.x, d.y, d.z, 2.4 * width, 0.2 * size, this.reference);
      }
    });
  }

  private addPoint(object: Extract<SceneObject, { kind: 'point' }>): void {
    const color = this.materials.body(this.colored++);
    const batch = this.batch('sphere');
    const slot = batch.add(color, object.name);
    const radius = object.radius > 0 ? Math.max(object.radius, this.thinnest) : 0.025 * this.scene.radius;
    this.updates.push((moment) => this.put(batch, slot, object.position, moment, radius, radius, radius));
    if (object.trail) this.trails.add(object.position, 3, color);
  }

  private addSegment(object: Segment): void {
    const { scene, reference } = this;
    const spring = object.style === 'spring';
    const usual = { rod: 0.009, line: 0.003, spring: 0.035 }[object.style] * scene.radius;
    const radius = object.radius > 0 ? Math.max(object.radius, 0.6 * this.thinnest) : usual;
    const rest = spring ? this.meanLength(object) : 1;
    const batch = spring ? this.springs(rest, radius) : this.batch('cylinder');
    const plain = this.materials.neutral(object.style === 'line' ? 0.35 : 0.45);
    const slot = batch.add(plain);
    const paint = spring ? this.springPaint(object, rest, plain) : null;
    this.updates.push((moment) => {
      const [a, b] = [this.place, this.other];
      if (!this.vector(object.from, 3, moment, a) || !this.vector(object.to, 3, moment, b)) {
        batch.hide(slot);
        return;
      }
      const dx = b[0]! - a[0]!;
      const dy = b[1]! - a[1]!;
      const dz = b[2]! - a[2]!;
      const length = Math.sqrt(dx * dx + dy * dy + dz * dz);
      if (!(length > 0)) {
        batch.hide(slot);
        return;
      }
      if (paint !== null) batch.paint(slot, paint(length));
      // A cylinder is placed by its middle, a spring by its end.
      const shift = spring ? 0 : 0.5;
      batch.along(
        slot, a[0]! + shift * dx, a[1]! + shift * dy, a[2]! + shift * dz, dx / length, dy / length, dz / length,
        spring ? 1 : radius, length / rest, reference,
      );
    });
  }

  private addJoint(object: Joint): void {
    const { shape, size } = jointMarks[object.type] ?? neutralMark;
    const batch = this.batch(shape);
    const slot = batch.add(this.materials.neutral(0.22));
    const [sx, sy, sz] = size.map((s) => s * this.mark) as [number, number, number];
    this.updates.push((moment) => {
      const axis = this.other;
      if (object.axis === null) {
        this.put(batch, slot, object.position, moment, sx, sy, sz);
        return;
      }
      const seen = this.vector(object.position, 3, moment, this.place) && vectorAt(this.values, object.axis, 3, moment, axis);
      const length = Math.sqrt(axis[0]! * axis[0]! + axis[1]! * axis[1]! + axis[2]! * axis[2]!);
      if (seen && length > 0) {
        batch.along(
          slot, this.place[0]!, this.place[1]!, this.place[2]!,
          axis[0]! / length, axis[1]! / length, axis[2]! / length, sx, sz, this.reference,
        );
      } else {
        batch.hide(slot);
      }
    });
  }

  /** An upright instance at a point. */
  private put(batch: Batch, slot: number, index: number, moment: Moment, sx: number, sy: number, sz: number): void {
    if (!this.vector(index, 3, moment, this.place)) {
      batch.hide(slot);
      return;
    }
    this.place.fill(0, 3, 6);
    this.place[6] = 1;
    batch.place(slot, this.place, sx, sy, sz);
  }

  private vector(index: number, stride: number, moment: Moment, out: Float64Array): boolean {
    const seen = vectorAt(this.values, index, stride, moment, out);
    for (let i = 0; i < 3; ++i) out[i]! -= this.scene.center[i]!;
    return seen;
  }

  private pose(index: number, moment: Moment): boolean {
    const seen = poseAt(this.values, index, moment, this.place);
    for (let i = 0; i < 3; ++i) this.place[i]! -= this.scene.center[i]!;
    return seen;
  }

  private meanLength(object: Segment): number {
    let sum = 0;
    let count = 0;
    for (let frame = 0; frame < this.scene.frames; ++frame) {
      const length = this.lengthAt(object, frame);
      if (!Number.isFinite(length)) continue;
      sum += length;
      ++count;
    }
    return sum > 0 ? sum / count : 1;
  }

  /** The colour of a spring by its length: from its mean towards one colour where it is longest, another where it is shortest. */
  private springPaint(object: Segment, mean: number, plain: THREE.Color): (length: number) => THREE.Color {
    let most = 0;
    for (let frame = 0; frame < this.scene.frames; ++frame) {
      const part = Math.abs(this.lengthAt(object, frame) / mean - 1);
      if (part > most && part < Infinity) most = part;
    }
    const [long, short] = [this.materials.force('nonideal'), this.materials.force('reaction')];
    const color = new THREE.Color();
    // What hardly changes keeps the plain colour.
    return (length) => {
      const part = most > 1e-3 ? Math.min(Math.max((length / mean - 1) / most, -1), 1) : 0;
      return color.copy(plain).lerp(part > 0 ? long : short, Math.abs(part));
    };
  }

  private lengthAt(object: Segment, frame: number): number {
    const at = (i: number): number => this.values[object.to + 3 * frame + i]! - this.values[object.from + 3 * frame + i]!;
    return Math.hypot(at(0), at(1), at(2));
  }

  private springs(length: number, radius: number): Batch {
    const coils = Math.min(Math.max(Math.round(length / (1.3 * radius)), 5), 24);
    const wire = Math.min(0.16 * radius, (0.22 * length) / coils);
    const batch = new Batch(springGeometry({ radius, length, wire, coils }), this.materials.solid, true);
    this.batches.set(`spring ${this.batches.size}`, batch);
    return batch;
  }

  private batch(shape: UnitShape): Batch {
    let batch = this.batches.get(shape);
    if (batch === undefined) {
      batch = new Batch(this.shapes.get(shape, this.scene.objects.length > many), this.materials.solid);
      this.batches.set(shape, batch);
    }
    return batch;
  }
}
