// A branch of equilibria or steady motions: a diagram over the parameter, its special points, and the eigenvalues at one.
import { make, makeButton } from '../dom';
import { Motion, type Branch, type BranchPoint, type PageDocument } from '../document';
import { download, fileName, pictureOf } from '../exports/download';
import { formatNumber } from '../format';
import { drawXY, type Spot, type SpotForm, type Trace, type XYContent } from '../plots/xy';
import { XYChart } from '../plots/xy-chart';
import type { Theme } from '../theme';
import { formatEigenvalue } from './modes';

export const realParts = 'real parts of the eigenvalues';
export const imaginaryParts = 'imaginary parts of the eigenvalues';
export const largestPart = 'largest real part';

/** Colours are numbers of the theme's series. */
const looks: Record<string, { form: SpotForm; series: number; name: string }> = {
  fold: { form: 'square', series: 3, name: 'fold' },
  hopf: { form: 'diamond', series: 1, name: 'Hopf point' },
  crossing: { form: 'triangle', series: 2, name: 'real eigenvalue through zero' },
};

/** Of the eigenvalues that are not zero, nan where all are; where one is on its way through the axis that counts. */
export function largestReal({ kind, eigenvalues }: Pick<BranchPoint, 'kind' | 'eigenvalues'>): number {
  const parts = eigenvalues.filter(([re, im]) => re !== 0 || im !== 0).map(([re]) => re);
  if (kind in looks) parts.push(0);
  return parts.length > 0 ? Math.max(...parts) : NaN;
}

/** Whether the piece of the branch behind point i is unstable: by the point that is not a border. */
export function isUnstableBehind(points: BranchPoint[], i: number): boolean {
  const [here, next] = [points[i]!, points[i + 1]];
  const border = (point: BranchPoint): boolean => point.kind in looks;
  return (border(here) && next !== undefined ? next : here).unstable > 0;
}

export class BranchView {
  readonly element = make('section', { class: 'branch', 'aria-label': 'Branch' });
  private readonly points: BranchPoint[];
  private readonly motion: Motion;
  private readonly chart: XYChart;
  private readonly quantity = make('select');
  private readonly reading = make('div', { class: 'branch-point', role: 'status' });
  private chosen = 0;

  constructor(private readonly document: PageDocument, private readonly branch: Branch, values: Float64Array, private theme: Theme) {
    this.points = branch.points;
    this.motion = new Motion(document, values);
    this.chart = new XYChart(`Branch over ${branch.along}. Arrow keys go from point to point.`, (_trace, point) => this.choose(point));
    this.chart.element.tabIndex = 0;
    this.chart.element.setAttribute('role', 'application');
    this.chart.element.addEventListener('keydown', (event) => this.onKey(event));
    const names = this.motion.columns.slice(1).map(({ name }) => name);
    this.quantity.append(...[largestPart, realParts, imaginaryParts, ...names].map((name) => new Option(name, name)));
    // A coordinate that changes shows the folds; without one stability is all there is.
    this.quantity.value = this.points.some(({ kind }) => kind === 'fold') ? this.moving(names) ?? largestPart : largestPart;
    this.quantity.addEventListener('change', () => this.show());
    const special = this.points.flatMap((point, i) => (point.kind in looks ? [this.makeButton(point, i)] : []));
    this.element.append(
      make('div', { class: 'branch-head' }, make('h2', {}, 'Branch'), make('label', {}, 'Shown over ', branch.along, ': ', this.quantity),
        makeButton('PNG', 'Save this diagram as a picture', () => void this.save())),
      ...(branch.complete ? [] : [make('p', { class: 'remark failure' }, `The branch is not complete: ${branch.reason}`)]),
      this.chart.element,
      make('p', { class: 'plot-note' }, 'Solid: no eigenvalue with a positive real part. Dashed: unstable. Click a point, or walk along the branch with the arrow keys.'),
      make('div', { class: 'branch-special' }, ...(special.length > 0 ? special : ['No fold, Hopf point or crossing was found.'])),
      this.reading);
    this.show();
    this.choose(0);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.show();
  }

  private get parameter(): Float64Array {
    return this.motion.column(this.branch.along);
  }

