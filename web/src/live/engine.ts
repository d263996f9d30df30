// Who computes motions for a live page. The page knows no more of it than this: `server.ts` asks the server of `dalembert view`;
// a worker that computes in the browser would be another.
import type { PageDocument } from '../document';

export interface Diagnostic {
  message: string;
  line: number;
  column: number;
  length: number;
  details: string[];
}

export interface EngineError {
  text: string;
  diagnostics: Diagnostic[];
  unknown?: string[];
}

/** A model text and what is to hold instead of what it says. */
export interface Order {
  text: string;
  parameters: Record<string, number>;
  initial: Record<string, number>;
  duration?: number;
  samples?: number;
  method?: string;
  integrator?: string;
  rtol?: number;
  atol?: number;
  equations: boolean;
}

export interface Progress {
  t: number;
  duration: number;
  seconds: number;
}

/** One line of an answer, as docs/page.md has it. `values`: in base64, or as they are. */
export interface Line {
  progress?: Progress;
  document?: PageDocument;
  values?: string | Float64Array;
  partial?: boolean;
  error?: EngineError;
  cancelled?: boolean;
}

export interface Saved {
  saved: boolean;
  /** Another program has changed the file meanwhile. */
  changed: boolean;
  message: string;
}

export interface Engine {
  /** The lines of the answer as they come; none after `signal` was aborted. Throws where nobody answers. */
  simulate(order: Order, signal: AbortSignal): AsyncIterable<Line>;
  /** `replace`: whatever another program has written meanwhile. Throws where nobody answers. */
  save(text: string, replace: boolean): Promise<Saved>;
  alive(): Promise<boolean>;
}
