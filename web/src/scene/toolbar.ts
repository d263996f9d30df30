// The buttons above the picture: which arrows are shown and how long, trails, names, the camera, and what is saved.
import type { ArrowKind } from '../document';
import type { Theme } from '../theme';
import { arrowKinds } from './arrows';
import type { ViewName } from './camera';

/** What the user has chosen; it outlives a motion. */
export interface Options {
  shown: Record<ArrowKind, boolean>;
  /** The kinds that the user has switched on or off. */
  chosen: Set<ArrowKind>;
  /** Of the arrows' length. */
  scale: number;
  trails: boolean;
  /** Length of the trails, as a part of the motion. */
  span: number;
  names: boolean;
  /** The name of what the camera follows, or ''. */
  follow: string;
}

export interface Actions {
  changed(): void;
  view(name: ViewName): void;
  still(): void;
  record(): void;
  cancel(): void;
}

const meanings: Record<ArrowKind, { label: string; title: string }> = {
  applied: { label: 'Applied', title: 'What acts on a body without its constraints' },
  ideal: { label: 'Ideal', title: 'What ideal constraints, which do no virtual work, add to it' },
  nonideal: { label: 'Non-ideal', title: 'What non-ideal constraints, friction and the like, add to it' },
  reaction: { label: 'Reaction', title: 'The force of a joint on its second body' },
  other: { label: 'Other', title: 'Other arrows that the model defines' },
};

const law = 'm a = applied + ideal + nonideal: the arrows at a centre of mass add up to its mass times its acceleration. '
  + 'A reaction is the force of a joint, at its point.';

function make<K extends keyof HTMLElementTagNameMap>(
  tag: K, className: string, text = '', parent?: HTMLElement,
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  parent?.append(element);
  return element;
}

function toggle(text: string, title: string, parent: HTMLElement): HTMLButtonElement {
  const button = make('button', 'scene-button', text, parent);
  button.type = 'button';
  button.title = title;
  return button;
}

/** A small arrow in the form of its kind. */
function swatch(kind: ArrowKind): SVGSVGElement {
  const shape = (tag: string, attributes: Record<string, string>): SVGElement => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const svg = shape('svg', { viewBox: '0 0 30 12', width: '30', height: '12', 'aria-hidden': 'true' }) as SVGSVGElement;
  const line = { x1: '1', y1: '6', x2: '20', y2: '6', stroke: 'currentColor' };
  const looks: Record<ArrowKind, [Record<string, string>, string]> = {
    applied: [{ 'stroke-width': '3' }, 'M19 1 L29 6 L19 11 Z'],
    ideal: [{ 'stroke-width': '4.5' }, 'M19 0 L26 6 L19 12 Z'],
    nonideal: [{ 'stroke-width': '3', 'stroke-dasharray': '4.5 2.5' }, 'M19 1 L29 6 L19 11 Z'],
    reaction: [{ 'stroke-width': '2' }, 'M15 1.5 L22 6 L15 10.5 Z M22 1.5 L29 6 L22 10.5 Z'],
    other: [{ 'stroke-width': '2.5', 'stroke-dasharray': '2 2' }, 'M17 6 L23 1 L29 6 L23 11 Z'],
  };
  const [stroke, head] = looks[kind];
  svg.append(shape('line', { ...line, ...stroke }), shape('path', { d: head, fill: 'currentColor' }));
  return svg;
}

export class Toolbar {
  readonly element = make('div', 'scene-toolbar');
  private readonly arrowButtons = new Map<ArrowKind, HTMLButtonElement>();
  private readonly legend: HTMLElement;
  private readonly trails: HTMLButtonElement;
  private readonly names: HTMLButtonElement;
  private readonly more: HTMLButtonElement;
  private readonly panel: HTMLElement;
  private readonly follow: HTMLSelectElement;
  private readonly scaleField: HTMLElement;
  private readonly still: HTMLButtonElement;
  private readonly record: HTMLButtonElement;
  private readonly message: HTMLElement;

