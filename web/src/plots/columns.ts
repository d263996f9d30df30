// What can be plotted: the columns of the table by group, and those that the page adds.
import type { Group, Motion } from '../document';

/** The sign convention, shown wherever forces are. */
export const convention = "M q'' = Q + Q_ideal + Q_nonideal";

/** Row by row the largest absolute value of all residuals, where these are too many for one plot. */
export const largestResidual = 'max |constraint.*|';

/** How many series a plot starts with. */
export const few = 6;

const labels: Record<Exclude<Group, 'time'>, string> = {
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
};

const forces: ReadonlySet<Group> = new Set<Group>(['ideal', 'nonideal', 'multiplier', 'reaction']);

export interface ColumnGroup {
  group: Group;
  label: string;
  names: string[];
}

/** The columns of one motion, with those that follow from them. */
export class PlotTable {
  readonly times: Float64Array;
  readonly groups: ColumnGroup[];
  private readonly groupOf = new Map<string, Group>();
  private largest: Float64Array | null = null;
  private gaps: Float64Array | null = null;

  constructor(readonly motion: Motion) {
    this.times = motion.times;
    const byGroup = new Map<Group, string[]>();
    for (const { name, group } of motion.columns) {
      if (group === 'time') continue;
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
    this.groups = (Object.keys(labels) as Exclude<Group, 'time'>[])
      .filter((group) => byGroup.has(group))
      .map((group) => ({ group, label: labels[group], names: byGroup.get(group)! }));
  }

  has(name: string): boolean {
    return this.groupOf.has(name);
  }

  /** One value a row; all nan where there is no such column. */
  column(name: string): Float64Array {
    if (this.motion.has(name)) return this.motion.column(name);
    if (name === largestResidual && this.has(name)) return (this.largest ??= this.calcLargest());
    return this.nothing;
  }

  /** A column of gaps. */
  get nothing(): Float64Array {
    return (this.gaps ??= new Float64Array(this.times.length).fill(NaN));
  }

  names(group: Group): string[] {
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
