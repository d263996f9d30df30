// A chart of one quantity over another on the page, as large as its place; what moves is drawn over a picture that is kept.
import { make } from '../dom';
import type { Theme } from '../theme';
import { drawXY, nearestPoint, placeX, placeY, type XYContent, type XYPlace } from './xy';

export class XYChart {
  readonly element: HTMLElement;
  private readonly canvas = make('canvas');
  private readonly now = make('div', { class: 'xy-now', hidden: true });
  private content: XYContent | null = null;
  private theme: Theme | null = null;
  private place: XYPlace | null = null;
  private spot: [number, number] | null = null;

  /** `onPick`: the user has clicked near this point. */
  constructor(label: string, onPick: (trace: number, point: number) => void) {
    this.element = make('div', { class: 'xy', role: 'img', 'aria-label': label }, this.canvas, this.now);
    new ResizeObserver(() => this.draw()).observe(this.element);
    this.canvas.addEventListener('click', (event) => {
      if (this.place === null || this.content === null) return;
      const box = this.canvas.getBoundingClientRect();
      const found = nearestPoint(this.content.traces, this.place, event.clientX - box.left, event.clientY - box.top);
      if (found !== null) onPick(found.trace, found.point);
    });
  }

  setContent(content: XYContent, theme: Theme): void {
    this.content = content;
    this.theme = theme;
    this.draw();
  }

  /** Marks a point; null takes the mark away. */
  mark(spot: [number, number] | null): void {
    this.spot = spot;
    const seen = spot !== null && this.place !== null && Number.isFinite(spot[0]) && Number.isFinite(spot[1]);
    this.now.hidden = !seen;
    if (seen) this.now.style.transform = `translate(${placeX(this.place!, spot[0])}px, ${placeY(this.place!, spot[1])}px)`;
  }

  private draw(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (this.content === null || this.theme === null || width === 0 || height === 0) return;
    const ratio = Math.max(window.devicePixelRatio, 1);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const pen = this.canvas.getContext('2d')!;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.place = drawXY(pen, width, height, 1, this.content, this.theme);
    this.mark(this.spot);
  }
}
