// What a summary says, in sentences and rows for people.
import { count, formatNumber } from '../format';

export interface Remark {
  /** `failure`: the motion is not what was asked for. `warning`: read the numbers with this in mind. */
  level: 'failure' | 'warning';
  text: string;
}

export interface Finding {
  label: string;
  value: string;
  /** What the number means, in a few words. */
  about: string;
}

type Json = Record<string, unknown>;

const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const words = (value: unknown): string[] => (Array.isArray(value) ? value.map(text) : []);
const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const object = (value: unknown): Json | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
const short = (value: unknown): string => formatNumber(number(value), 4);

/** All that a reader must know before trusting the motion. */
export function remarksOf(summary: Json): Remark[] {
  const remarks: Remark[] = [];
  const warn = (sentence: string): void => void remarks.push({ level: 'warning', text: sentence });
  if (summary.complete === false) {
    const reason = text(summary.reason);
    remarks.push({ level: 'failure', text: `The motion stopped at t = ${short(summary.t)}${reason === '' ? '.' : `: ${reason}`}` });
  }
  if (text(summary.note) !== '') warn(text(summary.note));
  if (summary.adjusted === true) {
    const moved = list(summary.largest_changes).map((change) => `${text(change.name)} from ${short(change.from)} to ${short(change.to)}`);
    warn(`The initial state was moved onto the constraints${moved.length > 0 ? `, most of all ${moved.join(' and ')}` : ''}.`);
  }
  const changes = number(summary.rank_change_count) ?? 0;
  if (changes > 0) warn(`The rank of the constraints changed ${times(changes)}: ${first(list(summary.rank_changes), changes, changeOfRank)}.`);
  const passages = number(summary.passage_count) ?? 0;
  if (passages > 0) {
    warn(`Singular configurations were passed ${times(passages)}: ${first(list(summary.passages), passages, (p) => `rank ${short(p.rank_there)} of ${short(p.rank)} at t = ${short(p.t)}`)}.`);
  }
  const switches = number(summary.coordinate_switch_count) ?? 0;
  if (switches > 0) {
    warn(`The formulation changed its variables ${times(switches)}: ${first(list(summary.coordinate_switches), switches, (s) => `${text(s.what)} at t = ${short(s.t)}`)}.`);
  }
  const stiff = object(summary.stiff);
  if (stiff !== null) warn(`The system is stiff from t = ${short(stiff.t)} on: the integrator bdf may need far fewer steps.`);
  const gimbal = object(summary.gimbal);
  if (gimbal !== null) {
    warn(`The angles of ${text(gimbal.body)} (${text(gimbal.axes)}) come near their singular position at t = ${short(gimbal.t)}: other axes or a quaternion avoid it.`);
  }
  const shared = list(summary.reactions).filter((reaction) => reaction.unique === false).map((reaction) => text(reaction.joint));
  if (shared.length > 0) {
    warn(`Redundant constraints leave the reactions of ${shared.join(', ')} undetermined; those of minimum norm are shown.`);
  }
  for (const reaction of list(summary.reactions)) {
    const unknown = words(reaction.unknown);
    if (unknown.length > 0) warn(`Not known of the reaction of ${text(reaction.joint)}: ${unknown.join(', ')}; ${text(reaction.unknown_reason)}.`);
  }
  for (const note of words(summary.reaction_notes)) warn(`Of reactions: ${note}.`);
  if (number(summary.friction_not_assured) !== null) {
    warn(`From t = ${short(summary.friction_not_assured)} on it is not proven that the normal forces of the joints with friction are the only ones.`);
  }
  const broken = list(summary.not_finite);
  if (broken.length > 0) {
    warn(`Not finite numbers: ${broken.map((output) => `${text(output.output)} from t = ${short(output.t)} on`).join(', ')}.`);
  }
  return remarks;
}

/** What matters of the numbers. */
export function findingsOf(summary: Json): Finding[] {
  const work = object(summary.work) ?? {};
  const findings: Finding[] = [
    { label: 'Complete', value: summary.complete === true ? 'yes' : 'no', about: `to t = ${short(summary.t)} of ${short(summary.duration)}` },
    { label: 'Method', value: text(summary.method), about: text(summary.convention) },
    { label: 'Integrator', value: text(summary.integrator), about: `rtol ${short(summary.rtol)}, atol ${short(summary.atol)}` },
    { label: 'Steps', value: short(summary.steps), about: `${short(summary.rejected)} rejected, ${short(summary.evaluations)} evaluations, ${short(summary.seconds)} s of computing` },
    { label: 'Rank of the constraints', value: short(summary.rank), about: `at the end; tolerance ${short(summary.rank_tolerance)}` },
    { label: 'Largest residual', value: short(summary.largest_residual), about: 'of the constraints, scaled, after projection' },
    { label: 'Largest drift', value: short(summary.largest_drift), about: 'the same before projection' },
    { label: 'Energy–work balance', value: short(summary.balance_error), about: `largest error, relative to ${short(summary.energy_scale)}` },
    { label: 'Work of applied forces', value: short(work.applied), about: 'those that are not in the potential' },
    { label: 'Work of Q_ideal', value: short(work.ideal), about: 'ideal constraint forces; not zero where constraints move' },
    { label: 'Work of Q_nonideal', value: short(work.nonideal), about: 'non-ideal constraint forces' },
  ];
  if ((number(work.other) ?? 0) !== 0) {
    findings.push({ label: 'Other work', value: short(work.other), about: 'of energies or masses that depend on time' });
  }
  return findings;
}

function times(n: number): string {
  return n === 1 ? 'once' : count(n, 'time');
}

function changeOfRank(change: Json): string {
  return `from ${short(change.from)} to ${short(change.to)} at t = ${short(change.t)}`;
}

/** The first few of `total` entries, of which not all need be in the list. */
function first(entries: Json[], total: number, describe: (entry: Json) => string): string {
  const few = entries.slice(0, 3);
  const rest = total - few.length;
  return few.map(describe).join(', ') + (rest > 0 ? `, and ${rest} more` : '');
}
