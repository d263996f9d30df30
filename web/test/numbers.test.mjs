// The numbers of one thing, and the views of the camera.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, folder } from './browser.mjs';
import { load } from './load.mjs';
import { numbersBehind, smallScene, smallTable, writePage } from './sample.mjs';

const { numbersOf } = await load('scene/numbers.ts');

// Frames at 0, 1 and 3; a point that goes to 2 and to 8 along x.
const values = Float64Array.from([0, 1, 3, /**/ 0, 0, 0, 2, 0, 0, 8, 0, 0, /**/ 0, 0, 1, 0, 0, 3, 0, 0, NaN]);
const point = { kind: 'point', name: 'p', trail: true, radius: 1, position: 3 };
const scene = { frames: 3, times: 0, arrows: [{ kind: 'nonideal', name: 'p', at: 3, vector: 12 }, { kind: 'ideal', name: 'q', at: 3, vector: 12 }] };
const told = (frame, part) => numbersOf({ values }, scene, point, { frame, part }).map(({ label, value, rough }) => [label, ...value, rough]);

test('place and forces are those of the moment, the velocity is that between frames', () => {
  assert.deepEqual(told(0, 0.5), [['position', 1, 0, 0, false], ['velocity', 2, 0, 0, true], ['non-ideal', 0, 0, 2, false]]);
  assert.deepEqual(told(1, 0)[1], ['velocity', 8 / 3, 0, 0, true]);
  assert.deepEqual(told(2, 0), [['position', 8, 0, 0, false], ['velocity', 3, 0, 0, true]], 'what is no number is not told');
});

async function visit(look) {
  const data = numbersBehind(smallTable);
  const address = await writePage(folder, smallTable, { scene: smallScene(data) }, data.numbers);
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, reducedMotion: 'reduce' });
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  try {
    await page.goto(address);
    await page.waitForSelector('[data-frames-drawn] canvas');
    await page.getByRole('button', { name: 'Options', exact: true }).click();
    await look(page);
    assert.deepEqual(errors, []);
  } finally {
    await page.close();
  }
}

test('numbers are told of what is chosen with the keyboard or clicked', async () => {
  await visit(async (page) => {
    await page.getByLabel('Numbers of').selectOption('ball');
    const panel = page.locator('.scene-numbers');
    const filled = page.locator('.scene-numbers', { hasText: 'position' });
    await filled.waitFor();
    assert.match(await panel.innerText(), /ball\s+position\s+-0\.5\s+0\s+0\.1\s+velocity ≈\s+0\.1\s+0\s+0\s+\| 0\.1 \|/);
    await page.getByLabel('Numbers of').selectOption('');
    assert.equal(await panel.isVisible(), false);
    // In the middle of the motion and of the picture, seen from the front.
    await page.getByRole('button', { name: 'Front', exact: true }).click();
    await page.locator('.player-slider').fill('500');
    const box = await page.locator('.scene-stage canvas').boundingBox();
    for (let y = 0.2; y < 0.9 && !(await panel.isVisible()); y += 0.04) await page.mouse.click(box.x + box.width / 2, box.y + y * box.height);
    await filled.waitFor();
    assert.match(await panel.innerText(), /^ball/);
    assert.equal(await page.getByLabel('Numbers of').inputValue(), 'ball');
    await page.mouse.click(box.x + 20, box.y + box.height / 2);
    assert.equal(await panel.isVisible(), false, 'a click on nothing ends it');
  });
});

test('each view differs, and so does one without perspective', async () => {
  await visit(async (page) => {
    const seen = new Set();
    for (const name of ['Front', 'Back', 'Side', 'Top', 'Corner', 'Orthographic']) {
      await page.getByRole('button', { name, exact: true }).click();
      await page.waitForTimeout(600);
      seen.add((await page.locator('.scene-stage canvas').screenshot()).toString('base64'));
    }
    assert.equal(seen.size, 6);
    assert.equal(await page.getByRole('button', { name: 'Orthographic', exact: true }).getAttribute('aria-pressed'), 'true');
  });
});
