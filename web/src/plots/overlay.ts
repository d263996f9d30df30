// The lines of another run, dotted over those of a plot.
import uPlot from 'uplot';
import type { SeriesStyle } from './chart';
import type { PlotTable } from './columns';
import { decimate } from './decimate';
import type { Range } from './scales';

export interface OverlayHost {
  readonly other: PlotTable | null;
  readonly range: Range;
}

type Names = { name: string; index: number }[];

/** Of the names that the other run has too. */
function common({ other }: OverlayHost, names: Names): Names {
  return other === null ? [] : names.filter(({ name }) => other.has(name));
}

/** What its values reach in the times that are shown; null without any. */
export function otherRange(host: OverlayHost, names: Names, log: boolean): Range | null {
  const { other, range: [from, to] } = host;
  if (other === null) return null;
  let low = Infinity;
  let high = -Infinity;
  for (const { name } of common(host, names)) {
    const values = other.column(name);
    for (let row = 0; row < values.length; ++row) {
      const t = other.times[row]!;
      if (t < from || t > to) continue;
      const value = log ? Math.log10(Math.abs(values[row]!)) : values[row]!;
      if (!Number.isFinite(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  return low <= high ? [low, high] : null;
}

export function strokeOther(chart: uPlot, host: OverlayHost, names: Names, log: boolean, styles: readonly SeriesStyle[], scale = 1): void {
  const shown = common(host, names);
  if (host.other === null || shown.length === 0) return;
  const { ctx, bbox } = chart;
  const ratio = uPlot.pxRatio * scale;
  const [from, to] = host.range;
  const { x, y } = decimate(host.other.times, shown.map(({ name }) => host.other!.column(name)), from, to, Math.max(Math.round(bbox.width / ratio), 200), log);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.lineWidth = 2.2 * ratio;
  ctx.setLineDash([1.5 * ratio, 4 * ratio]);
  ctx.lineCap = 'round';
  shown.forEach(({ index }, k) => {
    ctx.strokeStyle = styles[index]!.colour;
    ctx.beginPath();
    let drawing = false;
    for (let i = 0; i < x.length; ++i) {
      const value = y[k]![i] ?? null;
      if (value !== null) {
        const [px, py] = [chart.valToPos(x[i]!, 'x', true), chart.valToPos(value, 'y', true)];
        if (drawing) ctx.lineTo(px, py);
        else ctx.moveTo(px, py);
      }
      drawing = value !== null;
    }
    ctx.stroke();
  });
  ctx.restore();
}
