import { readFileSync } from 'node:fs';
import type { Store } from '../../store.ts';
import { type Part, type Schema, schemaOf } from './describe.ts';
import { isSuperseded } from './superseded.ts';

/** One line per part: its kind and name, a tab, and its text. */
export function writeSchema(schema: Schema): string {
  const lines = [...schema].map(([part, text]) => `${part}\t${text}\n`);
  return lines.toSorted().join('');
}

/** The schema that all migrations of this release produce; written by `npm run generate`. */
function readExpected(kind: Store['kind']): Schema {
  const file = new URL(`../../../../generated/schema-${kind}.txt`, import.meta.url);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return new Map(lines.map((line) => line.split('\t', 2) as [string, string]));
}

/**
 * How the schema differs from what all migrations of this release produce, one line per part. Other tables, and an
 * operator's own indexes that are not unique, are not a difference; nor is a missing trigger that is superseded.
 */
export function findDifferences(kind: Store['kind'], found: Schema): string[] {
  const expected = readExpected(kind);
  const missing = [...expected].flatMap(([part, text]) => {
    const now = found.get(part);
    if (now === text || (now === undefined && isSuperseded(part, text))) return [];
    return [now === undefined ? `${part} is missing` : `${part} is "${now}", not "${text}"`];
  });
  const surplus = [...found].flatMap(([part, text]) => {
    if (expected.has(part)) return [];
    const [kindOfPart, table = ''] = part.split(/[ .]/);
    const harmless = kindOfPart === 'table' || (kindOfPart === 'index' && !/\bunique\b/i.test(text));
    return expected.has(`table ${table}`) && !harmless ? [`${part} is not of this release`] : [];
  });
  // If a table is missing, its parts are not listed.
  const whole = (line: string) => !missing.some((one) => one.startsWith('table ') && isPartOf(line, one));
  return [...missing.filter(whole), ...surplus];
}

/** Those of the parts that this release has and may be without. */
export function supersededIn(kind: Store['kind'], parts: readonly Part[]): Part[] {
  const expected = readExpected(kind);
  return parts.filter((one) =>
    [...schemaOf([one])].some(([part, text]) => expected.get(part) === text && isSuperseded(part, text)),
  );
}

/** Whether the line is about a part of the other line's table. */
function isPartOf(line: string, ofTable: string): boolean {
  const table = ofTable.split(' ')[1];
  return !line.startsWith('table ') && line.split(/[ .]/)[1] === table;
}
