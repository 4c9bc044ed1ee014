import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Format, type Piece, piecesOf } from '../../src/console/screens/users/import/pieces.ts';

async function cut(parts: readonly (string | Uint8Array<ArrayBuffer>)[], format: Format): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for await (const piece of piecesOf(new Blob([...parts]), format)) pieces.push(piece);
  return pieces;
}

const fails = (parts: readonly (string | Uint8Array<ArrayBuffer>)[], format: Format, message: RegExp) =>
  assert.rejects(cut(parts, format), { message });

describe('an import of the console cuts a file into pieces', () => {
  test('each has whole lines, and of CSV the first line of the file', async () => {
    const lines = Array.from({ length: 1001 }, (_, place) => `${place}@example.com\r\n`);
    const pieces = await cut(['\n', 'email\r\n', ...lines], 'csv');
    assert.deepEqual(
      pieces.map(({ content, linesBefore }) => [content.split('\r\n').length - 2, linesBefore]),
      [
        [500, 1],
        [500, 501],
        [1, 1001],
      ],
    );
    for (const { content } of pieces) assert.match(content, /^email\r\n\d/);
    assert.equal(pieces.map(({ content }) => content.slice('email\r\n'.length)).join(''), lines.join(''));
    assert.equal(pieces.at(-1)?.read, lines.join('').length + '\nemail\r\n'.length);
  });

  test('a cell in quotes may have line feeds and quotes', async () => {
    const rows = Array.from({ length: 501 }, (_, place) => `${place}@example.com,"a ""b""\n,c"\n`);
    const [first, second, ...others] = await cut(['email,comment\n', ...rows], 'csv');
    assert.equal(others.length, 0);
    assert.equal(first?.content, `email,comment\n${rows.slice(0, 500).join('')}`);
    assert.deepEqual([second?.content, second?.linesBefore], [`email,comment\n${rows[500]}`, 1000]);
  });

  test('no piece is larger than a body may be, however it is written there', async () => {
    for (const character of ['"', 'é', '\u0001', '経', '😀']) {
      const line = `{"comment":${JSON.stringify(character.repeat(900))}}\n`;
      const pieces = await cut(
        Array.from({ length: 200 }, () => line),
        'ndjson',
      );
      assert.ok(pieces.length > 1);
      for (const { content } of pieces) {
        const body = JSON.stringify({ format: 'ndjson', content, existing: 'update', dry_run: false });
        assert.ok(new TextEncoder().encode(body).length <= 65_536, character);
        assert.ok(content.length <= 60_000, character);
      }
      assert.equal(pieces.map(({ content }) => content).join(''), line.repeat(200));
    }
  });

  test('a last line needs no line feed, a file without users has no piece', async () => {
    assert.deepEqual(await cut(['{}\n{}'], 'ndjson'), [{ content: '{}\n{}', linesBefore: 0, read: 5 }]);
    assert.deepEqual(await cut(['email'], 'csv'), []);
    assert.deepEqual(await cut(['\n'], 'csv'), []);
    assert.deepEqual(await cut([''], 'ndjson'), []);
  });

  test('says what is wrong with a file that is not UTF-8, or has a line without an end', async () => {
    await fails(['email\n', new Uint8Array([0xe9, 0x0a])], 'csv', /^The file is not UTF-8/);
    await fails(['email\na\n"', 'x'.repeat(70_000)], 'csv', /^Line 3 is longer/);
    await fails(['{}\n', '"'.repeat(40_000)], 'ndjson', /^Line 2 is longer/);
  });

  test('a byte order mark is no part of the first column', async () => {
    const [piece] = await cut(['\ufeffemail\na\n'], 'csv');
    assert.equal(piece?.content, 'email\na\n');
  });
});
