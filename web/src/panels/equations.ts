// The equations of motion, typeset by KaTeX when they are first looked at, a few formulas at a time.
import katex from 'katex';
import 'katex/dist/katex.min.css';
import { make } from '../dom';
import type { PageDocument } from '../document';
import type { Panel } from './tabs';

/** How long formulas are set at a stretch, in milliseconds: what is scrolled or played stays smooth. */
const stretch = 8;

export class EquationsPanel implements Panel {
  readonly id = 'equations';
  readonly label = 'Equations';
  readonly element = make('div', { class: 'equations' });
  private equations: PageDocument['equations'] | null = null;
  private shown: string | null = null;
  private work = 0;
  private readonly observer = new ResizeObserver(() => this.fit());

  constructor() {
    this.observer.observe(this.element);
  }

  setDocument(document: PageDocument): void {
    this.equations = document.equations;
  }

  show(): void {
    if (this.equations === null) return;
    const { html, note, method } = this.equations;
    const key = `${method}\n${html}\n${note}`;
    if (key === this.shown) return;
    this.shown = key;
    clearTimeout(this.work);
    this.element.replaceChildren();
    if (html !== '') {
      const body = make('div');
      body.innerHTML = html;  // made by the program, which escapes what the model says
      this.element.append(body);
      this.typeset([...body.querySelectorAll<HTMLElement>('.math')]);
    }
    if (note !== '' || html === '') this.element.append(make('p', { class: 'note' }, note === '' ? 'There are no equations to show.' : note));
  }

  private typeset(formulas: HTMLElement[], from = 0): void {
    const end = performance.now() + stretch;
    let next = from;
    while (next < formulas.length && performance.now() < end) setFormula(formulas[next++]!);
    if (next < formulas.length) this.work = window.setTimeout(() => this.typeset(formulas, next), 0);
    else this.fit();
  }

  /** What cannot be broken and does not fit may be moved sideways; a letter's overhang is no reason. */
  private fit(): void {
    const parts = [...this.element.querySelectorAll<HTMLElement>('.formulas .math.done, .table')];
    const wide = parts.map((part) => part.scrollWidth > part.clientWidth + 8);
    parts.forEach((part, i) => {
      part.classList.toggle('wide', wide[i]);
      // Some browsers let the keys scroll only what can have the focus.
      if (wide[i]) part.tabIndex = 0;
      else part.removeAttribute('tabindex');
    });
  }
}

function setFormula(element: HTMLElement): void {
  const source = element.textContent ?? '';
  // Terms flow like words on a line, so the large style is asked for in the formula itself.
  const latex = element.classList.contains('display') ? `\\displaystyle ${source}` : source;
  katex.render(latex, element, { throwOnError: false, trust: false, strict: 'ignore' });
  element.classList.add('done');
}
