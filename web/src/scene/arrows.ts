// Forces as arrows, those of a kind together: their colour, their form, and whether they are shown.
import * as THREE from 'three';
import type { Arrow, ArrowKind, Motion, Scene } from '../document';
import { Batch } from './batch';
import { vectorAt, type Moment } from './frames';
import type { Materials } from './materials';
import { nearRadius } from './measure';
import type { Shapes } from './shapes';

export const arrowKinds: readonly ArrowKind[] = ['applied', 'ideal', 'nonideal', 'reaction', 'other'];

/** The arrow of the usual force, in radii of the scene, before the user's own scale. */
export const usualArrow = 0.35;

/** With more arrows than this, each has fewer corners. */
const many = 40;

interface Sheaf {
  kind: ArrowKind;
  arrows: Arrow[];
  shafts: Batch;
  heads: Batch;
  group: THREE.Group;
}

export class Arrows {
  readonly group = new THREE.Group();
  private readonly sheaves: Sheaf[] = [];
  private readonly values: Float64Array;
  private readonly at = new Float64Array(3);
  private readonly force = new Float64Array(3);
  scale = 1;

  constructor(
    motion: Motion, private readonly scene: Scene, shapes: Shapes, materials: Materials,
    private readonly reference: 'y' | 'z', private readonly perForce: number,
  ) {
    this.values = motion.values;
    const coarse = scene.arrows.length > many;
    for (const kind of arrowKinds) {
      const arrows = scene.arrows.filter((arrow) => arrow.kind === kind);
      if (arrows.length === 0) continue;
      const color = materials.force(kind);
      const group = new THREE.Group();
      const [shafts, heads] = (['shaft', 'head'] as const).map((part) => {
        const batch = new Batch(shapes.arrow(kind, part, coarse), materials.arrow);
        for (let i = 0; i < arrows.length; ++i) batch.add(color);
        group.add(batch.build());
        // Where there are many, seeing them all through each other would only confuse.
        if (coarse) return batch;
        const hidden = batch.double(materials.hidden);
        hidden.renderOrder = 3;
        group.add(hidden);
        return batch;
      }) as [Batch, Batch];
      this.group.add(group);
      this.sheaves.push({ kind, arrows, shafts, heads, group });
    }
  }

  get kinds(): ArrowKind[] {
    return this.sheaves.map((sheaf) => sheaf.kind);
  }

  show(shown: Record<ArrowKind, boolean>): void {
    for (const sheaf of this.sheaves) sheaf.group.visible = shown[sheaf.kind];
  }

  /** The tip of an arrow that is shown, seen from the centre of the scene. */
  tip(arrow: Arrow, moment: Moment, out: Float64Array): boolean {
    const sheaf = this.sheaves.find(({ kind }) => kind === arrow.kind);
    if (sheaf === undefined || !sheaf.group.visible) return false;
    if (!vectorAt(this.values, arrow.at, 3, moment, out) || !vectorAt(this.values, arrow.vector, 3, moment, this.force)) return false;
    const factor = this.lengthOfUnit();
    if (!(Math.hypot(...this.force) * factor > 0.01 * this.scene.radius)) return false;
    for (let i = 0; i < 3; ++i) out[i]! += this.force[i]! * factor - this.scene.center[i]!;
    return true;
  }

  update(moment: Moment): void {
    const { at, force, scene } = this;
    const factor = this.lengthOfUnit();
    // Where there are many, each is finer.
    const usual = 0.0105 * nearRadius(scene) * Math.min(Math.max(Math.sqrt(16 / scene.arrows.length), 0.3), 1);
    for (const { arrows, shafts, heads, group, kind } of this.sheaves) {
      if (!group.visible) continue;
      for (let slot = 0; slot < arrows.length; ++slot) {
        const arrow = arrows[slot]!;
        const seen = vectorAt(this.values, arrow.at, 3, moment, at) && vectorAt(this.values, arrow.vector, 3, moment, force);
        const size = Math.sqrt(force[0]! * force[0]! + force[1]! * force[1]! + force[2]! * force[2]!);
        const length = size * factor;
        if (!seen || !(length > 1e-4 * scene.radius)) {
          shafts.hide(slot);
          heads.hide(slot);
          continue;
        }
        const x = at[0]! - scene.center[0];
        const y = at[1]! - scene.center[1];
        const z = at[2]! - scene.center[2];
        const dx = force[0]! / size;
        const dy = force[1]! / size;
        const dz = force[2]! / size;
        const width = Math.min(usual * (kind === 'reaction' ? 0.7 : 1), 0.09 * length);
        const head = Math.min(8 * width, 0.45 * length);
        const neck = length - head;
        shafts.along(slot, x, y, z, dx, dy, dz, width, neck, this.reference);
        heads.along(slot, x + neck * dx, y + neck * dy, z + neck * dz, dx, dy, dz, 2.7 * width, head, this.reference);
      }
      shafts.changed();
      heads.changed();
    }
  }

  dispose(): void {
    for (const { shafts, heads } of this.sheaves) {
      shafts.dispose();
      heads.dispose();
    }
  }

  private lengthOfUnit(): number {
    return this.scale * this.perForce;
  }
}
