// report.html in a browser: it needs nothing but itself, it draws, and what it shows are the numbers of the run.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { barriers, folder, generated, launch, near, pageOf, picture, report, table, visit } from './support.mjs';

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

const legend = (page, kind) => page.locator(`.plot[data-kind=${kind}] .legend`);

/** The values in a legend, by column, and their time. */
async function shown(page, kind) {
  return legend(page, kind).evaluate((list) => ({
    time: Number(list.dataset.time),
    values: Object.fromEntries([...list.children].map((item) => [item.dataset.column, Number(item.dataset.value)])),
  }));
}

/** Puts the pointer at a part of the width of a plot; again where the page has moved meanwhile. */
async function point(page, kind, part) {
  const chart = page.locator(`.plot[data-kind=${kind}] .u-over`);
  const wanted = part * (await end(page));
  for (let i = 0; i < 20; ++i) {
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.boundingBox();
    await page.mouse.move(box.x + part * box.width, box.y + box.height / 2 + i);
    await page.waitForTimeout(100);
    const { time } = await shown(page, kind);
    if (Math.abs(time - wanted) < 0.02 * (await end(page))) return;
  }
  assert.fail(`the cursor of ${kind} does not follow the pointer`);
}

const end = (page) => page.evaluate(() => JSON.parse(document.getElementById('dalembert-document').textContent).simulation.duration);

/** The canvas has been drawn for the motion. */
async function drawn(page) {
  const stage = page.locator('[data-frames-drawn]');
  await stage.waitFor();
  await page.waitForFunction(() => Number(document.querySelector('[data-frames-drawn]').dataset.framesDrawn) > 0);
  return stage.locator('canvas').first();
}

const chain = async (t) => {
  const file = path.join(await folder(t), 'chain.toml');
  await writeFile(file, await generated('chain', '100', '--view'));
  return file;
};

for (const [name, model, options] of [
  ['rolling disk', async () => 'rolling_disk', []],
  ['double pendulum', async () => 'double_pendulum', []],
  ['chain of 100 links', chain, ['--duration', '0.5', '--samples', '101']],
]) {
  describe(name, () => {
    test('loads in silence, draws, and shows the numbers of the run', async (t) => {
      const file = await report(t, await model(t), ...options);
      const page = await visit(t, browser, file);
      const canvas = await drawn(page);

      await page.getByRole('button', { name: 'Pause' }).or(page.getByRole('button', { name: 'Play' })).first().waitFor();
      const still = await picture(canvas);
      await page.keyboard.press('Home');
      await page.getByRole('button', { name: 'Play', exact: true }).click();
      const drawnBefore = Number(await page.locator('[data-frames-drawn]').getAttribute('data-frames-drawn'));
      await page.waitForFunction((n) => Number(document.querySelector('[data-frames-drawn]').dataset.framesDrawn) > n + 3, drawnBefore);
      await page.getByRole('button', { name: 'Pause', exact: true }).click();
      assert.notEqual(await picture(canvas), still, 'playing changes what is seen');

      const csv = await table(file);
      for (const part of [0.25, 0.6]) {
        for (const kind of Object.keys(csv).some((name) => name.startsWith('constraint.')) ? ['coordinates', 'residuals'] : ['coordinates']) {
          await point(page, kind, part);
          const { time, values } = await shown(page, kind);
          const row = csv.t.indexOf(time);
          assert.ok(row >= 0, `${time} is the time of a row`);
          assert.ok(Object.keys(values).length > 0);
          for (const [column, value] of Object.entries(values)) {
            if (column in csv) assert.equal(value, csv[column][row], `${column} at ${time}`);
          }
        }
      }
      await point(page, 'balance', 0.5);
      const { values } = await shown(page, 'balance');
      const summary = JSON.parse(await readFile(path.join(path.dirname(file), 'summary.json'), 'utf8'));
      assert.ok(Math.abs(values['energy.balance']) <= 1.000001 * summary.balance_error, 'no row is off by more than the summary says');

      assert.deepEqual(page.problems, []);
      assert.deepEqual(page.requests, [pathToFileURL(file).href], 'nothing but the file itself is asked for');
    });
  });
}

