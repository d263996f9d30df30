// Play, pause, scrub, speed and loop: the clock in the user's hands.
import './player.css';
import type { Clock } from './clock';
import type { InstantMark } from './document';
import { markClass, thinned } from './marks';
import { fittingSpeed, formatSpeed, formatTime } from './speed';

const speeds = [0.1, 0.2, 0.5, 1, 2, 5, 10];
const steps = 1000;
const mostMarks = 250;

export class Player {
  private readonly button = document.createElement('button');
  private readonly icon = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  private readonly slider = document.createElement('input');
  private readonly track = document.createElement('div');
  private readonly marks = document.createElement('div');
  private readonly time = document.createElement('output');
  private readonly speed = document.createElement('select');
  private readonly loop = document.createElement('input');
  private readonly fitOption = new Option('', 'fit');
  private fitted = 1;
  private fittedEnd = 0;
  private duration: number | null = null;
  private spokenAt = 0;

  constructor(container: HTMLElement, private readonly clock: Clock) {
    const root = document.createElement('div');
    root.className = 'player';
    root.setAttribute('role', 'group');
    root.setAttribute('aria-label', 'Playback');
    this.makeButton();
    this.makeSlider();
    this.makeSpeed();
    this.time.className = 'player-time';
    // Told by the slider; said aloud at each frame it would be noise.
    this.time.setAttribute('aria-live', 'off');
    const loop = document.createElement('label');
    loop.className = 'player-loop';
    this.loop.type = 'checkbox';
    this.loop.addEventListener('change', () => clock.set({ loop: this.loop.checked }));
    loop.append(this.loop, 'Loop');
    this.track.className = 'player-track';
    this.marks.className = 'player-marks';
    this.marks.setAttribute('aria-hidden', 'true');
    this.track.append(this.slider, this.marks);
    root.append(this.button, this.track, this.time, this.speed, loop);
    container.append(root);
    clock.onTime(() => this.showTime());
    clock.onState(() => this.showState());
    this.showState();
  }

  /** Says how long the motion will be in the end, where the clock knows only what has been computed so far. */
  setDuration(duration: number): void {
    this.duration = duration;
    this.showState();
  }

  /** Marks along the slider, for a motion up to `end`: in order. */
  setMarks(marks: readonly InstantMark[], end: number): void {
    const shown = end > 0 ? thinned(marks, end / mostMarks) : [];
    this.marks.replaceChildren(...shown.map((mark) => {
      const line = document.createElement('span');
      line.className = markClass(mark);
      line.title = `${formatTime(mark.t, end)} s · ${mark.name}: ${mark.kind}`;
      line.style.setProperty('--at', String(Math.min(mark.t / end, 1)));
      line.addEventListener('click', () => this.clock.seek(mark.t));
      return line;
    }));
  }

  private makeButton(): void {
    this.button.type = 'button';
    this.button.className = 'player-play';
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.setAttribute('viewBox', '0 0 16 16');
    svg.setAttribute('aria-hidden', 'true');
    this.icon.setAttribute('fill', 'currentColor');
    svg.append(this.icon);
    this.button.append(svg);
    this.button.addEventListener('click', () => this.clock.toggle());
  }

  private makeSlider(): void {
    const { slider, clock } = this;
    slider.type = 'range';
    slider.className = 'player-slider';
    slider.min = '0';
    slider.max = String(steps);
    slider.step = '1';
    slider.setAttribute('aria-label', 'Time');
    slider.addEventListener('input', () => {
      clock.pause();
      clock.seek((Number(slider.value) / steps) * clock.end);
    });
  }

  private makeSpeed(): void {
    const { speed, clock } = this;
    speed.className = 'player-speed';
    speed.setAttribute('aria-label', 'Speed');
    speed.title = 'Seconds of motion per second';
    speed.append(this.fitOption, ...speeds.map((s) => new Option(formatSpeed(s), String(s))));
    speed.value = 'fit';
    speed.addEventListener('change', () => {
      clock.set({ speed: speed.value === 'fit' ? this.fitted : Number(speed.value) });
    });
  }

  private showState(): void {
    const { clock } = this;
    const end = this.duration ?? clock.end;
    if (end > 0 && end !== this.fittedEnd) {
      this.fittedEnd = end;
      this.fitted = fittingSpeed(end);
      this.fitOption.textContent = `Fit (${formatSpeed(this.fitted)})`;
      if (this.speed.value === 'fit' && clock.speed !== this.fitted) {
        // Comes back here with the new speed.
        clock.set({ speed: this.fitted });
        return;
      }
    }
    const chosen = this.speed.value === 'fit' ? this.fitted : Number(this.speed.value);
    if (clock.speed !== chosen) this.chooseSpeed(clock.speed);
    this.button.setAttribute('aria-label', clock.playing ? 'Pause' : 'Play');
    this.button.title = clock.playing ? 'Pause' : 'Play';
    this.icon.setAttribute('d', clock.playing ? 'M3 2h4v12H3zM9 2h4v12H9z' : 'M3 1.5l11 6.5-11 6.5z');
    this.button.disabled = clock.end <= 0;
    this.slider.disabled = clock.end <= 0;
    this.loop.checked = clock.loop;
    this.showTime();
  }

  /** Somebody else has set the speed. */
  private chooseSpeed(speed: number): void {
    const value = String(speed);
    if (![...this.speed.options].some((option) => option.value === value)) this.speed.append(new Option(formatSpeed(speed), value));
    this.speed.value = value;
  }

  private showTime(): void {
    const { time, end, playing } = this.clock;
    const text = `${formatTime(time, end)} s`;
    this.time.textContent = `${formatTime(time, end)} / ${formatTime(end, end)} s`;
    this.slider.value = String(end > 0 ? (time / end) * steps : 0);
    const now = performance.now();
    if (playing && now - this.spokenAt < 500) return;
    this.spokenAt = now;
    this.slider.setAttribute('aria-valuetext', text);
  }
}
