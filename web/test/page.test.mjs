// The page in a real browser: what its reader does, and sees.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { browser, folder } from './browser.mjs';
import { smallTable, tableOf, writePage } from './sample.mjs';

/** Opens a page, does `work` with it, and fails if it complained or asked the network for anything. */
async function visit(address, work, options = {}, prepare = async () => {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', acceptDownloads: true, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) complaints.push(`request: ${request.url()}`);
  });
  await prepare(page);
  await page.goto(address);
  await page.waitForSelector('.plot .legend li');
  await work(page);
  await context.close();
  assert.deepEqual(complaints, []);
}

/** The rows of all legends: their time, and the value of each column. */
const legends = (page) => page.$$eval('.plot:not([hidden]) .legend', (lists) => lists.map((list) => ({
  time: Number(list.dataset.time),
  values: Object.fromEntries([...list.children].map((item) => [item.dataset.column, Number(item.dataset.value)])),
})));

/** Waits until the legends are at time t, or nearer to it than `tolerance`. */
const until = (page, t, tolerance = 1e-9) => page.waitForFunction(
  ([time, far]) => [...document.querySelectorAll('.legend')].every((list) => Math.abs(Number(list.dataset.time) - time) < far), [t, tolerance]);

async function pointAt(page, plot, fraction) {
  const box = await page.locator('.plot .u-over').nth(plot).boundingBox();
  return [box.x + fraction * box.width, box.y + box.height / 2];
}

const column = (name) => smallTable.find((entry) => entry[0] === name)[2];

test('coordinates, residuals and balance are plotted, with the values of the table at the cursor of all plots', async () => {
  await visit(await writePage(folder, smallTable), async (page) => {
    assert.deepEqual(await page.$$eval('.plot', (plots) => plots.map((plot) => plot.dataset.kind)), ['coordinates', 'residuals', 'balance']);
    for (const [plot, fraction, row] of [[0, 0.5, 250], [2, 0.25, 125]]) {
      await page.mouse.move(...(await pointAt(page, plot, fraction)));
      await until(page, column('t')[row]);
      assert.deepEqual((await legends(page)).map(({ values }) => values), [
        { x: column('x')[row], y: column('y')[row] },
        { 'constraint.rod': column('constraint.rod')[row] },
        { 'energy.balance': column('energy.balance')[row] },
      ]);
    }
  });
});

test('a click goes to a time, keys go on from there, and playing moves the cursors', async () => {
  await visit(await writePage(folder, smallTable), async (page) => {
    await page.mouse.click(...(await pointAt(page, 0, 0.3)));
    await page.mouse.move(2, 2);
    await until(page, 3);
    for (const [key, time] of [['ArrowRight', 3.02], ['ArrowLeft', 3], ['Shift+ArrowRight', 3.2], ['End', 10], ['Home', 0]]) {
      await page.keyboard.press(key);
      await until(page, time);
    }
    await page.keyboard.press(' ');
    await page.waitForFunction(() => Number(document.querySelector('.legend').dataset.time) > 0.1);
    await page.keyboard.press(' ');
  });
});

test('keys of the page do nothing to those who type', async () => {
  await visit(await writePage(folder, smallTable), async (page) => {
    await page.click('.plot button:has-text("Columns")');
    await page.keyboard.type('x 0?');
    assert.equal(await page.inputValue('.chooser input'), 'x 0?');
    assert.equal(await page.isVisible('.help'), false);
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    assert.equal(await page.isVisible('.help'), true);
  });
});

test('dragging zooms all plots in time, and the zoom is taken back', async () => {
  await visit(await writePage(folder, smallTable), async (page) => {
    const [x, y] = await pointAt(page, 0, 0.2);
    const [end] = await pointAt(page, 0, 0.4);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(end, y, { steps: 4 });
    await page.mouse.up();
    // The middle of what is shown is the middle of what was dragged, in every plot, as near as pixels are.
    for (const plot of [0, 1, 2]) {
      await page.mouse.move(...(await pointAt(page, plot, 0.5)));
      await until(page, 3, 0.05);
    }
    assert.equal((await page.$$('.plot button:has-text("Reset zoom"):visible')).length, 3);
    await page.click('.plot button:has-text("Reset zoom")');
    await page.mouse.move(...(await pointAt(page, 1, 0.5)));
    await until(page, 5);
  });
});

test('columns are searched and chosen by keys; forces come with their sign convention', async () => {
  await visit(await writePage(folder, smallTable), async (page) => {
    await page.click('button:has-text("Add plot")');
    await page.keyboard.type('ideal');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    const added = page.locator('.plot').nth(3);
    assert.deepEqual(await added.locator('.legend li').evaluateAll((items) => items.map((item) => item.dataset.column)), ['ideal.x']);
    assert.equal(await added.locator('.legend li').getAttribute('data-value'), '3');
    assert.match(await added.locator('.plot-note').innerText(), /M q'' = Q \+ Q_ideal \+ Q_nonideal/);
    await added.locator('button:has-text("log")').click();
    assert.match(await added.locator('.plot-note').innerText(), /absolute values on a logarithmic axis/);
    await added.locator('button[aria-label="Remove this plot"]').click();
    assert.equal(await page.locator('.plot').count(), 3);
  });
});

test('two thousand columns are searched, and only those that match are in the list', async () => {
  const many = Array.from({ length: 2000 }, (_, i) => [`link${i}.fx`, 'reaction', (t) => i * t]);
  await visit(await writePage(folder, tableOf([['x', 'position', Math.sin], ...many], 50)), async (page) => {
    const searched = await page.evaluate(() => {
      document.querySelector('.plot button').click();
      const field = document.querySelector('.chooser input');
      field.value = '1999';
      field.dispatchEvent(new Event('input'));
      return [...document.querySelectorAll('.chooser-option')].map((option) => option.dataset.column);
    });
    assert.deepEqual(searched, ['link1999.fx']);
  });
});

