// What the program tells the page: the types of docs/page.md, and the numbers they point to.

export type Group =
  | 'time' | 'position' | 'velocity' | 'acceleration' | 'ideal' | 'nonideal' | 'residual'
  | 'energy' | 'work' | 'multiplier' | 'output' | 'reaction' | 'balance' | 'parameter';

export interface Column {
  name: string;
  group: Group;
}

export type Shape =
  | { type: 'sphere'; radius: number }
  | { type: 'disk' | 'cylinder' | 'rod'; radius: number; length: number }
  | { type: 'box'; size: [number, number, number] }
  | { type: 'ellipsoid'; size: [number, number, number] }
  | { type: 'axes'; radius: number };

/** Places in `Motion.values` are given by their index there. */
export type SceneObject =
  | { kind: 'body' | 'particle' | 'frame'; name: string; trail: boolean; shape: Shape; pose: number }
  | { kind: 'point'; name: string; trail: boolean; radius: number; position: number }
  | { kind: 'segment'; name: string; style: 'rod' | 'line' | 'spring'; radius: number; from: number; to: number }
  | { kind: 'joint'; name: string; type: string; position: number; axis: number | null };

export type ArrowKind = 'applied' | 'ideal' | 'nonideal' | 'reaction' | 'other';

export interface Arrow {
  kind: ArrowKind;
  name: string;
  at: number;
  vector: number;
}

/** A contact, or friction without one. */
export interface Touch {
  kind: 'contact' | 'friction';
  name: string;
  /** A number a frame: 0 open, 1 closed without friction, 2 sticks, 3 slides; 4 more where other forces would do as well. */
  state: number;
  /** Three a frame: the normal force, the size of the friction, and what that is at most. */
  forces: number;
  /** Where it is, three numbers a frame; null where nobody knows. */
  at: number | null;
  /** Both forces as vectors, where the place is known. */
  normal?: number;
  friction?: number;
}

export interface Scene {
  frames: number;
  times: number;
  center: [number, number, number];
  radius: number;
  /** Half the size of what is drawn at one time. */
  scale: number;
  up: 'y' | 'z' | '-y' | '-z';
  ground: number | null;
  objects: SceneObject[];
  arrows: Arrow[];
  largest_force: number;
  touches?: Touch[];
  /** What the animation cannot show faithfully; empty where it can. */
  note: string;
}

export interface Table {
  columns: Column[];
  index: number;
  rows: number;
  total: number;
  thinned: number;
}

/** What happened at an instant: events, impacts, contacts that close and open, friction that sticks and slips. */
export interface InstantMark {
  t: number;
  name: string;
  kind: 'event' | 'impact' | 'close' | 'open' | 'stick' | 'slip' | 'stop';
}

/** A mode of a linearisation; table and scene are there where something can be seen to move. */
export interface ModeEntry {
  eigenvalue: [number, number];
  frequency: number | null;
  damping: number | null;
  condition: number | null;
  about: string;
  duration?: number;
  table?: Table;
  scene: Scene | null;
}

export interface BranchPoint {
  kind: string;
  words: string;
  unstable: number;
  eigenvalues: [number, number][];
}

/** A branch of equilibria: its points are the rows of the table, whose first column is the parameter. */
export interface Branch {
  along: string;
  complete: boolean;
  reason: string;
  points: BranchPoint[];
}

export interface PageDocument {
  format: 1;
  program: string;
  headline: string;
  model: {
    name: string;
    description: string;
    file: string;
    text: string;
    coordinates: string[];
    parameters: { name: string; value: number | null; written: string }[];
    initial: { name: string; value: number | null }[];
    constraints: { name: string; level: 'position' | 'velocity' | 'acceleration' }[];
  };
  simulation: { duration: number; samples: number; method: string; integrator: string; rtol: number; atol: number; max_step: number | null };
  summary: Record<string, unknown> | null;
  table: Table;
  instants: InstantMark[];
  scene: Scene | null;
  drawing_hint: string;
  equations: { method: string; html: string; note: string };
  /** Of a linearisation: then `table` and `scene` are those of the modes. */
  modes?: ModeEntry[];
  notes?: string[];
  branch?: Branch;
}

/** How a page that is served reaches the program. */
export interface Live {
  file: string;
  text: string;
  can_save: boolean;
}

/** One motion: the document and its numbers. */
export class Motion {
  private readonly places: Map<string, number>;

  constructor(readonly document: PageDocument, readonly values: Float64Array) {
    this.places = new Map(document.table.columns.map((column, c) => [column.name, c]));
  }

  get columns(): Column[] {
    return this.document.table.columns;
  }

  /** The values of a column, one a row; a view, not a copy. Throws where there is none. */
  column(name: string): Float64Array {
    const { index, rows } = this.document.table;
    const c = this.places.get(name);
    if (c === undefined) throw new Error(`no column ${name}`);
    return this.values.subarray(index + c * rows, index + (c + 1) * rows);
  }

  has(name: string): boolean {
    return this.places.has(name);
  }

  get times(): Float64Array {
    return this.column('t');
  }

  /** The end of what has been computed. */
  get end(): number {
    const t = this.times;
    return t.length > 0 ? t[t.length - 1]! : 0;
  }
}

/** Doubles from base64, little-endian as they come. */
export function decodeValues(text: string): Float64Array {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length - (binary.length % 8));
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  return new Float64Array(bytes.buffer);
}

function textOf(id: string): string | null {
  return document.getElementById(id)?.textContent ?? null;
}

/** What the page says of its motion; null in a page that is served. */
export function readDocument(): PageDocument | null {
  const text = textOf('dalembert-document');
  return text === null ? null : (JSON.parse(text) as PageDocument);
}

/** The numbers that stand in the page. */
export function readValues(): Float64Array {
  return decodeValues(textOf('dalembert-values') ?? '');
}

export function readLive(): Live | null {
  const text = textOf('dalembert-live');
  return text === null ? null : (JSON.parse(text) as Live);
}
