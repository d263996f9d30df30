// The time that is looked at, shared by the animation and the cursors of the plots.

/** In milliseconds. Slow machines take long for a frame and stay in time; only one that stood still does not jump. */
const longestFrame = 1000;

export class Clock {
  private t = 0;
  private last = 0;
  private frame = 0;
  private readonly listeners = new Set<(t: number) => void>();
  private readonly stateListeners = new Set<() => void>();
  playing = false;
  /** Simulated seconds a second. */
  speed = 1;
  loop = true;
  end = 0;

  constructor() {
    // A page that was hidden goes on where it was.
    document.addEventListener('visibilitychange', () => (this.last = performance.now()));
  }

  get time(): number {
    return this.t;
  }

  /** Called with each new time; once a frame at most while playing. */
  onTime(listener: (t: number) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Called when playing, speed, loop or end have changed. */
  onState(listener: () => void): () => void {
    this.stateListeners.add(listener);
    return () => this.stateListeners.delete(listener);
  }

  seek(t: number): void {
    this.t = Math.min(Math.max(t, 0), this.end);
    for (const listener of this.listeners) listener(this.t);
  }

  set(change: Partial<Pick<Clock, 'speed' | 'loop' | 'end'>>): void {
    Object.assign(this, change);
    if (this.t > this.end) this.seek(this.end);
    for (const listener of this.stateListeners) listener();
  }

  play(): void {
    if (this.playing || this.end <= 0) return;
    if (this.t >= this.end) this.seek(0);
    this.playing = true;
    this.last = performance.now();
    this.frame = requestAnimationFrame(this.tick);
    for (const listener of this.stateListeners) listener();
  }

  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    cancelAnimationFrame(this.frame);
    for (const listener of this.stateListeners) listener();
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  private readonly tick = (now: number): void => {
    const elapsed = Math.min(Math.max(now - this.last, 0), longestFrame);
    const t = this.t + (elapsed / 1000) * this.speed;
    this.last = now;
    if (t < this.end) {
      this.seek(t);
    } else if (this.loop) {
      this.seek(this.end > 0 ? t % this.end : 0);
    } else {
      this.seek(this.end);
      this.pause();
      return;
    }
    this.frame = requestAnimationFrame(this.tick);
  };
}
