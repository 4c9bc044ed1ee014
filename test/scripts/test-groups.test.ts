import assert from 'node:assert/strict';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { groupTests, longest, writeGroups } from '../../scripts/test-groups.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = globSync('test/**/*.test.ts', { cwd: root }).toSorted();

describe('groups of test files', () => {
  it('contain every file once', () => {
    assert.deepEqual(groupTests(files).flat().sort(), files);
  });

  it('begin with the longest files, each alone', () => {
    for (const file of longest) assert.ok(existsSync(join(root, file)), file);
    const first = groupTests(files).slice(0, longest.length);
    assert.deepEqual(
      first,
      longest.map((file) => [file]),
    );
  });

  it('leave files alone that have hooks of their own, or measure their process', () => {
    const alone = groupTests(files).filter((group) => group.length === 1);
    const reasons = ['domain/login/session-secret', 'domain/fair-queue/fair-queue', 'http/xml-costs'];
    for (const file of reasons.map((name) => `test/${name}.test.ts`)) {
      assert.ok(files.includes(file) && alone.some(([one]) => one === file), file);
    }
    assert.ok(alone.length < files.length / 2, `${alone.length}`);
  });

  it('are written in their order, as modules that import their files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-groups-'));
    try {
      const [last, entry = '', ...more] = writeGroups(
        [['test/b.test.ts'], ['test/c.test.ts', 'test/a.test.ts']],
        folder,
      ).toReversed();
      assert.ok(last !== undefined && entry < last && more.length === 0);
      assert.match(readFileSync(entry, 'utf8'), /^import 'file:\/\/\/.*\/test\/b\.test\.ts';\n$/);
      assert.equal(readFileSync(last, 'utf8').match(/^import /gm)?.length, 2);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
