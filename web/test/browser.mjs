// A browser for the tests of one file, and the page as it is built: there before the first test, gone after the last.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { after, before } from 'node:test';
import { chromium } from 'playwright-core';
import { buildPage } from './sample.mjs';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** Why the tests cannot run here, or false. */
export const skip = existsSync(executablePath) ? false : `no browser at ${executablePath}`;

export let browser;
export let folder;

before(async () => {
  if (skip) return;
  folder = await buildPage();
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'] });
});
after(async () => {
  await browser?.close();
  if (folder) await rm(folder, { recursive: true });
});
