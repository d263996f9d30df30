import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.mjs';

const { fittingSpeed, formatSpeed, formatTime } = await load('speed.ts');

test('a motion of seconds plays as it is; others take about ten seconds', () => {
  for (const duration of [4, 10, 40]) assert.equal(fittingSpeed(duration), 1);
  for (const duration of [1e-6, 0.003, 0.5, 3, 50, 700, 86400, 3e9]) {
    const seconds = duration / fittingSpeed(duration);
    assert.ok(seconds >= 5 && seconds <= 20, `${duration} in ${seconds} s`);
  }
  for (const duration of [0, -1, NaN]) assert.equal(fittingSpeed(duration), 1);
});

test('times have digits that suit the motion', () => {
  assert.equal(formatTime(1.23456, 10), '1.23');
  assert.equal(formatTime(1.23456, 5), '1.235');
  assert.equal(formatTime(0.00123456, 0.01), '0.00123');
  assert.equal(formatTime(12345.6, 50000), '12346');
  assert.equal(formatTime(1.5e-7, 1e-6), '1.500e-7');
  assert.equal(formatTime(0, 0), '0.00');
});

test('speeds are short', () => {
  assert.equal(formatSpeed(0.5), '0.5×');
  assert.equal(formatSpeed(2e-7), '2e-7×');
});
