// The room that a motion takes: places of what is drawn at some of its moments, for the camera.
import type { Motion, Scene, SceneObject } from '../document';
import { upAxis } from './measure';

/** x y z from the centre of the scene and the size of what is there, four numbers a place. */
export type Outline = Float64Array;

const mostPlaces = 6000;

function sizeOf(object: SceneObject, scene: Scene): number {
  if (!('shape' in object)) return 'radius' in object ? object.radius : 0.02 * scene.radius;
  const { shape } = object;
  if (shape.type === 'box') return Math.hypot(...shape.size) / 2;
  if (shape.type === 'ellipsoid') return Math.max(...shape.size);
  return 'length' in shape ? Math.hypot(shape.radius, shape.length / 2) : shape.radius;
}

/** All forces that are drawn. */
function forcesOf(scene: Scene): { at: number; vector: number }[] {
  const touching = (scene.touches ?? []).flatMap(({ at, normal, friction }) =>
    at === null ? [] : [normal, friction].flatMap((vector) => (vector === undefined ? [] : [{ at, vector }])));
  return [...scene.arrows, ...touching];
}

/**
 * The force whose arrow is of usual length: one that the largest of a frame reaches in a tenth of the frames, so that an
 * instant of very large forces does not make the others vanish; but a tenth of the largest of all at least.
 */
export function usualForce(motion: Motion, scene: Scene): number {
  const largest: number[] = [];
  const forces = forcesOf(scene);
  const step = Math.max(1, Math.ceil((scene.frames * forces.length) / mostPlaces));
  for (let frame = 0; frame < scene.frames; frame += step) {
    let most = 0;
    for (const { vector } of forces) {
      const at = vector + 3 * frame;
      const size = Math.hypot(motion.values[at]!, motion.values[at + 1]!, motion.values[at + 2]!);
      if (size > most && size < Infinity) most = size;
    }
    largest.push(most);
  }
  largest.sort((a, b) => a - b);
  const usual = largest[Math.floor(0.9 * largest.length)] ?? 0;
  return Math.min(Math.max(usual, 0.1 * scene.largest_force), scene.largest_force);
}

/** Arrows are drawn `perForce` long; those longer than `reach` do not count. */
export function outlineOf(motion: Motion, scene: Scene, perForce: number, reach: number): Outline {
  const { values } = motion;
  const places: number[] = [];
  const forces = forcesOf(scene);
  const things = scene.objects.length + forces.length;
  const step = Math.max(1, Math.ceil((scene.frames * things) / mostPlaces));
  const add = (x: number, y: number, z: number, size: number): void => {
    if (Number.isFinite(x + y + z)) places.push(x - scene.center[0], y - scene.center[1], z - scene.center[2], size);
  };
  for (let frame = 0; frame < scene.frames; frame += step) {
    const look = (index: number, stride: number, size: number): void => {
      const at = index + frame * stride;
      add(values[at]!, values[at + 1]!, values[at + 2]!, size);
    };
    for (const object of scene.objects) {
      const size = sizeOf(object, scene);
      if ('pose' in object) look(object.pose, 7, size);
      else if ('position' in object) look(object.position, 3, size);
      else for (const index of [object.from, object.to]) look(index, 3, size);
    }
    for (const { at, vector } of forces) {
      const arrow = (i: number): number => perForce * values[vector + 3 * frame + i]!;
      if (Math.hypot(arrow(0), arrow(1), arrow(2)) > 1.01 * reach) continue;
      const tip = (i: number): number => values[at + 3 * frame + i]! + arrow(i);
      add(tip(0), tip(1), tip(2), 0);
    }
  }
  return Float64Array.from(places);
}

/** The axis to look along, where nothing moves along it: the motion is flat. Forces count too. */
export function flatAxis(outline: Outline, scene: Scene): 0 | 1 | 2 | null {
  const flat = (axis: number): boolean => {
    let low = Infinity;
    let high = -Infinity;
    for (let i = axis; i < outline.length; i += 4) {
      low = Math.min(low, outline[i]!);
      high = Math.max(high, outline[i]!);
    }
    return high - low < 0.01 * scene.radius;
  };
  const first = upAxis(scene) === 1 ? 2 : 1;
  return flat(first) ? first : flat(0) ? 0 : null;
}

/** A direction as three numbers. */
export type Direction = readonly [number, number, number];

/**
 * How a camera that looks against `back` holds all of it: its distance from the target, and the target, as steps along
 * `right` and `up` from the centre. `tanX` and `tanY` are the tangents of half the angles that it sees.
 */
export function fit(
  outline: Outline, right: Direction, up: Direction, back: Direction, tanX: number, tanY: number,
): { distance: number; x: number; y: number } {
  // Each side of the picture is a plane; the farthest that a place reaches beyond it, seen from the centre.
  const far = [-Infinity, -Infinity, -Infinity, -Infinity];
  const dot = (i: number, d: Direction): number => outline[i]! * d[0] + outline[i + 1]! * d[1] + outline[i + 2]! * d[2];
  for (let i = 0; i < outline.length; i += 4) {
    const [a, b, c, size] = [dot(i, right), dot(i, up), dot(i, back), outline[i + 3]!];
    const padX = size * Math.hypot(1, tanX);
    const padY = size * Math.hypot(1, tanY);
    far[0] = Math.max(far[0]!, a + c * tanX + padX);
    far[1] = Math.max(far[1]!, -a + c * tanX + padX);
    far[2] = Math.max(far[2]!, b + c * tanY + padY);
    far[3] = Math.max(far[3]!, -b + c * tanY + padY);
  }
  if (outline.length === 0) far.fill(0);
  return {
    distance: Math.max((far[0]! + far[1]!) / (2 * tanX), (far[2]! + far[3]!) / (2 * tanY)),
    x: (far[0]! - far[1]!) / 2,
    y: (far[2]! - far[3]!) / 2,
  };
}
