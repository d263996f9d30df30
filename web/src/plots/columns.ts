// What can be plotted: the columns of the table by group, and those that the page adds.
import type { Group, Motion } from '../document';
import { evaluate, ExpressionError } from './expression';

/** The sign convention, shown wherever forces are. */
export const convention = "M q'' = Q + Q_ideal + Q_nonideal";

/** Row by row the largest absolute value of all residuals, where these are too many for one plot. */
export const largestResidual = 'max |constraint.*|';

/** How many series a plot starts with. */
export const few = 6;

type Plotted = Exclude<Group, 'time' | 'parameter'> | 'expression';

const labels: Record<Plotted, string> = {
  position: 'Coordinates',
  velocity: 'Velocities',
  acceleration: 'Accelerations',
  ideal: 'Ideal constraint forces, Q_ideal',
  nonideal: 'Non-ideal constraint forces, Q_nonideal',
  multiplier: 'Multipliers',
  reaction: 'Reactions of joints',
  residual: 'Constraint residuals',
  balance: 'Energy–work balance',
  energy: 'Energies',
  work: 'Work since the start',
  output: 'Outputs of the model',
  expression: 'Expressions',
};

const forces: ReadonlySet<Plotted> = new Set<Plotted>(['ideal', 'nonideal', 'multiplier', 'reaction']);

/** Why what takes several values of a row is refused. */
export const needsRows = 'this page has the extremes of stretches of rows and not the rows, so that values of two columns do not belong together; a run with fewer samples has them';

export interface ColumnGroup {
  group: Plotted;
  label: string;
  names: string[];
}

/** The columns of one motion, with those that follow from them. */
export class PlotTable {
  readonly times: Float64Array;
  readonly groups: ColumnGroup[];
  private readonly groupOf = new Map<string, Plotted>();
  private readonly computed = new Map<string, Float64Array>();
  private largest: Float64Array | null = null;
  private gaps: Float64Array | null = null;

  /** `expressions`: what the reader has typed; those that this motion does not know are left out. */
  constructor(readonly motion: Motion, expressions: Iterable<string> = []) {
    this.times = motion.times;
    const byGroup = new Map<Plotted, string[]>();
    for (const { name, group } of motion.columns) {
      if (group === 'time' || group === 'parameter') continue;
      this.groupOf.set(name, group);
      const names = byGroup.get(group);
      if (names) names.push(name);
      else byGroup.set(group, [name]);
    }
    const residuals = byGroup.get('residual') ?? [];
    if (residuals.length > few && !motion.has(largestResidual)) {
      this.groupOf.set(largestResidual, 'residual');
      byGroup.set('residual', [largestResidual, ...residuals]);
    }
    this.groups = (Object.keys(labels) as Plotted[])
      .filter((group) => byGroup.has(group))
      .map((group) => ({ group, label: labels[group], names: byGroup.get(group)! }));
    for (const text of expressions) this.add(text);
  }

  /** Makes a column of an expression. What is wrong with it, if something is. */
  add(text: string): string | null {
    if (this.has(text)) return null;
    if (!this.hasRows) return needsRows;
    const parameters = new Map(this.motion.document.model.parameters.map(({ name, value }) => [name, value ?? NaN]));
    try {
      this.computed.set(text, evaluate(text, this.times.length, (name) =>
        (this.motion.has(name) || this.has(name) ? this.column(name) : parameters.get(name) ?? null)));
    } catch (error) {
      if (error instanceof ExpressionError) return error.message;
      throw error;
    }
    this.groupOf.set(text, 'expression');
    const group = this.groups.find((entry) => entry.group === 'expression');
    if (group) group.names.push(text);
    else this.groups.push({ group: 'expression', label: labels.expression, names: [text] });
    return null;
  }

  has(name: string): boolean {
    return this.groupOf.has(name);
  }

  /** Whether the values of a row belong together: not where rows are the extremes of stretches, column by column. */
  get hasRows(): boolean {
    return this.motion.document.table.thinned === 0;
  }

  /** One value a row; all nan where there is no such column. */
  column(name: string): Float64Array {
    if (this.motion.has(name)) return this.motion.column(name);
    const computed = this.computed.get(name);
    if (computed !== undefined) return computed;
    if (name === largestResidual && this.has(name)) return (this.largest ??= this.calcLargest());
    return this.nothing;
  }

  /** A column of gaps. */
  get nothing(): Float64Array {
    return (this.gaps ??= new Float64Array(this.times.length).fill(NaN));
  }

  names(group: Plotted): string[] {
    return this.groups.find((entry) => entry.group === group)?.names ?? [];
  }

  /** Whether a reader must know the sign convention to read these. */
  areForces(names: string[]): boolean {
    return names.some((name) => forces.has(this.groupOf.get(name) ?? 'output'));
  }

  private calcLargest(): Float64Array {
    const result = new Float64Array(this.times.length);
    for (const { name, group } of this.motion.columns) {
      if (group !== 'residual') continue;
      const values = this.motion.column(name);
      for (let row = 0; row < result.length; ++row) {
        const size = Math.abs(values[row]!);
        // A residual that is no number must be seen, whatever the others are.
        if (size > result[row]! || Number.isNaN(size)) result[row] = size;
      }
    }
    return result;
  }
}

export type PlotKind = 'coordinates' | 'residuals' | 'balance' | 'chosen';

/** What a plot shows. All kinds but `chosen` take their columns from the motion that is there. */
export interface PlotSpec {
  kind: PlotKind;
  columns: string[];
  log: boolean;
  /** What they are plotted over, a column or expression; absent: time. */
  over?: string;
}

/** The columns that a plot of this kind starts with. */
export function startingColumns(kind: PlotKind, table: PlotTable): string[] {
  switch (kind) {
    case 'coordinates':
      return table.names('position').slice(0, few);
    case 'residuals':
      return table.has(largestResidual) ? [largestResidual] : table.names('residual');
    case 'balance':
      return table.names('balance');
    case 'chosen':
      return [];
  }
}

/** Title of a plot that shows `columns`. */
export function titleOf(spec: PlotSpec): string {
  const title = titleOverTime(spec);
  return spec.over === undefined ? title : `${title} over ${spec.over}`;
}

function titleOverTime(spec: PlotSpec): string {
  switch (spec.kind) {
    case 'coordinates':
      return 'Coordinates';
    case 'residuals':
      return 'Constraint residuals';
    case 'balance':
      return 'Energy–work balance, relative';
    case 'chosen':
      if (spec.columns.length === 0) return 'No columns chosen';
      return spec.columns.slice(0, 3).join(', ') + (spec.columns.length > 3 ? `, and ${spec.columns.length - 3} more` : '');
  }
}

/** The names that contain every word of `query`, in any case. */
export function search(names: string[], query: string): string[] {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return names;
  return names.filter((name) => {
    const text = name.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
