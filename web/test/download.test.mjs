import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.mjs';

const { fileName } = await load('exports/download.ts');

test('letters of all languages stay, what file systems dislike becomes a dash', () => {
  assert.equal(fileName('Räder: 2/3'), 'Räder-2-3');
  assert.equal(fileName('Ra\u0308der'), 'Räder');
  assert.equal(fileName('दोलक', 'trajectory'), 'दोलक-trajectory');
  assert.equal(fileName('振り子', 'x, y'), '振り子-x-y');
  assert.equal(fileName('../..\\con?.'), 'con');
  assert.equal(fileName('model.v2'), 'model.v2');
  assert.equal(fileName(''), 'motion');
  assert.equal(fileName('/', 'trajectory'), 'motion-trajectory');
});

test('a long name is cut, what is saved of it is not', () => {
  for (const name of ['pendulum '.repeat(40), '振'.repeat(300), '𝒙'.repeat(300), '😀'.repeat(300)]) {
    const made = fileName(name, 'extremes-of-each-20000-rows');
    assert.ok(made.endsWith('-extremes-of-each-20000-rows'), made);
    assert.ok(!/\p{Surrogate}/u.test(made) && !made.includes('--'));
    assert.ok(new TextEncoder().encode(made).length <= 250);
  }
});
