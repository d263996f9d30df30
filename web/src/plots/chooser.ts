// Choosing columns: a list by group that is searched while typing, with pointer or keys. Options
// are made once and only for the groups and matches on view, so that thousands of columns stay quick.
import { make, makeButton, makeDialog } from '../dom';
import { count } from '../format';
import { needsRows, search, type PlotSpec, type PlotTable } from './columns';

/** How many matches of a group are listed; a search finds the others. */
const most_listed = 200;

/** What follows from a choice; each is told at once. */
export interface Choice {
  /** In the order of the table. */
  columns(columns: string[]): void;
  /** What they are plotted over; undefined: time. */
  over(over: string | undefined): void;
  /** Makes a column of an expression. What is wrong with it, if something is. */
  expression(text: string): string | null;
}

export class Chooser {
  readonly element: HTMLDialogElement;
  private readonly field: HTMLInputElement;
  private readonly list: HTMLElement;
  private readonly status = make('p', { class: 'chooser-status', role: 'status' });
  private table: PlotTable | null = null;
  private chosen = new Set<string>();
  private choice: Choice | null = null;
  private readonly expression = make('input', { type: 'text', placeholder: "x^2 + y^2", 'aria-label': 'Expression of columns', spellcheck: 'false', autocomplete: 'off' });
  private readonly over = make('input', { type: 'text', placeholder: 't', 'aria-label': 'Horizontal axis', spellcheck: 'false', autocomplete: 'off' });
  private readonly problem = make('p', { class: 'chooser-problem', role: 'alert', hidden: true });
  private options: HTMLElement[] = [];
  private active = -1;

