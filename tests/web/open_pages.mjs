// Opens pages in one browser for a program that writes lines of JSON, {address, width}, to standard input. The answer is
// a line too: the document after its scripts have run, what the console said, families of fonts that are there or failed,
// and by how many pixels the page is wider than its window; or {problem}.
import readline from 'node:readline';
import { launch } from './support.mjs';

async function look(browser, { address, width }) {
  const page = await browser.newPage({ viewport: { width, height: 1000 } });
  try {
    const said = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(String(error)));
    await page.goto(address, { waitUntil: 'load', timeout: 120_000 });
    const seen = await page.evaluate(async () => {
      await document.fonts.ready;
      const families = (status) => [...document.fonts].filter((font) => font.status === status).map((font) => font.family);
      const root = document.documentElement;
      return { loaded: families('loaded'), failed: families('error'), excess: Math.max(0, root.scrollWidth - window.innerWidth) };
    });
    return { ...seen, dom: await page.content(), console: said };
  } finally {
    await page.close();
  }
}

const browser = await launch();
for await (const line of readline.createInterface({ input: process.stdin })) {
  const answer = await look(browser, JSON.parse(line)).catch((error) => ({ problem: String(error) }));
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
