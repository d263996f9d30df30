// One number that can be moved or typed.
import { make, makeButton } from '../dom';
import { extended, positionOf, positions, rangeAround, shown, valueAt, widened, type Range } from './range';

export interface SliderOptions {
  /** Called with each new value, and with null when it goes back to that of the model. */
  changed: (value: number | null) => void;
  /** Values at or below this are refused. */
  above?: number;
}

let count = 0;

export class Slider {
  readonly element: HTMLElement;
  private readonly label: HTMLElement;
  private readonly track: HTMLInputElement;
  private readonly field: HTMLInputElement;
  private readonly reset: HTMLButtonElement;
  private range: Range;
  private value: number;
  private moved = false;

  constructor(readonly name: string, value: number, private readonly options: SliderOptions) {
    const id = `live-${++count}`;
    this.value = value;
    this.range = rangeAround(value);
    this.track = make('input', { type: 'range', min: 0, max: positions, step: 1, 'aria-labelledby': id });
    this.field = make('input', {
      type: 'text', inputmode: 'decimal', autocomplete: 'off', spellcheck: 'false', 'aria-labelledby': id,
    });
    this.reset = makeButton('↺', `${name}: back to the model's value`, () => this.restore());
    this.reset.classList.add('quiet', 'live-reset');
    this.label = make('span', { class: 'live-name', id, title: name }, name);
    this.element = make('div', { class: 'live-slider' }, this.label, this.track, this.field, this.reset);
    this.track.addEventListener('input', () => this.move(valueAt(this.range, Number(this.track.value))));
    this.track.addEventListener('change', () => {
      this.range = extended(this.range, this.value);
      this.show();
    });
    this.field.addEventListener('change', () => this.type());
    this.field.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.show();
    });
    this.show();
  }

  /** What the program says the value is, and in words what the model says of it. One that has been moved stays where it is: it may be on its way already. */
  setValue(value: number, moved: boolean, written = this.name): void {
    if (this.moved && !moved) this.range = rangeAround(value);
    this.moved = moved;
    this.label.title = written;
    if (!moved) {
      this.value = value;
      this.range = widened(this.range, value);
    }
    this.show(document.activeElement === this.field);
  }

  matches(words: string[]): boolean {
    const name = this.name.toLowerCase();
    return words.every((word) => name.includes(word));
  }

  private move(value: number): void {
    if (this.options.above !== undefined && value <= this.options.above) return this.show();
    this.value = value;
    this.moved = true;
    this.options.changed(value);
    this.show();
  }

  private type(): void {
    const text = this.field.value.trim().replace(',', '.').replace('−', '-');
    const value = Number(text);
    const wrong = text === '' || !Number.isFinite(value) || (this.options.above !== undefined && value <= this.options.above);
    this.field.setAttribute('aria-invalid', String(wrong));
    const bound = this.options.above === undefined ? '' : ` above ${this.options.above}`;
    this.field.setCustomValidity(wrong ? `Enter a number${bound} here.` : '');
    if (wrong) {
      this.field.reportValidity();
      return;
    }
    this.range = widened(this.range, value);
    this.move(value);
  }

  private restore(): void {
    this.options.changed(null);
  }

  private show(typing = false): void {
    this.track.value = String(positionOf(this.range, this.value));
    this.track.setAttribute('aria-valuetext', shown(this.value));
    this.track.title = `${shown(this.range.low)} to ${shown(this.range.high)}`;
    if (!typing) {
      this.field.value = shown(this.value);
      this.field.removeAttribute('aria-invalid');
      this.field.setCustomValidity('');
    }
    this.element.classList.toggle('is-moved', this.moved);
    this.reset.disabled = !this.moved;
  }
}