test('cursors are linked, and a click on a plot takes the animation there', async (t) => {
  const page = await visit(t, browser, await report(t, 'double_pendulum'));
  await drawn(page);
  await point(page, 'coordinates', 0.4);
  const [here, there] = [await shown(page, 'coordinates'), await shown(page, 'balance')];
  assert.equal(here.time, there.time);
  await page.mouse.down();
  await page.mouse.up();
  await page.waitForFunction(
    (time) => Math.abs(Number(document.querySelector('[data-frames-drawn]').dataset.time) - time) < 0.05, here.time);
});

test('any column can be plotted, found by typing', async (t) => {
  const file = await report(t, 'rolling_disk');
  const page = await visit(t, browser, file);
  await page.getByRole('button', { name: /^Add/ }).click();
  await page.keyboard.type("theta''");
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await point(page, 'chosen', 0.5);
  const { time, values } = await shown(page, 'chosen');
  const csv = await table(file);
  assert.deepEqual(values, { "theta''": csv["theta''"][csv.t.indexOf(time)] });
});

test('a plot, its table and a still can be saved', async (t) => {
  const file = await report(t, 'double_pendulum');
  const page = await visit(t, browser, file);
  await drawn(page);
  const saved = async (click) => {
    const [download] = await Promise.all([page.waitForEvent('download'), click()]);
    return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
  };
  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
  const plot = await saved(() => page.locator('.plot').first().getByRole('button', { name: /PNG|picture/i }).click());
  assert.ok(plot.name.endsWith('.png') && plot.bytes.subarray(0, 4).equals(png) && plot.bytes.length > 5000);
  const still = await saved(() => page.getByRole('button', { name: /still|picture/i }).first().click());
  assert.ok(still.name.endsWith('.png') && still.bytes.subarray(0, 4).equals(png) && still.bytes.length > 5000);
  const csv = await saved(() => page.getByRole('button', { name: /CSV/ }).click());
  const expected = await table(file);
  const [header, ...rows] = csv.bytes.toString().trimEnd().split(/\r?\n/).map((line) => line.split(','));
  assert.equal(rows.length, expected.t.length);
  for (const [i, name] of header.entries()) {
    if (name in expected) rows.forEach((row, k) => assert.equal(Number(row[i]), expected[name][k], name));
  }
});

test('the animation can be saved as WebM', async (t) => {
  const page = await visit(t, browser, await report(t, 'pendulum', '--duration', '0.5'));
  await drawn(page);
  const [download] = await Promise.all([
    page.waitForEvent('download', { timeout: 60_000 }),
    page.getByRole('button', { name: /WebM|video/i }).click(),
  ]);
  const bytes = await readFile(await download.path());
  assert.ok(download.suggestedFilename().endsWith('.webm'));
  assert.equal(bytes.subarray(0, 4).toString('hex'), '1a45dfa3', 'a Matroska container');
  assert.ok(bytes.length > 2000);
  assert.deepEqual(page.problems, []);
});

test('what a model says is text, never markup', async (t) => {
  const at = await folder(t);
  const evil = '<img src=x onerror=\\"window.broken=1\\"></script><script>window.broken=2</script>';
  await writeFile(path.join(at, 'evil.toml'), `name = "${evil}"
description = "${evil}<!--"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2" # </script><script>window.broken=3</script>
[[constraint]]
name = "${evil}"
equation = "x*x' + y*y' = 0"
[initial]
x = 1
"y'" = 1
[simulation]
duration = 1
[[view.point]]
name = "${evil}"
at = ["x", "y", 0]
`);
  const file = await report(t, path.join(at, 'evil.toml'));
  const page = await visit(t, browser, file);
  await drawn(page);
  for (const tab of await page.getByRole('tab').all()) await tab.click();
  assert.equal(await page.evaluate(() => window.broken), undefined);
  assert.equal(await page.locator('img').count(), 0);
  assert.match(await page.locator('h1').textContent(), /^<img src=x/);
  assert.deepEqual(page.problems, []);
});

