// Keys of the whole page, and the list of them. Not for those who type in a field.
import type { Clock } from './clock';
import { make, makeButton, makeDialog } from './dom';
import { nearest } from './plots/decimate';

export interface KeyTargets {
  clock: Clock;
  /** Times of the rows, in order. */
  times: () => ArrayLike<number>;
  zoomBy: (factor: number) => void;
  resetZoom: () => void;
}

const keys: [string, string][] = [
  ['Space', 'play or pause'],
  ['← →', 'one row back or on; with Shift a fiftieth of the motion'],
  ['Home, End', 'to the start, to the end'],
  ['+ −', 'zoom the plots in or out at the cursor'],
  ['0', 'show the whole motion again'],
  ['?', 'this list'],
];

const pointer: [string, string][] = [
  ['Drag the animation', 'turn it; with the right button or two fingers move it; wheel or pinch: zoom. Keys, while it has the focus: arrows, with Shift, + −, Home'],
  ['Drag on a plot', 'zoom: sideways all plots in time, up or down this one'],
  ['Click on a plot', 'go to that time'],
  ['Double click', 'reset the zoom'],
];

const fields = 'input, select, textarea, [contenteditable=""], [contenteditable="true"]';
const timeSlider = '.player-slider';
const pressed = `${fields}, button, a[href], summary, [role="button"]`;
const moved = `${fields}, [role="tab"], [role="slider"], [role="listbox"]`;

/** Whether the user may move the content of an element this way, and there is something to move. */
const scrolls = (overflow: string, content: number, room: number): boolean => (overflow === 'auto' || overflow === 'scroll') && content > room;
const scrollsSideways = (element: Element): boolean => scrolls(getComputedStyle(element).overflowX, element.scrollWidth, element.clientWidth);
const scrollsDown = (element: Element): boolean => scrolls(getComputedStyle(element).overflowY, element.scrollHeight, element.clientHeight);

/** The element at `target` or around it that scrolls sideways, a long formula for example; its keys are those of the browser. */
function wideAt(target: Element): Element | null {
  let element: Element | null = target;
  while (element !== null && element !== document.body && !scrollsSideways(element)) element = element.parentElement;
  return element === document.body ? null : element;
}

export class Keyboard {
  readonly help: HTMLDialogElement;

  constructor(private readonly targets: KeyTargets) {
    const rows = (entries: [string, string][]): HTMLElement[] =>
      entries.map(([key, what]) => make('tr', {}, make('th', { scope: 'row' }, key), make('td', {}, what)));
    this.help = makeDialog({ class: 'help', 'aria-label': 'Keys' },
      make('h2', {}, 'Keys and pointer'),
      make('table', {}, make('tbody', {}, ...rows(keys), ...rows(pointer))),
      makeButton('Close', 'Close', () => this.help.close()));
    document.addEventListener('keydown', (event) => this.onKey(event));
  }

  showHelp(): void {
    if (!this.help.open) this.help.showModal();
  }

  private onKey(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target instanceof Element ? event.target : document.body;
    // The slider of the time moves as the keys of the page do: by rows.
    const place = target.closest(timeSlider) === null ? target : document.body;
    if (place.closest('dialog') !== null || place.closest(fields) !== null) return;
    if (this.act(event, place)) event.preventDefault();
  }

  private act(event: KeyboardEvent, target: Element): boolean {
    const { clock } = this.targets;
    switch (event.key) {
      case ' ':
        if (target.closest(pressed) !== null) return false;
        clock.toggle();
        return true;
      case 'ArrowLeft':
      case 'ArrowRight': {
        if (target.closest(moved) !== null || wideAt(target) !== null) return false;
        const direction = event.key === 'ArrowLeft' ? -1 : 1;
        this.step(direction, event.shiftKey);
        return true;
      }
      case 'Home':
      case 'End': {
        if (target.closest(moved) !== null || scrollsDown(target)) return false;
        const wide = wideAt(target);
        // Browsers would scroll the page up or down.
        if (wide !== null) wide.scrollLeft = event.key === 'Home' ? 0 : wide.scrollWidth;
        else clock.seek(event.key === 'Home' ? 0 : clock.end);
        return true;
      }
      case '+':
      case '=':
        this.targets.zoomBy(0.5);
        return true;
      case '-':
        this.targets.zoomBy(2);
        return true;
      case '0':
        this.targets.resetZoom();
        return true;
      case '?':
        this.showHelp();
        return true;
      default:
        return false;
    }
  }

  private step(direction: number, far: boolean): void {
    const { clock, times } = this.targets;
    const rows = times();
    clock.pause();
    if (far) {
      clock.seek(clock.time + (direction * clock.end) / 50);
      return;
    }
    const row = nearest(rows, clock.time) + direction;
    const time = rows[Math.min(Math.max(row, 0), rows.length - 1)];
    if (time !== undefined) clock.seek(time);
  }
}
