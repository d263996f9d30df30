// The modes of a linearisation: a table from which one is chosen to be seen.
import { make } from '../dom';
import { Motion, type ModeEntry, type PageDocument } from '../document';
import { formatNumber } from '../format';

/** "-0.378 ± 3.87 i". */
export function formatEigenvalue([re, im]: [number, number], digits = 6): string {
  return im === 0 ? formatNumber(re, digits) : `${re === 0 ? '' : `${formatNumber(re, digits)} `}± ${formatNumber(im, digits)} i`;
}

/** What the animation of a mode shows. */
export function describeMode(mode: ModeEntry): string {
  if (mode.table === undefined) return 'This mode changes velocities only, or there was no room for it: nothing to be seen.';
  const [re, im] = mode.eigenvalue;
  const how = im !== 0 ? 'One period, without growth or decay'
    : re === 0 ? 'Once to and fro: such a change neither grows nor goes back, and the time means nothing'
      : `${re < 0 ? 'Its decay' : 'Its growth'} over three time constants`;
  return `${how}. The amplitude is arbitrary, and the point itself stands still.`;
}

/** A motion that shows this mode. */
export function motionOf(document: PageDocument, mode: ModeEntry, values: Float64Array): Motion {
  const { table, scene, duration = 1 } = mode;
  if (table === undefined) throw new Error('this mode moves nothing');
  return new Motion({ ...document, table, scene, simulation: { ...document.simulation, duration } }, values);
}

export class ModesPanel {
  readonly element = make('section', { class: 'modes', 'aria-label': 'Modes' });
  private readonly about = make('p', { class: 'mode-about', role: 'status' });
  private readonly modes: ModeEntry[];
  private readonly buttons: HTMLInputElement[] = [];

  constructor(private readonly document: PageDocument, given: ModeEntry[], private readonly choose: (mode: ModeEntry) => void) {
    // Zeros come last: there may be many of them, and little to be seen.
    const isZero = ({ eigenvalue: [re, im] }: ModeEntry): boolean => re === 0 && im === 0;
    this.modes = [...given.filter((mode) => !isZero(mode)), ...given.filter(isZero)];
    const rows = this.modes.map((mode, i) => {
      const button = make('input', { type: 'radio', name: 'mode', 'aria-label': `Show ${formatEigenvalue(mode.eigenvalue)}`, disabled: mode.table === undefined });
      button.addEventListener('change', () => this.select(i));
      this.buttons.push(button);
      const row = make('tr', {}, make('td', {}, button),
        make('td', {}, make('div', { class: 'figure' }, formatEigenvalue(mode.eigenvalue)), make('div', { class: 'about' }, mode.about)),
        ...[mode.frequency === null ? '' : `${formatNumber(mode.frequency, 5)} Hz`,
          mode.damping === null ? '' : formatNumber(mode.damping, 4), mode.condition === null ? 'defective' : formatNumber(mode.condition, 2)]
          .map((text) => make('td', { class: 'figure' }, text)));
      row.addEventListener('click', () => {
        if (!button.disabled) this.select(i);
      });
      row.classList.toggle('unstable', mode.eigenvalue[0] > 0);
      return row;
    });
    const heads = ['', 'eigenvalue, and what takes part', 'frequency', 'damping', 'condition'].map((text) => make('th', { scope: 'col' }, text));
    heads[0]!.append(make('span', { class: 'unseen' }, 'shown'));
    this.element.append(make('h2', {}, 'Modes'),
      ...(document.notes ?? []).map((note) => make('p', { class: 'mode-note' }, note)),
      make('div', { class: 'mode-table', tabindex: 0, role: 'group', 'aria-label': 'Eigenvalues' },
        make('table', {}, make('thead', {}, make('tr', {}, ...heads)), make('tbody', {}, ...rows))),
      this.about);
  }

  /** Shows the first that can be seen: one that swings, if there is one. */
  begin(): void {
    const seen = (mode: ModeEntry): boolean => mode.table !== undefined;
    const first = [this.modes.findIndex((mode) => seen(mode) && mode.eigenvalue[1] !== 0), this.modes.findIndex((mode) => seen(mode) && mode.eigenvalue[0] !== 0),
      this.modes.findIndex(seen)].find((i) => i >= 0);
    if (first === undefined) this.about.textContent = `Nothing of ${this.document.model.name} can be seen to move.`;
    else this.select(first);
  }

  private select(index: number): void {
    const mode = this.modes[index]!;
    this.buttons[index]!.checked = true;
    this.about.textContent = describeMode(mode);
    this.choose(mode);
  }
}
