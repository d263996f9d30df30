// A browser for the tests of one file, and the page as it is built: there before the first test, gone after the last.
import { rm } from 'node:fs/promises';
import { after, before } from 'node:test';
import { chromium } from 'playwright-core';
import { buildPage } from './sample.mjs';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

export let browser;
export let folder;

before(async () => {
  folder = await buildPage();
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'] });
});
after(async () => {
  await browser?.close();
  if (folder) await rm(folder, { recursive: true });
});
