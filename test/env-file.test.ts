import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openEnvFile } from '../src/env-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-env-'));
after(() => rmSync(folder, { recursive: true }));

function read(text: string) {
  const path = join(folder, 'gatehouse.env');
  writeFileSync(path, text, { mode: 0o600 });
  const file = openEnvFile(undefined, folder);
  assert.ok(file);
  return { ...file, mistakes: file.mistakes.map((mistake) => mistake.replace(`${path}, `, '')) };
}

test('values are plain or in quotes, and comments and blank lines are skipped', () => {
  const { values, mistakes } = read(
    `# of the host\n\nA=1\nexport B="two words" # why\nC='it is "so"'\nD=it's\nE=\nF=""\n`,
  );
  assert.deepEqual({ ...values }, { A: '1', B: 'two words', C: 'it is "so"', D: "it's", E: '', F: '' });
  assert.deepEqual(mistakes, []);
});

test('what the parser would drop is a mistake, with its line and without its value', () => {
  for (const [text, mistake] of [
    ['A="secret\nB=2\nC="3"\n', 'line 1: the value of A must end with the quote that it begins with'],
    ["A=1\nB='secret' rest\n", 'line 2: the value of B must end with the quote that it begins with'],
    ['A=1\nsecret\n', 'line 2: must be NAME=value, or a comment that begins with #'],
    ['A=1\nA=secret\n', 'line 2: A is set a second time; remove one of the lines'],
  ] as const) {
    assert.deepEqual(read(text).mistakes, [mistake]);
  }
});
