/** The tables of `docs/sdks.md`: what each judge makes of each contract, and which rules of others have exceptions. */

import { type Row, surfaces } from './judge.ts';
import { type RuleException, redoclyExceptions, spectralExceptions } from './rule-exceptions.ts';

const marked = /(<!-- sdks -->\n)([\s\S]*?)(<!-- \/sdks -->)/;
const markedExceptions = /(?<=<!-- exceptions -->\n)[\s\S]*?(?=<!-- \/exceptions -->)/;
const head = [['Language', 'Tool', ...surfaces.map((surface) => `\`${surface}\``), 'The main job']];

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function keyOf({ language, tool }: Pick<Row, 'language' | 'tool'>): string {
  // A newer version takes the place of the one before.
  return `${language} ${tool.replace(/ \S+$/, '')}`;
}

/** The table of these rows. */
export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map(({ language, tool, cells, job }) => [language, tool, ...cells, job]);
  return [...head.map(line), `|${'---|'.repeat(surfaces.length + 3)}`, ...lines.map(line)].join('\n').concat('\n');
}

/** The rows of a table. */
export function rowsOf(table: string): Row[] {
  const lines = table.split('\n').filter((text) => text.startsWith('| '));
  return lines.slice(1).map((text) => {
    const [language = '', tool = '', ...rest] = text.slice(2, -2).split(' | ');
    return { language, tool, cells: rest.slice(0, -1), job: rest.at(-1) ?? '' };
  });
}

/** The page with these rows in place of the former ones of the same judges; the others stay. */
export function withRows(page: string, rows: readonly Row[]): string {
  const table = marked.exec(page)?.[2];
  if (table === undefined) throw new Error('docs/sdks.md has no <!-- sdks --> … <!-- /sdks -->');
  const fresh = new Map(rows.map((row) => [keyOf(row), row]));
  const former = rowsOf(table);
  const kept = former.map((row) => fresh.get(keyOf(row)) ?? row);
  const known = new Set(former.map(keyOf));
  const added = rows.filter((row) => !known.has(keyOf(row)));
  return page.replace(marked, (_, start: string, _table, end: string) => start + tableOf([...kept, ...added]) + end);
}

/** The page with the exceptions as they are now. */
export function withExceptions(page: string): string {
  const rowsOfLinter = (linter: string, exceptions: readonly RuleException[]) =>
    exceptions.map(({ rule, surfaces, reason }) => line([linter, `\`${rule}\``, surfaces.join(', '), reason]));
  const rows = [...rowsOfLinter('Spectral', spectralExceptions), ...rowsOfLinter('Redocly', redoclyExceptions)];
  const table = [line(['Linter', 'Rule', 'Surfaces', 'Reason']), '|---|---|---|---|', ...rows, ''].join('\n');
  return page.replace(markedExceptions, () => table);
}
