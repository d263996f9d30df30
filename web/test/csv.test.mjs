import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.mjs';

const { csvField, csvNumber, csvParts } = await load('exports/csv.ts');
const { fileName } = await load('exports/download.ts');

test('numbers read back as the same numbers', () => {
  for (const x of [0, -0, 0.1, 1 / 3, -5e-324, 1.7976931348623157e308, 123456789012345680]) {
    assert.ok(Object.is(Number(csvNumber(x)), x));
  }
  assert.deepEqual([NaN, Infinity, -Infinity].map(csvNumber), ['nan', 'inf', '-inf']);
});

test('names with commas, quotes or line breaks are quoted', () => {
  assert.deepEqual(["x'", 'a, b', 'say "so"', 'two\nlines'].map(csvField), ["x'", '"a, b"', '"say ""so"""', '"two\nlines"']);
});

test('all rows come once, in order, whatever the pieces', () => {
  for (const rows of [0, 1, 499, 500, 501, 1700]) {
    const t = Float64Array.from({ length: rows }, (_, i) => i);
    const x = t.map((value) => value / 8);
    const lines = [...csvParts(['t', 'x'], [t, x])].join('').split('\n');
    assert.equal(lines.pop(), '');
    assert.equal(lines.shift(), 't,x');
    assert.deepEqual(lines, [...t].map((value, i) => `${value},${x[i]}`));
  }
});

test('names of files are plain whatever a model is called', () => {
  assert.equal(fileName('Rolling disk', 'trajectory'), 'Rolling-disk-trajectory');
  assert.equal(fileName('../../<b>x</b>'), 'b-x-b');
  assert.equal(fileName('///'), 'motion');
  assert.equal(fileName('φ and θ'), 'φ-and-θ');
});
