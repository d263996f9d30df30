// node benches/page.mjs: how soon the page is there, and how fluently it moves.
//
// For the rolling disk, the double pendulum, a chain of 100 links and a motion of ten million rows: size of the file,
// first paint, when all of it stands, and memory of the page; frames a second while it plays; and what a frame costs
// our own code, which is what is left to do where a graphics card draws. The browser draws in software here.
import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { folder, generated, launch, report, visit } from '../tests/web/support.mjs';

const rows = process.argv.includes('--quick') ? '1000000' : '10000000';
const ends = [];
const scope = { after: (end) => ends.push(end) };

async function written(name, text) {
  const file = path.join(await folder(scope), name);
  await writeFile(file, text);
  return file;
}

const oscillator = `name = "Oscillator"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "x^2/2"
[initial]
x = 1
[simulation]
duration = 1000
[[view.point]]
name = "bob"
at = ["x", 0, 0]
`;

/** Frames that were drawn, and milliseconds of script for each, while it plays for some seconds. */
async function playing(page, seconds) {
  await page.keyboard.press('Home');
  await page.keyboard.press('Space');
  await page.waitForTimeout(500);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const measure = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const script = metrics.find(({ name }) => name === 'ScriptDuration').value;
    const frames = await page.evaluate(() => Number(document.querySelector('[data-frames-drawn]').dataset.framesDrawn));
    return { script, frames, time: performance.now() / 1000 };
  };
  const from = await measure();
  await page.waitForTimeout(1000 * seconds);
  const to = await measure();
  const frames = to.frames - from.frames;
  return { rate: frames / (to.time - from.time), cost: (1000 * (to.script - from.script)) / frames };
}

const models = [
  ['rolling disk', 'rolling_disk', []],
  ['double pendulum', 'double_pendulum', []],
  ['chain of 100 links', await written('chain.toml', await generated('chain', '100', '--view')), ['--duration', '2', '--samples', '201']],
  [`oscillator, ${rows} rows`, await written('oscillator.toml', oscillator), ['--samples', rows]],
];
const browser = await launch();
{
  // Readers have their browser open already.
  const page = await visit(scope, browser, await report(scope, 'pendulum'));
  await page.waitForFunction(() => Number(document.querySelector('[data-frames-drawn]')?.dataset.framesDrawn) > 0);
  await page.context().close();
}
console.log('motion                       file    first paint  all there  memory  frames/s  script a frame');
for (const [name, model, given] of models) {
  const file = await report(scope, model, ...given);
  const page = await visit(scope, browser, file);
  await page.waitForFunction(() => Number(document.querySelector('[data-frames-drawn]')?.dataset.framesDrawn) > 0);
  const ready = await page.evaluate(() => performance.now());
  await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
  const { paint, memory } = await page.evaluate(() => ({
    paint: performance.getEntriesByName('first-contentful-paint')[0].startTime,
    memory: performance.memory.usedJSHeapSize,
  }));
  const { rate, cost } = await playing(page, 5);
  const size = (await stat(file)).size;
  console.log([name.padEnd(26), `${(size / 1e6).toFixed(1)} MB`.padStart(7), `${paint.toFixed(0)} ms`.padStart(13),
    `${ready.toFixed(0)} ms`.padStart(10), `${(memory / 1e6).toFixed(0)} MB`.padStart(7), rate.toFixed(0).padStart(9),
    `${cost.toFixed(2)} ms`.padStart(15)].join(' '));
  await page.context().close();
}
await browser.close();
for (const end of ends.reverse()) await Promise.resolve(end()).catch(() => undefined);
