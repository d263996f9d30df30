// The numbers of one thing now: where it is, how it moves as far as the frames tell, and the forces on it.
import type { Motion, Scene, SceneObject } from '../document';
import { make } from '../dom';
import { formatNumber } from '../format';
import { poseAt, vectorAt, type Moment } from './frames';

/** Milliseconds between two readings while it plays. */
const pause = 120;

const kinds = { applied: 'applied', ideal: 'ideal', nonideal: 'non-ideal', reaction: 'reaction', other: 'other' } as const;

export interface NumberRow {
  label: string;
  value: [number, number, number];
  /** From the frames beside this moment, and so not exact. */
  rough: boolean;
}

type Followed = Extract<SceneObject, { pose: number } | { position: number }>;

/** Whether numbers can be told of it. */
export function hasNumbers(object: SceneObject): object is Followed {
  return 'pose' in object || object.kind === 'point';
}

const placeOf = (object: Followed): [index: number, stride: number] => ('pose' in object ? [object.pose, 7] : [object.position, 3]);

/** Three numbers of frame f; nan beyond the frames. */
function at(motion: Motion, index: number, stride: number, f: number, i: number): number {
  return motion.values[index + stride * f + i] ?? NaN;
}

/** The mean velocity between the frames around a moment: of the frame before and the one behind, or of both neighbours of a frame. */
function velocity(motion: Motion, scene: Scene, object: Followed, { frame, part }: Moment): [number, number, number] | null {
  const first = part > 0 ? frame : Math.max(frame - 1, 0);
  const last = Math.min(frame + 1, scene.frames - 1);
  const time = motion.values[scene.times + last]! - motion.values[scene.times + first]!;
  if (!(time > 0)) return null;
  const [index, stride] = placeOf(object);
  const rate = (i: number): number => (at(motion, index, stride, last, i) - at(motion, index, stride, first, i)) / time;
  return [rate(0), rate(1), rate(2)];
}

/** What can be told of an object at a moment. */
export function numbersOf(motion: Motion, scene: Scene, object: Followed, moment: Moment): NumberRow[] {
  const rows: NumberRow[] = [];
  const out = new Float64Array(7);
  const [index, stride] = placeOf(object);
  const take = (label: string, seen: boolean): void => {
    if (seen) rows.push({ label, value: [out[0]!, out[1]!, out[2]!], rough: false });
  };
  take('position', stride === 7 ? poseAt(motion.values, index, moment, out) : vectorAt(motion.values, index, 3, moment, out));
  const v = velocity(motion, scene, object, moment);
  if (v !== null && v.every(Number.isFinite)) rows.push({ label: 'velocity', value: v, rough: true });
  for (const { kind, name, vector } of scene.arrows) {
    if (name === object.name) take(kinds[kind], vectorAt(motion.values, vector, 3, moment, out));
  }
  return rows;
}

export class Numbers {
  readonly element = make('div', { class: 'scene-numbers', role: 'group', hidden: true });
  private object: Followed | null = null;
  private readAt = 0;

  /** null: of nothing. */
  show(object: Followed | null): void {
    this.object = object;
    this.element.hidden = object === null;
    this.element.setAttribute('aria-label', object === null ? '' : `${object.name} now`);
    this.readAt = 0;
  }

  update(motion: Motion, scene: Scene, moment: Moment, playing: boolean): void {
    const now = performance.now();
    if (this.object === null || (playing && now - this.readAt < pause)) return;
    this.readAt = now;
    const text = (x: number): string => formatNumber(Math.abs(x) < 1e-12 * scene.radius ? 0 : x, 4);
    const rows = numbersOf(motion, scene, this.object, moment).map(({ label, value, rough }) =>
      make('tr', {}, make('th', { scope: 'row' }, rough ? `${label} ≈` : label), ...value.map((x) => make('td', {}, text(x))),
        make('td', { class: 'size' }, label === 'position' ? '' : `| ${text(Math.hypot(...value))} |`)));
    this.element.replaceChildren(make('b', {}, this.object.name), make('table', {}, make('tbody', {}, ...rows)));
  }
}
