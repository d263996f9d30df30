import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.mjs';

const { extended, positionOf, positions, rangeAround, shown, valueAt, widened } = await load('live/range.ts');

test('a slider goes from zero to twice its value, or to both sides of zero', () => {
  assert.deepEqual(rangeAround(0.5), { low: 0, high: 1 });
  assert.deepEqual(rangeAround(-4), { low: -8, high: 0 });
  assert.deepEqual(rangeAround(0), { low: -1, high: 1 });
});

test('every value has its place, the middle that of the model', () => {
  for (const value of [0.5, -4, 0, 9.8125, 1e-9, 3e12]) assert.equal(positionOf(rangeAround(value), value), positions / 2);
});

test('a position gives the shortest number that one step can tell apart', () => {
  assert.equal(valueAt({ low: 0, high: 1 }, 333), 0.333);
  assert.equal(valueAt({ low: 0, high: 4e6 }, 1), 4000);
  assert.equal(valueAt({ low: -1, high: 1 }, 500), 0);
  assert.equal(valueAt({ low: 0, high: 19.625 }, 999), 19.61);
});

test('places and values go together', () => {
  for (const range of [{ low: 0, high: 19.625 }, { low: -3, high: 5 }, { low: 0, high: 2e-7 }, { low: -8e9, high: 0 }]) {
    for (let position = 0; position <= positions; position += 50) {
      assert.ok(Math.abs(positionOf(range, valueAt(range, position)) - position) <= 1);
    }
  }
});

test('a typed value finds room', () => {
  for (const [range, value] of [[{ low: 0, high: 1 }, 7], [{ low: 0, high: 1 }, -2], [{ low: -8, high: 0 }, 3], [{ low: 2, high: 3 }, 10]]) {
    const { low, high } = widened(range, value);
    assert.ok(low <= range.low && range.high <= high && low < value && value < high, `${low} ${value} ${high}`);
  }
  assert.deepEqual(widened({ low: 0, high: 1 }, 0.5), { low: 0, high: 1 });
});

test('left at an end a slider reaches further, but not across zero', () => {
  assert.deepEqual(extended({ low: 0, high: 1 }, 1), { low: 0, high: 2 });
  assert.deepEqual(extended({ low: 0, high: 1 }, 0), { low: 0, high: 1 });
  assert.deepEqual(extended({ low: -1, high: 1 }, -1), { low: -3, high: 1 });
  assert.deepEqual(extended({ low: 0, high: 1 }, 0.4), { low: 0, high: 1 });
});

test('numbers are shown with at most seven digits', () => {
  assert.equal(shown(0.1 + 0.2), '0.3');
  assert.equal(shown(9.8125), '9.8125');
  assert.equal(shown(Math.PI), '3.141593');
});
