// Directions and sizes of a scene.
import type { Scene } from '../document';

/** The axis that is vertical, as an index. */
export function upAxis(scene: Scene): 1 | 2 {
  return scene.up.endsWith('y') ? 1 : 2;
}

/** -1 where that axis points downwards. */
export function upSign(scene: Scene): 1 | -1 {
  return scene.up.startsWith('-') ? -1 : 1;
}

/** Whether it goes so far that, with all of the way in the picture, nobody would see what goes. */
export function isTravelling(scene: Scene): boolean {
  return scene.radius > 4 * scene.scale;
}

/** What marks and arrows are measured by: near the size of what moves, however far it travels. */
export function nearRadius(scene: Scene): number {
  return Math.min(scene.radius, 2.5 * scene.scale);
}
