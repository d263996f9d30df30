// A plot as a picture: title, axes, lines and legend in the colours of the page, large enough for print.
import uPlot from 'uplot';
import { chartOptions, seriesStyle } from '../plots/chart';
import { decimate } from '../plots/decimate';
import { fontOf } from '../plots/font';
import { otherRange, strokeOther } from '../plots/overlay';
import { phaseContent } from '../plots/phase';
import type { Plot, PlotHost } from '../plots/plot';
import { drawXY } from '../plots/xy';
import { download, fileName, pictureOf } from './download';

/** Dots of the picture; letters and lines are `dots` times as large as on a plain screen. */
const width = 2000;
const height = 900;
const dots = 2;
const margin = 16 * dots;

export async function savePlotPicture(plot: Plot, host: PlotHost): Promise<void> {
  const table = host.table;
  if (table === null) return;
  const picture = drawPicture(plot, host);
  download(await pictureOf(picture), `${fileName(table.motion.document.model.name, plot.heading)}.png`);
}

function drawPicture(plot: Plot, host: PlotHost): HTMLCanvasElement {
  const { theme } = host;
  const chart = drawChart(plot, host);
  const picture = document.createElement('canvas');
  const pen = picture.getContext('2d')!;
  const legend = layLegend(pen, plot.drawnNames, width - 2 * margin);
  const line = 20 * dots;
  const top = margin + 3 * line;
  picture.width = width;
  picture.height = top + chart.height + legend.rows * line + margin;
  pen.fillStyle = theme.surface;
  pen.fillRect(0, 0, picture.width, picture.height);
  pen.textBaseline = 'middle';
  pen.fillStyle = theme.text;
  pen.font = fontOf(16 * dots, '600');
  pen.fillText(plot.heading, margin, margin + 0.5 * line, width - 2 * margin);
  pen.font = fontOf(12 * dots);
  pen.fillStyle = theme.muted;
  const about = [host.table!.motion.document.model.name, ...plot.remarks].join(' · ');
  pen.fillText(about, margin, margin + 1.6 * line, width - 2 * margin);
  pen.drawImage(chart, margin / 2, top - 0.5 * line);
  for (const { name, index, x, row } of legend.entries) {
    const style = seriesStyle(theme, index);
    const y = top + chart.height + (row + 0.3) * line;
    pen.strokeStyle = style.colour;
    pen.lineWidth = 2.5 * dots;
    pen.setLineDash(style.dash.map((length) => length * dots));
    pen.beginPath();
    pen.moveTo(margin + x, y);
    pen.lineTo(margin + x + 24 * dots, y);
    pen.stroke();
    pen.fillStyle = theme.text;
    pen.fillText(name, margin + x + 30 * dots, y, width - 2 * margin - 30 * dots);
  }
  return picture;
}

/** The lines and axes, by a chart of their own that is never shown. */
function drawChart(plot: Plot, host: PlotHost): HTMLCanvasElement {
  if (plot.over !== null) return drawPhase(plot, plot.over, host);
  const ratio = uPlot.pxRatio;
  const table = host.table!;
  const shown = plot.drawnNames;
  const [from, to] = host.range;
  const options = chartOptions({
    width: (width - margin) / ratio,
    height: height / ratio,
    scale: dots / ratio,
    theme: host.theme,
    styles: shown.map(({ index }) => seriesStyle(host.theme, index)),
    log: plot.spec.log,
    marks: host.marks,
    xRange: () => [from, to],
    yRange: () => plot.shownYRange,
    yExtra: () => otherRange(host, shown, plot.spec.log),
  });
  const styles = plot.names.map((_name, index) => seriesStyle(host.theme, index));
  options.hooks = { ...options.hooks, draw: [(chart) => strokeOther(chart, host, shown, plot.spec.log, styles, dots / ratio)] };
  const { x, y } = decimate(table.times, shown.map(({ name }) => table.column(name)), from, to, width, plot.spec.log);
  const chart = new uPlot(options, [x, ...y], document.createElement('div'));
  // uPlot draws at the end of the task; this makes it draw now.
  chart.batch(() => chart.redraw());
  const copy = document.createElement('canvas');
  copy.width = chart.ctx.canvas.width;
  copy.height = chart.ctx.canvas.height;
  copy.getContext('2d')!.drawImage(chart.ctx.canvas, 0, 0);
  chart.destroy();
  return copy;
}

function drawPhase(plot: Plot, over: string, host: PlotHost): HTMLCanvasElement {
  const copy = document.createElement('canvas');
  copy.width = width - margin;
  copy.height = 1.4 * height;
  const content = phaseContent(host.table!, host.other, over, plot.drawnNames, host.range, plot.spec.log, host.theme);
  drawXY(copy.getContext('2d')!, copy.width, copy.height, dots, content, host.theme);
  return copy;
}

interface LegendPlace {
  name: string;
  index: number;
  x: number;
  row: number;
}

function layLegend(pen: CanvasRenderingContext2D, names: { name: string; index: number }[], room: number): { entries: LegendPlace[]; rows: number } {
  pen.font = fontOf(12 * dots);
  const entries: LegendPlace[] = [];
  let x = 0;
  let row = 0;
  for (const { name, index } of names) {
    const wide = Math.min(30 * dots + pen.measureText(name).width + 18 * dots, room);
    if (x > 0 && x + wide > room) {
      x = 0;
      ++row;
    }
    entries.push({ name, index, x, row });
    x += wide;
  }
  return { entries, rows: names.length > 0 ? row + 1 : 0 };
}
