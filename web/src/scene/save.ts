// Videos of a canvas.

/** The best format that this browser writes; throws where it writes none. */
function videoType(): string {
  if (typeof MediaRecorder === 'undefined' || !('captureStream' in HTMLCanvasElement.prototype)) {
    throw new Error('This browser cannot record videos.');
  }
  const type = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'].find((t) => MediaRecorder.isTypeSupported(t));
  if (type === undefined) throw new Error('This browser cannot write WebM videos.');
  return type;
}

/**
 * Records the canvas while `show` is called with times from 0 to `end`, `speed` of them a second. What is shown must be
 * drawn by the time the next frame is due. A page that is out of sight waits, and the video with it.
 */
export async function recordCanvas(
  canvas: HTMLCanvasElement, end: number, speed: number, show: (t: number) => void,
  onProgress: (fraction: number) => void, signal: AbortSignal,
): Promise<Blob> {
  signal.throwIfAborted();
  const type = videoType();
  const stream = canvas.captureStream(60);
  const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: 12_000_000 });
  const pieces: Blob[] = [];
  recorder.addEventListener('dataavailable', ({ data }) => pieces.push(data));
  const stopped = new Promise<void>((resolve, reject) => {
    recorder.addEventListener('stop', () => resolve());
    recorder.addEventListener('error', () => reject(new Error('The browser could not record the video.')));
  });
  const hide = (): void => {
    if (document.hidden && recorder.state === 'recording') recorder.pause();
    else if (!document.hidden && recorder.state === 'paused') recorder.resume();
  };
  document.addEventListener('visibilitychange', hide);
  try {
    show(0);
    recorder.start(1000);
    let t = 0;
    let last = await nextFrame();
    while (t < end && !signal.aborted && recorder.state !== 'inactive') {
      const now = await nextFrame();
      t = Math.min(t + (Math.min(now - last, 100) / 1000) * speed, end);
      last = now;
      show(t);
      onProgress(end > 0 ? t / end : 1);
    }
    // The last picture must reach the stream.
    await nextFrame();
    await nextFrame();
    if (recorder.state !== 'inactive') recorder.stop();
    await stopped;
    signal.throwIfAborted();
    return new Blob(pieces, { type: 'video/webm' });
  } finally {
    document.removeEventListener('visibilitychange', hide);
    if (recorder.state !== 'inactive') recorder.stop();
    for (const track of stream.getTracks()) track.stop();
  }
}

function nextFrame(): Promise<number> {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}
