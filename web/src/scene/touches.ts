// Contacts as they are drawn: where they are, in the colour and form of their state; the normal force and the friction as
// arrows; the friction cone, as high as the arrow of the normal force, in which the sum of both lies.
import * as THREE from 'three';
import type { Motion, Scene, Touch } from '../document';
import { Batch } from './batch';
import { vectorAt, type Moment } from './frames';
import type { Materials } from './materials';
import { nearRadius } from './measure';
import type { Shapes, UnitShape } from './shapes';
import { touchAt, type TouchNow } from './touching';

type Placed = Touch & { at: number; normal: number; friction: number };

/** By state: the form of the mark and its size. */
const marks: readonly [UnitShape, number][] = [['sphere', 0.6], ['sphere', 1], ['plainBox', 1.7], ['octahedron', 1.5]];
const many = 40;
const sticks = 2;
const slides = 3;

interface ArrowBatches {
  shafts: Batch;
  heads: Batch;
}

export class Touches {
  readonly group = new THREE.Group();
  private readonly touches: Placed[];
  private readonly values: Float64Array;
  private readonly marks: Batch[];
  private readonly normals: ArrowBatches;
  private readonly frictions: ArrowBatches[];
  private readonly cones: Batch[];
  private readonly batches: Batch[] = [];
  private readonly now: TouchNow = { state: null, unique: true, part: 0 };
  private readonly held: Moment = { frame: 0, part: 0 };
  private readonly at = new Float64Array(7);
  private readonly force = new Float64Array(3);
  private readonly mark: number;

  constructor(
    motion: Motion, private readonly scene: Scene, private readonly shapes: Shapes, private readonly materials: Materials,
    private readonly reference: 'y' | 'z', private readonly perForce: number,
  ) {
    this.values = motion.values;
    this.touches = (scene.touches ?? []).filter((touch): touch is Placed => touch.at !== null);
    this.mark = 0.011 * nearRadius(scene) * (this.touches.length > many ? 0.6 : 1);
    this.at[6] = 1;
    this.marks = marks.map(([shape], state) => this.batch(shapes.get(shape, this.coarse), materials.arrow, state));
    this.normals = this.arrows('reaction', 1);
    this.frictions = [sticks, slides].map((state) => this.arrows('nonideal', state));
    this.cones = [sticks, slides].map((state) => this.batch(shapes.get('funnel', this.coarse), materials.cone, state));
    if (this.touches.length === 0) return;
    for (const batch of this.batches) {
      const mesh = batch.build();
      this.group.add(mesh);
      if (this.cones.includes(batch)) {
        mesh.renderOrder = 4;
      } else if (!this.coarse) {
        // Contacts are at the surface of bodies, or within what is drawn of them.
        const hidden = batch.double(materials.hidden);
        hidden.renderOrder = 3;
        this.group.add(hidden);
      }
    }
  }

  update(moment: Moment, scale: number): void {
    if (!this.group.visible || this.touches.length === 0) return;
    const factor = scale * this.perForce;
    for (let slot = 0; slot < this.touches.length; ++slot) this.place(slot, this.touches[slot]!, moment, factor);
    for (const batch of this.batches) batch.changed();
  }

  dispose(): void {
    for (const batch of this.batches) batch.dispose();
  }

  private get coarse(): boolean {
    return this.touches.length > many;
  }

  private batch(geometry: THREE.BufferGeometry, material: THREE.Material, state: number): Batch {
    const batch = new Batch(geometry, material);
    for (let i = 0; i < this.touches.length; ++i) batch.add(this.materials.touch(state));
    this.batches.push(batch);
    return batch;
  }

  private arrows(form: 'reaction' | 'nonideal', state: number): ArrowBatches {
    const part = (name: 'shaft' | 'head'): Batch => this.batch(this.shapes.arrow(form, name, this.coarse), this.materials.arrow, state);
    return { shafts: part('shaft'), heads: part('head') };
  }

  private place(slot: number, touch: Placed, moment: Moment, factor: number): void {
    const { at, now, held, scene } = this;
    for (const batch of this.batches) batch.hide(slot);
    touchAt(this.values, scene.frames, touch, moment, now);
    if (now.state === null || !vectorAt(this.values, touch.at, 3, moment, at)) return;
    for (let i = 0; i < 3; ++i) at[i]! -= scene.center[i]!;
    const size = this.mark * marks[now.state]![1];
    this.marks[now.state]!.place(slot, at, size, size, size);
    if (now.state === 0) return;
    held.frame = moment.frame;
    held.part = now.part;
    const length = this.arrow(this.normals, slot, touch.normal, factor);
    const cone = now.state - sticks;
    if (cone < 0) return;
    if (length > 0) this.cone(this.cones[cone]!, slot, touch, length);
    this.arrow(this.frictions[cone]!, slot, touch.friction, factor);
  }

  /** How long it is. The force is left in `force`. */
  private arrow({ shafts, heads }: ArrowBatches, slot: number, vector: number, factor: number): number {
    const { at, force, scene } = this;
    if (!vectorAt(this.values, vector, 3, this.held, force)) return 0;
    const size = Math.sqrt(force[0]! * force[0]! + force[1]! * force[1]! + force[2]! * force[2]!);
    const length = size * factor;
    if (!(length > 1e-4 * scene.radius)) return 0;
    for (let i = 0; i < 3; ++i) force[i]! /= size;
    const [dx, dy, dz] = [force[0]!, force[1]!, force[2]!];
    const width = Math.min(0.008 * nearRadius(scene), 0.09 * length);
    const head = Math.min(8 * width, 0.45 * length);
    const neck = length - head;
    shafts.along(slot, at[0]!, at[1]!, at[2]!, dx, dy, dz, width, neck, this.reference);
    heads.along(slot, at[0]! + neck * dx, at[1]! + neck * dy, at[2]! + neck * dz, dx, dy, dz, 2.7 * width, head, this.reference);
    return length;
  }

  /** Along the normal force in `force`; its slope is the coefficient of friction. */
  private cone(batch: Batch, slot: number, { forces }: Placed, height: number): void {
    const { at, force, held } = this;
    const normal = this.values[forces + 3 * held.frame]!;
    const slope = this.values[forces + 3 * held.frame + 2]! / normal;
    if (!(slope > 0) || !Number.isFinite(slope)) return;
    batch.along(slot, at[0]!, at[1]!, at[2]!, force[0]!, force[1]!, force[2]!, slope * height, height, this.reference);
  }
}
