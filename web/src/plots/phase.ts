// What a plot shows over something else than time: its columns over one column or expression, with the point of now.
import type { Theme } from '../theme';
import { findFrame } from '../scene/frames';
import { seriesStyle } from './chart';
import type { PlotTable } from './columns';
import { drawnValue, type Range } from './scales';
import type { Trace, XYContent } from './xy';
import { XYChart } from './xy-chart';

function firstRow(times: Float64Array, from: number): number {
  return Math.max(times.findIndex((t) => t >= from), 0);
}

/** Columns over another, between two times. Of logarithms, where that is asked for. */
export function phaseContent(
  table: PlotTable, other: PlotTable | null, x: string, names: { name: string; index: number }[], range: Range, log: boolean, theme: Theme,
): XYContent {
  const traces = tracesOf(table, x, names, range, log, theme);
  if (other !== null && other.hasRows && other.has(x)) {
    traces.push(...tracesOf(other, x, names.filter(({ name }) => other.has(name)), range, log, theme).map((trace) => ({ ...trace, dash: [1.5, 4] })));
  }
  return { xLabel: x, yLabel: log ? 'log10 of absolute values' : names.map(({ name }) => name).join(', '), traces, spots: [] };
}

function tracesOf(table: PlotTable, x: string, names: { name: string; index: number }[], [from, to]: Range, log: boolean, theme: Theme): Trace[] {
  const { times } = table;
  const first = firstRow(times, from);
  const end = findFrame(times, to) + 1;
  const part = (name: string): Float64Array => table.column(name).subarray(first, end);
  const shown = (value: number): number => (!log ? drawnValue(value) : value === 0 ? NaN : Math.log10(Math.abs(value)));
  const across = part(x).map(drawnValue);
  return names.map(({ name, index }) => ({ x: across, y: part(name).map(shown), ...seriesStyle(theme, index) }));
}

export class Phase {
  readonly chart: XYChart;
  private names: { name: string; index: number }[] = [];
  private first = 0;

  /** `seek`: the user has clicked at the time of a row. */
  constructor(seek: (row: number) => void) {
    this.chart = new XYChart('Phase plot', (_trace, point) => seek(this.first + point));
  }

  draw(table: PlotTable, other: PlotTable | null, x: string, names: { name: string; index: number }[], range: Range, log: boolean, theme: Theme): void {
    this.names = names;
    this.first = firstRow(table.times, range[0]);
    this.chart.element.setAttribute('aria-label', `${names.map(({ name }) => name).join(', ')} over ${x}`);
    this.chart.setContent(phaseContent(table, other, x, names, range, log, theme), theme);
  }

  /** The point of a row, of the first line. */
  showRow(table: PlotTable, x: string, row: number | null, log: boolean): void {
    const name = this.names[0]?.name;
    if (row === null || name === undefined) {
      this.chart.mark(null);
      return;
    }
    const y = table.column(name)[row]!;
    this.chart.mark([table.column(x)[row]!, log ? Math.log10(Math.abs(y)) : y]);
  }
}
