// The series of a plot with their values at the cursor.
import { make, makeSwatch } from '../dom';
import { formatNumber } from '../format';
import type { SeriesStyle } from './chart';

export interface LegendEntry {
  name: string;
  style: SeriesStyle;
  shown: boolean;
}

/** A row of the table, and the other of its pair where rows are the extremes of stretches. */
export interface CursorRow {
  time: number;
  row: number;
  partner: number | null;
}

export class Legend {
  readonly element = make('ul', { class: 'legend', 'aria-label': 'Series and their values at the cursor' });
  private entries: { column: string; item: HTMLElement; value: HTMLElement }[] = [];

  constructor(private readonly onToggle: (name: string) => void) {}

  setEntries(entries: LegendEntry[]): void {
    this.entries = entries.map(({ name, style, shown }) => {
      const toggle = make(
        'button',
        { type: 'button', class: 'series', 'aria-pressed': String(shown), title: `${name}: show or hide` },
        makeSwatch(style.colour, style.dash),
        make('span', { class: 'name' }, name),
      );
      toggle.addEventListener('click', () => this.onToggle(name));
      const value = make('span', { class: 'value' });
      return { column: name, item: make('li', { 'data-column': name }, toggle, value), value };
    });
    this.element.replaceChildren(...this.entries.map((entry) => entry.item));
  }

  /** `column` gives the values of a series; `other` that of another run, null where it has none. */
  setCursor(cursor: CursorRow | null, column: (name: string) => Float64Array, other: ((name: string) => number | null) | null = null): void {
    this.element.dataset.time = cursor ? String(cursor.time) : '';
    for (const { column: name, item, value } of this.entries) {
      if (cursor === null) {
        item.dataset.value = '';
        value.textContent = '';
        continue;
      }
      const values = column(name);
      const here = values[cursor.row] ?? NaN;
      item.dataset.value = String(here);
      let text = formatNumber(here);
      if (cursor.partner !== null) {
        const pair = [here, values[cursor.partner] ?? NaN];
        const [low, high] = pair.map((x) => formatNumber(x, 4));
        text = low === high ? low! : pair[0]! <= pair[1]! ? `${low} … ${high}` : `${high} … ${low}`;
      }
      const there = other?.(name) ?? null;
      if (there === null) delete item.dataset.other;
      else item.dataset.other = String(there);
      value.textContent = there === null ? text : `${text} · ${formatNumber(there)}`;
    }
  }
}
