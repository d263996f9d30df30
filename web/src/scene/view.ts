// The animation: a motion drawn in three dimensions at the time of the clock, with its buttons.
import './scene.css';
import type { Clock } from '../clock';
import type { Motion } from '../document';
import { download, fileName } from '../exports/download';
import type { Theme } from '../theme';
import type { ViewName } from './camera';
import { recordCanvas } from './save';
import { isTravelling } from './measure';
import { Stage } from './stage';
import { Toolbar, type Options } from './toolbar';

const noWebGL = 'The animation needs WebGL, which this browser does not offer here. Everything else on this page works without it.';
const lost = 'The graphics card has dropped the picture. It comes back as soon as the browser allows.';

export class SceneView {
  private readonly root = document.createElement('div');
  private readonly stageElement = document.createElement('div');
  private readonly message = document.createElement('p');
  private readonly toolbar: Toolbar;
  private readonly stage: Stage | null;
  private readonly options: Options = {
    shown: { applied: true, ideal: true, nonideal: true, reaction: false, other: true },
    chosen: new Set(), scale: 1, trails: true, span: 0.4, names: false, touches: true, follow: '', numbers: '', orthographic: false,
  };
  private motion: Motion | null = null;
  private recording: AbortController | null = null;

  constructor(container: HTMLElement, private readonly clock: Clock, theme: Theme) {
    this.root.className = 'scene-view';
    this.stageElement.className = 'scene-stage';
    this.message.className = 'scene-notice';
    this.message.setAttribute('role', 'alert');
    this.message.hidden = true;
    this.toolbar = new Toolbar(this.options, {
      changed: () => this.stage?.setOptions(this.options),
      view: (name: ViewName) => {
        this.options.follow = '';
        this.refresh();
        this.stage?.view(name);
      },
      still: () => void this.saveStill(),
      record: () => void this.saveVideo(),
      cancel: () => this.recording?.abort(),
    });
    this.root.append(this.toolbar.element, this.stageElement);
    container.append(this.root);
    this.stage = this.makeStage(theme);
    this.stageElement.append(this.message);
    this.setTheme(theme);
  }

  /** Shows this motion from now on; camera and choices stay. A motion without a scene shows nothing. */
  setMotion(motion: Motion): void {
    this.recording?.abort();
    const first = this.motion === null;
    this.motion = motion;
    this.stage?.setMotion(motion);
    const { scene } = motion.document;
    if (first && scene !== null && isTravelling(scene)) this.options.follow = this.stage?.followable[0] ?? '';
    this.refresh();
  }

  /** Another motion beside this one; null: none. */
  setOther(other: Motion | null): void {
    this.stage?.setOther(other);
  }

  setTheme(theme: Theme): void {
    const { style } = this.root;
    const colors = { text: theme.text, muted: theme.muted, surface: theme.surface, border: theme.grid, accent: theme.accent };
    for (const [name, value] of Object.entries(colors)) style.setProperty(`--scene-${name}`, value);
    this.toolbar.setTheme(theme);
    this.stage?.setTheme(theme);
  }

  /** The picture of now, as PNG. */
  async still(): Promise<Blob> {
    if (this.stage === null) throw new Error(noWebGL);
    return this.stage.still();
  }

  /** A video (WebM) of the whole motion, played once at the speed of the clock. */
  async record(onProgress: (fraction: number) => void, signal: AbortSignal): Promise<Blob> {
    const { clock, stage } = this;
    if (stage === null) throw new Error(noWebGL);
    const { playing, time } = clock;
    clock.pause();
    // Nothing else may move the time meanwhile.
    const hold = clock.onState(() => clock.pause());
    stage.setSteady(true);
    try {
      const show = (t: number): void => {
        clock.seek(t);
        stage.draw();
      };
      return await recordCanvas(stage.canvas, clock.end, clock.speed, show, onProgress, signal);
    } finally {
      hold();
      stage.setSteady(false);
      clock.seek(time);
      if (playing) clock.play();
    }
  }

  dispose(): void {
    this.recording?.abort();
    this.stage?.dispose();
    this.root.remove();
  }

  private makeStage(theme: Theme): Stage | null {
    try {
      const stage = new Stage(this.stageElement, this.clock, theme, (name) => {
        this.options.numbers = name;
        this.toolbar.show();
        stage.setOptions(this.options);
      });
      stage.canvas.addEventListener('webglcontextlost', (event) => {
        // Else it would not come back.
        event.preventDefault();
        stage.suspend();
        this.notice(lost);
      });
      stage.canvas.addEventListener('webglcontextrestored', () => {
        stage.resume();
        this.notice('');
      });
      return stage;
    } catch {
      this.stageElement.replaceChildren();
      this.toolbar.element.hidden = true;
      this.notice(noWebGL);
      return null;
    }
  }

  private notice(text: string): void {
    this.message.textContent = text;
    this.message.hidden = text === '';
  }

  private refresh(): void {
    if (this.stage === null) return;
    this.toolbar.setChoices(this.stage.arrowKinds, this.stage.followable, this.stage.hasTrails, this.stage.hasTouches);
    this.stage.setOptions(this.options);
  }

  private async saveStill(): Promise<void> {
    this.toolbar.say('');
    try {
      download(await this.still(), this.fileName('png'));
    } catch (error) {
      this.toolbar.say(error instanceof Error ? error.message : String(error));
    }
  }

  private async saveVideo(): Promise<void> {
    const recording = new AbortController();
    this.recording = recording;
    this.toolbar.say('');
    this.toolbar.setProgress(0);
    try {
      const video = await this.record((fraction) => this.toolbar.setProgress(fraction), recording.signal);
      download(video, this.fileName('webm'));
    } catch (error) {
      if (!recording.signal.aborted) this.toolbar.say(error instanceof Error ? error.message : String(error));
    } finally {
      this.recording = null;
      this.toolbar.setProgress(null);
    }
  }

  private fileName(ending: string): string {
    return `${fileName(this.motion?.document.model.name ?? '')}.${ending}`;
  }
}
