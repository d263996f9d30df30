// What happened at instants, as marks: on the slider of the time and on the plots.
import type { InstantMark } from './document';
import type { Theme } from './theme';

/** Contacts that bounce, open and close; what sticks and slips; events of the model. */
export function markColour(theme: Theme, { kind }: InstantMark): string {
  if (kind === 'stick' || kind === 'slip') return theme.forces.nonideal;
  return kind === 'event' || kind === 'stop' ? theme.muted : theme.accent;
}

/** The class of a mark in style sheets. */
export function markClass({ kind }: InstantMark): string {
  if (kind === 'stick' || kind === 'slip') return 'friction';
  return kind === 'event' || kind === 'stop' ? 'event' : 'contact';
}

/** Of those at less than `apart` of each other and of one class the first. `marks` are in order. */
export function thinned(marks: readonly InstantMark[], apart: number): InstantMark[] {
  const last = new Map<string, number>();
  return marks.filter((mark) => {
    const key = markClass(mark);
    const before = last.get(key);
    if (before !== undefined && mark.t - before < apart) return false;
    last.set(key, mark.t);
    return true;
  });
}
