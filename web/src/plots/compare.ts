// Choosing another run to lay over this one.
import { make, makeButton } from '../dom';
import type { Motion } from '../document';
import { readRun, UnreadableError } from './other';

export class Compare {
  readonly element = make('span', { class: 'compare' });
  readonly message = make('p', { class: 'compare-note', role: 'status', hidden: true });
  private readonly field = make('input', { type: 'file', accept: '.html,.csv,text/html,text/csv', hidden: true, 'aria-label': 'Another run' });
  private readonly open = makeButton('Compare', 'Lay another run over this one: a report.html or a trajectory.csv', () => this.field.click());
  private readonly keep = makeButton('Keep', 'Keep this run to compare others with it', () => this.keepNow());
  private readonly remove = makeButton('Remove', 'Take the other run away', () => this.set(null, ''));

  /** `keep` gives the motion that is shown, in a page in which others follow; null in others. */
  constructor(private readonly now: (() => Motion | null) | null, private readonly onOther: (other: Motion | null) => void) {
    this.field.addEventListener('change', () => void this.read());
    this.keep.hidden = now === null;
    this.remove.hidden = true;
    this.element.append(this.open, this.keep, this.remove, this.field);
  }

  private keepNow(): void {
    const motion = this.now?.() ?? null;
    if (motion !== null) this.set(motion, 'the run that was kept');
  }

  private async read(): Promise<void> {
    const file = this.field.files?.[0];
    if (file === undefined) return;
    this.field.value = '';
    try {
      this.set(readRun(await file.text(), file.name), file.name);
    } catch (error) {
      this.say(error instanceof UnreadableError ? error.message : String(error));
    }
  }

  private set(other: Motion | null, name: string): void {
    this.remove.hidden = other === null;
    if (other === null) this.open.focus();
    this.say(other === null ? '' : `Dotted, in second place and pale: ${name}${other.document.scene ? '' : ', without an animation'}`);
    this.onOther(other);
  }

  private say(text: string): void {
    this.message.textContent = text;
    this.message.hidden = text === '';
  }
}
