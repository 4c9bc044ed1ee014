/** Files of people: CSV (RFC 4180) by csv-parse and csv-stringify, and JSON, one object a line. */

import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { parse as parseNow } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import type { Failure } from '../domain/failure.ts';
import type { ShownPerson } from '../domain/users/people/export.ts';
import { attributePrefix, broken, type FileRow, isSecretMember } from '../domain/users/people/person.ts';

/** More than members and custom attributes together: an import takes what an export wrote. */
const mostColumns = 300;
/** Characters of one person, or bytes of one cell. */
const longestRow = 65_536;
/**
 * What spreadsheets take for a formula; an export writes an apostrophe before it, which an import takes away. Where the
 * list separator is a semicolon, a cell may begin after each one, and a line within quotes after each line feed; a quote
 * opens such a cell.
 */
const formula = /(?<=^|[;\r\n])(?=['"]*[=+\-@\t\r＝＋－＠])/g;
const escapedFormula = /(?<=^|[;\r\n])'(?=['"]*[=+\-@\t\r＝＋－＠])/g;

/** Throws `value_invalid` for what is not UTF-8. */
async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw broken('the file is not UTF-8; save it again in that encoding');
    throw error;
  }
}

/** By the code of the library's error. What concerns a whole record is told of the line behind the last whole one. */
const faults: Readonly<Record<string, { readonly isOfRecord: boolean; readonly fault: string }>> = {
  CSV_QUOTE_NOT_CLOSED: {
    isOfRecord: true,
    fault: 'a quote that opens a cell in this line, or below, is never closed',
  },
  CSV_MAX_RECORD_SIZE: {
    isOfRecord: true,
    fault: 'the user in this line, or below, is too long; look for a quote that is not closed',
  },
  CSV_INVALID_CLOSING_QUOTE: {
    isOfRecord: false,
    fault: 'the quote that ends a cell must be followed by a comma or the end of the line; write one in a cell twice',
  },
  INVALID_OPENING_QUOTE: {
    isOfRecord: false,
    fault: 'a cell with a quote in it must be within quotes, and have that quote twice',
  },
};

/** `lastLine`: of the record before. */
function faultOf({ code, lines }: { readonly code: string; readonly lines: number }, lastLine: number): Failure {
  const { isOfRecord, fault } = faults[code] ?? { isOfRecord: false, fault: 'this is not CSV' };
  return broken(`line ${isOfRecord ? lastLine + 1 : lines}: ${fault}`);
}

/**
 * Throws `value_invalid` with the line for invalid CSV, such as quotes that do not end, and what `requireColumns` throws
 * for the first line.
 */
export async function* readCsv(
  bytes: AsyncIterable<Uint8Array>,
  requireColumns: (columns: readonly string[]) => void,
): AsyncGenerator<FileRow> {
  let lastLine = 0;
  let columns: readonly string[] = [];
  const parser = parse({
    columns: (header: string[]) => {
      if (header.length > mostColumns) throw broken(`the file must have at most ${mostColumns} columns`);
      columns = header;
      lastLine = parser.info.lines;
      const twice = header.find((name, place) => header.indexOf(name) !== place);
      if (twice !== undefined) throw broken(`the column ${twice} occurs twice; remove or rename one of them`);
      requireColumns(header);
      return header;
    },
    on_record: (record, { lines }) => {
      lastLine = lines;
      return record;
    },
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    // A file may have been put together out of several.
    record_delimiter: ['\r\n', '\n'],
    max_record_size: longestRow,
  });
  const source = Readable.from(decoded(bytes)).on('error', (error) => parser.destroy(error));
  try {
    for await (const { record, info } of source.pipe(parser)) {
      const { lines: line, error } = info;
      if (error) yield { line, fault: `the line must have ${columns.length} cells, as the first line has` };
      else yield membersOf(line, record);
    }
  } catch (error) {
    if (error instanceof CsvError) throw faultOf({ code: error.code, lines: Number(error['lines'] ?? 1) }, lastLine);
    throw error;
  }
}

/** Empty cells are members that are not given. */
function membersOf(line: number, cells: Readonly<Record<string, string>>): FileRow {
  const members: Record<string, unknown> = {};
  const attributes: Record<string, string> = {};
  for (const [name, cell] of Object.entries(cells)) {
    if (cell === '') continue;
    // An export never wrote passwords, so their apostrophes are their own.
    const text = isSecretMember(name) ? cell : cell.replace(escapedFormula, '');
    if (name.startsWith(attributePrefix)) attributes[name.slice(attributePrefix.length)] = text;
    // Spreadsheets write TRUE and FALSE.
    else if (name === 'email_verified') members[name] = text.toLowerCase();
    else if (name !== 'roles') members[name] = text;
    else {
      const roles = listIn(text);
      if (roles === null) return { line, fault: 'roles must be names with commas between them' };
      members['roles'] = roles;
    }
  }
  if (Object.keys(attributes).length > 0) members['custom_attributes'] = attributes;
  return { line, members };
}

/** The list in a cell is a line of CSV itself, so that a name may have a comma. */
function listIn(text: string): string[] | null {
  try {
    return (parseNow(text, { trim: true }) as string[][]).flat().filter((name) => name !== '');
  } catch {
    return null;
  }
}

/** Throws `value_invalid` for a line that is longer than any person. */
export async function* readJsonLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<FileRow> {
  let [line, rest] = [0, ''];
  for await (const text of decoded(bytes)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const one of lines) {
      line += 1;
      yield* rowOf(line, one);
    }
    if (rest.length > longestRow) throw broken(`line ${line + 1} has more than ${longestRow} characters`);
  }
  yield* rowOf(line + 1, rest);
}

function* rowOf(line: number, text: string): Generator<FileRow> {
  if (text.trim() === '') return;
  const fault = 'the line must be a JSON object: a file has one JSON object in each line';
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    yield isObject ? { line, members: value as Record<string, unknown> } : { line, fault };
  } catch {
    yield { line, fault };
  }
}

const escapeFormula = (text: string) => text.replace(formula, "'");

/** The first line of a CSV file. */
export function csvHeading(texts: readonly string[], attributes: readonly string[]): string {
  return stringify([
    [...texts, 'email_verified', 'status', 'roles', ...attributes.map((name) => `${attributePrefix}${name}`)],
  ]);
}

export function toCsv(people: readonly ShownPerson[], attributes: readonly string[]): string {
  const rows = people.map(({ texts, emailVerified, status, roles, attributes: values }) => [
    ...Object.values(texts),
    String(emailVerified),
    status,
    stringify([roles], { eof: false }),
    ...attributes.map((name) => values[name] ?? null),
  ]);
  return stringify(rows, { cast: { string: escapeFormula }, quoted_match: '\r' });
}

export function toJsonLines(people: readonly ShownPerson[]): string {
  return people
    .map(({ texts, emailVerified, status, roles, attributes }) =>
      JSON.stringify({ ...texts, email_verified: emailVerified, status, roles, custom_attributes: attributes }),
    )
    .map((line) => `${line}\n`)
    .join('');
}
