/**
 * Writes the files of the console, their compressed forms and the licences of their packages into a folder:
 * `node write-console.ts <folder>`. The service sends them as they are.
 */

import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { root } from '../runtime/installation.ts';
import { base } from './bundle.ts';
import { noticesOf } from './notices.ts';

const [folder = ''] = process.argv.slice(2);
process.umask(0o022);

const source = join(root, 'src/console');
const { outputFiles, metafile } = await build({
  absWorkingDir: base,
  entryPoints: { console: join(source, 'main.tsx'), styles: join(source, 'styles/all.css') },
  outdir: folder,
  entryNames: '[name]-[hash]',
  chunkNames: 'part-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'browser',
  target: ['chrome120', 'firefox121', 'safari17'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
  write: false,
  metafile: true,
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'warning',
  tsconfigRaw: {},
});

/** A file, and what browsers that know it are sent in its place. */
function write(name: string, content: string | Uint8Array): void {
  const options = { flag: 'wx', mode: 0o644 };
  const bytes = Buffer.from(content);
  writeFileSync(join(folder, name), bytes, options);
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes, { params }), options);
  writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }), options);
}

const inputs = Object.keys(metafile.inputs);
const notices = noticesOf(base, inputs);
const digest = createHash('sha256').update(notices).digest('hex').slice(0, 8);
const noticesName = `notices-${digest}.txt`;
write(noticesName, notices);
for (const { path, contents } of outputFiles) write(basename(path), contents);

const named = (pattern: RegExp) => {
  const found = outputFiles.map(({ path }) => basename(path)).find((name) => pattern.test(name));
  if (found === undefined) throw new Error(`esbuild wrote no ${pattern}`);
  return `/console/assets/${found}`;
};
write(
  'index.html',
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Gatehouse console</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${named(/^styles-.*\.css$/)}">
<link rel="license" href="/console/assets/${noticesName}">
<script type="module" src="${named(/^console-.*\.js$/)}"></script>
</head>
<body>
<div id="console"><noscript><p>The console needs JavaScript. All that it does, scripts can do by the management API,
<code>/api/2</code>.</p></noscript></div>
</body>
</html>
`,
);
