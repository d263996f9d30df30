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

/** What marks and arrows are measured by: near the size of what moves, however far it travels. */
export function nearRadius(scene: Scene): number {
  return Math.min(scene.radius, 2.5 * scene.scale);
}
