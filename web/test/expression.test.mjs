// Arithmetic of columns, and plots of one column over another.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, folder } from './browser.mjs';
import { load } from './load.mjs';
import { smallTable, tableOf, writePage } from './sample.mjs';

const { evaluate, ExpressionError } = await load('plots/expression.ts');
const columns = { x: [1, 2, 3], "x'": [4, 5, 6], 'ideal.x': [0.5, 1, 2], 'constraint.link 1': [7, 8, 9], 'd(x)/d(m)': [1, 1, 2], m: 10 };
const value = (text) => [...evaluate(text, 3, (name) => (Object.hasOwn(columns, name) ? columns[name] : null))];

test('expressions follow the rules of arithmetic', () => {
  assert.deepEqual(value("x + 2*x'"), [9, 12, 15]);
  assert.deepEqual(value('-x^2'), [-1, -4, -9]);
  assert.deepEqual(value('2^-x^0'), [0.5, 0.5, 0.5]);
  assert.deepEqual(value('2^3^x'), [8, 512, 2 ** 27]);
  assert.deepEqual(value('12/x/2'), [6, 3, 2]);
  assert.deepEqual(value('(x - 1)*(x + 1) - ideal.x'), [-0.5, 2, 6]);
  assert.deepEqual(value('m*x - 1e1'), [0, 10, 20]);
  assert.deepEqual(value('hypot(3*x, 4*x) + max(x, 2)'), [7, 12, 18]);
  assert.deepEqual(value('cos(pi) + abs(-x)'), [0, 1, 2]);
});

test('any column can be named', () => {
  assert.deepEqual(value('`constraint.link 1` - 7'), [0, 1, 2]);
  assert.deepEqual(value(' constraint.link 1 '), [7, 8, 9]);
  assert.deepEqual(value('d(x)/d(m)'), [1, 1, 2]);
});

test('what cannot be read is said', () => {
  for (const [text, message] of [['x +', /ends too early/], ['y', /no column or parameter 'y'/], ['x $ 2', /cannot read "\$ 2"/], ['(x', /'\)' is missing/],
    ['x)', /did not expect '\)'/], ['x x', /did not expect 'x'/], ['max(x)', /',' is missing/], ['', /ends too early/], ['constructor(1)', /no column or parameter 'constructor'/]]) {
    assert.throws(() => value(text), (error) => error instanceof ExpressionError && message.test(error.message), text);
  }
});

async function visit(address, look) {
  const open = await browser.newPage({ viewport: { width: 1200, height: 900 }, reducedMotion: 'reduce' });
  const errors = [];
  open.on('pageerror', (error) => errors.push(String(error)));
  try {
    await open.goto(address);
    await open.waitForSelector('.plot');
    await look(open);
    assert.deepEqual(errors, []);
  } finally {
    await open.close();
  }
}

const first = '.plot >> nth=0';
const columnsOf = (page) => page.locator(first).getByRole('button', { name: 'Columns', exact: true });

test('an expression becomes a column of a plot, and what is wrong with one is said', async () => {
  await visit(await writePage(folder, smallTable), async (page) => {
    await columnsOf(page).click();
    const field = page.getByRole('textbox', { name: 'Expression of columns' });
    await field.fill('x^2 + y^');
    await field.press('Enter');
    assert.match(await page.innerText('.chooser-problem'), /ends too early/);
    await field.fill('x^2 + y^2');
    await field.press('Enter');
    assert.equal(await page.locator('.chooser-problem').isVisible(), false);
    await page.keyboard.press('Escape');
    const item = page.locator(`${first} >> [data-column="x^2 + y^2"]`);
    assert.ok(Math.abs(Number(await item.getAttribute('data-value')) - 1) < 1e-15);
  });
});

test('a plot goes over a column, marks the point of now, and back to time', async () => {
  await visit(await writePage(folder, smallTable), async (page) => {
    await columnsOf(page).click();
    const field = page.getByRole('textbox', { name: 'Horizontal axis' });
    await field.fill('x');
    await field.press('Enter');
    await page.keyboard.press('Escape');
    assert.match(await page.innerText(`${first} >> h3`), /over x$/);
    const now = page.locator(`${first} >> .xy-now`);
    const place = async () => (await now.boundingBox()).x;
    // The mark follows in the next frame: it stands still when two frames agree.
    const settled = async (time) => {
      await page.waitForFunction((t) => Number(document.querySelector('.plot .legend').dataset.time) === t, time);
      for (let last = NaN; ; ) {
        const next = await place();
        if (next === last) return next;
        last = next;
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      }
    };
    await page.keyboard.press('Home');
    const before = await settled(0);
    await page.keyboard.press('End');
    const after = await settled(10);
    assert.ok(after < before - 20, `${after} is left of ${before}: sin(10) is below sin(0)`);
    // A click goes to the time of the row that is nearest.
    const box = await page.locator(`${first} >> .xy`).boundingBox();
    await page.mouse.click(box.x + box.width - 26, box.y + box.height / 2);
    await page.waitForFunction(() => Number(document.querySelector('.plot .legend').dataset.time) !== 10);
    const x = Number(await page.locator('.plot .legend [data-column=x]').first().getAttribute('data-value'));
    assert.ok(x > 0.95, `${x} is at the right edge`);
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator(first).getByRole('button', { name: 'PNG' }).click()]);
    assert.equal(download.suggestedFilename(), 'Sample-x-y-over-x.png');
    await columnsOf(page).click();
    await field.fill('');
    await field.press('Enter');
    await page.keyboard.press('Escape');
    assert.equal(await now.count(), 0);
    assert.equal(await page.locator(`${first} >> .chart`).isVisible(), true);
  });
});

test('where rows are extremes of stretches nothing is made of two columns', async () => {
  const table = tableOf([['x', 'position', Math.sin], ['y', 'position', Math.cos]]);
  const thinned = { columns: table.map(([name, group]) => ({ name, group })), index: 0, rows: 501, total: 5010, thinned: 20 };
  await visit(await writePage(folder, table, { table: thinned }), async (page) => {
    await columnsOf(page).click();
    for (const name of ['Expression of columns', 'Horizontal axis']) {
      const field = page.getByRole('textbox', { name });
      await field.fill('x*y');
      await field.press('Enter');
      assert.match(await page.innerText('.chooser-problem'), /do not belong together/);
    }
  });
});
