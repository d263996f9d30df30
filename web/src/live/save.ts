// Keeping the model text: in its file where there is one, else as a download.
import { make, makeButton } from '../dom';
import type { Live } from '../document';

type Write = (text: string, replace: boolean) => Promise<{ saved: boolean; changed: boolean; message: string }>;

export class SaveBar {
  readonly element: HTMLElement;
  private readonly mark = make('span', { class: 'live-unsaved', hidden: true }, 'not saved');
  private readonly note = make('span', { class: 'live-note', role: 'status' });
  private readonly button: HTMLButtonElement;
  private readonly replace: HTMLButtonElement;
  private saved: string;
  private readonly windows: boolean;

  constructor(private readonly live: Live, private readonly text: () => string, private readonly write: Write) {
    this.windows = live.text.includes('\r\n');
    this.saved = live.text.replace(/\r\n?/g, '\n'); // as a text field has it
    this.button = live.can_save
      ? makeButton('Save', `Save to ${live.file} (Ctrl+S)`, () => void this.save(false))
      : makeButton('Download', 'Download the model text as a file', () => this.download());
    this.replace = makeButton('Replace it', 'Overwrite the changes of the other program', () => void this.save(true));
    this.replace.hidden = true;
    this.element = make('span', { class: 'live-save' }, make('code', { class: 'file-name' }, live.file), this.mark,
      this.button, this.replace, this.note);
    window.addEventListener('beforeunload', (event) => {
      if (this.hasChanges) event.preventDefault();
    });
    this.update();
  }

  get hasChanges(): boolean {
    return this.text() !== this.saved;
  }

  /** After each change of the text. */
  update(): void {
    this.mark.hidden = !this.hasChanges;
    this.button.disabled = this.live.can_save && !this.hasChanges;
    if (this.hasChanges) this.note.textContent = '';
  }

  async save(replace: boolean): Promise<void> {
    if (!this.live.can_save) {
      this.note.textContent = 'This model comes with the program: download it to keep your changes.';
      return;
    }
    if (!this.hasChanges) return;
    const text = this.text();
    const { saved, changed, message } = await this.write(this.ended(text), replace);
    if (saved) this.saved = text;
    this.update();
    this.replace.hidden = !changed;
    this.note.textContent = saved ? 'Saved.' : message;
  }

  /** With the line ends of the file. */
  private ended(text: string): string {
    return this.windows ? text.replaceAll('\n', '\r\n') : text;
  }

  private download(): void {
    const address = URL.createObjectURL(new Blob([this.ended(this.text())], { type: 'application/toml' }));
    const file = this.live.file.endsWith('.toml') ? this.live.file : `${this.live.file}.toml`;
    const link = make('a', { href: address, download: file });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
    this.saved = this.text();
    this.update();
  }
}