  constructor(private readonly options: Options, private readonly actions: Actions) {
    this.element.setAttribute('role', 'group');
    this.element.setAttribute('aria-label', 'Animation');
    const row = make('div', 'scene-row', '', this.element);
    this.legend = this.makeLegend(row);
    const shown = make('div', 'scene-group', '', row);
    this.trails = this.makeToggle('Trails', 'Show the paths behind moving things', shown, 'trails');
    this.names = this.makeToggle('Names', 'Show the names of things', shown, 'names');
    const rest = make('div', 'scene-group', '', row);
    toggle('Reset view', 'Look at the whole scene (Home)', rest).addEventListener('click', () => actions.view('default'));
    this.more = toggle('Options', 'Lengths of arrows and trails, and the camera', rest);
    this.more.setAttribute('aria-expanded', 'false');
    const saving = make('div', 'scene-group', '', row);
    this.still = toggle('Picture', 'Save this picture without names (PNG)', saving);
    this.still.addEventListener('click', () => actions.still());
    this.record = toggle('Video', 'Play the motion once, at the chosen speed, and save it as a video (WebM)', saving);
    this.record.addEventListener('click', () => {
      if (this.record.classList.contains('busy')) actions.cancel();
      else actions.record();
    });
    this.message = make('span', 'scene-message', '', saving);
    this.message.setAttribute('role', 'status');

    this.panel = make('div', 'scene-row scene-options', '', this.element);
    this.panel.hidden = true;
    this.more.addEventListener('click', () => {
      this.panel.hidden = !this.panel.hidden;
      this.more.setAttribute('aria-expanded', String(!this.panel.hidden));
    });
    this.scaleField = this.makeRange('Arrow length', -1, 1, Math.log10(options.scale), (x) => (options.scale = 10 ** x));
    this.makeRange('Trail length', 0.02, 1, options.span, (x) => (options.span = x));
    this.follow = this.makeSelect('Follow');
    this.follow.addEventListener('change', () => {
      options.follow = this.follow.value;
      actions.changed();
    });
    const views = make('div', 'scene-group', '', this.panel);
    for (const [name, text] of [['front', 'Front'], ['side', 'Side'], ['top', 'Top']] as const) {
      toggle(text, `Look from the ${name}`, views).addEventListener('click', () => actions.view(name));
    }
    this.show();
  }

  /** What there is to choose from. */
  setChoices(kinds: ArrowKind[], followed: string[], trails: boolean): void {
    this.legend.hidden = kinds.length === 0;
    this.scaleField.hidden = kinds.length === 0;
    this.trails.hidden = !trails;
    for (const [kind, button] of this.arrowButtons) button.hidden = !kinds.includes(kind);
    // Where the forces on bodies are not known, those of joints are all there is.
    if (!this.options.chosen.has('reaction')) this.options.shown.reaction = !kinds.includes('ideal');
    const choices = ['', ...new Set(followed)];
    if (choices.join('\n') !== [...this.follow.options].map((option) => option.value).join('\n')) {
      this.follow.replaceChildren(...choices.map((name) => new Option(name === '' ? 'nothing' : name, name)));
    }
    if (!choices.includes(this.options.follow)) this.options.follow = '';
    this.show();
  }

  setTheme(theme: Theme): void {
    for (const [kind, button] of this.arrowButtons) button.style.setProperty('--swatch', theme.forces[kind]);
  }

  /** While a video is made, its button ends it; null when it is done. */
  setProgress(fraction: number | null): void {
    this.record.classList.toggle('busy', fraction !== null);
    this.record.textContent = fraction === null ? 'Video' : `Stop (${Math.floor(100 * fraction)} %)`;
    this.still.disabled = fraction !== null;
  }

  say(text: string): void {
    this.message.textContent = text;
  }

  private show(): void {
    for (const [kind, button] of this.arrowButtons) button.setAttribute('aria-pressed', String(this.options.shown[kind]));
    this.trails.setAttribute('aria-pressed', String(this.options.trails));
    this.names.setAttribute('aria-pressed', String(this.options.names));
    this.follow.value = this.options.follow;
  }

  private makeLegend(row: HTMLElement): HTMLElement {
    const legend = make('div', 'scene-group scene-legend', '', row);
    legend.setAttribute('role', 'group');
    legend.setAttribute('aria-label', 'Arrows shown');
    for (const kind of arrowKinds) {
      const button = toggle('', meanings[kind].title, legend);
      button.dataset['arrows'] = kind;
      button.append(swatch(kind), meanings[kind].label);
      button.addEventListener('click', () => {
        this.options.shown[kind] = !this.options.shown[kind];
        this.options.chosen.add(kind);
        this.show();
        this.actions.changed();
      });
      this.arrowButtons.set(kind, button);
    }
    const help = make('span', 'scene-help', '', legend);
    const mark = toggle('?', law, help);
    const tip = make('span', 'scene-tip', law, help);
    tip.id = `scene-law-${Math.random().toString(36).slice(2)}`;
    tip.setAttribute('role', 'tooltip');
    mark.title = '';
    mark.setAttribute('aria-label', 'What the arrows mean');
    mark.setAttribute('aria-describedby', tip.id);
    return legend;
  }

  private makeToggle(text: string, title: string, parent: HTMLElement, option: 'trails' | 'names'): HTMLButtonElement {
    const button = toggle(text, title, parent);
    button.addEventListener('click', () => {
      this.options[option] = !this.options[option];
      this.show();
      this.actions.changed();
    });
    return button;
  }

  private makeRange(text: string, min: number, max: number, value: number, set: (x: number) => void): HTMLElement {
    const field = make('label', 'scene-field', text, this.panel);
    const input = make('input', '', '', field);
    input.type = 'range';
    input.min = String(min);
    input.max = String(max);
    input.step = '0.01';
    input.value = String(value);
    input.addEventListener('input', () => {
      set(Number(input.value));
      this.actions.changed();
    });
    return field;
  }

  private makeSelect(text: string): HTMLSelectElement {
    return make('select', '', '', make('label', 'scene-field', text, this.panel));
  }
}
