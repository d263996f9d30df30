// The server of `dalembert view`, at addresses relative to that of the page (docs/page.md).
import type { Engine, EngineError, Line, Order, Saved } from './engine';

/** What the server says with a number alone. */
const refusals = new Map([
  [413, 'The text is too large.'],
  [503, 'dalembert view has too much to do; try again.'],
]);

export class Server implements Engine {
  async *simulate(order: Order, signal: AbortSignal): AsyncGenerator<Line> {
    const response = await post('simulate', order, signal);
    if (response.status === 400) {
      yield (await response.json()) as Line;
      return;
    }
    if (!response.ok || response.body === null) {
      const text = refusals.get(response.status) ?? `dalembert view refuses: ${response.status} ${response.statusText}`;
      yield { error: { text, diagnostics: [] } };
      return;
    }
    for await (const line of lines(response.body)) {
      if (signal.aborted) return;
      yield JSON.parse(line) as Line;
    }
  }

  async save(text: string, replace: boolean): Promise<Saved> {
    const response = await post('save', { text, replace });
    if (refusals.has(response.status)) return { saved: false, changed: false, message: refusals.get(response.status)! };
    const answer = (await response.json()) as { saved?: string; error?: EngineError };
    const message = answer.error?.diagnostics[0]?.message ?? answer.error?.text ?? '';
    return { saved: response.ok, changed: response.status === 409, message };
  }

  async alive(): Promise<boolean> {
    try {
      return (await fetch('alive')).ok;
    } catch {
      return false;
    }
  }
}

function post(address: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const options = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  return fetch(address, signal === undefined ? options : { ...options, signal });
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
