// Pages with made-up motions, for tests in a browser: the page as it is built, and data as docs/page.md has them.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const web = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** A folder with page.html, as the program holds it. */
export async function buildPage() {
  const folder = await mkdtemp(path.join(tmpdir(), 'dalembert-page-'));
  await promisify(execFile)(process.execPath, [path.join(web, 'build.mjs'), folder]);
  return folder;
}

/** Columns [name, group, t => value] on `rows` rows from 0 to 10. */
export function tableOf(columns, rows = 501) {
  const times = Float64Array.from({ length: rows }, (_, i) => (10 * i) / (rows - 1));
  return [['t', 'time', times], ...columns.map(([name, group, value]) => [name, group, times.map(value)])];
}

export const smallTable = tableOf([
  ['x', 'position', Math.sin],
  ['y', 'position', Math.cos],
  ["x'", 'velocity', Math.cos],
  ['ideal.x', 'ideal', (t) => 3 * Math.cos(t)],
  ['constraint.rod', 'residual', (t) => 1e-15 * Math.sin(7 * t)],
  ['energy.balance', 'balance', (t) => -1e-11 * t],
]);

/** Numbers for a page behind those of a table: `at` gives the index of some that it adds. */
export function numbersBehind(table) {
  const numbers = [];
  const first = table.length * table[0][2].length;
  return { numbers, at: (...more) => first + numbers.push(...more.flat(Infinity)) - more.flat(Infinity).length };
}

/** A scene of a ball of radius 0.1 that goes along x in three frames, at 0, 5 and 10. */
export function smallScene({ at }, change = {}) {
  return {
    frames: 3, times: at(0, 5, 10), center: [0, 0, 0], radius: 1, scale: 0.5, up: 'z', ground: 0,
    objects: [{ kind: 'body', name: 'ball', trail: true, shape: { type: 'sphere', radius: 0.1 }, pose: at([-0.5, 0, 0.5].map((x) => [x, 0, 0.1, 1, 0, 0, 0])) }],
    arrows: [], largest_force: 10, note: '', ...change,
  };
}

/** Writes a page with this table into `folder` and gives its address. `more`: numbers behind those of the table. */
export async function writePage(folder, table, change = {}, more = []) {
  const rows = table[0][2].length;
  const document = {
    format: 1,
    program: 'dalembert',
    headline: 'Sample · 2 coordinates',
    model: { name: 'Sample', description: '', file: 'sample.toml', text: 'name = "Sample"\n', coordinates: ['x', 'y'], parameters: [], initial: [], constraints: [] },
    simulation: { duration: 10, samples: rows, method: 'm-inverse', integrator: 'rk8', rtol: 1e-9, atol: 1e-12 },
    summary: { complete: true, t: 10, duration: 10, rank: 1, work: { applied: 0, ideal: 0, nonideal: 0, other: 0 } },
    table: { columns: table.map(([name, group]) => ({ name, group })), index: 0, rows, total: rows, thinned: 0 },
    instants: [],
    scene: null,
    drawing_hint: 'Nothing to draw.\n\n[[view.point]]',
    equations: { method: 'm-inverse', html: '<p>Force <span class="math">Q = m a</span></p>', note: '' },
    ...change,
  };
  const values = new Float64Array(table.length * rows + more.length);
  values.set(more, table.length * rows);
  table.forEach(([, , column], c) => values.set(column, c * rows));
  const data = `<script type="application/json" id="dalembert-document">${JSON.stringify(document).replaceAll('<', '\\u003c')}</script>
<script type="application/octet-stream" id="dalembert-values">${Buffer.from(values.buffer).toString('base64')}</script>`;
  const template = await readFile(path.join(folder, 'page.html'), 'utf8');
  const file = path.join(folder, `sample-${Math.random().toString(36).slice(2)}.html`);
  await writeFile(file, template.replace('<!--dalembert:title-->', 'Sample').replace('<!--dalembert:data-->', () => data));
  return `file://${file}`;
}
