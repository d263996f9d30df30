// The model text: a plain text field with line numbers, in which lines with errors are marked and say what is wrong.
import { make } from '../dom';
import type { Diagnostic } from './engine';

const lineHeight = 1.45; // of the text, in em; as in live.css

export class Editor {
  readonly element: HTMLElement;
  private readonly field: HTMLTextAreaElement;
  private readonly numbers = make('pre', { class: 'live-numbers', 'aria-hidden': 'true' });
  private readonly gutter = make('div', { class: 'live-gutter' }, this.numbers);
  private readonly marks = make('div', { class: 'live-marks', 'aria-hidden': 'true' });
  private lineCount = 0;
  private diagnostics: Diagnostic[] = [];

  constructor(text: string, private readonly edited: () => void) {
    this.field = make('textarea', {
      class: 'live-text', wrap: 'off', spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off',
      'aria-label': 'Model text', 'aria-describedby': 'live-problems', rows: 24,
    });
    this.field.value = text;
    this.element = make('div', { class: 'live-editor' }, this.gutter,
      make('div', { class: 'live-paper' }, this.marks, this.field));
    this.field.addEventListener('input', () => {
      this.count();
      this.markLines();
      this.edited();
    });
    this.field.addEventListener('scroll', () => this.follow());
    new ResizeObserver(() => this.follow()).observe(this.field);
    this.count();
  }

  get text(): string {
    return this.field.value;
  }

  /** Marks the lines of errors; an empty list unmarks all. */
  setDiagnostics(diagnostics: Diagnostic[]): void {
    this.diagnostics = diagnostics.filter(({ line }) => line > 0);
    this.field.setAttribute('aria-invalid', String(this.diagnostics.length > 0));
    this.markLines();
  }

  /** Brings the place of an error into view, selected. */
  goTo({ line, column, length }: Diagnostic): void {
    const text = this.field.value;
    let start = 0;
    for (let i = 1; i < line; ++i) {
      const end = text.indexOf('\n', start);
      if (end < 0) break;
      start = end + 1;
    }
    const end = text.indexOf('\n', start);
    // Columns count characters, not the halves that some are made of here.
    const characters = Array.from(text.slice(start, end < 0 ? undefined : end));
    const before = characters.slice(0, Math.max(column - 1, 0)).join('').length;
    const marked = characters.slice(Math.max(column - 1, 0), Math.max(column - 1, 0) + length).join('').length;
    this.field.focus();
    this.field.setSelectionRange(start + before, start + before + marked);
    const height = parseFloat(getComputedStyle(this.field).fontSize) * lineHeight;
    this.field.scrollTop = Math.max((line - 1) * height - this.field.clientHeight / 3, 0);
    this.element.scrollIntoView({ block: 'nearest' });
  }

  private count(): void {
    const lines = this.field.value.split('\n').length;
    if (lines === this.lineCount) return;
    this.lineCount = lines;
    this.numbers.textContent = Array.from({ length: lines }, (_, i) => i + 1).join('\n');
    this.gutter.style.setProperty('--digits', String(Math.max(String(lines).length, 2)));
  }

  private markLines(): void {
    const lines = this.diagnostics.length > 0 ? this.field.value.split('\n') : [];
    const byLine = new Map<number, Diagnostic[]>();
    for (const diagnostic of this.diagnostics) {
      byLine.set(diagnostic.line, [...(byLine.get(diagnostic.line) ?? []), diagnostic]);
    }
    this.marks.replaceChildren(...Array.from(byLine, ([line, here]) => {
      const places = here.map(({ column, length }) => {
        const place = make('span', { class: 'live-place' });
        place.style.left = `${Math.max(column - 1, 0)}ch`;
        place.style.width = `${Math.max(length, 1)}ch`;
        return place;
      });
      const note = make('span', { class: 'live-message' }, here.map(({ message }) => message).join(' · '));
      note.style.left = `${Array.from(lines[line - 1] ?? '').length + 2}ch`;
      const mark = make('div', { class: 'live-mark', 'data-line': line }, ...places, note);
      mark.style.top = `${(line - 1) * lineHeight}em`;
      return mark;
    }));
    this.follow();
  }

  private follow(): void {
    const { scrollTop, scrollLeft, clientWidth } = this.field;
    this.numbers.style.transform = `translateY(${-scrollTop}px)`;
    this.marks.style.transform = `translate(${-scrollLeft}px, ${-scrollTop}px)`;
    // A message stands behind its line, or below it where there is no room.
    this.marks.style.setProperty('--seen-left', `${scrollLeft}px`);
    this.marks.style.setProperty('--seen-width', `${clientWidth}px`);
    for (const note of this.marks.querySelectorAll<HTMLElement>('.live-message')) {
      note.classList.remove('is-below');
      note.classList.toggle('is-below', note.offsetLeft + note.offsetWidth - scrollLeft > clientWidth);
    }
  }
}
