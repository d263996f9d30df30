import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { load } from './load.mjs';

const { Clock } = await load('clock.ts');

let now = 0;
let frame = null;
beforeEach(() => {
  now = 0;
  frame = null;
  globalThis.document = new EventTarget();
  globalThis.requestAnimationFrame = (work) => ((frame = work), 1);
  globalThis.cancelAnimationFrame = () => (frame = null);
  Object.defineProperty(performance, 'now', { value: () => now, configurable: true, writable: true });
});

/** The next frame is drawn after `ms`. */
function draw(ms) {
  now += ms;
  const work = frame;
  frame = null;
  work(now);
}

function playing() {
  const clock = new Clock();
  clock.set({ end: 100 });
  clock.play();
  return clock;
}

test('frames that take long do not slow the motion', () => {
  const clock = playing();
  for (let i = 0; i < 10; ++i) draw(700);
  assert.ok(Math.abs(clock.time - 7) < 1e-12);
});

test('a page that was hidden goes on where it was', () => {
  const clock = playing();
  draw(20);
  now += 60_000;
  document.dispatchEvent(new Event('visibilitychange'));
  draw(20);
  assert.ok(Math.abs(clock.time - 0.04) < 1e-12);
});

test('after a stand-still the motion goes on a second later at most', () => {
  const clock = playing();
  draw(30_000);
  assert.equal(clock.time, 1);
});