test('without a drawing the page says how to add one', async (t) => {
  const at = await folder(t);
  await writeFile(path.join(at, 'bare.toml'), `name = "Oscillator"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "x^2/2"
[initial]
x = 1
`);
  const page = await visit(t, browser, await report(t, path.join(at, 'bare.toml')));
  await legend(page, 'coordinates').waitFor();
  assert.match(await page.locator('.drawing-hint').textContent(), /\[view\]|view\.point/);
  assert.equal(await page.locator('canvas[data-engine]').count(), 0, 'nothing pretends to be drawn');
  assert.deepEqual(page.problems, []);
});

test('equations, model and summary can be read', async (t) => {
  const file = await report(t, 'rolling_disk');
  const page = await visit(t, browser, file);
  await page.getByRole('tab', { name: /Equations/ }).click();
  await page.locator('#panel-equations .katex').first().waitFor();
  assert.equal(await page.locator('#panel-equations .katex-error').count(), 0);
  await page.getByRole('tab', { name: /Model/ }).click();
  assert.match(await page.locator('#panel-model').textContent(), /coordinates/);
  await page.getByRole('tab', { name: /Summary/ }).click();
  assert.match(await page.locator('#panel-summary').textContent(), /rank/i);
});

test('keys play, step, and explain themselves', async (t) => {
  const page = await visit(t, browser, await report(t, 'double_pendulum'));
  await drawn(page);
  await page.keyboard.press('Home');
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  await page.keyboard.press('Home');
  await page.waitForFunction(() => document.querySelector('[data-frames-drawn]').dataset.time === '0');
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => Number(document.querySelector('[data-frames-drawn]').dataset.time) > 0);
  await page.keyboard.press('?');
  await page.getByRole('dialog').first().waitFor();
});

test('a motion plays by itself, unless less movement is asked for', async (t) => {
  const file = await report(t, 'double_pendulum', '--duration', '2');
  const lively = await visit(t, browser, file, { reducedMotion: 'no-preference' });
  await lively.waitForFunction(() => Number(document.querySelector('[data-frames-drawn]')?.dataset.time) > 0);
  await lively.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  const calm = await visit(t, browser, file);
  await drawn(calm);
  await calm.getByRole('button', { name: 'Play', exact: true }).waitFor();
  await calm.waitForTimeout(500);
  assert.equal(await calm.locator('[data-frames-drawn]').getAttribute('data-time'), '0');
});

for (const scheme of ['light', 'dark']) {
  test(`nothing on the page stands in anybody’s way, ${scheme}`, async (t) => {
    const page = await visit(t, browser, await report(t, 'rolling_disk', '--duration', '2'), { colorScheme: scheme });
    await drawn(page);
    await page.getByRole('button', { name: 'Options', exact: true }).click();
    for (const tab of await page.getByRole('tab').all()) {
      await tab.click();
      assert.deepEqual(await barriers(page), [], await tab.innerText());
    }
    for (const name of ['Columns', 'Keys and pointer']) {
      await page.getByRole('button', { name, exact: true }).first().click();
      await page.getByRole('dialog').first().waitFor();
      assert.deepEqual(await barriers(page), [], name);
      await page.keyboard.press('Escape');
    }
    // Whoever speaks to a browser says what a button says.
    const unlike = await page.$$eval('button', (buttons) => buttons.filter((button) => /\p{L}/u.test(button.innerText)
      && button.hasAttribute('aria-label') && button.getAttribute('aria-label') !== button.innerText).map((button) => button.outerHTML));
    assert.deepEqual(unlike, []);
  });
}

for (const scheme of ['light', 'dark']) {
  test(`on a phone nothing is wider than the screen, ${scheme}`, async (t) => {
    const page = await visit(t, browser, await report(t, 'rolling_disk'),
      { viewport: { width: 375, height: 720 }, colorScheme: scheme, hasTouch: true, isMobile: true });
    await drawn(page);
    for (const tab of await page.getByRole('tab').all()) {
      await tab.click();
      const excess = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(excess <= 0, `${excess} px too wide`);
    }
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
    assert.equal(ground[0] > 127, scheme === 'light');
    assert.deepEqual(page.problems, []);
  });
}

