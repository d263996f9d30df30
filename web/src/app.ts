// The page: its layout, and how a motion reaches all parts of it.
import { Appearance } from './appearance';
import { Clock } from './clock';
import { afterPaint, make, makeButton } from './dom';
import { Motion, type Live, type PageDocument } from './document';
import { Keyboard } from './keyboard';
import { BranchView } from './linear/branch';
import { ModesPanel, motionOf } from './linear/modes';
import type { Engine } from './live/engine';
import { LivePanel } from './live/panel';
import { EquationsPanel } from './panels/equations';
import { remarksOf } from './panels/findings';
import { ModelPanel } from './panels/model';
import { SummaryPanel } from './panels/summary';
import { Tabs } from './panels/tabs';
import { Player } from './player';
import { Board } from './plots/board';
import { SceneView } from './scene/view';
import type { Theme } from './theme';

export class App {
  private readonly clock = new Clock();
  private readonly appearance = new Appearance((theme) => this.setTheme(theme));
  private readonly board: Board;
  private readonly equations = new EquationsPanel();
  private readonly model = new ModelPanel();
  private readonly summary = new SummaryPanel();
  private readonly tabs = new Tabs([this.summary, this.equations, this.model], 'About the motion');
  private readonly keyboard: Keyboard;
  private readonly name = make('h1');
  private readonly headline = make('p', { class: 'headline' });
  private readonly description = make('p', { class: 'description' });
  private readonly remarks = make('div', { class: 'remarks', role: 'status' });
  private readonly view = make('div', { class: 'scene' });
  private readonly sceneNote = make('p', { class: 'scene-note', hidden: true });
  private readonly hint = make('div', { class: 'drawing-hint', hidden: true });
  private readonly workspace: HTMLElement;
  private motion: Motion | null = null;
  private readonly player: Player;
  private scene: SceneView | null = null;
  private sceneAwaited = false;
  private begun = false;
  private branch: BranchView | null = null;
  private other: Motion | null = null;

  /** `engine`: who computes, in a live page. */
  constructor(root: HTMLElement, live: Live | null, engine: Engine | null) {
    this.board = new Board(this.clock, this.appearance.theme, (other) => this.setOther(other), live !== null);
    this.keyboard = new Keyboard({
      clock: this.clock,
      times: () => this.motion?.times ?? [],
      zoomBy: (factor) => this.board.zoomBy(factor),
      resetZoom: () => this.board.zoom(null),
    });
    const bar = make('div', { class: 'bar' });
    this.player = new Player(bar, this.clock);
    const stage = make('section', { class: 'stage', 'aria-label': 'Animation' }, this.view, this.sceneNote, this.hint, bar);
    this.workspace = make('main', { class: 'workspace' }, stage, this.board.element);
    root.classList.toggle('is-live', live !== null);
    root.replaceChildren(this.makeHeader(), this.remarks, this.workspace, this.tabs.element, this.keyboard.help);
    this.tabs.element.hidden = true;
    if (live !== null && engine !== null) {
      this.name.textContent = live.file;
      const controls = make('section', { class: 'controls', 'aria-label': 'Parameters and model' });
      this.workspace.insertBefore(controls, this.board.element);
      new LivePanel(controls, live, engine, (motion, partial) => this.setMotion(motion, partial));
    }
  }

  /** What is known before the numbers are read. */
  announce(page: PageDocument): void {
    const { name, description } = page.model;
    document.title = name;
    this.name.textContent = name;
    this.headline.textContent = page.headline.startsWith(`${name} · `) ? page.headline.slice(name.length + 3) : page.headline;
    this.description.textContent = description;
    this.description.hidden = description === '';
    this.showHint(page);
    const drawn = (page.scene ?? null) !== null;
    this.view.hidden = !drawn;
    this.sceneNote.textContent = page.scene?.note ?? '';
    this.sceneNote.hidden = this.sceneNote.textContent === '';
    this.workspace.classList.toggle('no-scene', !drawn);
    this.showRemarks(page);
    this.tabs.element.hidden = false;
    // There is no run of which to tell.
    if (page.modes !== undefined || page.branch !== undefined) this.tabs.keep('model');
    for (const panel of [this.summary, this.equations, this.model]) panel.setDocument(page);
    this.tabs.refresh();
  }

