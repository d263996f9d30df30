// What drives a served page: values to move, the model text to edit, and the program behind them.
import './live.css';
import { make, makeButton } from '../dom';
import type { Live, Motion, PageDocument } from '../document';
import { Client } from './client';
import { Controls } from './controls';
import { Editor } from './editor';
import type { Diagnostic, Engine, EngineError, Order, Progress } from './engine';
import { shown } from './range';
import { SaveBar } from './save';

const typingPause = 600;
/** Work that is done sooner is not announced. */
const announceAfter = 300;

export class LivePanel {
  private readonly client: Client;
  private readonly controls = new Controls(() => this.run());
  private readonly editor: Editor;
  private readonly save: SaveBar;
  private readonly banner = make('div', { class: 'live-banner', role: 'alert', hidden: true });
  private readonly problems = make('div', { class: 'live-problems', id: 'live-problems', role: 'status' });
  private readonly status = make('span', { class: 'live-status', role: 'status' });
  private readonly bar = make('progress', { max: 1, 'aria-label': 'Simulated time' });
  private readonly cancel: HTMLButtonElement;
  private readonly work: HTMLElement;
  private readonly modelSection: HTMLDetailsElement;
  private typing: ReturnType<typeof setTimeout> | undefined;
  private announcing: ReturnType<typeof setTimeout> | undefined;
  private equations: { of: string; value: PageDocument['equations'] } | null = null;
  private hasMotion = false;

  constructor(
    container: HTMLElement,
    private readonly live: Live,
    engine: Engine,
    private readonly show: (motion: Motion, partial: boolean) => void,
  ) {
    this.editor = new Editor(live.text, () => this.edited());
    this.client = new Client(engine, {
      started: () => this.started(),
      progress: (progress) => this.progress(progress),
      motion: (motion, partial, order) => this.showMotion(motion, partial, order),
      failed: (error, order) => this.failed(error, order),
      cancelled: () => this.cancelled(),
      gone: (isGone) => this.setGone(isGone),
    });
    this.save = new SaveBar(live, () => this.editor.text, (text, replace) => this.client.save(text, replace));
    this.cancel = makeButton('Cancel', 'Cancel the computation', () => this.client.cancel());
    this.work = make('div', { class: 'live-work', hidden: true }, this.bar, this.cancel);
    const runNow = makeButton('Run', 'Run the model text (Ctrl+Enter)', () => this.runNow());
    this.modelSection = make('details', { class: 'live-model', open: true },
      make('summary', {}, make('h2', {}, 'Model')),
      make('div', { class: 'live-tools' }, this.save.element, runNow), this.editor.element);
    container.append(this.banner,
      make('div', { class: 'live-state' }, this.status, this.work), this.problems, this.controls.element,
      this.modelSection);
    container.classList.add('live');
    document.addEventListener('keydown', (event) => this.onKey(event));
    this.run();
  }

  private onKey(event: KeyboardEvent): void {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    if (event.key === 'Enter' && this.editor.element.contains(document.activeElement)) {
      event.preventDefault();
      this.runNow();
    } else if (event.key === 's') {
      event.preventDefault();
      void this.save.save(false);
    }
  }

