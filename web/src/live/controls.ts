// Sliders for parameters and the start, and how the motion is computed. What has been moved is kept by name, so that it
// stays when the model text changes.
import { make, makeButton } from '../dom';
import type { PageDocument } from '../document';
import type { Order } from './engine';
import { Slider } from './slider';

const methods = [
  'm-inverse', 'scaled', 'extended-dalembert', 'weighted', 'multipliers', 'maggi', 'boltzmann-hamel', 'transpositional',
  'central', 'suslov', 'voronets', 'gibbs-appell', 'gauss', 'vakonomic',
];
const integrators = ['rk8', 'taylor', 'bdf', 'auto'];
const mostSamples = 200000;
/** Groups of more than this begin closed, and a search field comes with them. */
const many = 12;

interface Entry {
  name: string;
  value: number | null;
  written?: string;
}

interface Group {
  element: HTMLDetailsElement;
  sliders: Slider[];
  wasOpen: boolean;
}

export class Controls {
  readonly element = make('div', { class: 'live-controls' });
  private readonly parameters = new Map<string, number>();
  private readonly initial = new Map<string, number>();
  private readonly search = make('input', { type: 'search', placeholder: 'Find a value', 'aria-label': 'Find a value' });
  private readonly none = make('p', { class: 'live-none', hidden: true }, 'No value has this name.');
  private readonly list = make('div', { class: 'live-groups' });
  private readonly resetAll: HTMLButtonElement;
  private readonly samples: HTMLInputElement;
  private readonly method: HTMLSelectElement;
  private readonly integrator: HTMLSelectElement;
  private readonly tolerances: Record<'rtol' | 'atol', HTMLInputElement>;
  private readonly tolerancesMoved: { rtol?: number; atol?: number } = {};
  private readonly motionRows: HTMLElement;
  private duration: { moved: number | null; slider: Slider | null } = { moved: null, slider: null };
  private samplesMoved: number | null = null;
  private groups: Group[] = [];
  private shape = '';

  constructor(private readonly changed: () => void) {
    this.resetAll = makeButton('Reset all', "All values back to the model's", () => this.restore());
    this.samples = make('input', { type: 'number', min: 2, max: mostSamples, step: 1, id: 'live-samples' });
    this.samples.addEventListener('change', () => this.setSamples());
    this.method = this.makeSelect('live-method', methods);
    this.integrator = this.makeSelect('live-integrator', integrators);
    this.tolerances = { rtol: this.makeTolerance('rtol'), atol: this.makeTolerance('atol') };
    this.motionRows = make('div', { class: 'live-motion' });
    this.search.addEventListener('input', () => this.filter());
    this.element.append(
      make('div', { class: 'live-head' }, make('h2', {}, 'Values'), this.search, this.resetAll), this.none, this.list,
      make('details', { class: 'live-group', open: true }, make('summary', {}, 'Motion'), this.motionRows));
    this.showMoved();
  }

  /** What to ask the program for. */
  order(): Omit<Order, 'text' | 'equations'> {
    return {
      parameters: Object.fromEntries(this.parameters),
      initial: Object.fromEntries(this.initial),
      ...(this.duration.moved === null ? {} : { duration: this.duration.moved }),
      ...(this.samplesMoved === null ? {} : { samples: this.samplesMoved }),
      ...(this.method.value === '' ? {} : { method: this.method.value }),
      ...(this.integrator.value === '' ? {} : { integrator: this.integrator.value }),
      ...this.tolerancesMoved,
    };
  }

  /** Lets go of values whose names are no longer there. True if there were any. */
  forget(names: string[]): boolean {
    const before = this.parameters.size + this.initial.size;
    for (const name of names) {
      this.parameters.delete(name);
      this.initial.delete(name);
    }
    this.showMoved();
    return this.parameters.size + this.initial.size < before;
  }

  setDocument({ model, simulation }: PageDocument): void {
    const positionNames = new Set(model.coordinates);
    const lists: [string, Entry[], Map<string, number>][] = [
      ['Parameters', model.parameters, this.parameters],
      ['Start: positions', model.initial.filter(({ name }) => positionNames.has(name)), this.initial],
      ['Start: velocities', model.initial.filter(({ name }) => !positionNames.has(name)), this.initial],
    ];
    const shape = JSON.stringify(lists.map(([, entries]) => entries.map(({ name }) => name)));
    if (shape !== this.shape) this.build(lists);
    this.shape = shape;
    this.groups.forEach(({ sliders }, g) => sliders.forEach((slider, i) => {
      const [, entries, moved] = lists[g]!;
      const { value = 0, written } = entries[i] ?? {};
      const words = written === undefined ? slider.name : `${slider.name} = ${written} in the model`;
      slider.setValue(value ?? 0, moved.has(slider.name), words);
    }));
    this.setMotion(simulation);
    this.showMoved();
  }

