// Another run laid over the one of a page.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { browser, folder } from './browser.mjs';
import { load } from './load.mjs';
import { numbersBehind, smallScene, smallTable, tableOf, writePage } from './sample.mjs';

const { fieldsOf, readRun } = await load('plots/other.ts');

test('a table is read with its names and numbers', () => {
  assert.deepEqual(fieldsOf('t,"a ""b"", c",d'), ['t', 'a "b", c', 'd']);
  const motion = readRun('t,"d(x,y)"\n0,1\n0.5,-inf\r\n1,nan\n', 'trajectory.csv');
  assert.deepEqual([...motion.times], [0, 0.5, 1]);
  assert.deepEqual([...motion.column('d(x,y)')], [1, -Infinity, NaN]);
});

test('what is no run is refused in words', () => {
  for (const [text, message] of [['a,b\n1,2\n', /it.csv: it is neither a page of a motion nor a table with a column t$/], ['t,x\n1\n', /line 2 has 1 fields, not 2/],
    ['t,x\n1,2a\n', /"2a" is no number/], ['', /neither/]]) {
    assert.throws(() => readRun(text, 'it.csv'), message, text);
  }
});

/** A page whose x goes as cos, with a ball somewhere else. */
async function pages() {
  const data = numbersBehind(smallTable);
  const address = await writePage(folder, smallTable, { scene: smallScene(data) }, data.numbers);
  const table = tableOf([['x', 'position', (t) => 3 * Math.cos(t)], ['z', 'position', () => 1]], 301);
  const behind = numbersBehind(table);
  const scene = smallScene(behind, { objects: [{ kind: 'point', name: 'p', trail: true, radius: 0.2, position: behind.at([0, 0, 0.6], [0, 0, 0.6], [0, 0, 0.6]) }] });
  const other = await writePage(folder, table, { scene }, behind.numbers);
  return { address, other: new URL(other).pathname };
}

async function visit(address, look) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, reducedMotion: 'reduce' });
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  try {
    await page.goto(address);
    await page.waitForSelector('[data-frames-drawn] canvas');
    await look(page);
    assert.deepEqual(errors, []);
  } finally {
    await page.close();
  }
}

const item = (page, column) => page.locator(`.plot[data-kind=coordinates] [data-column=${column}]`);

async function compare(page, file) {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByRole('button', { name: 'Compare', exact: true }).click()]);
  await chooser.setFiles(file);
}

test('a second page is drawn beside the first, in plots and in the animation, and goes again', async () => {
  const { address, other } = await pages();
  await visit(address, async (page) => {
    const canvases = ['.stage canvas', '.plot[data-kind=coordinates] canvas'];
    const shots = async () => Promise.all(canvases.map(async (canvas) => (await page.locator(canvas).first().screenshot()).toString('base64')));
    await page.waitForTimeout(500);
    const before = await shots();
    await compare(page, other);
    await page.locator('.compare-note', { hasText: path.basename(other) }).waitFor();
    await page.waitForTimeout(500);
    const after = await shots();
    after.forEach((shot, i) => assert.notEqual(shot, before[i], canvases[i]));
    assert.equal(Number(await item(page, 'x').getAttribute('data-value')), 0);
    assert.equal(Number(await item(page, 'x').getAttribute('data-other')), 3);
    assert.equal(await item(page, 'y').getAttribute('data-other'), null, 'what the other has not is not told');
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    assert.equal(await item(page, 'x').getAttribute('data-other'), null);
  });
});

test('a table is laid over too, and what cannot be read is said', async () => {
  const { address } = await pages();
  const [good, bad] = ['good.csv', 'bad.csv'].map((name) => path.join(folder, name));
  await writeFile(good, 't,x\n0,7\n10,8\n');
  await writeFile(bad, 'x\n1\n');
  await visit(address, async (page) => {
    await compare(page, bad);
    await page.locator('.compare-note', { hasText: 'bad.csv: it is neither' }).waitFor();
    await compare(page, good);
    await page.locator('.compare-note', { hasText: 'good.csv, without an animation' }).waitFor();
    assert.equal(Number(await item(page, 'x').getAttribute('data-other')), 7);
  });
});
