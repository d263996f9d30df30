// `dalembert view` in a browser: values move the motion, errors stand at their line, and nobody else can use it.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { barriers, folder, launch, near, picture, report, root, table, view, visit } from './support.mjs';

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

/** A copy of a model that comes with the program, to be edited. */
async function copy(t, name) {
  const file = path.join(await folder(t), `${name}.toml`);
  await copyFile(path.join(root, 'models', `${name}.toml`), file);
  return file;
}

const upToDate = (page) => page.locator('.live-status', { hasText: 'Up to date' }).waitFor();

/** The last value of a column of the motion on the screen. */
async function last(page, column) {
  await page.keyboard.press('End');
  const item = page.locator(`.plot[data-kind=coordinates] .legend [data-column="${column}"]`);
  await page.waitForFunction(() => {
    const list = document.querySelector('.plot[data-kind=coordinates] .legend');
    return list && Number(list.dataset.time) > 0;
  });
  return Number(await item.getAttribute('data-value'));
}

async function open(t, model, ...given) {
  const server = await view(t, model, ...given);
  const page = await visit(t, browser, server.address);
  await upToDate(page);
  return { ...server, page };
}

/** The field that has the value of a parameter as a number; its slider counts in steps of its own. */
function written(page, name) {
  const label = new RegExp(`^${name}\\b`);
  return page.getByRole('spinbutton', { name: label }).or(page.getByRole('textbox', { name: label })).first();
}

/** Until the motion on the screen ends with what the column of this table ends with. */
async function shows(page, csv, column) {
  const expected = csv[column].at(-1);
  const give_up = Date.now() + 60_000;
  for (;;) {
    await upToDate(page);
    const found = await last(page, column);
    if (Math.abs(found - expected) <= 1e-12 * Math.max(1, Math.abs(expected))) return;
    assert.ok(Date.now() < give_up, `${column} ends with ${found}, not ${expected}`);
    await page.waitForTimeout(50);
  }
}

test('the page shows the motion of run, and asks nobody but its server', async (t) => {
  const csv = await table(await report(t, 'rolling_disk'));
  const { page, address } = await open(t, 'rolling_disk');
  await page.locator('body').click({ position: { x: 5, y: 5 } });
  assert.equal(await last(page, 'theta'), csv.theta.at(-1));
  await page.locator('[data-frames-drawn] canvas').first().waitFor();
  assert.deepEqual(page.problems, []);
  const origin = new URL(address).origin;
  assert.deepEqual(page.requests.filter((request) => new URL(request).origin !== origin), []);
});

