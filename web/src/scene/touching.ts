// What contacts and frictions do at a moment, as numbers and in words.
import type { Touch } from '../document';
import { formatNumber } from '../format';
import type { Moment } from './frames';

/** Names of the states, by number. */
export const stateNames = ['open', 'closed', 'sticks', 'slides'] as const;

export interface TouchNow {
  /** 0 to 3, as `stateNames`; null where it was not recorded. */
  state: number | null;
  /** Whether no other forces make the same motion. */
  unique: boolean;
  /** Up to where forces may be taken between two frames: 0 where the state changes on the way. */
  part: number;
}

/** The state holds from its frame to the next. */
export function touchAt(values: Float64Array, frames: number, touch: Touch, { frame, part }: Moment, out: TouchNow): void {
  const here = values[touch.state + frame]!;
  const known = here >= 0 && here < 8;
  out.state = known ? here % 4 : null;
  out.unique = here < 4;
  out.part = frame + 1 < frames && values[touch.state + frame + 1]! % 4 === out.state ? part : 0;
}

/** "sticks · N 18.4 · friction 6.7 of 9.2". */
export function describeTouch(values: Float64Array, touch: Touch, { frame }: Moment, now: TouchNow): string {
  if (now.state === null) return 'not known';
  const words: string[] = [stateNames[now.state]!];
  if (now.state > 0) {
    const force = (i: number): string => {
      const at = touch.forces + 3 * frame + i;
      const a = values[at]!;
      return formatNumber(now.part > 0 ? a + now.part * (values[at + 3]! - a) : a, 3);
    };
    if (touch.kind === 'contact') words.push(`N ${force(0)}`);
    if (now.state > 1) words.push(`friction ${force(1)}${now.state === 2 ? ` of ${force(2)}` : ''}`);
    if (!now.unique) words.push('one of many shares');
  }
  return words.join(' · ');
}
