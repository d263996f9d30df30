// What the tests of the page share: the command, a browser, and a page whose every complaint and request is kept.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const require = createRequire(path.join(root, 'web/package.json'));
const { chromium } = require('playwright-core');

export const program = process.env.DALEMBERT ?? path.join(root, 'build/release/src/dalembert/dalembert');

export async function run(command, ...given) {
  return promisify(execFile)(command, given, { maxBuffer: 1 << 28 });
}

/** A folder that is gone when the test is over. */
export async function folder(test) {
  const made = await mkdtemp(path.join(os.tmpdir(), 'dalembert-'));
  test.after(() => rm(made, { recursive: true, force: true }));
  return made;
}

/** A model of benches/generate_models.py. */
export async function generated(...given) {
  return (await run('python3', path.join(root, 'benches/generate_models.py'), ...given)).stdout;
}

/** The path of the report of a run. */
export async function report(test, model, ...given) {
  return pageOf(test, 'run', model, ...given);
}

/** The path of the page that a command with these words writes. */
export async function pageOf(test, ...given) {
  const out = await folder(test);
  await run(program, ...given, '--quiet', '--out', out);
  return path.join(out, 'report.html');
}

/** The path of a file of a document's, as `File \`NAME\`:` and the block below it have it. */
export async function fileOf(test, document, name) {
  const text = await readFile(path.join(root, 'docs', document), 'utf8');
  const block = text.slice(text.indexOf(`ile \`${name}\`:`)).match(/```\w+\n([^]*?)```/)[1];
  const file = path.join(await folder(test), name);
  await writeFile(file, block);
  return file;
}

/** trajectory.csv beside a report, column by column. */
export async function table(file) {
  const text = await readFile(path.join(path.dirname(file), 'trajectory.csv'), 'utf8');
  const [header, ...rows] = text.trimEnd().split('\n').map((line) => line.split(','));
  return Object.fromEntries(header.map((name, i) => [name, rows.map((row) => Number(row[i]))]));
}

/** WebGL is drawn by the processor, so that it works on every machine. */
export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
      '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'],
  });
}

/** A page with what it complained of (`problems`) and asked the network for (`requests`). */
export async function visit(test, browser, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...options });
  test.after(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.problems = [];
  page.requests = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) page.problems.push(message.text());
  });
  page.on('pageerror', (error) => page.problems.push(String(error)));
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url())) page.requests.push(request.url());
  });
  await page.goto(address.startsWith('http') ? address : pathToFileURL(address).href);
  return page;
}

/** `dalembert view`, answering; ended with the test. */
export async function view(test, ...given) {
  const child = spawn(program, ['view', ...given, '--no-browser', '--port', '0'], { stdio: ['ignore', 'pipe', 'pipe'] });
  test.after(() => child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (data) => (said += data));
  const address = await new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (data) => {
      text += data;
      const found = /http:\/\/\S+/.exec(text);
      if (found) resolve(found[0]);
    });
    child.on('exit', (code) => reject(new Error(`view ended with ${code}: ${said}`)));
  });
  return { child, address };
}

/** What axe-core finds that keeps people from using the page as it stands: serious and critical ones, as text. */
export async function barriers(page) {
  await page.evaluate(require('axe-core').source);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`));
}

/** The pixels of what is seen of an element. */
export async function picture(locator) {
  return (await locator.screenshot()).toString('base64');
}

export function near(value, expected, relative, note) {
  assert.ok(Math.abs(value - expected) <= relative * Math.max(1, Math.abs(expected)), `${note}: ${value}, not ${expected}`);
}
