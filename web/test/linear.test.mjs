// Pages of linearisations and of branches, made up as docs/page.md has them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, folder } from './browser.mjs';
import { load } from './load.mjs';
import { numbersBehind, smallScene, tableOf, writePage } from './sample.mjs';

const { formatEigenvalue, describeMode } = await load('linear/modes.ts');
const { isUnstableBehind, largestReal } = await load('linear/branch.ts');
const { nearestPoint, placeX, placeY, ticksOf } = await load('plots/xy.ts');

test('an eigenvalue is read as a pair or a number', () => {
  assert.equal(formatEigenvalue([-0.5, 2]), '-0.5 ± 2 i');
  assert.equal(formatEigenvalue([0, 2]), '± 2 i');
  assert.equal(formatEigenvalue([-3, 0]), '-3');
});

test('what is shown of a mode is said', () => {
  const mode = { eigenvalue: [-0.5, 2], table: {}, scene: null };
  assert.match(describeMode(mode), /One period, without growth or decay/);
  assert.match(describeMode({ ...mode, eigenvalue: [-3, 0] }), /decay over three/);
  assert.match(describeMode({ ...mode, eigenvalue: [3, 0] }), /growth over three/);
  assert.match(describeMode({ ...mode, eigenvalue: [0, 0] }), /time means nothing/);
  assert.match(describeMode({ eigenvalue: [0, 0], scene: null }), /nothing to be seen/);
});

test('ticks are round numbers within the range', () => {
  for (const [range, wanted, expected] of [[[0, 1], 5, [0, 0.2, 0.4, 0.6, 0.8, 1]], [[-3, 3], 3, [-2, 0, 2]], [[0.1, 0.14], 4, [0.1, 0.11, 0.12, 0.13, 0.14]]]) {
    const { ticks } = ticksOf(range, wanted);
    assert.equal(ticks.length, expected.length, String(ticks));
    ticks.forEach((tick, i) => assert.ok(Math.abs(tick - expected[i]) < 1e-12, `${ticks}`));
  }
});

test('the nearest point is found where it is drawn', () => {
  const place = { left: 10, top: 5, width: 100, height: 50, x: [0, 10], y: [-1, 1] };
  assert.equal(placeX(place, 5), 60);
  assert.equal(placeY(place, 1), 5);
  const traces = [{ x: [0, 5, 5], y: [0, NaN, 1] }, { x: [10], y: [-1] }];
  assert.deepEqual(nearestPoint(traces, place, 62, 9), { trace: 0, point: 2 });
  assert.deepEqual(nearestPoint(traces, place, 109, 50), { trace: 1, point: 0 });
  assert.equal(nearestPoint([], place, 0, 0), null);
});

test('a border of stability belongs to the piece behind it as the next point says', () => {
  const points = [{ kind: 'start', unstable: 0 }, { kind: 'hopf', unstable: 0 }, { kind: 'end', unstable: 2 }];
  assert.deepEqual([0, 1, 2].map((i) => isUnstableBehind(points, i)), [false, true, true]);
});

test('the largest real part is that of eigenvalues that are not zero', () => {
  assert.equal(largestReal({ kind: 'regular', eigenvalues: [[0, 0], [-1, 2], [-3, 0]] }), -1);
  assert.ok(Number.isNaN(largestReal({ kind: 'regular', eigenvalues: [[0, 0]] })));
  assert.equal(largestReal({ kind: 'crossing', eigenvalues: [[0, 0], [-1, 2]] }), 0, 'the one that passes the axis counts');
  assert.equal(largestReal({ kind: 'hopf', eigenvalues: [[3, 0], [0, 2]] }), 3);
});

async function visit(address, look) {
  const open = await browser.newPage({ viewport: { width: 1200, height: 900 }, reducedMotion: 'reduce' });
  const errors = [];
  open.on('pageerror', (error) => errors.push(String(error)));
  open.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  try {
    await open.goto(address);
    await look(open);
    assert.deepEqual(errors, []);
  } finally {
    await open.close();
  }
}

