// The model file as it stands, with the numbers of its lines.
import { make } from '../dom';
import type { PageDocument } from '../document';
import type { Panel } from './tabs';

export class ModelPanel implements Panel {
  readonly id = 'model';
  readonly label = 'Model file';
  readonly element = make('div', { class: 'model-file' });
  private model: PageDocument['model'] | null = null;
  private shown: string | null = null;

  setDocument(document: PageDocument): void {
    this.model = document.model;
  }

  show(): void {
    if (this.model === null || this.model.text === this.shown) return;
    const { text, file } = this.model;
    this.shown = text;
    if (text === '') {
      this.element.replaceChildren(make('p', { class: 'note' }, 'This model was built by a program; it has no file.'));
      return;
    }
    const lines = text.replace(/\r?\n$/, '').split('\n');
    const numbers = lines.map((_line, i) => String(i + 1)).join('\n');
    this.element.replaceChildren(
      make('p', { class: 'file-name' }, file),
      make('div', { class: 'listing' },
        make('pre', { class: 'line-numbers', 'aria-hidden': 'true' }, numbers),
        make('pre', { class: 'text', tabindex: 0, 'aria-label': 'Text of the model file' }, make('code', {}, lines.join('\n')))));
  }
}
