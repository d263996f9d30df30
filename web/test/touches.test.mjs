// Contacts and frictions on the page: their states and forces in words, and the switch that hides them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, folder } from './browser.mjs';
import { load } from './load.mjs';
import { numbersBehind, smallScene, smallTable, writePage } from './sample.mjs';

const { describeTouch, touchAt } = await load('scene/touching.ts');

// Frames: open, sticks, sticks with forces that are not the only ones, slides.
const values = Float64Array.from([0, 2, 6, 3, /**/ 0, 0, 0, 10, 3, 5, 20, 4, 10, 30, 12, 12, NaN]);
const touch = { kind: 'contact', name: 'floor', state: 0, forces: 4, at: null };
const words = (frame, part, of = touch) => {
  const now = { state: null, unique: true, part: 0 };
  touchAt(values, 4, of, { frame, part }, now);
  return describeTouch(values, of, { frame, part }, now);
};

test('a contact says its state and its forces, which go evenly while the state lasts', () => {
  assert.equal(words(0, 0), 'open');
  assert.equal(words(1, 0), 'sticks · N 10 · friction 3 of 5');
  assert.equal(words(1, 0.5), 'sticks · N 15 · friction 3.5 of 7.5');
  assert.equal(words(3, 0), 'slides · N 30 · friction 12');
});

test('nothing is taken between two states', () => {
  assert.equal(words(0, 0.9), 'open', 'no force grows before the contact closes');
  assert.equal(words(2, 0.9), 'sticks · N 20 · friction 4 of 10 · one of many shares');
});

test('what was not recorded is not known', () => {
  assert.equal(words(0, 0, { ...touch, state: 16 }), 'not known');
});

test('friction without a contact has no normal force', () => {
  assert.equal(words(3, 0, { ...touch, kind: 'friction' }), 'slides · friction 12');
});

async function page(options = {}) {
  const data = numbersBehind(smallTable);
  const touches = [
    { kind: 'contact', name: 'floor', state: data.at(0, 2, 3), forces: data.at([0, 0, 0], [10, 3, 5], [10, 5, 5]), at: data.at([-0.5, 0, 0.5].map((x) => [x, 0, 0])),
      normal: data.at([0, 0, 0], [0, 0, 10], [0, 0, 10]), friction: data.at([0, 0, 0], [3, 0, 0], [-5, 0, 0]) },
    { kind: 'friction', name: 'belt <b>', state: data.at(2, 2, 2), forces: data.at([0, 1, 2], [0, 1, 2], [0, 1, 2]), at: null },
  ];
  const scene = smallScene(data, options.plain ? {} : { touches });
  return writePage(folder, smallTable, { scene }, data.numbers);
}

async function visit(address, look) {
  const open = await browser.newPage({ viewport: { width: 1200, height: 800 }, reducedMotion: 'reduce' });
  const errors = [];
  open.on('pageerror', (error) => errors.push(String(error)));
  try {
    await open.goto(address);
    await open.waitForSelector('[data-frames-drawn] canvas');
    await look(open);
    assert.deepEqual(errors, []);
  } finally {
    await open.close();
  }
}

const text = (open, name) => open.locator(`.scene-touches li[data-touch="${name}"]`);

test('the states stand beside the animation, and what has no place is said not to be drawn', async () => {
  await visit(await page(), async (open) => {
    assert.equal(await text(open, 'floor').innerText(), 'floor open');
    await open.keyboard.press('End');
    await open.waitForFunction(() => /slides/.test(document.querySelector('.scene-touches').textContent));
    assert.equal(await text(open, 'floor').innerText(), 'floor slides · N 10 · friction 5');
    assert.equal(await text(open, 'belt <b>').innerText(), 'belt <b> sticks · friction 1 of 2');
    assert.match(await open.innerText('.scene-touches'), /Not drawn.*: belt <b>$/);
    const colours = await open.$$eval('.scene-touches li', (items) => items.map((item) => getComputedStyle(item, '::before').backgroundColor));
    assert.notEqual(colours[0], colours[1], 'sliding and sticking differ in colour');
  });
});

test('arrows and cones are there only while the contact is closed, and can be hidden', async () => {
  await visit(await page(), async (open) => {
    const canvas = open.locator('canvas').first();
    const shot = async () => (await canvas.screenshot()).toString('base64');
    await open.keyboard.press('End');
    await open.waitForFunction(() => document.querySelector('[data-frames-drawn]').dataset.time === '10');
    await open.waitForTimeout(500);
    const shown = await shot();
    await open.getByRole('button', { name: 'Contacts', exact: true }).click();
    await open.waitForTimeout(500);
    assert.notEqual(await shot(), shown);
    assert.equal(await open.locator('.scene-touches').isVisible(), false);
  });
});

test('a motion without contacts has neither list nor switch', async () => {
  await visit(await page({ plain: true }), async (open) => {
    assert.equal(await open.locator('.scene-touches').isVisible(), false);
    assert.equal(await open.getByRole('button', { name: 'Contacts', exact: true }).isVisible(), false);
  });
});