  /** Shows what stands in the page: a motion, the modes of a linearisation, or a branch. */
  setPage(page: PageDocument, values: Float64Array): void {
    if (page.branch !== undefined) {
      this.branch = new BranchView(page, page.branch, values, this.appearance.theme);
      this.workspace.replaceWith(this.branch.element);
      return;
    }
    if (page.modes === undefined) {
      this.setMotion(new Motion(page, values));
      return;
    }
    const panel = new ModesPanel(page, page.modes, (mode) => this.setMotion(motionOf(page, mode, values)));
    this.board.element.prepend(panel.element);
    panel.begin();
  }

  /** Shows a motion in place of the one before. `partial`: it is on its way. */
  setMotion(motion: Motion, partial = false): void {
    this.motion = motion;
    this.announce(motion.document);
    // While the motion comes in, the time that is looked at stays, though it may not be there yet.
    this.clock.set({ end: partial ? Math.max(motion.end, this.clock.time) : motion.end });
    this.player.setDuration(partial ? Math.max(motion.document.simulation.duration, motion.end) : motion.end);
    this.player.setMarks(motion.document.instants, this.clock.end);
    this.board.setMotion(motion, partial);
    if (!partial) this.begin(motion);
    if (motion.document.scene === null) return;
    if (this.scene !== null) this.scene.setMotion(motion);
    else this.awaitScene();
  }

  /** The first motion plays by itself, if there is something to watch and nobody has asked for less movement. */
  private begin({ document: { scene } }: Motion): void {
    if (this.begun) return;
    this.begun = true;
    if (scene === null || window.matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    afterPaint(() => this.clock.play());
  }

  /** The animation comes when everything else is on the screen. */
  private awaitScene(): void {
    if (this.sceneAwaited) return;
    this.sceneAwaited = true;
    afterPaint(() => {
      this.scene = new SceneView(this.view, this.clock, this.appearance.theme);
      if (this.motion?.document.scene) this.scene.setMotion(this.motion);
      if (this.other !== null) this.scene.setOther(this.other);
    });
  }

  /** Says how to add a drawing where there is none: a sentence, then what to write into the model file. */
  private showHint({ scene, drawing_hint: hint }: PageDocument): void {
    this.hint.hidden = (scene ?? null) !== null || hint === '';
    const [sentence = '', ...example] = hint.split('\n\n');
    this.hint.replaceChildren(make('p', {}, sentence));
    if (example.length > 0) this.hint.append(make('pre', {}, example.join('\n\n')));
  }

  private setOther(other: Motion | null): void {
    this.other = other;
    this.scene?.setOther(other);
  }

  private setTheme(theme: Theme): void {
    this.board.setTheme(theme);
    this.scene?.setTheme(theme);
    this.branch?.setTheme(theme);
  }

  private makeHeader(): HTMLElement {
    const help = makeButton('?', 'Keys and pointer', () => this.keyboard.showHelp());
    return make('header', {}, make('div', { class: 'titles' }, this.name, this.headline, this.description),
      make('div', { class: 'tools' }, this.appearance.element, help));
  }

  /** Failures stand above everything; other remarks are counted, and wait in the summary. */
  private showRemarks({ summary }: PageDocument): void {
    const remarks = summary === null ? [] : remarksOf(summary);
    const shown = remarks.filter(({ level, text }) => level === 'failure' || text === summary?.note);
    this.remarks.replaceChildren(...shown.map(({ level, text }) => make('p', { class: `remark ${level}` }, text)));
    this.tabs.setLabel('summary', remarks.length === 0 ? 'Summary' : `Summary (${remarks.length})`);
  }
}
