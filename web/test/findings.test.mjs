import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.mjs';

const { findingsOf, remarksOf } = await load('panels/findings.ts');

const sound = {
  complete: true, t: 10, duration: 10, adjusted: false, largest_changes: [], gimbal: null, stiff: null, not_finite: [],
  rank_change_count: 0, rank_changes: [], passage_count: 0, passages: [], coordinate_switch_count: 0, coordinate_switches: [],
  largest_residual: 1.25e-16, work: { applied: 0, ideal: 0, nonideal: -2.5, other: 0 },
};

test('a sound motion has no remarks', () => assert.deepEqual(remarksOf(sound), []));

test('a motion that stopped is a failure, with its reason', () => {
  assert.deepEqual(remarksOf({ ...sound, complete: false, t: 2.5, reason: 'the step became too small' }), [
    { level: 'failure', text: 'The motion stopped at t = 2.5: the step became too small' },
  ]);
});

test('each thing to know is a sentence', () => {
  const texts = (change) => remarksOf({ ...sound, ...change }).map(({ level, text }) => `${level}: ${text}`);
  assert.deepEqual(texts({ rank_change_count: 1, rank_changes: [{ t: 1.5, from: 2, to: 1 }] }),
    ['warning: The rank of the constraints changed once: from 2 to 1 at t = 1.5.']);
  const passages = Array.from({ length: 5 }, (_, i) => ({ t: i, rank: 3, rank_there: 2 }));
  assert.deepEqual(texts({ passage_count: 5, passages }),
    ['warning: Singular configurations were passed 5 times: rank 2 of 3 at t = 0, rank 2 of 3 at t = 1, rank 2 of 3 at t = 2, and 2 more.']);
  assert.match(texts({ stiff: { t: 0.25, steps: 7 } })[0], /stiff from t = 0.25 on/);
  assert.match(texts({ reactions: [{ joint: 'a', unique: false }, { joint: 'b', unique: true }] })[0], /reactions of a undetermined/);
  assert.deepEqual(texts({ reactions: [{ joint: 'a', unique: true, unknown: ['fz', 'bfz'], unknown_reason: 'a loop of joints leaves it open' }] }),
    ['warning: Not known of the reaction of a: fz, bfz; a loop of joints leaves it open.']);
  assert.deepEqual(texts({ reaction_notes: ["the force along 'x' is taken to be a couple on 'b'"] }),
    ["warning: Of reactions: the force along 'x' is taken to be a couple on 'b'."]);
  assert.match(texts({ note: 'A different motion.' })[0], /^warning: A different motion\.$/);
  assert.match(texts({ adjusted: true, largest_changes: [{ name: 'x', from: 1, to: 2 }] })[0], /most of all x from 1 to 2/);
  assert.match(texts({ not_finite: [{ output: 'ratio', t: 3 }] })[0], /ratio from t = 3 on/);
  assert.deepEqual(texts({ warnings: ['friction at rest: a', 'b'] }), ['warning: friction at rest: a', 'warning: b']);
  assert.match(texts({ friction_not_assured: 0 })[0], /From t = 0 on it is not proven/);
  assert.match(texts({ gimbal: { body: 'top', axes: 'zxz', t: 1, determinant: 1e-5 } })[0], /angles of top \(zxz\)/);
});

test('the table has what matters, and other work only where there is some', () => {
  const value = (summary, label) => findingsOf(summary).find((finding) => finding.label === label)?.value;
  assert.equal(value(sound, 'Complete'), 'yes');
  assert.equal(value(sound, 'Largest residual'), '1.25e-16');
  assert.equal(value(sound, 'Work of Q_nonideal'), '-2.5');
  assert.equal(value(sound, 'Other work'), undefined);
  assert.equal(value({ ...sound, work: { other: 3 } }, 'Other work'), '3');
});