  constructor() {
    this.field = make('input', {
      type: 'search', placeholder: 'Search columns', 'aria-label': 'Search columns', role: 'combobox',
      'aria-expanded': 'true', 'aria-controls': 'chooser-list', 'aria-autocomplete': 'list', autocomplete: 'off', spellcheck: 'false',
    });
    this.list = make('div', { id: 'chooser-list', class: 'chooser-list', role: 'group', 'aria-label': 'Columns' });
    this.element = makeDialog({ class: 'chooser', 'aria-label': 'Choose columns' },
      make('div', { class: 'chooser-head' }, this.field,
        makeButton('None', 'Choose no columns', () => this.choose([])),
        makeButton('Done', 'Close', () => this.element.close())),
      make('div', { class: 'chooser-more-fields' },
        make('label', {}, 'Expression ', this.expression), makeButton('Add', 'Plot what has been typed', () => this.addExpression()),
        make('label', {}, 'Over ', this.over), makeButton('Set', 'Use this column or expression as the horizontal axis; empty or t: time', () => this.setOver())),
      this.problem, this.list, this.status);
    const onEnter = (field: HTMLInputElement, act: () => void): void => field.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') act();
    });
    onEnter(this.expression, () => this.addExpression());
    onEnter(this.over, () => this.setOver());
    this.field.addEventListener('input', () => this.fill());
    this.field.addEventListener('keydown', (event) => this.onKey(event));
    this.list.addEventListener('click', (event) => this.onClick(event));
    // The keys of the page are not for those who type here.
    this.element.addEventListener('keydown', (event) => event.stopPropagation());
  }

  /** Opens with what a plot shows. */
  open(table: PlotTable, spec: PlotSpec, choice: Choice): void {
    this.table = table;
    this.chosen = new Set(spec.columns);
    this.choice = choice;
    this.over.value = spec.over ?? '';
    this.expression.value = '';
    this.complain(null);
    this.field.value = '';
    this.fill();
    this.list.scrollTop = 0;
    this.element.showModal();
    this.field.focus();
  }

  private fill(): void {
    this.active = -1;
    this.options = [];
    const sections: HTMLElement[] = [];
    let found = 0;
    for (const { label, names } of this.table?.groups ?? []) {
      const matches = search(names, this.field.value);
      if (matches.length === 0) continue;
      found += matches.length;
      const heading = make('div', { class: 'chooser-group' }, make('span', {}, label),
        makeButton('all', `Choose all of ${label}`, () => this.choose([...this.chosen, ...matches])),
        makeButton('none', `Choose none of ${label}`, () => this.choose([...this.chosen].filter((name) => !matches.includes(name)))));
      const options = matches.slice(0, most_listed).map((name) => this.makeOption(name));
      const section = make('div', { class: 'chooser-section' }, heading,
        make('div', { role: 'listbox', 'aria-multiselectable': 'true', 'aria-label': label }, ...options));
      if (matches.length > most_listed) {
        section.append(make('p', { class: 'chooser-more' }, `${matches.length - most_listed} more: search to see them`));
      }
      sections.push(section);
    }
    this.list.replaceChildren(...sections);
    this.field.removeAttribute('aria-activedescendant');
    this.tell(found);
  }

  private complain(problem: string | null): boolean {
    this.problem.hidden = problem === null;
    this.problem.textContent = problem ?? '';
    return problem !== null;
  }

  private addExpression(): void {
    const text = this.expression.value.trim();
    if (text === '' || this.complain(this.choice?.expression(text) ?? null)) return;
    this.expression.value = '';
    this.fill();
    this.choose([...this.chosen, text]);
  }

  private setOver(): void {
    const text = this.over.value.trim();
    const isTime = text === '' || text === 't';
    const problem = this.table?.hasRows === false ? needsRows : this.choice?.expression(text) ?? null;
    if (!isTime && this.complain(problem)) return;
    this.complain(null);
    this.choice?.over(isTime ? undefined : text);
    this.fill();
  }

  private makeOption(name: string): HTMLElement {
    const option = make('div', {
      id: `chooser-option-${this.options.length}`, role: 'option', class: 'chooser-option',
      'aria-selected': String(this.chosen.has(name)), 'data-column': name,
    }, name);
    this.options.push(option);
    return option;
  }

  private tell(found: number): void {
    this.status.textContent = `${count(found, 'column')} · ${this.chosen.size} chosen · arrow keys move, Enter chooses, Escape closes`;
  }

  private choose(names: Iterable<string>): void {
    this.chosen = new Set(names);
    for (const option of this.options) option.setAttribute('aria-selected', String(this.chosen.has(option.dataset.column!)));
    this.tell(this.table?.groups.reduce((sum, { names: all }) => sum + search(all, this.field.value).length, 0) ?? 0);
    const ordered = this.table?.groups.flatMap(({ names: all }) => all.filter((name) => this.chosen.has(name))) ?? [];
    this.choice?.columns(ordered);
  }

  private toggle(option: HTMLElement): void {
    const name = option.dataset.column!;
    const chosen = new Set(this.chosen);
    if (!chosen.delete(name)) chosen.add(name);
    this.choose(chosen);
  }

  private onClick(event: MouseEvent): void {
    const option = (event.target as Element).closest<HTMLElement>('.chooser-option');
    if (option === null) return;
    this.activate(this.options.indexOf(option));
    this.toggle(option);
  }

  private activate(index: number): void {
    this.options[this.active]?.classList.remove('active');
    this.active = Math.min(Math.max(index, 0), this.options.length - 1);
    const option = this.options[this.active];
    if (option === undefined) return;
    option.classList.add('active');
    option.scrollIntoView({ block: 'nearest' });
    this.field.setAttribute('aria-activedescendant', option.id);
  }

  private onKey(event: KeyboardEvent): void {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      this.activate(this.active < 0 ? 0 : this.active + step);
    } else if (event.key === 'Escape') {
      // A field of search would only be emptied.
      event.preventDefault();
      this.element.close();
    } else if (event.key === 'Enter') {
      event.preventDefault();
      const option = this.options[Math.max(this.active, 0)];
      if (option !== undefined) {
        this.activate(this.options.indexOf(option));
        this.toggle(option);
      }
    }
  }
}
