import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.mjs';

const { findFrame, niceBelow, poseAt, setMoment, vectorAt } = await load('scene/frames.ts');

const close = (actual, expected, tolerance = 1e-12) => {
  assert.equal(actual.length, expected.length);
  actual.forEach((x, i) => assert.ok(Math.abs(x - expected[i]) <= tolerance, `${actual} is not ${expected}`));
};

test('the frame of a time is the last that is not later', () => {
  const times = [0, 0.1, 0.2, 0.4, 0.8];
  for (const [t, frame] of [[-1, 0], [0, 0], [0.05, 0], [0.1, 1], [0.39, 2], [0.4, 3], [0.8, 4], [9, 4]]) {
    assert.equal(findFrame(times, t), frame, `at ${t}`);
  }
  assert.equal(findFrame([], 1), 0);
  assert.equal(findFrame([3], 1), 0);
});

test('bisection finds what a search from the front finds', () => {
  const times = Array.from({ length: 257 }, (_, i) => i * i);
  for (let t = -5; t < 66000; t += 131) {
    assert.equal(findFrame(times, t), Math.max(times.findLastIndex((x) => x <= t), 0));
  }
});

test('a moment is between two frames, never beyond the first or the last', () => {
  const moment = { frame: 0, part: 0 };
  const at = (t, times = [1, 2, 4]) => {
    setMoment(moment, times, t);
    return [moment.frame, moment.part];
  };
  assert.deepEqual(at(0), [0, 0]);
  assert.deepEqual(at(1.25), [0, 0.25]);
  assert.deepEqual(at(3), [1, 0.5]);
  assert.deepEqual(at(4), [2, 0]);
  assert.deepEqual(at(7), [2, 0]);
  // Two frames at one time, and no frame at all.
  assert.deepEqual(at(1, [1, 1, 2]), [1, 0]);
  assert.deepEqual(at(1, []), [0, 0]);
});

test('vectors go straight from frame to frame', () => {
  const values = Float64Array.from([99, 0, 10, -2, 1, 20, -4]);
  const out = new Float64Array(3);
  assert.ok(vectorAt(values, 1, 3, { frame: 0, part: 0.25 }, out));
  close([...out], [0.25, 12.5, -2.5]);
});

test('what is not finite is nowhere, but its neighbours at their own frames are somewhere', () => {
  const values = Float64Array.from([0, 0, 0, 1, NaN, 1]);
  const out = new Float64Array(3);
  assert.ok(vectorAt(values, 0, 3, { frame: 0, part: 0 }, out));
  assert.ok(!vectorAt(values, 0, 3, { frame: 0, part: 0.5 }, out));
  assert.ok(!vectorAt(values, 0, 3, { frame: 1, part: 0 }, out));
});

const pose = (angle, sign = 1) => [0, 0, 0, sign * Math.cos(angle / 2), 0, 0, sign * Math.sin(angle / 2)];

test('orientations turn evenly, and the shorter way whatever the signs', () => {
  const out = new Float64Array(7);
  for (const sign of [1, -1]) {
    for (const end of [1e-9, 0.5, 3]) {
      const values = Float64Array.from([...pose(0), ...pose(end, sign)]);
      for (const part of [0, 0.25, 0.5, 1]) {
        assert.ok(poseAt(values, 0, { frame: 0, part }, out));
        const turn = 2 * Math.atan2(out[5] * Math.sign(out[6]), Math.abs(out[6]));
        assert.ok(Math.abs(turn - part * end) < 1e-12, `${turn} of ${end} at ${part}`);
        assert.ok(Math.abs(Math.hypot(...out.subarray(3)) - 1) < 1e-14);
      }
    }
  }
});

test('a quaternion is made one of length 1, and one of length 0 is no orientation', () => {
  const out = new Float64Array(7);
  assert.ok(poseAt(Float64Array.from([1, 2, 3, 2, 0, 0, 0]), 0, { frame: 0, part: 0 }, out));
  assert.deepEqual([...out], [1, 2, 3, 0, 0, 0, 1]);
  assert.ok(!poseAt(new Float64Array(7), 0, { frame: 0, part: 0 }, out));
  assert.ok(!poseAt(Float64Array.from([1, 2, 3, NaN, 0, 0, 0]), 0, { frame: 0, part: 0 }, out));
});

test('lines of the grid are 1, 2 or 5 apart', () => {
  for (const [x, nice] of [[1, 1], [1.9, 1], [3, 2], [7, 5], [0.034, 0.02], [990, 500]]) {
    assert.ok(Math.abs(niceBelow(x) - nice) < 1e-12 * nice, `${niceBelow(x)} for ${x}`);
  }
});
