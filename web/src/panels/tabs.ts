// Panels behind tabs. A panel is filled when it is first looked at.
import { make } from '../dom';

export interface Panel {
  readonly id: string;
  readonly label: string;
  readonly element: HTMLElement;
  /** It is on the screen now. */
  show(): void;
}

export class Tabs {
  readonly element: HTMLElement;
  private readonly buttons: HTMLButtonElement[];
  private readonly sheets: HTMLElement[];
  private current = 0;

  constructor(private readonly panels: Panel[], label: string) {
    this.buttons = panels.map((panel, index) => {
      const button = make('button', { type: 'button', role: 'tab', id: `tab-${panel.id}`, 'aria-controls': `panel-${panel.id}` }, panel.label);
      button.addEventListener('click', () => this.select(index));
      return button;
    });
    this.sheets = panels.map((panel) =>
      make('div', { role: 'tabpanel', id: `panel-${panel.id}`, 'aria-labelledby': `tab-${panel.id}`, tabindex: 0 }, panel.element));
    const row = make('div', { role: 'tablist', 'aria-label': label }, ...this.buttons);
    row.addEventListener('keydown', (event) => this.onKey(event));
    this.element = make('section', { class: 'tabs', 'aria-label': label }, row, ...this.sheets);
    this.select(0);
  }

  select(index: number): void {
    this.current = index;
    this.buttons.forEach((button, i) => {
      button.setAttribute('aria-selected', String(i === index));
      button.tabIndex = i === index ? 0 : -1;
    });
    this.sheets.forEach((sheet, i) => (sheet.hidden = i !== index));
    this.panels[index]!.show();
  }

  /** The panel that is on the screen has something new to show. */
  refresh(): void {
    this.panels[this.current]!.show();
  }

  /** Only this one is of use. */
  keep(id: string): void {
    this.panels.forEach((panel, i) => {
      this.buttons[i]!.hidden = panel.id !== id;
      if (panel.id === id && this.current !== i) this.select(i);
    });
  }

  setLabel(id: string, label: string): void {
    const index = this.panels.findIndex((panel) => panel.id === id);
    this.buttons[index]!.textContent = label;
  }

  private onKey(event: KeyboardEvent): void {
    const last = this.panels.length - 1;
    const targets: Record<string, number> = {
      ArrowRight: this.current === last ? 0 : this.current + 1,
      ArrowLeft: this.current === 0 ? last : this.current - 1,
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    this.select(target);
    this.buttons[target]!.focus();
  }
}
