// A chart of one quantity over another, where neither need grow: phase plots, branches. Drawn on a canvas of any size.
import { formatTick } from '../format';
import { niceBelow } from '../scene/frames';
import type { Theme } from '../theme';
import { fontOf } from './font';
import { linearRange, type Range } from './scales';

/** A line through points in their order; it is interrupted where one is no number. */
export interface Trace {
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  colour: string;
  dash: number[];
  /** Whether the piece behind point i is dashed, whatever `dash` is. */
  dashed?: (i: number) => boolean;
  /** Points without a line. */
  loose?: boolean;
}

/** Forms differ as well as colours. */
export type SpotForm = 'dot' | 'ring' | 'square' | 'diamond' | 'triangle';

export interface Spot {
  x: number;
  y: number;
  colour: string;
  form: SpotForm;
}

export interface XYContent {
  xLabel: string;
  yLabel: string;
  traces: Trace[];
  spots: Spot[];
  /** A level to be seen: zero of the real parts. */
  level?: number;
}

/** Where values are on the canvas. */
export interface XYPlace {
  left: number;
  top: number;
  width: number;
  height: number;
  x: Range;
  y: Range;
}

export function placeX({ left, width, x }: XYPlace, value: number): number {
  return left + ((value - x[0]) / (x[1] - x[0])) * width;
}

export function placeY({ top, height, y }: XYPlace, value: number): number {
  return top + (1 - (value - y[0]) / (y[1] - y[0])) * height;
}

/** Round numbers within a range, about `wanted` of them, and their distance. */
export function ticksOf([low, high]: Range, wanted: number): { ticks: number[]; step: number } {
  const rough = (high - low) / Math.max(wanted, 1);
  const below = niceBelow(rough);
  const step = [below, ...[2, 2.5, 5, 10].map((factor) => factor * below)].find((s) => s >= rough * 0.999 && isNice(s)) ?? below;
  const ticks: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) ticks.push(k * step);
  return { ticks, step };
}

function isNice(step: number): boolean {
  return Math.abs(niceBelow(step * (1 + 1e-9)) - step) < 1e-6 * step;
}

/** The range of all finite values. */
function rangeOf(lists: ArrayLike<number>[]): Range {
  let low = Infinity;
  let high = -Infinity;
  for (const list of lists) {
    for (let i = 0; i < list.length; ++i) {
      const value = list[i]!;
      if (value < low && value > -Infinity) low = value;
      if (value > high && value < Infinity) high = value;
    }
  }
  return low <= high ? linearRange(low, high) : linearRange(null, null);
}

/** Draws axes, lines and spots; letters and lines are `scale` times as large as on a plain screen. */
export function drawXY(pen: CanvasRenderingContext2D, width: number, height: number, scale: number, content: XYContent, theme: Theme): XYPlace {
  const font = fontOf(12 * scale);
  pen.font = font;
  const y = rangeOf([...content.traces.map((trace) => trace.y), content.spots.map((spot) => spot.y)]);
  const x = rangeOf([...content.traces.map((trace) => trace.x), content.spots.map((spot) => spot.x)]);
  const vertical = ticksOf(y, height / (46 * scale));
  const labels = vertical.ticks.map((tick) => formatTick(tick, vertical.step));
  const left = Math.ceil(Math.max(30 * scale, ...labels.map((text) => pen.measureText(text).width)) + 12 * scale);
  const place: XYPlace = { left, top: 24 * scale, width: width - left - 24 * scale, height: height - 68 * scale, x, y };
  pen.lineWidth = scale;
  pen.strokeStyle = theme.grid;
  pen.fillStyle = theme.muted;
  pen.textBaseline = 'middle';
  pen.textAlign = 'right';
  const line = (x1: number, y1: number, x2: number, y2: number): void => {
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.lineTo(x2, y2);
    pen.stroke();
  };
  const bottom = place.top + place.height;
  vertical.ticks.forEach((tick, i) => {
    const at = placeY(place, tick);
    line(left, at, left + place.width, at);
    pen.fillText(labels[i]!, left - 7 * scale, at);
  });
  const horizontal = ticksOf(x, place.width / (80 * scale));
  pen.textAlign = 'center';
  for (const tick of horizontal.ticks) {
    const at = placeX(place, tick);
    line(at, place.top, at, bottom);
    pen.fillText(formatTick(tick, horizontal.step), at, bottom + 14 * scale);
  }
  pen.fillText(content.xLabel, left + place.width / 2, bottom + 34 * scale, place.width);
  pen.textAlign = 'left';
  pen.fillText(content.yLabel, 6 * scale, 11 * scale, width - 12 * scale);
  if (content.level !== undefined && content.level > y[0] && content.level < y[1]) {
    pen.strokeStyle = theme.muted;
    line(left, placeY(place, content.level), left + place.width, placeY(place, content.level));
  }
  pen.save();
  pen.beginPath();
  pen.rect(left, place.top, place.width, place.height);
  pen.clip();
  for (const trace of content.traces) drawTrace(pen, place, scale, trace);
  pen.restore();
  for (const spot of content.spots) drawSpot(pen, place, scale, spot, theme);
  return place;
}

