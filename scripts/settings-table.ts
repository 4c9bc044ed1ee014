/** Writes the table of settings into README.md; with `--check` it only checks that the table is current. */

import { readFileSync, writeFileSync } from 'node:fs';
import { settings } from '../src/settings.ts';

const readme = new URL('../README.md', import.meta.url);
const marked = /(<!-- settings -->\n)[\s\S]*?(<!-- \/settings -->)/;

const rows = Object.entries(settings).map(
  ([name, { fallback, meaning }]) => `| \`${name}\` | ${fallback} | ${meaning} |\n`,
);
const text = readFileSync(readme, 'utf8');
if (!marked.test(text)) throw new Error('README.md has no <!-- settings --> … <!-- /settings -->');
const fresh = text.replace(
  marked,
  (_, start: string, end: string) => `${start}| Name | Default | Meaning |\n|---|---|---|\n${rows.join('')}${end}`,
);

if (!process.argv.includes('--check')) {
  writeFileSync(readme, fresh);
} else if (fresh !== text) {
  process.stderr.write('The settings in README.md are stale; run: node scripts/settings-table.ts\n');
  process.exitCode = 1;
}
