// The options of uPlot for a plot of ours, on the screen or in a picture.
import uPlot from 'uplot';
import type { InstantMark } from '../document';
import { formatPower, formatTick } from '../format';
import { markColour, thinned } from '../marks';
import type { Theme } from '../theme';
import { fontOf } from './font';
import { decadeRange, decadeTicks, linearRange, type Range } from './scales';

export interface SeriesStyle {
  colour: string;
  dash: number[];
}

const dashes = [[], [7, 4], [2, 3], [10, 3, 2, 3]];

/** Colours first, then dashes: more series than colours stay apart. */
export function seriesStyle(theme: Theme, index: number): SeriesStyle {
  const colours = theme.series;
  return {
    colour: colours[index % colours.length]!,
    dash: dashes[Math.floor(index / colours.length) % dashes.length]!,
  };
}

export interface ChartSetup {
  width: number;
  height: number;
  /** Of letters and lines: 1 on the screen. */
  scale: number;
  theme: Theme;
  styles: SeriesStyle[];
  log: boolean;
  /** In order. */
  marks: readonly InstantMark[];
  /** Asked at each drawing. */
  xRange: () => Range;
  /** null: as the data want it. */
  yRange: () => Range | null;
  /** What else is to be seen where the data decide: the other run. */
  yExtra?: () => Range | null;
}

export function chartOptions(setup: ChartSetup): uPlot.Options {
  const { theme, log, scale } = setup;
  const font = fontOf(12 * scale);
  const axis: uPlot.Axis = {
    stroke: theme.muted,
    font,
    grid: { stroke: theme.grid, width: scale },
    ticks: { stroke: theme.grid, width: scale, size: 5 * scale },
    gap: 4 * scale,
  };
  return {
    width: setup.width,
    height: setup.height,
    padding: [8 * scale, 28 * scale, 0, 0], // room for half of the last label of the time axis
    legend: { show: false },
    hooks: { drawAxes: [(plot) => drawMarks(plot, setup)] },
    cursor: { x: false, y: false, points: { show: false }, drag: { x: true, y: true, uni: 40, dist: 5, setScale: false } },
    scales: {
      x: { time: false, range: () => setup.xRange() },
      y: {
        range: (_plot, min: number | null, max: number | null) => {
          const extra = setup.yExtra?.() ?? null;
          const low = extra === null ? min : Math.min(min ?? Infinity, extra[0]);
          const high = extra === null ? max : Math.max(max ?? -Infinity, extra[1]);
          return setup.yRange() ?? (log ? decadeRange(low, high) : linearRange(low, high));
        },
      },
    },
    series: [
      {},
      ...setup.styles.map(({ colour, dash }) => ({
        stroke: colour,
        dash: dash.map((length) => length * scale),
        width: 1.6 * scale,
        paths: linesBetweenGaps,
        points: { show: false, filter: alone, size: 3.5 * scale, fill: colour },
      })),
    ],
    axes: [
      {
        ...axis,
        label: 't',
        labelFont: font,
        labelSize: 16 * scale,
        labelGap: 0,
        size: 26 * scale,
        space: 64 * scale,
        values: (_plot, splits, _axis, _space, step) => splits.map((x) => formatTick(x, step)),
      },
      {
        ...axis,
        space: 26 * scale,
        size: (plot, values) => labelWidth(plot, values ?? [], font) + 12 * scale,
        ...(log
          ? {
              splits: (plot: uPlot, _axis: number, min: number, max: number) =>
                decadeTicks(min, max, plot.bbox.height / uPlot.pxRatio / (30 * scale)),
              values: (_plot: uPlot, splits: number[]) => splits.map(formatPower),
            }
          : {
              values: (_plot: uPlot, splits: number[], _axis: number, _space: number, step: number) =>
                splits.map((y) => formatTick(y, step)),
            }),
      },
    ],
  };
}

/** So many lines through the whole plot can be told apart; of more only their feet are drawn. */
const mostLines = 40;

function drawMarks(plot: uPlot, { marks, theme, scale }: ChartSetup): void {
  const { ctx, bbox } = plot;
  const { min = 0, max = 0 } = plot.scales['x'] ?? {};
  if (min === null || max === null || !(max > min)) return;
  const inside = marks.filter(({ t }) => t >= min && t <= max);
  const shown = thinned(inside, ((max - min) * 2 * uPlot.pxRatio) / Math.max(bbox.width, 1));
  const foot = 6 * scale * uPlot.pxRatio;
  ctx.save();
  ctx.lineWidth = scale * uPlot.pxRatio;
  for (const mark of shown) {
    const x = Math.round(plot.valToPos(mark.t, 'x', true)) + 0.5;
    const line = (top: number, alpha: number): void => {
      ctx.globalAlpha = alpha;
      ctx.beginPath();
      ctx.moveTo(x, top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    };
    ctx.strokeStyle = markColour(theme, mark);
    if (shown.length <= mostLines) line(bbox.top, 0.3);
    line(bbox.top + bbox.height - foot, 1);
  }
  ctx.restore();
}

/** A line ends where its last value is; uPlot's own are cut there, which leaves splinters of steep ones. */
const linesBetweenGaps: uPlot.Series.PathBuilder = (plot, index, first, last) => {
  const stroke = new Path2D();
  const times = plot.data[0];
  const values = plot.data[index]!;
  let drawing = false;
  for (let i = first; i <= last; ++i) {
    const value = values[i] ?? null;
    if (value !== null) {
      const x = plot.valToPos(times[i]!, 'x', true);
      const y = plot.valToPos(value, 'y', true);
      if (drawing) stroke.lineTo(x, y);
      else stroke.moveTo(x, y);
    }
    drawing = value !== null;
  }
  return { stroke, fill: null, clip: null, band: null };
};

/** A value between two gaps has no line through it: those get a point. */
const alone: uPlot.Series.Points.Filter = (plot, index) => {
  const values = plot.data[index] ?? [];
  const result: number[] = [];
  for (let i = 0; i < values.length; ++i) {
    if ((values[i] ?? null) !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null) result.push(i);
  }
  return result.length > 0 ? result : null;
};

function labelWidth(plot: uPlot, values: string[], font: string): number {
  const { ctx } = plot;
  ctx.save();
  ctx.font = font;
  const width = Math.max(30, ...values.map((text) => ctx.measureText(text ?? '').width));
  ctx.restore();
  return Math.ceil(width);
}