/** Two modes that move, and one that does not. */
async function modesPage() {
  const table = tableOf([['x', 'position', Math.sin]], 3);
  const data = numbersBehind(table);
  const entry = (eigenvalue, values, scene) => ({
    eigenvalue, frequency: eigenvalue[1] === 0 ? null : eigenvalue[1] / (2 * Math.PI), damping: null, condition: 1, about: 'x 1', duration: 10,
    table: { columns: [{ name: 't', group: 'time' }, { name: 'x', group: 'position' }], index: data.at(0, 5, 10, values), rows: 3, total: 3, thinned: 0 }, scene,
  });
  const modes = [entry([0.5, 0], [0.1, 0.2, 0.3], smallScene(data)), entry([0, 2], [1, -1, 1], smallScene(data)),
    { eigenvalue: [0, 0], frequency: null, damping: null, condition: null, about: "x' is kept", scene: null }];
  return writePage(folder, table, { modes, notes: ['unstable: 1 eigenvalue with a positive real part'], table: undefined, scene: undefined, summary: null }, data.numbers);
}

test('each mode can be chosen and seen; the first that swings comes first', async () => {
  await visit(await modesPage(), async (page) => {
    await page.waitForSelector('[data-frames-drawn] canvas');
    const value = () => page.getAttribute('.plot[data-kind=coordinates] [data-column=x]', 'data-value');
    assert.equal(await page.locator('.modes input:checked').getAttribute('aria-label'), 'Show ± 2 i');
    assert.equal(await value(), '1');
    assert.match(await page.innerText('.mode-about'), /One period/);
    await page.locator('.modes input').first().check();
    assert.match(await page.innerText('.mode-about'), /growth/);
    assert.equal(await value(), '0.1');
    assert.ok(await page.locator('.modes input').nth(2).isDisabled());
    assert.match(await page.innerText('.modes'), /defective/);
    assert.match(await page.innerText('.mode-note'), /^unstable/);
    assert.deepEqual(await page.$$eval('[role=tab]', (tabs) => tabs.filter((tab) => tab.checkVisibility()).map((tab) => tab.textContent)), ['Model file']);
  });
});

async function branchPage(change = {}) {
  // A fold: mu goes to 1 and back.
  const mu = [0, 0.75, 1, 0.75, 0];
  const x = [-1, -0.5, 0, 0.5, 1];
  const table = [['mu', 'parameter', Float64Array.from(mu)], ['x', 'position', Float64Array.from(x)], ["x'", 'velocity', new Float64Array(5)]];
  const points = ['start', 'regular', 'fold', 'regular', 'end'].map((kind, i) => ({
    kind, words: kind === 'fold' ? 'fold: the branch turns back' : kind, unstable: i > 2 ? 1 : 0, eigenvalues: i > 2 ? [[0.5, 0], [-0.5, 0]] : [[0, 0.5], [0, -0.5]],
  }));
  return writePage(folder, table, { summary: null, branch: { along: 'mu', complete: true, reason: '', points, ...change } });
}

test('a branch is drawn with its fold, and can be walked along', async () => {
  await visit(await branchPage(), async (page) => {
    await page.waitForSelector('.branch .xy canvas');
    assert.equal(await page.inputValue('.branch select'), 'x', 'what folds is seen');
    const reading = page.locator('.branch-point');
    await page.getByRole('button', { name: /^fold at mu = 1$/ }).click();
    assert.match(await reading.innerText(), /mu = 1 · point 3 of 5 · fold/);
    await page.locator('.branch .xy').focus();
    await page.keyboard.press('ArrowRight');
    assert.match(await reading.innerText(), /mu = 0.75 · point 4 of 5 · 1 unstable/);
    assert.match(await reading.innerText(), /eigenvalues: 0.5, -0.5/);
    await page.keyboard.press('Home');
    assert.match(await reading.innerText(), /point 1 of 5/);
    const shot = async () => (await page.locator('.branch .xy').screenshot()).toString('base64');
    const before = await shot();
    await page.selectOption('.branch select', 'real parts of the eigenvalues');
    assert.notEqual(await shot(), before);
    assert.equal(await page.locator('.branch .remark').count(), 0);
  });
});

test('a click near a point of the branch tells of it', async () => {
  await visit(await branchPage(), async (page) => {
    const box = await page.locator('.branch .xy').boundingBox();
    await page.mouse.click(box.x + box.width - 30, box.y + box.height / 2 - 15);
    assert.match(await page.innerText('.branch-point'), /mu = 1/);
  });
});

test('a branch that was not followed to its end says why', async () => {
  await visit(await branchPage({ complete: false, reason: 'no equilibrium <b>' }), async (page) => {
    assert.match(await page.innerText('.branch .remark'), /not complete: no equilibrium <b>/);
  });
});
