// All plots: one range of times and one cursor for all of them.
import type { Clock } from '../clock';
import { make, makeButton } from '../dom';
import type { InstantMark, Motion } from '../document';
import { saveCsv } from '../exports/csv';
import { savePlotPicture } from '../exports/picture';
import { count, formatRowTime } from '../format';
import type { Theme } from '../theme';
import { Chooser } from './chooser';
import { PlotTable, type PlotSpec } from './columns';
import { Compare } from './compare';
import { nearest } from './decimate';
import type { CursorRow } from './legend';
import { Plot, type PlotHost } from './plot';
import { within, zoomed, type Range } from './scales';

const none: readonly InstantMark[] = [];

const starting: PlotSpec[] = [
  { kind: 'coordinates', columns: [], log: false },
  { kind: 'residuals', columns: [], log: true },
  { kind: 'balance', columns: [], log: true },
];

export class Board implements PlotHost {
  readonly element: HTMLElement;
  table: PlotTable | null = null;
  other: PlotTable | null = null;
  row: CursorRow | null = null;
  pointer: number | null = null;
  private plots: Plot[] = [];
  private full: Range = [0, 1];
  private zoomedTo: Range | null = null;
  private readonly list = make('div', { class: 'plot-list' });
  private readonly thinned = make('p', { class: 'plot-note', hidden: true });
  private readonly cursor = make('output', { class: 'cursor-time', 'aria-live': 'off' });
  private readonly chooser = new Chooser();
  private readonly compare: Compare;
  private frame = 0;
  /** What the reader has typed; it outlives a motion. */
  private readonly expressions = new Set<string>();

  /** `onOther`: another run is laid over this one, or taken away. `live`: other motions will follow. */
  constructor(readonly clock: Clock, public theme: Theme, onOther: (other: Motion | null) => void, live: boolean) {
    this.compare = new Compare(live ? () => this.table?.motion ?? null : null, (other) => {
      this.other = other === null ? null : new PlotTable(other, this.expressions);
      this.refresh();
      onOther(other);
    });
    this.element = make('section', { class: 'board', 'aria-label': 'Plots' },
      make('div', { class: 'board-head' }, make('h2', {}, 'Plots'), this.cursor,
        make('div', { class: 'tools' },
          makeButton('Add plot', 'Add a plot and choose its columns', () => this.add()),
          this.compare.element,
          makeButton('CSV', 'Save the table of this page as CSV', () => this.table && saveCsv(this.table.motion)))),
      this.compare.message, this.thinned, this.list, this.chooser.element);
    clock.onTime(() => this.moveCursor());
  }

  get range(): Range {
    return this.zoomedTo ?? this.full;
  }

  get marks(): readonly InstantMark[] {
    return this.table?.motion.document.instants ?? none;
  }

  get zoomed(): boolean {
    return this.zoomedTo !== null;
  }

  /** `partial`: the motion is on its way, and the axis already has room for all of it. */
  setMotion(motion: Motion, partial: boolean): void {
    const first = this.table === null;
    this.table = new PlotTable(motion, this.expressions);
    const { times } = this.table;
    const start = times[0] ?? 0;
    const end = partial ? Math.max(motion.document.simulation.duration, motion.end) : motion.end;
    this.full = [start, end > start ? end : start + 1];
    this.zoomedTo = within(this.zoomedTo, this.full);
    this.showThinning(motion);
    if (first) this.start();
    this.row = this.findRow();
    this.refresh();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.refresh();
  }

  zoom(range: Range | null): void {
    this.zoomedTo = zoomed(this.zoomedTo, range, this.full);
    this.refresh();
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
    this.chooser.open(this.table, plot.spec, {
      columns: (columns) => plot.setColumns(columns),
      over: (over) => plot.setOver(over),
      expression: (text) => {
        const problem = this.table?.add(text) ?? null;
        if (problem === null) {
          this.expressions.add(text);
          this.other?.add(text);
        }
        return problem;
      },
    });
  }

  remove(plot: Plot): void {
    this.plots = this.plots.filter((other) => other !== plot);
    plot.dispose();
    this.element.querySelector<HTMLElement>('.board-head button')?.focus();
  }

  savePicture(plot: Plot): void {
    if (this.table !== null) void savePlotPicture(plot, this);
  }

  private refresh(): void {
    for (const plot of this.plots) {
      plot.refresh();
      // Without constraints there are no residuals to plot.
      plot.element.hidden = plot.spec.kind !== 'chosen' && plot.spec.columns.length === 0;
    }
    this.updateCursor();
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
      : `Plots and CSV have the smallest and largest of each ${thinned.toLocaleString('en-US')} of ${count(total, 'row')}; dalembert run writes all of them to a file.`;
  }

  /** At most once a frame. */
  private moveCursor(): void {
    if (this.frame !== 0) return;
    this.frame = requestAnimationFrame(() => this.updateCursor());
  }

  private updateCursor(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.row = this.findRow();
    this.cursor.textContent = this.row === null ? '' : `t = ${formatRowTime(this.row.time, this.spacing)}`;
    for (const plot of this.plots) plot.showCursor();
  }

  /** Of the rows in time, on average. */
  private get spacing(): number {
    const times = this.table?.times ?? [];
    return times.length > 1 ? (times[times.length - 1]! - times[0]!) / (times.length - 1) : NaN;
  }

  private findRow(): CursorRow | null {
    if (this.table === null) return null;
    const { times, motion } = this.table;
    const row = nearest(times, this.pointer ?? this.clock.time);
    if (row < 0) return null;
    const partner = motion.document.table.thinned > 0 ? row ^ 1 : row;
    return { time: times[row]!, row, partner: partner !== row && partner < times.length ? partner : null };
  }
}
