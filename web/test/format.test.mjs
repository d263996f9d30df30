import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.mjs';

const { count, formatNumber, formatRowTime, formatPower, formatTick } = await load('format.ts');

test('numbers have seven digits, or as many as say it all', () => {
  const cases = [
    [0, '0'], [-0, '0'], [1, '1'], [0.5, '0.5'], [-56.64, '-56.64'], [Math.PI, '3.141593'], [-Math.PI * 1000, '-3141.593'],
    [123456.789, '123456.8'], [1e6, '1000000'], [12345678.9, '1.234568e+7'], [1e9, '1e+9'],
    [0.00012345678, '0.0001234568'], [1.23456789e-5, '1.234568e-5'], [1e-9, '1e-9'], [5e-324, '5e-324'],
  ];
  for (const [x, text] of cases) assert.equal(formatNumber(x), text);
});

test('what is no finite number is named', () => {
  assert.deepEqual([NaN, null, undefined, Infinity, -Infinity].map((x) => formatNumber(x)), ['nan', 'nan', 'nan', 'inf', '-inf']);
});

test('fewer digits where asked for', () => {
  assert.equal(formatNumber(1.1936645391891985e-16, 4), '1.194e-16');
  assert.equal(formatNumber(3735, 4), '3735');
  assert.equal(formatNumber(37351, 4), '37351');
});

test('ticks have the decimals of their step', () => {
  assert.equal(formatTick(0.30000000000000004, 0.1), '0.3');
  assert.equal(formatTick(2, 0.5), '2.0');
  assert.equal(formatTick(-40, 20), '-40');
  assert.deepEqual([0, 2.5, 5, 7.5].map((x) => formatTick(x, 2.5)), ['0', '2.5', '5.0', '7.5']);
  assert.equal(formatTick(0.75, 0.25), '0.75');
  assert.equal(formatTick(2.220446049250313e-16, 0.25), '0');
  assert.equal(formatTick(2e-9, 1e-9), '2e-9');
  assert.equal(formatTick(1.5e7, 5e6), '1.5e+7');
  assert.equal(formatTick(2e7, 5e6), '2e+7');
});

test('neighbouring ticks never read the same', () => {
  for (const step of [1e-12, 2e-7, 2.5e-6, 0.05, 0.25, 2.5, 5, 1e5, 2.5e6, 2e8]) {
    for (const start of [0, 1, 1234]) {
      const labels = Array.from({ length: 6 }, (_, i) => formatTick((start + i) * step, step));
      assert.equal(new Set(labels).size, 6, labels.join(' '));
    }
  }
});

test('powers of ten', () => {
  assert.deepEqual([-16, -3, 0, 2, 5].map(formatPower), ['1e-16', '0.001', '1', '100', '1e5']);
  assert.equal(formatPower(Math.log10(2e-12)), '2e-12');
});

test('one and many', () => {
  assert.deepEqual([count(1, 'row'), count(0, 'row'), count(2, 'entry', 'entries')], ['1 row', '0 rows', '2 entries']);
  assert.equal(count(10_000_000, 'row'), '10,000,000 rows');
});

test('times of rows have the same decimals, enough to tell neighbours apart', () => {
  assert.deepEqual([0, 0.02, 10].map((t) => formatRowTime(t, 0.02)), ['0.000', '0.020', '10.000']);
  assert.equal(formatRowTime(40, 20), '40');
  assert.equal(formatRowTime(1e-12, 1e-13), '1e-12');
  assert.equal(formatRowTime(1.5, NaN), '1.500');
});
