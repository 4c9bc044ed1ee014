/**
 * Writes the tables of settings, those of the service into README.md and those of an account into
 * docs/account-settings.md, and the table of metrics into docs/operations.md. With `--check` it only checks that all are
 * current.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { showSettings } from '../src/domain/accounts/settings.ts';
import { catalogue } from '../src/metrics/catalogue.ts';
import type { LabelValues, Meter } from '../src/metrics/meters.ts';
import { settings } from '../src/settings.ts';

const marked = /(<!-- (settings|metrics) -->\n)[\s\S]*?(<!-- \/\2 -->)/;

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
  'docs/operations.md': [
    ['Name', 'Type', 'Labels', 'Meaning'],
    ...Object.entries<Meter>(catalogue).map(([name, { type, labels, meaning }]) => [
      `\`${name}\``,
      type,
      Object.entries(labels).map(labelText).join('; ') || 'none',
      meaning,
    ]),
  ],
};

/** A label with its values. */
function labelText([name, values]: readonly [string, LabelValues]): string {
  return `\`${name}\`: ${'told' in values ? values.told : values.map((value) => `\`${value}\``).join(', ')}`;
}

function markdownOf([headings = [], ...rows]: readonly Row[]): string {
  const lines = [headings, ...rows].map((cells) => `| ${cells.join(' | ')} |\n`);
  return [...lines.slice(0, 1), `|${'---|'.repeat(headings.length)}\n`, ...lines.slice(1)].join('');
}

for (const [name, rows] of Object.entries(tables)) {
  const file = new URL(`../${name}`, import.meta.url);
  const text = readFileSync(file, 'utf8');
  if (!marked.test(text)) throw new Error(`${name} has no marks around its table`);
  const fresh = text.replace(
    marked,
    (_, start: string, _name: string, end: string) => `${start}${markdownOf(rows)}${end}`,
  );
  if (fresh === text) continue;
  if (process.argv.includes('--check')) {
    process.stderr.write(`The table in ${name} is stale; run: node scripts/settings-table.ts\n`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, fresh);
  }
}
