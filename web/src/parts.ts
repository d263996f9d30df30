// The parts of the page that are made elsewhere: the animation, its bar, and what drives a served page.
import type { Clock } from './clock';
import { make } from './dom';
import type { Live, Motion } from './document';
import { Player } from './player';
import { SceneView } from './scene/view';
import type { Theme } from './theme';

export interface ScenePart {
  setMotion(motion: Motion): void;
  setTheme(theme: Theme): void;
}

export function createScene(container: HTMLElement, clock: Clock, theme: Theme): ScenePart {
  return new SceneView(container, clock, theme);
}

export function createPlayer(container: HTMLElement, clock: Clock): void {
  new Player(container, clock);
}

export function createLive(container: HTMLElement, live: Live, _show: (motion: Motion, partial: boolean) => void): void {
  container.append(make('p', {}, live.file));
}