function drawTrace(pen: CanvasRenderingContext2D, place: XYPlace, scale: number, trace: Trace): void {
  const { x, y, colour, dash, dashed, loose } = trace;
  pen.strokeStyle = pen.fillStyle = colour;
  pen.lineWidth = 1.7 * scale;
  const count = Math.min(x.length, y.length);
  const seen = (i: number): boolean => Number.isFinite(x[i]!) && Number.isFinite(y[i]!);
  if (loose === true) {
    for (let i = 0; i < count; ++i) {
      if (!seen(i)) continue;
      pen.beginPath();
      pen.arc(placeX(place, x[i]!), placeY(place, y[i]!), 1.8 * scale, 0, 2 * Math.PI);
      pen.fill();
    }
    return;
  }
  // Solid pieces in one go, then those that are dashed.
  for (const broken of dashed === undefined ? [false] : [false, true]) {
    pen.setLineDash((broken ? [6, 4] : dash).map((length) => length * scale));
    pen.beginPath();
    let drawing = false;
    for (let i = 0; i < count; ++i) {
      if (!seen(i)) {
        drawing = false;
        continue;
      }
      const [px, py] = [placeX(place, x[i]!), placeY(place, y[i]!)];
      if (drawing) pen.lineTo(px, py);
      else pen.moveTo(px, py);
      drawing = dashed === undefined || dashed(i) === broken;
    }
    pen.stroke();
  }
  pen.setLineDash([]);
}

function drawSpot(pen: CanvasRenderingContext2D, place: XYPlace, scale: number, { x, y, colour, form }: Spot, theme: Theme): void {
  if (!Number.isFinite(x) || !Number.isFinite(y)) return;
  const [px, py, r] = [placeX(place, x), placeY(place, y), 5.5 * scale];
  pen.beginPath();
  if (form === 'dot' || form === 'ring') pen.arc(px, py, r, 0, 2 * Math.PI);
  else if (form === 'square') pen.rect(px - r, py - r, 2 * r, 2 * r);
  else if (form === 'diamond') pen.moveTo(px, py - 1.4 * r), pen.lineTo(px + 1.4 * r, py), pen.lineTo(px, py + 1.4 * r), pen.lineTo(px - 1.4 * r, py), pen.closePath();
  else pen.moveTo(px, py - 1.3 * r), pen.lineTo(px + 1.3 * r, py + r), pen.lineTo(px - 1.3 * r, py + r), pen.closePath();
  pen.fillStyle = form === 'ring' ? theme.surface : colour;
  pen.strokeStyle = form === 'ring' ? colour : theme.surface;
  pen.lineWidth = (form === 'ring' ? 2.5 : 1.2) * scale;
  pen.fill();
  pen.stroke();
}

/** The point that is nearest to a place on the canvas: of which trace, and which of its points; null where there is none. */
export function nearestPoint(traces: Trace[], place: XYPlace, px: number, py: number): { trace: number; point: number } | null {
  let best: { trace: number; point: number } | null = null;
  let least = Infinity;
  traces.forEach(({ x, y }, trace) => {
    for (let point = 0; point < Math.min(x.length, y.length); ++point) {
      const distance = (placeX(place, x[point]!) - px) ** 2 + (placeY(place, y[point]!) - py) ** 2;
      if (distance < least) {
        least = distance;
        best = { trace, point };
      }
    }
  });
  return best;
}
