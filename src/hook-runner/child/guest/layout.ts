/** Lays out the entries of an object or array as Node does: on one line, in columns, or one per line. */

import { mostItems, type Writing } from './writing.ts';

const lineWidth = 80;
const innerLevelsOnOneLine = 3;

/** Short and shallow values go on one line, long arrays in columns, everything else one entry per line. */
export function assemble(
  entries: string[],
  base: string,
  braces: readonly [string, string],
  list: object | null,
  level: number,
  writing: Writing,
): string {
  const lines = list !== null && entries.length > 6 ? columns(entries, list as readonly unknown[], writing) : entries;
  const before = base === '' ? '' : `${base} `;
  if (writing.level - level < innerLevelsOnOneLine && lines.length === entries.length) {
    const start = lines.length + writing.indentation + braces[0].length + base.length + 10;
    const length = lines.reduce((sum, { length }) => sum + length, lines.length + start);
    const joined = lines.join(', ');
    if (length <= lineWidth && !joined.includes('\n') && !base.includes('\n')) {
      return `${before}${braces[0]} ${joined} ${braces[1]}`;
    }
  }
  const indentation = `\n${' '.repeat(writing.indentation)}`;
  return `${before}${braces[0]}${indentation}  ${lines.join(`,${indentation}  `)}${indentation}${braces[1]}`;
}

function columns(entries: string[], list: readonly unknown[], { indentation }: Writing): string[] {
  const hasMore = list.length > mostItems;
  const items = hasMore ? entries.slice(0, -1) : entries;
  const lengths = items.map(({ length }) => length);
  const total = lengths.reduce((sum, length) => sum + length + 2, 0);
  const longest = Math.max(...lengths) + 2;
  const fits = longest * 3 + indentation < lineWidth && (total / longest > 5 || longest <= 8);
  if (!fits) return entries;
  const biased = Math.max(longest - 3 - Math.sqrt(longest - total / entries.length), 1);
  const square = Math.round(Math.sqrt(2.5 * biased * items.length) / biased);
  const count = Math.min(square, Math.floor((lineWidth - indentation) / longest), innerLevelsOnOneLine * 4, 15);
  if (count <= 1) return entries;
  const widths = Array.from(
    { length: count },
    (_, column) => Math.max(...lengths.filter((_, index) => index % count === column)) + 2,
  );
  const toRight = list.every((item) => typeof item === 'number' || typeof item === 'bigint');
  const rows: string[] = [];
  for (let index = 0; index < items.length; index += count) {
    const row = items.slice(index, index + count);
    rows.push(
      row
        .map((text, column) => {
          const isLast = column === row.length - 1;
          const width = (widths[column] ?? 0) - (isLast ? 2 : 0);
          const cell = isLast ? text : `${text}, `;
          return toRight ? cell.padStart(width) : isLast ? cell : cell.padEnd(width);
        })
        .join(''),
    );
  }
  return hasMore ? [...rows, entries.at(-1) as string] : rows;
}
