import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.mjs';

const { decimate, lowerBound, nearest } = await load('plots/decimate.ts');

const ramp = (n) => Float64Array.from({ length: n }, (_, i) => i / (n - 1));

/** A fixed sequence that looks random. */
function noise(n) {
  let state = 12345;
  return Float64Array.from({ length: n }, () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state / 2 ** 32 - 0.5;
  });
}

test('few rows are drawn as they are', () => {
  const times = ramp(11);
  const values = noise(11);
  assert.deepEqual(decimate(times, [values], 0, 1, 100, false), { x: [...times], y: [[...values]] });
});

test('each pixel keeps the smallest and the largest of its rows, and no more than two points', () => {
  const n = 20_000;
  const pixels = 500;
  const times = ramp(n);
  const values = noise(n);
  const { x, y } = decimate(times, [values], 0, 1, pixels, false);
  assert.ok(x.length <= 2 * pixels);
  assert.equal(y[0].length, x.length);
  // The same by another route: every row is put to its pixel, and every point too.
  const pixelOf = (t) => Math.min(Math.floor(t * pixels), pixels - 1);
  const extremes = (ts, vs) => {
    const result = Array.from({ length: pixels }, () => [Infinity, -Infinity]);
    ts.forEach((t, i) => {
      const pair = result[pixelOf(t)];
      pair[0] = Math.min(pair[0], vs[i]);
      pair[1] = Math.max(pair[1], vs[i]);
    });
    return result;
  };
  assert.deepEqual(extremes(x, y[0]), extremes([...times], [...values]));
});

test('abscissas ascend, and the two of a pixel come in order of occurrence', () => {
  const times = ramp(10_000);
  const falling = times.map((t) => -t);
  const { x, y } = decimate(times, [times, falling], 0, 1, 100, false);
  for (let i = 1; i < x.length; ++i) {
    assert.ok(x[i] > x[i - 1]);
    assert.ok(y[0][i] > y[0][i - 1]);
    assert.ok(y[1][i] < y[1][i - 1]);
  }
});

test('one peak among a million rows is kept', () => {
  const n = 1_000_000;
  const values = new Float64Array(n);
  values[654_321] = 7;
  const { y } = decimate(ramp(n), [values], 0, 1, 300, false);
  assert.equal(Math.max(...y[0]), 7);
});

test('a stretch takes one row beyond each of its ends', () => {
  const times = Float64Array.from([0, 1, 2, 3, 4, 5]);
  assert.deepEqual(decimate(times, [times], 1.5, 3.5, 100, false).x, [1, 2, 3, 4]);
  assert.deepEqual(decimate(times, [times], 2, 3, 100, false).x, [1, 2, 3, 4]);
  assert.deepEqual(decimate(times, [times], -1, 9, 100, false).x, [0, 1, 2, 3, 4, 5]);
});

test('rows that are bunched in time stay within two points a pixel', () => {
  const n = 5000;
  const times = ramp(n).map((t) => t ** 6);
  const { x } = decimate(times, [noise(n)], 0, 1, 100, false);
  assert.ok(x.length <= 200);
});

test('logarithms are those of absolute values; zeros and what is not finite are gaps', () => {
  const times = ramp(5);
  const values = Float64Array.from([100, -0.01, 0, NaN, -Infinity]);
  assert.deepEqual(decimate(times, [values], 0, 1, 100, true).y, [[2, -2, null, null, null]]);
  assert.deepEqual(decimate(times, [values], 0, 1, 100, false).y, [[100, -0.01, 0, null, null]]);
});

test('in a crowded pixel a zero is not the smallest logarithm, and a pixel of zeros is a gap', () => {
  const n = 1000;
  const values = Float64Array.from({ length: n }, (_, i) => (i < n / 2 ? 0 : i % 2 === 0 ? 0 : -1e-3));
  const { y } = decimate(ramp(n), [values], 0, 1, 10, true);
  assert.deepEqual(y[0], [...Array(10).fill(null), ...Array(10).fill(-3)]);
});

test('no rows are no points', () => {
  const none = new Float64Array(0);
  assert.deepEqual(decimate(none, [none], 0, 1, 100, false), { x: [], y: [[]] });
});

test('the nearest row, the earlier of two', () => {
  const times = Float64Array.from([0, 1, 2, 4]);
  assert.deepEqual([-5, 0.4, 0.5, 0.6, 3, 3.1, 9].map((t) => nearest(times, t)), [0, 0, 0, 1, 2, 3, 3]);
  assert.equal(nearest(new Float64Array(0), 1), -1);
  assert.deepEqual([-1, 0, 0.5, 4, 5].map((t) => lowerBound(times, t)), [0, 0, 1, 3, 4]);
});

test('the rows of a large page are decimated within a frame or so', () => {
  const n = 20_000;
  const times = ramp(n);
  const series = Array.from({ length: 30 }, () => noise(n));
  decimate(times, series, 0, 1, 800, true);
  const start = performance.now();
  decimate(times, series, 0, 1, 800, true);
  const took = performance.now() - start;
  assert.ok(took < 200, `${took} ms`);
});

test('a row without a value hides no other of its pixel; a pixel of them is a gap of just that pixel', () => {
  const n = 1000;
  const values = ramp(n);
  for (let row = 0; row < n; row += 7) values[row] = row % 2 === 0 ? NaN : Infinity;
  for (let row = 300; row < 400; ++row) values[row] = NaN;
  const { y } = decimate(ramp(n), [values], 0, 1, 10, false);
  const pixels = Array.from({ length: 10 }, (_, i) => y[0].slice(2 * i, 2 * i + 2));
  pixels.forEach(([first, last], i) => {
    if (i === 3) return assert.deepEqual([first, last], [null, null]);
    const finite = [...values.subarray(100 * i, 100 * (i + 1))].filter(Number.isFinite);
    assert.deepEqual([first, last], [finite[0], finite.at(-1)]);
  });
});

test('the largest numbers are drawn at finite heights', () => {
  const values = Float64Array.from([Number.MAX_VALUE, -Number.MAX_VALUE, 1]);
  const [high, low, one] = decimate(ramp(3), [values], 0, 1, 100, false).y[0];
  assert.ok(Number.isFinite(high - low) && high > 1e307 && low < -1e307);
  assert.equal(one, 1);
});
