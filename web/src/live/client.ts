// Asks the engine behind the page for motions, one at a time, and notices when it is gone.
import { decodeValues, Motion } from '../document';
import type { Engine, EngineError, Line, Order, Progress, Saved } from './engine';

/** What became of an order. Of an order that a later one has replaced nothing more is heard. */
export interface Listener {
  started(): void;
  progress(progress: Progress): void;
  motion(motion: Motion, partial: boolean, order: Order): void;
  failed(error: EngineError, order: Order): void;
  /** Another page has taken over, or the order was cancelled. */
  cancelled(): void;
  /** Nobody answers, or somebody does again. */
  gone(isGone: boolean): void;
}

/** A motion on its way is given up for a newer order at its first picture, or after this time. */
const patience = 1200;
const heartbeat = 4000;
const retry = 1500;

export class Client {
  private running: { abort: AbortController; since: number; shown: boolean } | null = null;
  private waiting: Order | null = null;
  private unanswered: Order | null = null;
  private isGone = false;

  constructor(private readonly engine: Engine, private readonly listener: Listener) {
    setTimeout(() => void this.watch(), heartbeat);
  }

  get busy(): boolean {
    return this.running !== null || this.waiting !== null;
  }

  /** The latest order counts; those in between are passed over. */
  order(order: Order): void {
    this.waiting = order;
    if (this.running === null) {
      void this.runNext();
      return;
    }
    this.superseded();
  }

  cancel(): void {
    this.waiting = null;
    this.unanswered = null;
    this.running?.abort.abort();
  }

  /** `replace`: whatever another program has written meanwhile. */
  async save(text: string, replace: boolean): Promise<Saved> {
    try {
      return await this.engine.save(text, replace);
    } catch {
      this.setGone(true);
      return { saved: false, changed: false, message: 'dalembert view does not answer' };
    }
  }

  private superseded(): void {
    const running = this.running;
    if (running === null || this.waiting === null) return;
    const left = running.since + patience - performance.now();
    if (running.shown || left <= 0) running.abort.abort();
    else setTimeout(() => this.running === running && this.superseded(), left);
  }

  private async runNext(): Promise<void> {
    while (this.waiting !== null) {
      const order = this.waiting;
      this.waiting = null;
      this.running = { abort: new AbortController(), since: performance.now(), shown: false };
      this.listener.started();
      await this.run(order, this.running.abort.signal);
      this.running = null;
    }
  }

  private async run(order: Order, signal: AbortSignal): Promise<void> {
    try {
      for await (const line of this.engine.simulate(order, signal)) {
        if (signal.aborted) break;
        this.take(line, order);
      }
      this.setGone(false);
    } catch {
      if (!signal.aborted) {
        this.unanswered = order;
        this.setGone(true);
        return;
      }
    }
    if (signal.aborted && this.waiting === null) this.listener.cancelled();
  }

  private take(line: Line, order: Order): void {
    if (line.progress !== undefined) this.listener.progress(line.progress);
    if (line.document !== undefined) {
      if (this.running !== null) this.running.shown = true;
      const partial = line.partial === true;
      this.listener.motion(new Motion(line.document, numbersOf(line)), partial, order);
      if (partial) this.superseded();
    }
    if (line.error !== undefined) this.listener.failed(line.error, order);
    if (line.cancelled === true) this.listener.cancelled();
  }

  private async watch(): Promise<void> {
    if (this.running === null && (this.isGone || !document.hidden)) {
      this.setGone(!(await this.engine.alive()));
    }
    setTimeout(() => void this.watch(), this.isGone ? retry : heartbeat);
  }

  private setGone(isGone: boolean): void {
    if (!isGone && !this.isGone) return;
    this.isGone = isGone;
    this.listener.gone(isGone);
    const order = this.unanswered;
    this.unanswered = null;
    if (!isGone && order !== null && !this.busy) this.order(order);
    else if (isGone) this.unanswered = order;
  }
}

function numbersOf({ values = '' }: Line): Float64Array {
  return typeof values === 'string' ? decodeValues(values) : values;
}
