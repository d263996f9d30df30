// Bundles the page into one HTML file: node build.mjs OUTPUT_FOLDER [--development]
//
//   page.html     everything but the data, with two marks where the program puts what it has:
//                 <!--dalembert:title--> and <!--dalembert:data-->
//
// Script, style and the fonts of KaTeX stand inside. The folder is created.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const [output = path.join(here, 'dist'), ...flags] = process.argv.slice(2);
const development = flags.includes('--development');

/** KaTeX offers each font in three formats; every browser that has modules reads the first. */
const oneFormatOfFonts = {
  name: 'one-format-of-fonts',
  setup(plugin) {
    plugin.onLoad({ filter: /katex(\.min)?\.css$/ }, async ({ path: file }) => ({
      contents: (await readFile(file, 'utf8')).replace(/,url\([^)]*\.(woff|ttf)\) format\("[a-z]+"\)/g, ''),
      loader: 'css',
    }));
  },
};

const result = await build({
  entryPoints: [path.join(here, 'src/main.ts')],
  bundle: true,
  write: false,
  outdir: 'out',
  format: 'iife',
  target: ['es2022', 'chrome110', 'firefox115', 'safari16'],
  minify: !development,
  sourcemap: development ? 'inline' : false,
  legalComments: 'inline',
  loader: { '.woff2': 'dataurl' },
  plugins: [oneFormatOfFonts],
  logLevel: 'warning',
});
const text = (ending) => result.outputFiles.find((file) => file.path.endsWith(ending))?.text ?? '';
const script = text('.js').replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const style = text('.css').replaceAll('</style', '<\\/style');
const template = await readFile(path.join(here, 'src/page.html'), 'utf8');
// Functions, so that a `$` in the code is no pattern.
// The page runs this script and no other: it is known by what is in it.
const digest = createHash('sha256').update(script, 'utf8').digest('base64');
const page = template.replace('/*script-source*/', `'sha256-${digest}'`)
  .replace('/*style*/', () => style).replace('/*script*/', () => script);
await mkdir(output, { recursive: true });
await writeFile(path.join(output, 'page.html'), page);