test('names with HTML in them are text', async () => {
  const name = '<img src=x onerror=alert(1)>';
  const address = await writePage(folder, tableOf([[name, 'position', Math.sin]]), {
    headline: name, drawing_hint: name,
    model: { name, description: name, file: name, text: `</script><script>alert(2)</script>${name}`, coordinates: [name], parameters: [], initial: [], constraints: [] },
    summary: { complete: false, t: 1, reason: name, work: {} },
  });
  await visit(address, async (page) => {
    await page.click('#tab-model');
    await page.click('.plot button:has-text("Columns")');
    assert.equal(await page.$$eval('#app img', (images) => images.length), 0);
    assert.equal(await page.innerText('h1'), name);
    assert.equal(await page.title(), name);
    assert.equal(await page.textContent('.chooser-option'), name);
    assert.match(await page.innerText('.model-file .text'), /alert\(2\)/);
    assert.match(await page.innerText('.remark.failure'), /stopped at t = 1: <img/);
  });
});

test('a phone shows everything without scrolling sideways, in light and dark', async () => {
  const address = await writePage(folder, smallTable);
  for (const colorScheme of ['light', 'dark']) {
    await visit(address, async (page) => {
      for (const tab of ['summary', 'equations', 'model']) {
        await page.click(`#tab-${tab}`);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 375);
      }
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), colorScheme);
    }, { viewport: { width: 375, height: 700 }, colorScheme });
  }
});

test('the choice of colours is remembered, and works where storing is forbidden', async () => {
  const address = await writePage(folder, smallTable);
  const theme = (page) => page.evaluate(() => document.documentElement.dataset.theme);
  await visit(address, async (page) => {
    await page.selectOption('select.theme', 'dark');
    assert.equal(await theme(page), 'dark');
    await page.reload();
    assert.equal(await theme(page), 'dark');
  });
  const forbid = (page) => page.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', { get: () => { throw new DOMException('no', 'SecurityError'); } });
  });
  await visit(address, async (page) => {
    await page.selectOption('select.theme', 'dark');
    assert.equal(await theme(page), 'dark');
  }, {}, forbid);
});

test('the table is saved as CSV and a plot as PNG', async () => {
  await visit(await writePage(folder, smallTable), async (page) => {
    const save = async (button) => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
      return [download.suggestedFilename(), await readFile(await download.path())];
    };
    const [csvName, csv] = await save('.board-head button:has-text("CSV")');
    assert.equal(csvName, 'Sample-trajectory.csv');
    const lines = csv.toString().trimEnd().split('\n');
    assert.equal(lines[0], smallTable.map(([name]) => name).join(','));
    assert.deepEqual(lines[1 + 77].split(',').map(Number), smallTable.map(([, , values]) => values[77]));
    assert.equal(lines.length, 502);
    const [pngName, png] = await save('.plot button:has-text("PNG")');
    assert.equal(pngName, 'Sample-Coordinates.png');
    assert.equal(png.subarray(1, 4).toString(), 'PNG');
    assert.equal(png.readUInt32BE(16), 2000);
  });
});

test('a thinned table says so, and shows the extremes of the stretch at the cursor', async () => {
  const rows = smallTable[0][2].length;
  const table = { columns: smallTable.map(([name, group]) => ({ name, group })), index: 0, rows, total: 5_010_000, thinned: 20_000 };
  await visit(await writePage(folder, smallTable, { table }), async (page) => {
    assert.match(await page.innerText('.board > .plot-note'), /smallest and largest of each 20,000 of 5,010,000 rows/);
    assert.match(await page.innerText('.legend li .value'), /^0 … 0\.02/);
  });
});

test('equations are typeset when they are looked at; without any the page says why', async () => {
  await visit(await writePage(folder, smallTable), async (page) => {
    assert.equal(await page.locator('.katex').count(), 0);
    await page.click('#tab-equations');
    await page.waitForSelector('.equations .katex');
  });
  await visit(await writePage(folder, smallTable, { equations: { method: 'm-inverse', html: '', note: 'too large to print here' } }), async (page) => {
    await page.click('#tab-equations');
    assert.equal(await page.innerText('.equations'), 'too large to print here');
  });
});

test('what happened at instants is marked on the slider and on the plots, and the clock goes there', async () => {
  const instants = [
    { t: 2.5, name: 'floor', kind: 'impact' },
    { t: 2.5000001, name: 'floor', kind: 'impact' },
    { t: 4, name: 'belt <b>', kind: 'stick' },
    { t: 10, name: 'apex', kind: 'stop' },
  ];
  const address = await writePage(folder, smallTable, { instants });
  await visit(address, async (page) => {
    const marks = await page.$$eval('.player-marks span', (spans) => spans.map((span) => [span.className, span.title]));
    assert.deepEqual(marks.map(([name]) => name), ['contact', 'friction', 'event']);
    assert.match(marks[1][1], /^4\.?0* s · belt <b>: stick$/);
    await page.click('.player-marks .friction');
    assert.match(await page.innerText('.player-time'), /^4/);
    // The feet of the marks are drawn below the lines, in the colour of friction at t = 4.
    const red = await page.evaluate(() => {
      const canvas = document.querySelector('.plot canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) count += data[i] === 0xd5 && data[i + 1] === 0x5e && data[i + 2] === 0 ? 1 : 0;
      return count;
    });
    assert.ok(red >= 4, `${red} points`);
  });
});