test('a long motion is thinned, and no extreme is lost', async (t) => {
  const file = await report(t, 'double_pendulum', '--samples', '100000');
  const csv = await table(file);
  const page = await visit(t, browser, file);
  await legend(page, 'coordinates').waitFor();
  const kept = await page.evaluate(() => {
    const document_ = JSON.parse(document.getElementById('dalembert-document').textContent);
    const bytes = Uint8Array.from(atob(document.getElementById('dalembert-values').textContent.trim()), (c) => c.charCodeAt(0));
    const values = new Float64Array(bytes.buffer);
    const { columns, index, rows, thinned, total } = document_.table;
    const extremes = columns.map(({ name }, c) => {
      const column = values.subarray(index + c * rows, index + (c + 1) * rows);
      return [name, column.reduce((a, b) => Math.min(a, b)), column.reduce((a, b) => Math.max(a, b))];
    });
    return { rows, thinned, total, extremes };
  });
  assert.equal(kept.total, 100000);
  assert.ok(kept.thinned > 1 && kept.rows < 30000);
  for (const [name, low, high] of kept.extremes) {
    if (!(name in csv)) continue;
    assert.equal(low, csv[name].reduce((a, b) => Math.min(a, b)), name);
    assert.equal(high, csv[name].reduce((a, b) => Math.max(a, b)), name);
  }
  near(kept.rows * kept.thinned / 2, kept.total, 0.01, 'rows kept');
  assert.match(await page.locator('body').textContent(), /smallest and largest/);
});

/** The page of another command than `run`. */
test('contacts stand beside the animation with the forces of the table', async (t) => {
  const file = await report(t, 'rocking_block', '--duration', '1');
  const csv = await table(file);
  const page = await visit(t, browser, file);
  await drawn(page);
  const names = Object.keys(csv).filter((name) => name.startsWith('reaction.')).map((name) => name.slice('reaction.'.length));
  assert.deepEqual(await page.$$eval('.scene-touches li', (items) => items.map((item) => item.dataset.touch)), names);
  await page.keyboard.press('Home');
  for (const [i, name] of names.entries()) {
    const item = page.locator('.scene-touches li').nth(i);
    await item.locator('span').filter({ hasText: /./ }).waitFor();
    const text = await item.innerText();
    const force = csv[`reaction.${name}`][0];
    if (force === 0) assert.match(text, /open$/);
    else near(Number(/N (\S+)/.exec(text)[1]), force, 0.005, text);
  }
  assert.deepEqual(await barriers(page), []);
  assert.deepEqual(page.problems, []);
});

for (const scheme of ['light', 'dark']) {
  test(`each mode of a linearisation can be seen, and nothing stands in the way, ${scheme}`, async (t) => {
    const page = await visit(t, browser, await pageOf(t, 'linearise', 'bicycle', '--at', "lean'=0"), { colorScheme: scheme });
    const canvas = await drawn(page);
    await page.getByRole('button', { name: 'Front', exact: true }).or(page.getByRole('button', { name: 'Options', exact: true })).first().click();
    await page.keyboard.press('Home');
    const weave = await picture(canvas);
    await page.getByRole('radio', { name: 'Show -13.2986' }).check();
    await page.waitForTimeout(300);
    assert.notEqual(await picture(canvas), weave);
    assert.deepEqual(await barriers(page), []);
    assert.deepEqual(page.problems, []);
  });

  test(`a branch is drawn, told and walked along, ${scheme}`, async (t) => {
    const file = await pageOf(t, 'continue', 'bicycle', '--along', 'v', '--from', '3', '--to', '7', '--at', "lean'=0", '--points', '9');
    const page = await visit(t, browser, file, { colorScheme: scheme });
    await page.getByRole('button', { name: /^Hopf point at v = 4.292382536/ }).click();
    assert.match(await page.innerText('.branch-point'), /v = 4.292382536 .*Hopf point: a pair/);
    assert.match(await page.innerText('.branch-special'), /through zero at v = 6.024262015/);
    assert.deepEqual(await barriers(page), []);
    assert.deepEqual(page.problems, []);
    assert.deepEqual(page.requests, [pathToFileURL(file).href]);
  });
}
