// All plots: one range of times and one cursor for all of them.
import type { Clock } from '../clock';
import { make, makeButton } from '../dom';
import type { Motion } from '../document';
import { saveCsv } from '../exports/csv';
import { savePlotPicture } from '../exports/picture';
import { count } from '../format';
import type { Theme } from '../theme';
import { Chooser } from './chooser';
import { PlotTable, type PlotSpec } from './columns';
import { nearest } from './decimate';
import type { CursorRow } from './legend';
import { Plot, type PlotHost } from './plot';
import { within, type Range } from './scales';

const starting: PlotSpec[] = [
  { kind: 'coordinates', columns: [], log: false },
  { kind: 'residuals', columns: [], log: true },
  { kind: 'balance', columns: [], log: true },
];

export class Board implements PlotHost {
  readonly element: HTMLElement;
  table: PlotTable | null = null;
  private plots: Plot[] = [];
  private full: Range = [0, 1];
  private zoomedTo: Range | null = null;
  private pointer: number | null = null;
  private readonly list = make('div', { class: 'plot-list' });
  private readonly thinned = make('p', { class: 'plot-note', hidden: true });
  private readonly cursor = make('output', { class: 'cursor-time', 'aria-live': 'off' });
  private readonly chooser = new Chooser();
  private frame = 0;

  constructor(readonly clock: Clock, public theme: Theme) {
    this.element = make('section', { class: 'board', 'aria-label': 'Plots' },
      make('div', { class: 'board-head' }, make('h2', {}, 'Plots'), this.cursor,
        make('div', { class: 'tools' },
          makeButton('Add plot', 'Add a plot and choose its columns', () => this.add()),
          makeButton('CSV', 'Save the table of this page as CSV', () => this.table && saveCsv(this.table.motion)))),
      this.thinned, this.list, this.chooser.element);
    clock.onTime(() => this.moveCursor());
  }

  get range(): Range {
    return this.zoomedTo ?? this.full;
  }

  get zoomed(): boolean {
    return this.zoomedTo !== null;
  }

  /** `partial`: the motion is on its way, and the axis already has room for all of it. */
  setMotion(motion: Motion, partial: boolean): void {
    const first = this.table === null;
    this.table = new PlotTable(motion);
    const { times } = this.table;
    const start = times[0] ?? 0;
    const end = partial ? Math.max(motion.document.simulation.duration, motion.end) : motion.end;
    this.full = [start, end > start ? end : start + 1];
    this.zoomedTo = within(this.zoomedTo, this.full);
    this.showThinning(motion);
    if (first) this.start();
    for (const plot of this.plots) {
      plot.refresh();
      plot.element.hidden = plot.spec.kind !== 'chosen' && plot.spec.columns.length === 0;
    }
    this.updateCursor();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    for (const plot of this.plots) plot.refresh();
    this.updateCursor();
  }

  zoom(range: Range | null): void {
    this.zoomedTo = within(range, this.full);
    for (const plot of this.plots) plot.refresh();
    this.updateCursor();
  }

  /** Shows `factor` times as long a stretch of time, with the cursor where it is. */
  zoomBy(factor: number): void {
    const [from, to] = this.range;
    const t = this.clock.time;
    const center = t >= from && t <= to ? t : (from + to) / 2;
    this.zoom([center - (center - from) * factor, center + (to - center) * factor]);
  }

  hover(time: number | null): void {
    this.pointer = time;
    this.moveCursor();
  }

  choose(plot: Plot): void {
    if (this.table === null) return;
    this.chooser.open(this.table, plot.spec.columns, (columns) => plot.setColumns(columns));
  }

  remove(plot: Plot): void {
    this.plots = this.plots.filter((other) => other !== plot);
    plot.dispose();
    this.element.querySelector<HTMLElement>('.board-head button')?.focus();
  }

  savePicture(plot: Plot): void {
    if (this.table !== null) void savePlotPicture(plot, this);
  }

  private start(): void {
    for (const spec of starting) this.append({ ...spec, columns: [] });
  }

  private append(spec: PlotSpec): Plot {
    const plot = new Plot(this, spec);
    this.plots.push(plot);
    this.list.append(plot.element);
    return plot;
  }

  private add(): void {
    if (this.table === null) return;
    const plot = this.append({ kind: 'chosen', columns: [], log: false });
    plot.refresh();
    plot.element.scrollIntoView({ block: 'nearest' });
    this.choose(plot);
  }

  private showThinning(motion: Motion): void {
    const { thinned, total } = motion.document.table;
    this.thinned.hidden = thinned === 0;
    this.thinned.textContent = thinned === 0 ? ''
      : `Plots show the smallest and largest of each ${thinned} of ${count(total, 'row')}; all rows are in the trajectory that run writes.`;
  }

  /** At most once a frame. */
  private moveCursor(): void {
    if (this.frame !== 0) return;
    this.frame = requestAnimationFrame(() => this.updateCursor());
  }

  private updateCursor(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const row = this.cursorRow();
    this.cursor.textContent = row === null ? '' : `t = ${row.time.toPrecision(6)}`;
    for (const plot of this.plots) plot.setCursor(row, this.pointer);
  }

  private cursorRow(): CursorRow | null {
    if (this.table === null) return null;
    const { times, motion } = this.table;
    const row = nearest(times, this.pointer ?? this.clock.time);
    if (row < 0) return null;
    const partner = motion.document.table.thinned > 0 ? row ^ 1 : row;
    return { time: times[row]!, row, partner: partner !== row && partner < times.length ? partner : null };
  }
}
