// The contacts and frictions in words, beside the picture: each with its state and its forces now.
import type { Motion, Scene, Touch } from '../document';
import { make } from '../dom';
import type { Theme } from '../theme';
import type { Moment } from './frames';
import { describeTouch, touchAt, type TouchNow } from './touching';

/** Of more than that those that are open are only counted. */
const mostListed = 6;
/** Milliseconds between two readings while it plays. */
const pause = 120;

interface Row {
  touch: Touch;
  item: HTMLElement;
  text: HTMLElement;
  shown: string;
}

export class TouchList {
  readonly element = make('div', { class: 'scene-touches', role: 'group', 'aria-label': 'Contacts and friction now', tabindex: 0, hidden: true });
  private rows: Row[] = [];
  private values: Float64Array = new Float64Array();
  private frames = 0;
  private readonly open = make('p', { hidden: true });
  private readonly now: TouchNow = { state: null, unique: true, part: 0 };
  private readAt = 0;

  setScene(motion: Motion, scene: Scene): void {
    this.values = motion.values;
    this.frames = scene.frames;
    this.rows = (scene.touches ?? []).map((touch) => {
      const text = make('span');
      const item = make('li', { 'data-touch': touch.name }, make('b', {}, touch.name), ' ', text);
      return { touch, item, text, shown: '' };
    });
    const hidden = this.rows.some(({ touch }) => touch.at === null);
    this.element.replaceChildren(make('ul', {}, ...this.rows.map(({ item }) => item)), this.open,
      ...(hidden ? [make('p', {}, 'Not drawn, as a gap or slip that is written has no place: ',
        this.rows.filter(({ touch }) => touch.at === null).map(({ touch }) => touch.name).join(', '))] : []));
    this.readAt = 0;
  }

  get empty(): boolean {
    return this.rows.length === 0;
  }

  setTheme(theme: Theme): void {
    theme.touches.forEach((colour, state) => this.element.style.setProperty(`--touch-${state}`, colour));
  }

  update(moment: Moment, playing: boolean): void {
    if (this.element.hidden || this.empty) return;
    const time = performance.now();
    if (playing && time - this.readAt < pause) return;
    this.readAt = time;
    let open = 0;
    for (const row of this.rows) {
      touchAt(this.values, this.frames, row.touch, moment, this.now);
      const text = describeTouch(this.values, row.touch, moment, this.now);
      const counted = this.now.state === 0 && this.rows.length > mostListed;
      if (counted) ++open;
      row.item.hidden = counted;
      if (text === row.shown) continue;
      row.shown = row.text.textContent = text;
      row.item.dataset['state'] = String(this.now.state ?? '');
    }
    this.open.hidden = open === 0;
    this.open.textContent = `${open} open`;
  }
}