  private edited(): void {
    this.save.update();
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.run(), typingPause);
  }

  private runNow(): void {
    clearTimeout(this.typing);
    this.run();
  }

  private run(): void {
    const order = { text: this.editor.text, ...this.controls.order() };
    this.client.order({ ...order, equations: this.equations?.of !== equationsKey(order) });
  }

  private started(): void {
    clearTimeout(this.announcing);
    this.announcing = setTimeout(() => {
      this.bar.removeAttribute('value');
      this.status.setAttribute('aria-live', 'off'); // the bar tells; else every step would be read aloud
      this.status.textContent = 'Computing …';
      this.work.hidden = false;
    }, announceAfter);
  }

  private progress({ t, duration, seconds }: Progress): void {
    if (this.work.hidden) return;
    this.bar.value = Math.min(t / duration, 1);
    const left = t > 0 ? ` · ${shownSeconds((seconds * (duration - t)) / t)} left` : '';
    this.status.textContent = `t = ${Number(t.toPrecision(4))} of ${shown(duration)} s${left}`;
  }

  private ended(status: string): void {
    clearTimeout(this.announcing);
    this.work.hidden = true;
    this.status.setAttribute('aria-live', 'polite');
    this.status.textContent = status;
  }

  private showMotion(motion: Motion, partial: boolean, order: Order): void {
    const page = motion.document;
    if (page.equations.html !== '' || page.equations.note !== '') {
      this.equations = { of: equationsKey(order), value: page.equations };
    } else if (this.equations?.of === equationsKey(order)) {
      page.equations = this.equations.value;
    } else {
      page.equations = { ...page.equations, note: 'The equations come when the motion is complete.' };
    }
    this.hasMotion = true;
    this.setProblems([]);
    this.controls.setDocument(page);
    this.show(motion, partial);
    if (!partial) this.ended(`Up to date${timeOf(page)}`);
  }

  private failed(error: EngineError, order: Order): void {
    // Names that the text has lost: their values go with them.
    if (error.unknown !== undefined && this.controls.forget(error.unknown)) {
      this.run();
      return;
    }
    this.ended('');
    const known = error.diagnostics.length > 0 ? error.diagnostics : [plain(error.text)];
    this.setProblems(order.text === this.editor.text ? known : known.map((problem) => ({ ...problem, line: 0 })));
  }

  private cancelled(): void {
    this.ended(this.hasMotion ? 'Cancelled: the motion may end early' : 'Cancelled');
  }

  private setProblems(problems: Diagnostic[]): void {
    const stale = problems.length > 0 && this.hasMotion;
    document.body.classList.toggle('live-stale', stale);
    this.editor.setDiagnostics(problems);
    if (problems.length === 0) {
      this.problems.replaceChildren();
      return;
    }
    const items = problems.map((problem) => make('li', {}, this.makeProblem(problem),
      ...(problem.details.length > 0 ? [make('pre', {}, problem.details.join('\n'))] : [])));
    const note = stale ? [make('p', { class: 'live-note' }, 'The motion shown is that of the last model without errors.')] : [];
    this.problems.replaceChildren(make('ul', {}, ...items), ...note);
  }

  private makeProblem(problem: Diagnostic): HTMLElement {
    if (problem.line === 0) return make('span', {}, problem.message);
    const button = makeButton(`Line ${problem.line}: ${problem.message}`, `Go to line ${problem.line}: ${problem.message}`, () => {
      this.modelSection.open = true;
      this.editor.goTo(problem);
    });
    return button;
  }

  private setGone(isGone: boolean): void {
    this.banner.hidden = !isGone;
    if (!isGone) return;
    this.ended('');
    const command = make('code', {}, `dalembert view ${this.live.file}`);
    this.banner.replaceChildren(make('strong', {}, 'dalembert view has ended.'),
      ' The page shows what it had, and can compute and save nothing more. Start it again: ', command,
      ...(this.save.hasChanges ? [make('p', {}, 'The model text has changes that are not saved: copy them first.')] : []));
  }
}

function equationsKey({ text, method }: { text: string; method?: string | undefined }): string {
  return `${method ?? ''}\n${text}`;
}

function plain(message: string): Diagnostic {
  return { message: message.trim(), line: 0, column: 0, length: 0, details: [] };
}

function timeOf({ summary }: PageDocument): string {
  const seconds = summary?.['seconds'];
  return typeof seconds === 'number' ? ` · computed in ${shownSeconds(seconds)}` : '';
}

function shownSeconds(seconds: number): string {
  if (seconds < 0.001) return 'less than 1 ms';
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${Number(seconds.toPrecision(2))} s`;
}
