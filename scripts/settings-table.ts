/**
 * Writes the tables of settings: those of the service into README.md, those of an account into
 * docs/account-settings.md. With `--check` it only checks that both are current.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { showSettings } from '../src/domain/accounts/settings.ts';
import { settings } from '../src/settings.ts';

const marked = /(<!-- settings -->\n)[\s\S]*?(<!-- \/settings -->)/;

type Row = readonly string[];

const tables: Readonly<Record<string, readonly Row[]>> = {
  'README.md': [
    ['Name', 'Default', 'Meaning'],
    ...Object.entries(settings).map(([name, { fallback, meaning }]) => [`\`${name}\``, fallback, meaning]),
  ],
  'docs/account-settings.md': [
    ['Name', 'Default', 'Allowed', 'Meaning'],
    ...showSettings().map(({ name, fallback, allowed, meaning }) => [
      `\`${name}\``,
      fallback === '' ? 'none' : `\`${fallback}\``,
      allowed,
      meaning,
    ]),
  ],
};

function markdownOf([headings = [], ...rows]: readonly Row[]): string {
  const lines = [headings, ...rows].map((cells) => `| ${cells.join(' | ')} |\n`);
  return [...lines.slice(0, 1), `|${'---|'.repeat(headings.length)}\n`, ...lines.slice(1)].join('');
}

for (const [name, rows] of Object.entries(tables)) {
  const file = new URL(`../${name}`, import.meta.url);
  const text = readFileSync(file, 'utf8');
  if (!marked.test(text)) throw new Error(`${name} has no <!-- settings --> … <!-- /settings -->`);
  const fresh = text.replace(marked, (_, start: string, end: string) => `${start}${markdownOf(rows)}${end}`);
  if (fresh === text) continue;
  if (process.argv.includes('--check')) {
    process.stderr.write(`The settings in ${name} are stale; run: node scripts/settings-table.ts\n`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, fresh);
  }
}
