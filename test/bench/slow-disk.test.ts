import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { slowFlushMilliseconds } from './plan.ts';

it('has each commit of SQLite wait once for the slow disk, and nothing else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-slow-'));
  try {
    const shim = new URL('slow-disk.ts', import.meta.url).href;
    const program = fileURLToPath(new URL('slow-commits.ts', import.meta.url));
    const { stdout, stderr } = spawnSync(process.execPath, ['--import', shim, program, folder], { encoding: 'utf8' });
    assert.equal(stderr, '');
    const { commits, delays, milliseconds } = JSON.parse(stdout);
    assert.deepEqual({ commits, delays }, { commits: 6, delays: 6 });
    assert.ok(milliseconds >= 6 * slowFlushMilliseconds, `${milliseconds} ms`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
