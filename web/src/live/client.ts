// The program behind the page: asks it for motions, one at a time, and notices when it is gone.
import { decodeValues, Motion, type PageDocument } from '../document';

export interface Diagnostic {
  message: string;
  line: number;
  column: number;
  length: number;
  details: string[];
}

export interface LiveError {
  text: string;
  diagnostics: Diagnostic[];
  unknown?: string[];
}

export interface Order {
  text: string;
  parameters: Record<string, number>;
  initial: Record<string, number>;
  duration?: number;
  samples?: number;
  method?: string;
  equations: boolean;
}

export interface Progress {
  t: number;
  duration: number;
  seconds: number;
}

/** What became of an order. Of an order that a later one has replaced nothing more is heard. */
export interface Listener {
  started(): void;
  progress(progress: Progress): void;
  motion(motion: Motion, partial: boolean, order: Order): void;
  failed(error: LiveError, order: Order): void;
  /** Another page has taken over, or the order was cancelled. */
  cancelled(): void;
  /** Nobody answers, or somebody does again. */
  gone(isGone: boolean): void;
}

interface Line {
  progress?: Progress;
  document?: PageDocument;
  values?: string;
  partial?: boolean;
  error?: LiveError;
  cancelled?: boolean;
}

/** A motion on its way is given up for a newer order at its first picture, or after this time. */
const patience = 1200;
const heartbeat = 4000;
/** What the server says with a number alone. */
const refusals = new Map([
  [413, 'The text is too large.'],
  [503, 'dalembert view has too much to do; try again.'],
]);
const retry = 1500;

export class Client {
  private running: { abort: AbortController; since: number; shown: boolean } | null = null;
  private waiting: Order | null = null;
  private unanswered: Order | null = null;
  private isGone = false;

  constructor(private readonly listener: Listener) {
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
  async save(text: string, replace: boolean): Promise<{ saved: boolean; changed: boolean; message: string }> {
    try {
      const response = await this.post('save', { text, replace });
      if (refusals.has(response.status)) return { saved: false, changed: false, message: refusals.get(response.status)! };
      const answer = (await response.json()) as { saved?: string; error?: LiveError };
      const message = answer.error?.diagnostics[0]?.message ?? answer.error?.text ?? '';
      return { saved: response.ok, changed: response.status === 409, message };
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
      const response = await this.post('simulate', order, signal);
      if (response.status === 400) {
        this.listener.failed(((await response.json()) as { error: LiveError }).error, order);
        return;
      }
      if (!response.ok || response.body === null) {
        const text = refusals.get(response.status) ?? `dalembert view refuses: ${response.status} ${response.statusText}`;
        this.listener.failed({ text, diagnostics: [] }, order);
        return;
      }
      for await (const line of lines(response.body)) {
        if (signal.aborted) break;
        this.take(JSON.parse(line) as Line, order);
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
      this.listener.motion(new Motion(line.document, decodeValues(line.values ?? '')), partial, order);
      if (partial) this.superseded();
    }
    if (line.error !== undefined) this.listener.failed(line.error, order);
    if (line.cancelled === true) this.listener.cancelled();
  }

  private post(address: string, body: unknown, signal?: AbortSignal): Promise<Response> {
    const options = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
    return fetch(address, signal === undefined ? options : { ...options, signal });
  }

  private async watch(): Promise<void> {
    if (this.running === null && (this.isGone || !document.hidden)) {
      try {
        const response = await fetch('alive');
        this.setGone(!response.ok);
      } catch {
        this.setGone(true);
      }
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

/** The lines of a stream, as they become whole. */
async function* lines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = decoder.decode(value, { stream: true }).split('\n');
    for (const end of parts.slice(0, -1)) {
      yield pieces.join('') + end;
      pieces = [];
    }
    pieces.push(parts[parts.length - 1]!);
  }
}
