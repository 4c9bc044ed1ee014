/** Formats answers for people: aligned plain text. */

import { printableValue } from '../adapters/printable.ts';

type Cell = string | number | null;

/** Rows under a heading, in columns as wide as their widest cell. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  if (rows.length === 0) return 'none\n';
  const lines = [headings.map((heading) => heading.toUpperCase()), ...rows.map((row) => row.map(show))];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** One object, with one line for each member. */
export function fields(members: Readonly<Record<string, Cell | readonly string[]>>): string {
  const width = Math.max(...Object.keys(members).map((name) => name.length));
  return Object.entries(members)
    .map(
      ([name, value]) =>
        `${name.padEnd(width)}  ${Array.isArray(value) ? value.map(show).join(', ') || '-' : show(value as Cell)}\n`,
    )
    .join('');
}

/** A time as ISO 8601 in UTC; null stays null. */
export function isoTime<Time extends number | null>(milliseconds: Time): Time extends null ? null : string;
export function isoTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}

function show(value: Cell): string {
  return value === null ? '-' : printableValue(String(value));
}
