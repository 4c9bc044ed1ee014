import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { csvHeading, readCsv as read, readJsonLines, toCsv, toJsonLines } from '../../src/adapters/people-files.ts';
import { mostAttributes } from '../../src/domain/users/custom-attributes.ts';
import type { ShownPerson } from '../../src/domain/users/people/export.ts';
import { type FileRow, shownTexts } from '../../src/domain/users/people/person.ts';

/** The text in parts of three bytes, so that characters and lines are cut. */
async function* bytesOf(text: string | Uint8Array): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 3) yield bytes.subarray(at, at + 3);
}

async function all(rows: AsyncIterable<FileRow>): Promise<FileRow[]> {
  const read: FileRow[] = [];
  for await (const row of rows) read.push(row);
  return read;
}

const anyColumns = () => undefined;
const readCsv = (bytes: AsyncIterable<Uint8Array>) => read(bytes, anyColumns);

const names = Object.keys(shownTexts);
const person = (email: string, given: Partial<ShownPerson> = {}): ShownPerson => ({
  texts: Object.fromEntries(names.map((name) => [name, name === 'email' ? email : null])) as ShownPerson['texts'],
  emailVerified: false,
  status: 'active',
  roles: [],
  attributes: {},
  ...given,
});

describe('a CSV file of people', () => {
  test('has members by column, quoted cells, lists of roles, attributes, and no member for an empty cell', async () => {
    const csv =
      '\uFEFFemail,firstname,roles,custom_attributes.shoe\r\na@b.c,"Ada ""A"", é",staff,\r\n\r\nd@e.f,,"a,""b, c""",39\n';
    assert.deepEqual(await all(readCsv(bytesOf(csv))), [
      { line: 2, members: { email: 'a@b.c', firstname: 'Ada "A", é', roles: ['staff'] } },
      { line: 4, members: { email: 'd@e.f', roles: ['a', 'b, c'], custom_attributes: { shoe: '39' } } },
    ]);
  });

  test('a line with another number of cells is a fault of that line alone', async () => {
    const fault = 'the line must have 2 cells, as the first line has';
    assert.deepEqual(await all(readCsv(bytesOf('email,title\na@b.c\nd@e.f,x,y\ng@h.i,z\n'))), [
      { line: 2, fault },
      { line: 3, fault },
      { line: 4, members: { email: 'g@h.i', title: 'z' } },
    ]);
  });

  test('invalid CSV, bytes that are not UTF-8, and an endless line are refused with its line', async () => {
    const refused = (text: string | Uint8Array, message: RegExp) =>
      assert.rejects(all(readCsv(bytesOf(text))), ({ detail }) => message.test(detail.message));
    await refused('email\n"a@b.c', /^line 2: a quote that opens a cell in this line, or below, is never closed$/);
    await refused('email\nx@b.c\n\n"a@b.c\nd\n', /^line 3: a quote that opens/);
    await refused('"email\nx@b.c\n', /^line 1: a quote that opens/);
    await refused('email\n"Ada "D@b.c\n', /^line 2: the quote that ends a cell must be followed by a comma/);
    await refused('email\nx@b.c\nAda "D"\n', /^line 3: a cell with a quote in it must be within quotes/);
    await refused('email,email\na,b\n', /the column email occurs twice/);
    await refused(Array.from({ length: 301 }, (_, number) => number).join(), /at most 300 columns/);
    await refused(Buffer.from([0x61, 0x0a, 0xff, 0xfe]), /the file is not UTF-8/);
    await refused(`email\n${'x'.repeat(70_000)}`, /^line 2: the user in this line, or below, is too long/);
  });

  test('what is wrong with the columns is told of the first line, before any other is read', async () => {
    const refusal = new Error('no such column');
    const refuse = (columns: readonly string[]) => {
      assert.deepEqual(columns, ['email', 'nick']);
      throw refusal;
    };
    await assert.rejects(all(read(bytesOf('email,nick\na@b.c,\n'), refuse)), refusal);
  });

  test('a spreadsheet writes booleans in capitals', async () => {
    const rows = await all(readCsv(bytesOf('email,email_verified\na@b.c,TRUE\nd@e.f,False\ng@h.i,yes\n')));
    assert.deepEqual(
      rows.map((row) => 'members' in row && row.members['email_verified']),
      ['true', 'false', 'yes'],
    );
  });

  test('an apostrophe before a password or its salt is part of it', async () => {
    const [row] = await all(readCsv(bytesOf("email,password_salt\n'=a@example.com,'=salt\n")));
    assert.deepEqual(row, { line: 2, members: { email: '=a@example.com', password_salt: "'=salt" } });
  });

  test('an export with as many attributes as an account may define is read back', async () => {
    const attributes = Object.fromEntries(Array.from({ length: mostAttributes }, (_, at) => [`a${at}`, `${at}`]));
    const heading = csvHeading(names, Object.keys(attributes));
    const csv = heading + toCsv([person('a@b.c', { attributes })], Object.keys(attributes));
    const [row] = await all(readCsv(bytesOf(csv)));
    assert.deepEqual(row && 'members' in row && row.members['custom_attributes'], attributes);
  });

  test('an export marks what a spreadsheet would run, and an import reads every text as it was', async () => {
    const firstCell = (email: string) => toCsv([person(email)], []).split(',', 1)[0];
    assert.equal(firstCell('=1+1'), "'=1+1");
    // Where a semicolon separates cells.
    assert.equal(firstCell("a;=1+1;b;'@c"), "a;'=1+1;b;''@c");
    // A quote opens a cell there, and is doubled here.
    assert.equal(firstCell('a;"=1;b'), '"a;\'""=1;b"');
    const text = fc
      .array(fc.constantFrom('a', '=', '+', '-', '@', "'", ';', '\t', '＝', '\n', '\r', '"'), { maxLength: 5 })
      .chain((marks) => fc.tuple(fc.constant(marks.join('')), fc.string({ unit: 'grapheme' })))
      .map((parts) => parts.join(''));
    const role = fc.string({ minLength: 1 }).filter((name) => name.trim() === name && name !== '');
    await fc.assert(
      fc.asyncProperty(text.filter(Boolean), text.filter(Boolean), fc.array(role), async (email, value, roles) => {
        const written = [person(email, { roles, attributes: { shoe: value } })];
        const csv = csvHeading(names, ['shoe']) + toCsv(written, ['shoe']);
        const members = {
          email,
          email_verified: 'false',
          status: 'active',
          ...(roles.length > 0 && { roles }),
          custom_attributes: { shoe: value },
        };
        const [row] = await all(readCsv(bytesOf(csv)));
        assert.deepEqual(row && 'members' in row && row.members, members);
      }),
      { numRuns: 50 },
    );
  });
});

describe('a file of JSON lines', () => {
  test('has an object in each line; another value is a fault of that line alone', async () => {
    const fault = 'the line must be a JSON object: a file has one JSON object in each line';
    assert.deepEqual(await all(readJsonLines(bytesOf('{"email":"é@b.c"}\r\n\n[]\nnull\n{"email"\n{"email":null}'))), [
      { line: 1, members: { email: 'é@b.c' } },
      { line: 3, fault },
      { line: 4, fault },
      { line: 5, fault },
      { line: 6, members: { email: null } },
    ]);
    await assert.rejects(all(readJsonLines(bytesOf('x'.repeat(70_000)))), ({ detail }) =>
      /line 1 has more than 65536 characters/.test(detail.message),
    );
  });

  test('an import reads what an export writes', async () => {
    const written = person('a@b.c', { roles: ['a, b'], attributes: { shoe: null } });
    const { texts, emailVerified, status, roles, attributes } = written;
    assert.deepEqual(await all(readJsonLines(bytesOf(toJsonLines([written])))), [
      { line: 1, members: { ...texts, email_verified: emailVerified, status, roles, custom_attributes: attributes } },
    ]);
  });
});