  private build(lists: [string, Entry[], Map<string, number>][]): void {
    const total = lists.reduce((sum, [, entries]) => sum + entries.length, 0);
    this.search.hidden = total <= many;
    this.search.value = '';
    this.groups = lists.map(([title, entries, moved]) => {
      const sliders = entries.map(({ name, value }) => new Slider(name, value ?? 0, { changed: (to) => this.move(moved, name, to) }));
      const wasOpen = entries.length <= many;
      const element = make('details', { class: 'live-group', open: wasOpen, hidden: entries.length === 0 },
        make('summary', {}, `${title} (${entries.length})`), ...sliders.map((slider) => slider.element));
      return { element, sliders, wasOpen };
    });
    this.list.replaceChildren(...this.groups.map(({ element }) => element));
    this.none.hidden = true;
  }

  private setMotion(simulation: PageDocument['simulation']): void {
    let { slider } = this.duration;
    if (slider === null) {
      slider = new Slider('Duration, s', simulation.duration, {
        above: 0,
        changed: (to) => {
          this.duration.moved = to;
          this.notify();
        },
      });
      this.duration.slider = slider;
      this.motionRows.append(slider.element,
        make('div', { class: 'live-row' }, make('label', { for: 'live-samples' }, 'Samples'), this.samples),
        ...([['live-method', 'Method', this.method], ['live-integrator', 'Integrator', this.integrator],
          ['live-rtol', 'Relative tolerance', this.tolerances.rtol], ['live-atol', 'Absolute tolerance', this.tolerances.atol]] as const)
          .map(([id, text, field]) => make('div', { class: 'live-row' }, make('label', { for: id }, text), field)));
    }
    slider.setValue(simulation.duration, this.duration.moved !== null);
    if (document.activeElement !== this.samples) this.samples.value = String(simulation.samples);
    if (this.method.value === '') this.method.options[0]!.textContent = `the model's: ${simulation.method}`;
    if (this.integrator.value === '') this.integrator.options[0]!.textContent = `the model's: ${simulation.integrator}`;
    for (const name of ['rtol', 'atol'] as const) {
      const field = this.tolerances[name];
      if (document.activeElement !== field) field.value = String(simulation[name]);
    }
  }

  private makeSelect(id: string, names: string[]): HTMLSelectElement {
    const select = make('select', { id }, make('option', { value: '' }, "the model's"), ...names.map((name) => make('option', { value: name }, name)));
    select.addEventListener('change', () => this.notify());
    return select;
  }

  /** Any positive number, with an exponent where people write one; empty: that of the model. */
  private makeTolerance(name: 'rtol' | 'atol'): HTMLInputElement {
    const field = make('input', { type: 'text', inputmode: 'decimal', id: `live-${name}`, spellcheck: 'false', autocomplete: 'off' });
    field.addEventListener('change', () => {
      const text = field.value.trim();
      const value = Number(text);
      const wrong = text !== '' && !(value > 0 && value < (name === 'rtol' ? 1 : Infinity));
      field.setAttribute('aria-invalid', String(wrong));
      if (wrong) return;
      if (text === '') delete this.tolerancesMoved[name];
      else this.tolerancesMoved[name] = value;
      this.notify();
    });
    return field;
  }

  private setSamples(): void {
    const wanted = Number(this.samples.value);
    const wrong = !Number.isInteger(wanted) || wanted < 2 || wanted > mostSamples;
    this.samples.setAttribute('aria-invalid', String(wrong));
    if (wrong) return;
    this.samplesMoved = wanted;
    this.notify();
  }

  private move(moved: Map<string, number>, name: string, to: number | null): void {
    if (to === null) moved.delete(name);
    else moved.set(name, to);
    this.notify();
  }

  private restore(): void {
    this.parameters.clear();
    this.initial.clear();
    this.duration.moved = null;
    this.samplesMoved = null;
    this.method.value = this.integrator.value = '';
    delete this.tolerancesMoved.rtol;
    delete this.tolerancesMoved.atol;
    this.notify();
  }

  private notify(): void {
    this.showMoved();
    this.changed();
  }

  private showMoved(): void {
    this.resetAll.disabled = this.parameters.size + this.initial.size === 0 && this.duration.moved === null &&
      this.samplesMoved === null && this.method.value === '' && this.integrator.value === '' && Object.keys(this.tolerancesMoved).length === 0;
  }

  private filter(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter((word) => word !== '');
    let found = 0;
    for (const group of this.groups) {
      let here = 0;
      for (const slider of group.sliders) {
        const matches = slider.matches(words);
        slider.element.hidden = !matches;
        if (matches) ++here;
      }
      found += here;
      group.element.hidden = here === 0;
      group.element.open = words.length > 0 || group.wasOpen;
    }
    this.none.hidden = found > 0;
  }
}
