// The part of the page that is made elsewhere: what drives a served page.
import { make } from './dom';
import type { Live, Motion } from './document';

export function createLive(container: HTMLElement, live: Live, _show: (motion: Motion, partial: boolean) => void): void {
  container.append(make('p', {}, live.file));
}
