// One plot: lines over time, drawn by uPlot from as many points as there are pixels.
import uPlot from 'uplot';
import type { Clock } from '../clock';
import type { InstantMark } from '../document';
import { make, makeButton } from '../dom';
import { count } from '../format';
import type { Theme } from '../theme';
import { chartOptions, seriesStyle } from './chart';
import { convention, needsRows, startingColumns, titleOf, type PlotSpec, type PlotTable } from './columns';
import { decimate, nearest } from './decimate';
import { otherRange, strokeOther } from './overlay';
import { Legend, type CursorRow } from './legend';
import { Phase } from './phase';
import { isDrawable, type Range } from './scales';

/** What a plot shares with the others. */
export interface PlotHost {
  readonly clock: Clock;
  readonly theme: Theme;
  readonly table: PlotTable | null;
  /** Of another run that is laid over this one. */
  readonly other: PlotTable | null;
  readonly marks: readonly InstantMark[];
  /** The times that are shown. */
  readonly range: Range;
  readonly zoomed: boolean;
  /** The row that legends show; null without a motion. */
  readonly row: CursorRow | null;
  /** The time under the pointer, if it is on a plot. */
  readonly pointer: number | null;
  zoom(range: Range | null): void;
  /** The pointer is at this time; null: it has left. */
  hover(time: number | null): void;
  choose(plot: Plot): void;
  remove(plot: Plot): void;
  savePicture(plot: Plot): void;
}

const height = 210;

export class Plot {
  readonly element: HTMLElement;
  private readonly title = make('h3');
  private readonly note = make('p', { class: 'plot-note' });
  private readonly area = make('div', { class: 'chart', role: 'img' });
  private readonly empty = make('p', { class: 'chart-empty' });
  private readonly logButton: HTMLButtonElement;
  private readonly resetButton: HTMLButtonElement;
  private readonly legend: Legend;
  private readonly hidden = new Set<string>();
  private readonly now = make('div', { class: 'line-now' });
  private readonly pointer = make('div', { class: 'line-pointer' });
  private readonly observer: ResizeObserver;
  private chart: uPlot | null = null;
  /** What the chart was built for; another one must be built when it changes. */
  private built = '';
  private builtMarks: readonly InstantMark[] = [];
  private yRange: Range | null = null;
  private dragged = false;
  private phase: Phase | null = null;

