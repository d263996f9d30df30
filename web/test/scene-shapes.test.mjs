import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.mjs';

const { helixMesh, helixPoint } = await load('scene/helix.ts');
const { framesOfPath, ribbon, stride } = await load('scene/ribbon.ts');
const { fit, flatAxis } = await load('scene/outline.ts');
const { Quality } = await load('scene/quality.ts');
const { Batch } = await load('scene/batch.ts');

const spring = { radius: 0.1, length: 2, wire: 0.01, coils: 8 };

test('a spring goes from end to end on its axis and keeps its radius between', () => {
  const p = [0, 0, 0];
  helixPoint(spring, 0, p);
  assert.deepEqual(p.map(Math.abs), [0, 0, 0]);
  helixPoint(spring, 1, p);
  assert.ok(Math.hypot(p[0], p[1]) < 1e-12 && p[2] === 2);
  helixPoint(spring, 0.5, p);
  assert.ok(Math.abs(Math.hypot(p[0], p[1]) - 0.1) < 1e-12);
  // Around the axis as often as it has coils: the signs of x change twice a coil.
  let changes = 0;
  let last = 1;
  for (let s = 0.12; s < 0.88; s += 0.001) {
    helixPoint(spring, s, p);
    if (p[0] * last < 0) ++changes;
    last = p[0];
  }
  assert.ok(Math.abs(changes - 16) <= 1, `${changes} changes`);
});

test('the wire of a spring is round, and every corner belongs to it', () => {
  const { positions, normals, triangles } = helixMesh(spring);
  const corners = positions.length / 3;
  assert.ok(triangles.every((corner) => corner < corners));
  for (let i = 0; i < corners; ++i) {
    const n = [...normals.subarray(3 * i, 3 * i + 3)];
    assert.ok(Math.abs(Math.hypot(...n) - 1) < 1e-5);
    assert.ok(Math.hypot(positions[3 * i], positions[3 * i + 1]) < 0.1 + 0.01 + 1e-6);
  }
});

test('a path goes through the first frame and the last, and few between', () => {
  assert.deepEqual(framesOfPath(0), []);
  assert.deepEqual(framesOfPath(1), [0]);
  assert.deepEqual(framesOfPath(5), [0, 1, 2, 3, 4]);
  const frames = framesOfPath(100_000, 100);
  assert.ok(frames.length <= 101);
  assert.equal(frames[0], 0);
  assert.equal(frames.at(-1), 99_999);
});

test('a ribbon has two corners a place, and none of its pieces touches a place that is not finite', () => {
  const values = Float64Array.from([1, 2, 3, 2, 2, 3, NaN, 2, 3, 4, 2, 3, 5, 2, 3]);
  const { corners, triangles } = ribbon(values, 0, 3, [0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [1, 1, 1]);
  assert.equal(corners.length, (5 + 2) * 2 * stride);
  assert.ok(corners.every(Number.isFinite));
  const corner = (i) => [...corners.subarray((i + 2) * stride, (i + 3) * stride)];
  assert.deepEqual(corner(0), [0, 1, 2, 0, -1]);
  assert.deepEqual(corner(1), [0, 1, 2, 0, 1]);
  assert.deepEqual(corner(8), [4, 1, 2, 4, -1]);
  const empty = [0, 1, 2, 3].map((piece) => triangles.subarray(6 * piece, 6 * piece + 6).every((c) => c === 0));
  assert.deepEqual(empty, [false, true, true, false]);
});

test('a camera that fits sees every place, and some at the very edge', () => {
  const places = [[3, 0, 0], [-1, 2, 0.5], [0, -1, -2], [0.5, 0.5, 4]];
  const outline = Float64Array.from(places.flatMap((p) => [...p, 0]));
  const [tanX, tanY] = [0.5, 0.3];
  const { distance, x, y } = fit(outline, [1, 0, 0], [0, 1, 0], [0, 0, 1], tanX, tanY);
  const reach = places.map(([a, b, c]) =>
    Math.max(Math.abs(a - x) / ((distance - c) * tanX), Math.abs(b - y) / ((distance - c) * tanY)));
  assert.ok(places.every(([, , c]) => c < distance));
  assert.ok(Math.abs(Math.max(...reach) - 1) < 1e-9, `${reach}`);
});

test('a flat motion is looked at across its plane', () => {
  const scene = { up: 'y', radius: 1 };
  assert.equal(flatAxis(Float64Array.from([0, 0, 0, 1, 1, 1, 0, 1]), scene), 2);
  assert.equal(flatAxis(Float64Array.from([0, 0, 0, 1, 0, 1, 1, 1]), scene), 0);
  assert.equal(flatAxis(Float64Array.from([0, 0, 0, 1, 1, 1, 1, 1]), scene), null);
  assert.equal(flatAxis(Float64Array.from([0, 0, 0, 1, 1, 0, 1, 1]), { up: 'z', radius: 1 }), 1);
});

test('a slow machine gets a coarser picture, a fast one does not', () => {
  const run = (milliseconds, pictures) => {
    const quality = new Quality(34);
    for (let i = 0; i < pictures; ++i) quality.picture(i * milliseconds);
    return quality.factor;
  };
  assert.equal(run(17, 500), 1);
  assert.ok(run(60, 30) < 1);
  assert.equal(run(60, 2000), 0.5);
  // Pictures that are far apart are no sign of a slow machine.
  assert.equal(run(2000, 100), 1);
});

/** The matrix of the first instance, by columns. */
function placed(write) {
  // What a batch asks of a geometry and a material is nothing until it is drawn.
  const batch = new Batch({ morphAttributes: {} }, {});
  batch.add({ toArray() {} });
  const { array } = batch.build().instanceMatrix;
  write(batch);
  return [0, 1, 2, 3].map((column) => [...array.subarray(4 * column, 4 * column + 3)]);
}
const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

test('an instance along a direction is a rotation with its z axis there, for every direction', () => {
  for (const reference of ['y', 'z']) {
    for (const d of [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, -1, 0], [0, 0, -1], [0.6, 0, -0.8], [1 / 3, -2 / 3, 2 / 3]]) {
      const [a, b, c, at] = placed((batch) => batch.along(0, 1, 2, 3, ...d, 2, 5, reference));
      assert.deepEqual(at, [1, 2, 3]);
      assert.ok(Math.hypot(...c.map((x, i) => x - 5 * d[i])) < 1e-5);
      assert.ok(Math.abs(Math.hypot(...a) - 2) < 1e-5 && Math.abs(dot(a, b)) < 1e-5 && Math.abs(dot(a, c)) < 1e-5);
      assert.ok(Math.abs(dot(cross(a, b), c) - 20) < 1e-4, `${d} from ${reference}`);
    }
  }
});

test('an instance with a pose has its axes turned by the quaternion', () => {
  const half = Math.SQRT1_2;
  // A quarter turn about z: x to y, y to -x.
  const [a, b, c] = placed((batch) => batch.place(0, Float64Array.from([0, 0, 0, 0, 0, half, half]), 1, 2, 3));
  const near = (u, v) => assert.ok(Math.hypot(...u.map((x, i) => x - v[i])) < 1e-6, `${u} is not ${v}`);
  near(a, [0, 1, 0]);
  near(b, [-2, 0, 0]);
  near(c, [0, 0, 3]);
});
