// The page at its limits, in a real browser: endless zooming, enormous numbers, long lines, fine screens.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, folder } from './browser.mjs';
import { smallTable, tableOf, writePage } from './sample.mjs';

/** A page of this table; the test fails if it complained. */
async function open(t, table, change, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...options });
  const complaints = [];
  t.after(async () => {
    await context.close();
    assert.deepEqual(complaints, []);
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(await writePage(folder, table, change));
  await page.waitForSelector('.plot .legend li');
  return page;
}

const time = (page) => page.$eval('.legend', (list) => Number(list.dataset.time));
const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Where the line of the clock's time stands in each plot, as a part of its width. */
const lines = (page) => page.$$eval('.plot:not([hidden])', (plots) => plots.map((plot) => {
  const over = plot.querySelector('.u-over').getBoundingClientRect();
  return (plot.querySelector('.line-now').getBoundingClientRect().left - over.left) / over.width;
}));

for (const [where, key] of [['at the start', 'Home'], ['at the end', 'End'], ['in between', 'Shift+ArrowRight']]) {
  test(`zooming in has an end ${where}, and can be taken back`, async (t) => {
    const page = await open(t, smallTable);
    await page.keyboard.press(key);
    for (let i = 0; i < 120; ++i) await page.keyboard.press('+');
    await settled(page);
    assert.ok(await page.isVisible('.plot button:has-text("Reset zoom")'), 'it has not jumped back to the whole motion');
    await page.keyboard.press('0');
    await settled(page);
    assert.equal(await page.isVisible('.plot button:has-text("Reset zoom")'), false);
  });
}

test('dragging again and again in a plot has an end too', async (t) => {
  const page = await open(t, smallTable);
  for (let i = 0; i < 40; ++i) {
    const box = await page.locator('.plot .u-over').first().boundingBox();
    await page.mouse.move(box.x + 0.4 * box.width, box.y + 0.4 * box.height);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.55 * box.width, box.y + 0.8 * box.height, { steps: 2 });
    await page.mouse.up();
  }
  await settled(page);
  assert.ok(await page.isVisible('.plot button:has-text("Reset zoom")'));
});

test('an added plot has its line at the time of the others', async (t) => {
  const page = await open(t, smallTable);
  await page.keyboard.press('End');
  for (let i = 0; i < 15; ++i) await page.keyboard.press('Shift+ArrowLeft');
  await page.click('button:has-text("Add plot")');
  await page.keyboard.type('ideal');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await settled(page);
  const places = await lines(page);
  assert.equal(places.length, 4);
  for (const place of places) assert.ok(Math.abs(place - 0.7) < 0.01, String(places));
});

test('the largest numbers are drawn', async (t) => {
  const page = await open(t, tableOf([['x', 'position', (time) => (time < 5 ? -1 : 1) * Number.MAX_VALUE]]));
  const ink = await page.$eval('.plot canvas', (canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    // Dots in the colour of the first series.
    let count = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i] < 40 && data[i + 1] > 90 && data[i + 1] < 140 && data[i + 2] > 150 && data[i + 3] > 200) ++count;
    return count;
  });
  assert.ok(ink > 300, `${ink} dots`);
});

const longText = Array.from({ length: 300 }, (_, i) => `line${i + 1} = ${'"a b" '.repeat(i === 4 ? 80 : 3)}`).join('\n');
const longModel = { name: 'Sample', description: '', file: 'sample.toml', text: longText, coordinates: ['x', 'y'], parameters: [], initial: [], constraints: [] };

for (const deviceScaleFactor of [1, 1.5, 2]) {
  test(`line numbers stand beside their lines at ${deviceScaleFactor} dots a pixel`, async (t) => {
    const page = await open(t, smallTable, { model: longModel }, { deviceScaleFactor });
    await page.click('#tab-model');
    const far = await page.evaluate(() => {
      const placeOf = (text, line) => {
        const node = document.createTreeWalker(text, NodeFilter.SHOW_TEXT).nextNode();
        const lines = node.data.split('\n');
        const start = lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0);
        const range = document.createRange();
        range.setStart(node, start);
        range.setEnd(node, start + 1);
        const { top, height } = range.getBoundingClientRect();
        return top + height / 2;
      };
      const [numbers, text] = ['.line-numbers', '.listing .text'].map((name) => document.querySelector(name));
      return [0, 149, 299].map((line) => Math.abs(placeOf(numbers, line) - placeOf(text, line)));
    });
    for (const distance of far) assert.ok(distance < 1, String(far));
  });
}

test('keys scroll a long line of text, and elsewhere move the time', async (t) => {
  const page = await open(t, smallTable, { model: longModel });
  await page.click('#tab-model');
  const left = () => page.$eval('.listing .text', (text) => text.scrollLeft);
  await page.focus('.listing .text');
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => document.querySelector('.listing .text').scrollLeft > 0);
  await page.keyboard.press('End');
  await settled(page);
  const end = await left();
  assert.ok(end > 500, String(end));
  assert.equal(await time(page), 0);
  await page.keyboard.press('Home');
  assert.equal(await left(), 0);
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('End');
  await settled(page);
  assert.equal(await time(page), 10);
});

test('keys scroll a formula that is too wide', async (t) => {
  const formula = Array.from({ length: 80 }, (_, i) => `x_{${i}}`).join(' ');
  const html = `<div class="formulas"><div class="left"></div><div class="relation"></div><div class="right"><span class="math">${formula}</span></div></div>`;
  const page = await open(t, smallTable, { equations: { method: 'm-inverse', html, note: '' } }, { viewport: { width: 600, height: 800 } });
  await page.click('#tab-equations');
  await page.focus('.math.wide');
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => document.querySelector('.math.wide').scrollLeft > 0);
  assert.equal(await time(page), 0);
});

test('what the animation cannot show stands under it, as text', async (t) => {
  const scene = (note) => ({ frames: 1, times: 0, center: [0, 0, 0], radius: 1, scale: 1, up: 'z', ground: null, objects: [], arrows: [], largest_force: 0, ...note });
  const page = await open(t, smallTable, { scene: scene({ note: 'wheel <b>turns</b> by more than half a turn between two frames' }) });
  assert.equal(await page.innerText('.scene-note'), 'wheel <b>turns</b> by more than half a turn between two frames');
  for (const note of [{ note: '' }, {}]) {
    const silent = await open(t, smallTable, { scene: scene(note) });
    assert.equal(await silent.isVisible('.scene-note'), false);
  }
});