test('nothing stands in anybody’s way on the live page, an error at its line included', async (t) => {
  const { page } = await open(t, await copy(t, 'double_pendulum'));
  assert.deepEqual(await barriers(page), []);
  const editor = page.getByRole('textbox', { name: 'Model text' });
  await editor.fill((await editor.inputValue()).replace(/^kinetic = "/m, 'kinetic = "qqq*'));
  await page.locator('.live-mark').waitFor();
  assert.deepEqual(await barriers(page), []);
});

test('a slider and a typed value change the motion as --set does', async (t) => {
  const csv = await table(await report(t, 'double_pendulum', '--set', 'm1=2'));
  const { page } = await open(t, 'double_pendulum');
  await page.locator('[data-frames-drawn] canvas').first().waitFor();
  const value = written(page, 'm1');
  await value.fill('2');
  await value.press('Enter');
  await page.locator('h1').click();
  const column = Object.keys(csv)[1];
  await shows(page, csv, column);

  const slider = page.getByRole('slider', { name: /^m1\b/ }).first();
  await slider.focus();
  for (let i = 0; i < 5; ++i) await page.keyboard.press('ArrowLeft');
  const chosen = await value.inputValue();
  assert.ok(Number(chosen) < 2);
  await page.locator('h1').click();
  await shows(page, await table(await report(t, 'double_pendulum', '--set', `m1=${chosen}`)), column);
  assert.deepEqual(page.problems, []);
});

test('an error is told at its line and the last motion stays; mended, it goes', async (t) => {
  const file = await copy(t, 'double_pendulum');
  const text = await readFile(file, 'utf8');
  const line = text.split('\n').findIndex((each) => each.startsWith('kinetic')) + 1;
  assert.ok(line > 0);
  const { page } = await open(t, file);
  const editor = page.getByRole('textbox', { name: 'Model text' });
  await editor.fill(text.replace(/^kinetic = "/m, 'kinetic = "qqq*'));
  const mark = page.locator('.live-mark');
  await mark.waitFor();
  assert.equal(await mark.getAttribute('data-line'), String(line));
  assert.match(await mark.textContent(), /unknown name 'qqq'/);
  assert.match(await page.locator('.live-problems').textContent(), new RegExp(`Line ${line}.*last model without errors`, 's'));
  assert.equal(await readFile(file, 'utf8'), text, 'nothing is saved unasked');
  await editor.fill(text);
  await upToDate(page);
  assert.equal(await mark.count(), 0);
  assert.deepEqual(page.problems, []);
});

test('saving goes to the file that was named', async (t) => {
  const file = await copy(t, 'pendulum');
  const text = await readFile(file, 'utf8');
  const { page } = await open(t, file);
  await page.getByRole('textbox', { name: 'Model text' }).fill(`${text}\n# kept\n`);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  assert.equal(await readFile(file, 'utf8'), `${text}\n# kept\n`);
});

test('a file with the line ends of Windows is shown as it is, and keeps them', async (t) => {
  const file = await copy(t, 'pendulum');
  const text = (await readFile(file, 'utf8')).replaceAll('\n', '\r\n');
  await writeFile(file, text);
  const { page } = await open(t, file);
  const mark = page.locator('.live-unsaved');
  assert.equal(await mark.isVisible(), false, 'nothing has been changed');
  const editor = page.getByRole('textbox', { name: 'Model text' });
  const shown = await editor.inputValue();
  assert.equal(shown, text.replaceAll('\r\n', '\n'));
  await editor.fill(`${shown}\n# kept\n`);
  await mark.waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  assert.equal(await readFile(file, 'utf8'), `${text}\r\n# kept\r\n`);
  assert.equal(await mark.isVisible(), false);
  assert.deepEqual(page.problems, []);
});

test('while the motion of another text comes in, no equations but its own are shown', async (t) => {
  const { page } = await open(t, 'pendulum');
  await page.getByRole('tab', { name: 'Equations' }).click();
  await page.waitForFunction(() => document.querySelector('.equations .math.done') && !document.querySelector('.equations .math:not(.done)'));
  /** The formulas on the screen, and whether the motion is still on its way. */
  const state = () => page.evaluate(() => ({
    formulas: [...document.querySelectorAll('.equations annotation')].map((each) => each.textContent),
    busy: !document.querySelector('.live-work').hidden,
  }));
  // The disk has no l.
  const ofPendulum = (formula) => /(^|[^a-z\\])l(?![a-z])/.test(formula);
  assert.ok((await state()).formulas.some(ofPendulum), 'the pendulum has its equations');
  const disk = await readFile(path.join(root, 'models/rolling_disk.toml'), 'utf8');
  await page.getByRole('textbox', { name: 'Model text' }).fill(disk.replace(/^duration = .*$/m, 'duration = 1e7'));
  await page.locator('h1', { hasText: 'Rolling disk' }).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).waitFor();
  for (let i = 0; i < 10; ++i) {
    const { formulas, busy } = await state();
    assert.ok(busy, 'the motion is on its way');
    assert.deepEqual(formulas.filter(ofPendulum), []);
    await page.waitForTimeout(100);
  }
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.locator('.live-status', { hasText: 'Cancelled' }).waitFor();
  assert.deepEqual((await state()).formulas.filter(ofPendulum), []);
  assert.deepEqual(page.problems, []);
});

test('a value given with --set counts until the text gives another', async (t) => {
  const file = await copy(t, 'pendulum');
  const text = await readFile(file, 'utf8');
  const tension = async (...given) => (await table(await report(t, file, ...given))).tension[0];
  const { page } = await open(t, file, '--set', 'm=2');
  const field = page.getByRole('textbox', { name: /^m\b/ }).first();
  assert.equal(Number(await field.inputValue()), 2);
  const editor = page.getByRole('textbox', { name: 'Model text' });
  await editor.fill((await editor.inputValue()).replace(/^m = .*$/m, 'm = 5'));
  await page.waitForFunction((name) => Number(document.querySelector(name).value) === 5, `[aria-labelledby="${await field.getAttribute('aria-labelledby')}"][type=text]`);
  await upToDate(page);
  await page.getByRole('button', { name: /^Add/ }).click();
  await page.keyboard.type('tension');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  const item = page.locator('.plot[data-kind=chosen] .legend [data-column=tension]');
  near(Number(await item.getAttribute('data-value')), await tension('--set', 'm=5'), 1e-12, 'the tension at the start');
  assert.equal(await readFile(file, 'utf8'), text);
  assert.deepEqual(page.problems, []);
});

test('a server that was killed leaves a clear message', async (t) => {
  const { page, child } = await open(t, 'pendulum');
  child.kill('SIGKILL');
  const banner = page.locator('.live-banner');
  await banner.waitFor();
  assert.match(await banner.textContent(), /has ended.*dalembert view pendulum/s);
  assert.ok(await page.locator('.plot').first().isVisible(), 'the motion stays');
});

test('a page from elsewhere cannot drive the server', async (t) => {
  const { address } = await view(t, 'pendulum');
  const foreign = createServer((_, answer) => answer.writeHead(200, { 'Content-Type': 'text/html' }).end('<title>elsewhere</title>'));
  await new Promise((resolve) => foreign.listen(0, '127.0.0.1', resolve));
  t.after(() => foreign.close());
  const page = await visit(t, browser, `http://127.0.0.1:${foreign.address().port}/`);
  const outcome = await page.evaluate(async (address) => {
    const tries = {};
    const attempt = async (name, make) => {
      try {
        const answer = await make();
        tries[name] = answer.type === 'opaque' ? 'opaque' : answer.status;
      } catch {
        tries[name] = 'refused';
      }
    };
    const body = JSON.stringify({ text: '' });
    await attempt('page', () => fetch(address));
    await attempt('simulate', () => fetch(`${address}simulate`, { method: 'POST', body, headers: { 'Content-Type': 'application/json' } }));
    await attempt('save', () => fetch(`${address}save`, { method: 'POST', body, headers: { 'Content-Type': 'application/json' } }));
    await attempt('alive', () => fetch(`${address}alive`));
    const frame = document.createElement('iframe');
    frame.src = address;
    document.body.append(frame);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    try {
      tries.frame = frame.contentDocument?.title || 'refused';
    } catch {
      tries.frame = 'refused';
    }
    return tries;
  }, address);
  assert.deepEqual(outcome, { page: 'refused', simulate: 'refused', save: 'refused', alive: 'refused', frame: 'refused' });
});

test('dragging keeps up: the last value wins', async (t) => {
  const { page } = await open(t, 'rolling_disk');
  const canvas = page.locator('[data-frames-drawn] canvas').first();
  await canvas.waitFor();
  const before = await picture(canvas);
  const slider = page.getByRole('slider', { name: /^r\b/ }).first();
  await slider.scrollIntoViewIfNeeded();
  const box = await slider.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  for (let i = 1; i <= 20; ++i) await page.mouse.move(box.x + box.width * (0.5 + 0.02 * i), box.y + box.height / 2);
  await page.mouse.up();
  const chosen = await written(page, 'r').inputValue();
  assert.ok(Number(chosen) > 0.5);
  await page.locator('h1').click();
  await shows(page, await table(await report(t, 'rolling_disk', '--set', `r=${chosen}`)), 'theta');
  assert.notEqual(await picture(canvas), before, 'the disk has grown');
  assert.deepEqual(page.problems, []);
});

test('the run that was kept is laid over the next, and integrator and tolerances are asked for', async (t) => {
  const { page } = await open(t, 'double_pendulum');
  await page.locator('[data-frames-drawn] canvas').first().waitFor();
  const column = page.locator('.plot[data-kind=coordinates] .legend li').first();
  const name = await column.getAttribute('data-column');
  const kept = await last(page, name);
  await page.getByRole('button', { name: 'Keep', exact: true }).click();
  await page.locator('.compare-note', { hasText: 'the run that was kept' }).waitFor();
  await page.getByRole('combobox', { name: 'Integrator' }).selectOption('bdf');
  const tolerance = page.getByRole('textbox', { name: 'Relative tolerance' });
  await tolerance.fill('no');
  await tolerance.press('Enter');
  assert.equal(await tolerance.getAttribute('aria-invalid'), 'true');
  await tolerance.fill('1e-4');
  await tolerance.press('Enter');
  await page.locator('h1').click();
  await shows(page, await table(await report(t, 'double_pendulum', '--integrator', 'bdf', '--rtol', '1e-4')), name);
  assert.equal(Number(await column.getAttribute('data-other')), kept);
  assert.notEqual(Number(await column.getAttribute('data-value')), kept);
  await page.getByRole('button', { name: 'Reset all', exact: true }).click();
  await page.waitForFunction(() => document.querySelector('#live-rtol').value === '1e-9');
  assert.deepEqual(page.problems, []);
});
