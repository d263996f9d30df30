// The summary: the headline, remarks, a table of what matters, and all of it as it was written.
import { make } from '../dom';
import type { PageDocument } from '../document';
import { findingsOf, remarksOf } from './findings';
import type { Panel } from './tabs';

export class SummaryPanel implements Panel {
  readonly id = 'summary';
  readonly label = 'Summary';
  readonly element = make('div', { class: 'summary' });
  private document: PageDocument | null = null;
  private shown: PageDocument | null = null;

  setDocument(document: PageDocument): void {
    this.document = document;
  }

  show(): void {
    if (this.document === null || this.document === this.shown) return;
    this.shown = this.document;
    const { headline, summary, program } = this.document;
    if (summary === null) {
      this.element.replaceChildren(make('p', {}, headline), make('p', { class: 'note' }, 'The motion is being computed; its summary follows at the end.'));
      return;
    }
    const open = this.element.querySelector('details')?.open ?? false;
    const rows = findingsOf(summary).map(({ label, value, about }) =>
      make('tr', {}, make('th', { scope: 'row' }, label), make('td', { class: 'figure' }, value), make('td', {}, about)));
    this.element.replaceChildren(
      make('p', { class: 'lead' }, headline),
      ...remarksOf(summary).map(({ level, text }) => make('p', { class: `remark ${level}` }, text)),
      make('table', {}, make('tbody', {}, ...rows)),
      make('details', { open }, make('summary', {}, 'All of it, as in summary.json'),
        make('pre', { tabindex: 0, 'aria-label': 'summary.json' }, JSON.stringify(summary, null, 2))),
      make('p', { class: 'program' }, `Written by ${program}`));
  }
}
