import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.mjs';

const { PlotTable, largestResidual, search, startingColumns, titleOf } = await load('plots/columns.ts');
const { Motion, decodeValues } = await load('document.ts');

/** A motion of these columns, [name, group, values]. */
function motionOf(columns) {
  const rows = columns[0][2].length;
  const document = { table: { columns: columns.map(([name, group]) => ({ name, group })), index: 0, rows, total: rows, thinned: 0 } };
  return new Motion(document, Float64Array.from(columns.flatMap(([, , values]) => values)));
}

test('doubles come out of base64 as they went in', () => {
  const values = Float64Array.from([0, -0, 1 / 3, -1e300, 5e-324]);
  assert.deepEqual(decodeValues(`${Buffer.from(values.buffer).toString('base64')}\n`), values);
});

test('a column is found by its name, whatever the name is', () => {
  const motion = motionOf([['t', 'time', [0, 1]], ['__proto__', 'position', [5, 6]], ['<b>', 'output', [7, 8]]]);
  assert.deepEqual([...motion.column('__proto__')], [5, 6]);
  assert.deepEqual([...motion.column('<b>')], [7, 8]);
  assert.throws(() => motion.column('y'), /no column y/);
  assert.equal(motion.end, 1);
});

test('a plot of coordinates starts with a few, one of residuals with all while they are few', () => {
  const columns = [['t', 'time', [0]]];
  for (let i = 0; i < 9; ++i) columns.push([`q${i}`, 'position', [i]]);
  columns.push(['constraint.a', 'residual', [1]], ['energy.balance', 'balance', [0]]);
  const table = new PlotTable(motionOf(columns));
  assert.deepEqual(startingColumns('coordinates', table), ['q0', 'q1', 'q2', 'q3', 'q4', 'q5']);
  assert.deepEqual(startingColumns('residuals', table), ['constraint.a']);
  assert.deepEqual(startingColumns('balance', table), ['energy.balance']);
});

test('of many residuals the largest of each row is shown, and one that is no number is not passed over', () => {
  const columns = [['t', 'time', [0, 1, 2]]];
  for (let i = 0; i < 9; ++i) columns.push([`constraint.${i}`, 'residual', [i, -2 * i, i === 4 ? NaN : 0]]);
  const table = new PlotTable(motionOf(columns));
  assert.deepEqual(startingColumns('residuals', table), [largestResidual]);
  assert.deepEqual([...table.column(largestResidual)], [8, 16, NaN]);
});

test('forces are known as such', () => {
  const table = new PlotTable(motionOf([['t', 'time', [0]], ['x', 'position', [0]], ['ideal.x', 'ideal', [0]]]));
  assert.equal(table.areForces(['x']), false);
  assert.equal(table.areForces(['x', 'ideal.x']), true);
});

test('a search asks for every word, in any case and order', () => {
  const names = ['ideal.Theta', 'theta', "theta'", 'nonideal.theta'];
  assert.deepEqual(search(names, 'THETA'), names);
  assert.deepEqual(search(names, ' theta  ideal '), ['ideal.Theta', 'nonideal.theta']);
  assert.deepEqual(search(names, 'xyz'), []);
});

test('titles name what was chosen', () => {
  assert.equal(titleOf({ kind: 'chosen', columns: ['a', 'b'], log: false }), 'a, b');
  assert.equal(titleOf({ kind: 'chosen', columns: ['a', 'b', 'c', 'd', 'e'], log: false }), 'a, b, c, and 2 more');
  assert.equal(titleOf({ kind: 'residuals', columns: ['a'], log: true }), 'Constraint residuals');
});
