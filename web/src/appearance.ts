// Light or dark: as the system says, or as the reader has chosen; remembered where that is allowed.
import { make } from './dom';
import { dark, light, type Theme } from './theme';

type Choice = 'auto' | 'light' | 'dark';

const key = 'dalembert-theme';
const choices: [Choice, string][] = [['auto', 'Auto'], ['light', 'Light'], ['dark', 'Dark']];

/** Storage may be forbidden, in a frame or by the reader: then the choice lasts as long as the page. */
function readChoice(): Choice {
  try {
    const stored = localStorage.getItem(key);
    return stored === 'light' || stored === 'dark' ? stored : 'auto';
  } catch {
    return 'auto';
  }
}

function storeChoice(choice: Choice): void {
  try {
    localStorage.setItem(key, choice);
  } catch {
    return;
  }
}

export class Appearance {
  readonly element: HTMLSelectElement;
  private readonly system = matchMedia('(prefers-color-scheme: dark)');
  private choice = readChoice();

  constructor(private readonly onTheme: (theme: Theme) => void) {
    this.element = make('select', { class: 'theme', 'aria-label': 'Colours of the page' },
      ...choices.map(([value, label]) => make('option', { value, selected: value === this.choice }, label)));
    this.element.addEventListener('change', () => {
      this.choice = this.element.value as Choice;
      storeChoice(this.choice);
      this.apply();
    });
    this.system.addEventListener('change', () => this.apply());
    paint(this.theme);
  }

  get theme(): Theme {
    const isDark = this.choice === 'dark' || (this.choice === 'auto' && this.system.matches);
    return isDark ? dark : light;
  }

  private apply(): void {
    paint(this.theme);
    this.onTheme(this.theme);
  }
}

/** Gives the colours to the style sheets. */
function paint(theme: Theme): void {
  const root = document.documentElement;
  root.dataset.theme = theme.name;
  root.style.colorScheme = theme.name;
  const { background, surface, text, muted, grid, accent, error } = theme;
  const edge = `${muted}48`;
  const tint = `${accent}20`;
  for (const [name, colour] of Object.entries({ background, surface, text, muted, grid, accent, error, edge, tint })) {
    root.style.setProperty(`--${name}`, colour);
  }
}