  /** The coordinate that changes most along the branch, for its size. */
  private moving(names: string[]): string | null {
    let best: string | null = null;
    let most = 1e-9;
    for (const name of names) {
      const values = [...this.motion.column(name)];
      const span = Math.max(...values) - Math.min(...values);
      const part = span / Math.max(1e-300, ...values.map(Math.abs));
      if (part > most) [best, most] = [name, part];
    }
    return best;
  }

  private makeButton(point: BranchPoint, i: number): HTMLButtonElement {
    const { name } = looks[point.kind]!;
    const button = makeButton(`${name} at ${this.branch.along} = ${formatNumber(this.parameter[i]!, 10)}`, point.words, () => this.choose(i));
    button.dataset['kind'] = point.kind;
    return button;
  }

  /** What is drawn: a line, or a cloud of eigenvalues, each with the points of the branch. */
  private content(): XYContent {
    const { points, theme, parameter } = this;
    const name = this.quantity.value;
    const dashed = (i: number): boolean => isUnstableBehind(points, i);
    const colour = theme.series[0]!;
    const parts = name === realParts ? 0 : name === imaginaryParts ? 1 : null;
    let traces: Trace[];
    if (parts === null) {
      const y = name === largestPart ? points.map(largestReal) : this.motion.column(name);
      traces = [{ x: parameter, y, colour, dash: [], dashed }];
    } else {
      const most = Math.max(...points.map(({ eigenvalues }) => eigenvalues.length));
      traces = Array.from({ length: most }, (_, k) => ({
        x: parameter, y: points.map(({ eigenvalues }) => eigenvalues[k]?.[parts] ?? NaN), colour, dash: [], loose: true,
      }));
    }
    const spots: Spot[] = points.flatMap((point, i) => {
      const look = looks[point.kind];
      if (look === undefined) return [];
      const y = parts === null ? traces[0]!.y[i]! : parts === 0 ? 0 : Math.max(0, ...point.eigenvalues.filter(([re]) => Math.abs(re) < 1e-6).map(([, im]) => im));
      return [{ x: parameter[i]!, y, colour: theme.series[look.series]!, form: look.form }];
    });
    return { xLabel: this.branch.along, yLabel: name, traces, spots, ...(name === largestPart || name === realParts ? { level: 0 } : {}) };
  }

  private show(): void {
    for (const button of this.element.querySelectorAll<HTMLElement>('[data-kind]')) {
      button.style.setProperty('--mark', this.theme.series[looks[button.dataset['kind']!]!.series]!);
    }
    const content = this.content();
    this.chart.setContent(content, this.theme);
    this.chart.mark([this.parameter[this.chosen]!, content.traces[0]!.y[this.chosen]!]);
  }

  private choose(index: number): void {
    this.chosen = Math.min(Math.max(index, 0), this.points.length - 1);
    const point = this.points[this.chosen];
    if (point === undefined) return;
    this.show();
    const columns = this.motion.columns.slice(1).map(({ name }) => ({ name, value: this.motion.column(name)[this.chosen]! })).filter(({ value }) => value !== 0);
    this.reading.dataset['point'] = String(this.chosen);
    this.reading.replaceChildren(
      make('p', {}, make('b', {}, `${this.branch.along} = ${formatNumber(this.parameter[this.chosen]!, 10)}`),
        ` · point ${this.chosen + 1} of ${this.points.length}${point.kind === 'regular' ? '' : ` · ${point.words}`} · `,
        point.unstable === 0 ? 'no unstable eigenvalue' : `${point.unstable} unstable`),
      make('p', {}, columns.map(({ name, value }) => `${name} = ${formatNumber(value, 6)}`).join(', ')),
      make('p', {}, 'eigenvalues: ', point.eigenvalues.filter(([, im]) => im >= 0).map((z) => formatEigenvalue(z, 5)).join(', ')));
  }

  private onKey(event: KeyboardEvent): void {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };
    const step = steps[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.choose(this.chosen + step);
  }

  private async save(): Promise<void> {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [2000, 1200];
    const pen = canvas.getContext('2d')!;
    pen.fillStyle = this.theme.surface;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    drawXY(pen, canvas.width, canvas.height, 2, this.content(), this.theme);
    download(await pictureOf(canvas), `${fileName(this.document.model.name, this.quantity.value)}.png`);
  }
}