  constructor(private readonly host: PlotHost, readonly spec: PlotSpec) {
    this.legend = new Legend((name) => this.toggle(name));
    this.logButton = makeButton('log', 'Logarithmic axis of absolute values', () => this.setLog(!this.spec.log));
    this.resetButton = makeButton('Reset zoom', 'Show the whole motion again', () => this.resetZoom());
    const tools = make('div', { class: 'tools' },
      makeButton('Columns', 'Choose what this plot shows', () => host.choose(this)),
      this.logButton,
      this.resetButton,
      makeButton('PNG', 'Save this plot as a picture', () => host.savePicture(this)),
      makeButton('✕', 'Remove this plot', () => host.remove(this)),
    );
    tools.lastElementChild!.classList.add('quiet');
    this.element = make('section', { class: 'plot', 'data-kind': spec.kind },
      make('div', { class: 'plot-head' }, this.title, tools), this.note, this.area, this.legend.element);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.area);
  }

  /** The names that are drawn: those chosen that this motion has. */
  get names(): string[] {
    const { table } = this.host;
    return table === null ? [] : this.spec.columns.filter((name) => table.has(name));
  }

  /** Those that are not hidden, with their place among all, which gives them their colour. */
  get drawnNames(): { name: string; index: number }[] {
    return this.names.map((name, index) => ({ name, index })).filter(({ name }) => !this.hidden.has(name));
  }

  /** Of the vertical axis, if the user has chosen it. */
  get shownYRange(): Range | null {
    return this.yRange;
  }

  /** What it is plotted over, if that is not time and this motion has it. */
  get over(): string | null {
    const { over } = this.spec;
    const { table } = this.host;
    return over !== undefined && table !== null && table.hasRows && table.has(over) ? over : null;
  }

  get heading(): string {
    return titleOf(this.spec);
  }

  get remarks(): string[] {
    const { table } = this.host;
    const remarks: string[] = [];
    if (this.spec.log) remarks.push('absolute values on a logarithmic axis; zeros are gaps');
    if (table?.areForces(this.names)) remarks.push(convention);
    const missing = table === null ? 0 : this.spec.columns.length - this.names.length;
    if (this.spec.over !== undefined && this.over === null) remarks.push(`over time: ${table?.hasRows === false ? needsRows : `${this.spec.over} is not in this model`}`);
    if (missing > 0) remarks.push(`${missing} of the chosen columns are not in this model`);
    return remarks;
  }

  /** There is another motion, or another choice, range or theme. */
  refresh(): void {
    const { table, theme } = this.host;
    if (table === null) return;
    if (this.spec.kind !== 'chosen') this.spec.columns = startingColumns(this.spec.kind, table);
    const names = this.names;
    const key = JSON.stringify([names, [...this.hidden], this.spec.log, theme.name]);
    if (key !== this.built || this.host.marks !== this.builtMarks) {
      this.built = key;
      this.builtMarks = this.host.marks;
      this.rebuild(names);
    }
    this.draw();
  }

  /** undefined: over time. */
  setOver(over: string | undefined): void {
    if (over === undefined) delete this.spec.over;
    else this.spec.over = over;
    this.setColumns([...this.spec.columns]);
  }

  setColumns(columns: string[]): void {
    this.spec.kind = 'chosen';
    this.element.dataset.kind = 'chosen';
    this.spec.columns = columns;
    this.yRange = null;
    this.refresh();
  }

  /** Puts the lines at the clock's time and at the pointer's, and the values there into the legend. */
  showCursor(): void {
    const { table, row } = this.host;
    this.placeLines();
    if (table !== null && this.over !== null) this.phase?.showRow(table, this.over, row?.row ?? null, this.spec.log);
    if (table !== null) this.legend.setCursor(row, (name) => table.column(name), this.otherAt(row));
  }

  dispose(): void {
    this.observer.disconnect();
    this.chart?.destroy();
    this.element.remove();
  }

  /** What the other run has at the time of a row, as near as its rows come. */
  private otherAt(row: CursorRow | null): ((name: string) => number | null) | null {
    const { other } = this.host;
    if (other === null || row === null) return null;
    const there = nearest(other.times, row.time);
    return (name) => (other.has(name) && there >= 0 ? other.column(name)[there]! : null);
  }

  private placeLines(): void {
    this.place(this.now, this.host.clock.time);
    this.place(this.pointer, this.host.pointer);
  }

  private place(line: HTMLElement, time: number | null): void {
    const [from, to] = this.host.range;
    const shown = time !== null && this.chart !== null && time >= from && time <= to;
    line.hidden = !shown;
    if (shown) line.style.transform = `translateX(${this.chart!.valToPos(time, 'x')}px)`;
  }

  private toggle(name: string): void {
    if (!this.hidden.delete(name)) this.hidden.add(name);
    this.refresh();
    // The legend is new; the button that was pressed keeps the focus.
    for (const item of this.legend.element.children) {
      if ((item as HTMLElement).dataset.column === name) item.querySelector('button')?.focus();
    }
  }

  private setLog(log: boolean): void {
    this.spec.log = log;
    this.yRange = null;
    this.refresh();
  }

  private resetZoom(): void {
    const focused = document.activeElement === this.resetButton;
    this.yRange = null;
    this.host.zoom(null);
    if (focused) this.logButton.focus();
  }

  private rebuild(names: string[]): void {
    const { theme } = this.host;
    const styles = names.map((_name, index) => seriesStyle(theme, index));
    this.chart?.destroy();
    this.legend.setEntries(names.map((name, i) => ({ name, style: styles[i]!, shown: !this.hidden.has(name) })));
    const options = chartOptions({
      width: this.area.clientWidth || 300,
      height,
      scale: 1,
      theme,
      styles,
      log: this.spec.log,
      marks: this.host.marks,
      xRange: () => this.host.range,
      yRange: () => this.yRange,
      yExtra: () => otherRange(this.host, this.drawnNames, this.spec.log),
    });
    // Where the lines stand is known once uPlot has laid out its axes, which it does after the call that asked for it.
    options.hooks = { ...options.hooks, setSelect: [(chart) => this.select(chart)], draw: [(chart) => strokeOther(chart, this.host, this.drawnNames, this.spec.log, styles), () => this.placeLines()] };
    this.chart = new uPlot(options, [[], ...names.map(() => [])], this.area);
    this.chart.over.append(this.now, this.pointer);
    this.listen(this.chart);
  }

  private draw(): void {
    const { host } = this;
    const table = host.table!;
    const names = this.names;
    this.title.textContent = this.heading;
    const remarks = this.remarks;
    this.note.textContent = remarks.join(' · ');
    this.note.hidden = remarks.length === 0;
    this.logButton.setAttribute('aria-pressed', String(this.spec.log));
    this.resetButton.hidden = !host.zoomed && this.yRange === null;
    this.area.setAttribute('aria-label', `${this.heading}: ${count(names.length, 'line')} over time`);
    this.showPhase(table);
    if (this.over !== null) {
      this.empty.remove();
      this.showCursor();
      return;
    }
    const [from, to] = host.range;
    const pixels = Math.max(Math.round(this.area.clientWidth), 200);
    const columns = names.map((name) => (this.hidden.has(name) ? table.nothing : table.column(name)));
    const { x, y } = decimate(table.times, columns, from, to, pixels, this.spec.log);
    this.chart!.setData([x, ...y]);
    const anything = y.some((values) => values.some((value) => value !== null));
    this.empty.textContent = anything ? '' : this.whyEmpty(names, columns);
    if (anything) this.empty.remove();
    else this.area.append(this.empty);
    this.showCursor();
  }

  /** The chart over something else takes the place of the one over time. */
  private showPhase(table: PlotTable): void {
    const { over, host } = this;
    this.area.hidden = over !== null;
    if (over === null) {
      this.phase?.chart.element.remove();
      this.phase = null;
      return;
    }
    if (this.phase === null) {
      this.phase = new Phase((row) => host.clock.seek(host.table?.times[row] ?? 0));
      this.area.after(this.phase.chart.element);
    }
    this.phase.draw(table, host.other, over, this.drawnNames, host.range, this.spec.log, host.theme);
  }

  private whyEmpty(names: string[], columns: Float64Array[]): string {
    if (names.length === 0) return 'Choose columns to plot.';
    if (names.every((name) => this.hidden.has(name))) return 'All series are hidden.';
    const zero = columns.every((values) => values.every((value) => value === 0 || Number.isNaN(value)));
    if (this.spec.log && zero && columns.some((values) => values.includes(0))) return 'Zero at every row.';
    return 'No finite values here.';
  }

  private resize(): void {
    const width = this.area.clientWidth;
    if (this.chart === null || width === 0 || width === this.chart.width) return;
    this.chart.setSize({ width, height });
    this.draw();
  }

  /** The user has dragged a rectangle: along the whole of an axis where the drag went across it. */
  private select(chart: uPlot): void {
    const { left, top, width, height: tall } = chart.select;
    if (width <= 0 || tall <= 0) return;
    this.dragged = true;
    const full = chart.over;
    if (tall < full.clientHeight - 1) {
      const values: Range = [chart.posToVal(top + tall, 'y'), chart.posToVal(top, 'y')];
      if (isDrawable(values)) this.yRange = values;
    }
    const times: Range = [chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x')];
    chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    if (width < full.clientWidth - 1) this.host.zoom(times);
    else this.refresh();
  }

  /** Pointer and click; a finger moves the clock, while up and down it still scrolls the page. */
  private listen(chart: uPlot): void {
    const { over } = chart;
    const timeAt = (event: MouseEvent): number => chart.posToVal(event.clientX - over.getBoundingClientRect().left, 'x');
    over.addEventListener('pointerdown', () => (this.dragged = false));
    over.addEventListener('pointermove', (event) => {
      if (event.pointerType === 'mouse') this.host.hover(timeAt(event));
      else this.host.clock.seek(timeAt(event));
    });
    over.addEventListener('pointerleave', () => this.host.hover(null));
    over.addEventListener('click', (event) => {
      if (!this.dragged) this.host.clock.seek(timeAt(event));
    });
    over.addEventListener('dblclick', () => this.resetZoom());
  }
}
