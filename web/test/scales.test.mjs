import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.mjs';

const { decadeRange, decadeTicks, drawnValue, isDrawable, linearRange, within, zoomed } = await load('plots/scales.ts');

test('a linear axis holds its values with room on both sides', () => {
  for (const [min, max] of [[0, 1], [-3, 5], [1e-12, 2e-12], [1e9, 1e9 + 10]]) {
    const [low, high] = linearRange(min, max);
    assert.ok(low < min && high > max);
    assert.ok(high - low < 1.2 * (max - min));
  }
});

test('constant values and rounding errors are a level line in the middle', () => {
  assert.deepEqual(linearRange(0, 0), [-1, 1]);
  assert.deepEqual(linearRange(null, null), [-1, 1]);
  const [low, high] = linearRange(2, 2 + 1e-15);
  assert.ok(low < 1.95 && high > 2.05);
});

test('an axis of logarithms has whole decades, at least one, not endlessly many', () => {
  assert.deepEqual(decadeRange(-15.6, -9.2), [-16, -9]);
  assert.deepEqual(decadeRange(-3, -3), [-3, -2]);
  assert.deepEqual(decadeRange(null, null), [-16, 0]);
  assert.deepEqual(decadeRange(-320, -2.5), [-32, -2]);
});

test('ticks of decades are whole and few; within a decade they are 1, 2, 5', () => {
  assert.deepEqual(decadeTicks(-16, -9, 10), [-16, -15, -14, -13, -12, -11, -10, -9]);
  assert.deepEqual(decadeTicks(-16, -8, 3), [-15, -12, -9]);
  assert.deepEqual(decadeTicks(0, 1, 5).map((k) => Math.round(10 ** k)), [1, 2, 5, 10]);
  assert.equal(decadeTicks(0.31, 0.32, 5).length, 2);
});

test('a zoom is kept within what there is', () => {
  assert.equal(within(null, [0, 10]), null);
  assert.deepEqual(within([2, 4], [0, 10]), [2, 4]);
  assert.deepEqual(within([8, 14], [0, 10]), [8, 10]);
  assert.equal(within([-1, 11], [0, 10]), null);
  assert.equal(within([12, 14], [0, 10]), null);
});

test('what is too short for ticks cannot be zoomed to: what is shown stays', () => {
  const full = [0, 10];
  assert.ok(isDrawable([5, 5 + 1e-9]));
  assert.ok(isDrawable([0, 1e-300]));
  for (const range of [[5, 5 + 1e-12], [-5 - 1e-12, -5], [5, 5], [6, 5], [NaN, 1]]) assert.ok(!isDrawable(range), String(range));
  assert.deepEqual(zoomed([4, 6], [5, 5 + 1e-12], full), [4, 6]);
  assert.deepEqual(zoomed([4, 6], [10 - 1e-12, 11], full), [4, 6]);
  assert.equal(zoomed(null, [5, 5 + 1e-12], full), null);
  assert.deepEqual(zoomed([4, 6], [4.5, 5], full), [4.5, 5]);
  assert.equal(zoomed([4, 6], null, full), null);
  assert.equal(zoomed([4, 6], [-1, 12], full), null);
  assert.equal(within([10 - 1e-12, 11], full), null);
});

test('the largest numbers have an axis too', () => {
  const most = Number.MAX_VALUE;
  for (const [min, max] of [[-most, most], [0, most], [-most, -most], [most / 2, most]]) {
    const [low, high] = linearRange(min, max);
    assert.ok(Number.isFinite(high - low) && low < drawnValue(min) && high > drawnValue(max), `${min} ${max}: ${low} ${high}`);
    assert.ok(Number.isFinite(drawnValue(max) - low));
  }
});
