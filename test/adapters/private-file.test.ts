import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createPrivateFile, replacePrivateFile } from '../../src/adapters/private-file.ts';

describe('private files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-private-'));
  const path = join(folder, 'a', 'b', 'file');

  after(() => rmSync(folder, { recursive: true }));

  test('are created once, readable by the owner only, and leave no temporary file', () => {
    assert.equal(createPrivateFile(path, 'first'), true);
    assert.equal(createPrivateFile(path, 'second'), false);
    assert.equal(readFileSync(path, 'utf8'), 'first');
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(join(folder, 'a', 'b')), ['file']);
  });

  test('are replaced atomically and readable by the owner only', () => {
    writeFileSync(path, 'open');
    chmodSync(path, 0o644);
    replacePrivateFile(path, 'closed');
    assert.equal(readFileSync(path, 'utf8'), 'closed');
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(join(folder, 'a', 'b')), ['file']);
  });

  test('that cannot be written leave no temporary file either', () => {
    assert.throws(() => replacePrivateFile(join(folder, 'a'), 'x'), { code: /EISDIR|ENOTEMPTY|EEXIST/ });
    assert.deepEqual(readdirSync(folder), ['a']);
  });
});
