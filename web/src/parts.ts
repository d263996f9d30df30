// The parts of the page that are made elsewhere: the animation, its bar, and what drives a served page.
import type { Clock } from './clock';
import { make, makeButton } from './dom';
import type { Live, Motion } from './document';
import type { Theme } from './theme';

export interface ScenePart {
  setMotion(motion: Motion): void;
  setTheme(theme: Theme): void;
}

export function createScene(container: HTMLElement, _clock: Clock, _theme: Theme): ScenePart {
  const name = make('p');
  container.append(name);
  return {
    setMotion: (motion) => (name.textContent = motion.document.model.name),
    setTheme: () => undefined,
  };
}

export function createPlayer(container: HTMLElement, clock: Clock): void {
  const button = makeButton('Play', 'Play or pause', () => clock.toggle());
  clock.onState(() => (button.textContent = clock.playing ? 'Pause' : 'Play'));
  container.append(button);
}

export function createLive(container: HTMLElement, live: Live, _show: (motion: Motion, partial: boolean) => void): void {
  container.append(make('p', {}, live.file));
}
