/** What Node compiled is kept where only the user of the service can write, and is not run from anywhere else. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../../bin', import.meta.url));
/** Ends the command at once, in place of all sources. */
const nothing = 'export const loadWhole = () => ({ run: async () => 0, keepCode() {} });';

describe("Node's compile cache", { skip: process.platform === 'win32' }, () => {
  const user = process.geteuid?.();
  let installed: string;
  let cache: string;
  let kept: string;

  beforeEach(() => {
    installed = mkdtempSync(join(tmpdir(), 'gatehouse-code-'));
    cache = join(installed, '.cache');
    kept = join(cache, `code-${user}`);
    cpSync(bin, join(installed, 'bin'), { recursive: true });
    for (const folder of ['whole-program', 'runtime']) mkdirSync(join(installed, 'src', folder), { recursive: true });
    writeFileSync(join(installed, 'src/runtime/host-node.ts'), 'export const findBetterNode = () => null;');
    writeFileSync(join(installed, 'src/whole-program/load.ts'), nothing);
    writeFileSync(join(installed, 'package.json'), '{ "type": "module" }');
  });
  afterEach(() => rmSync(installed, { recursive: true, force: true }));

  function start(): void {
    const before = process.umask(0);
    try {
      const { status, stderr } = spawnSync(process.execPath, [join(installed, 'bin/gatehouse.js'), 'doctor'], {
        env: { PATH: process.env['PATH'] },
        encoding: 'utf8',
      });
      assert.deepEqual([status, stderr], [0, '']);
    } finally {
      process.umask(before);
    }
  }

  /** Without the kind of file. */
  const modeOf = (path: string) => statSync(path).mode & 0o777;
  const isEmpty = (folder: string) => readdirSync(folder).length === 0;

  it('is closed to other users, even under a umask that opens everything', () => {
    start();
    assert.deepEqual([modeOf(cache), modeOf(kept), statSync(kept).uid], [0o755, 0o700, user]);
    assert.ok(!isEmpty(kept));
  });

  it('is not used where others may enter it', () => {
    mkdirSync(kept, { recursive: true });
    chmodSync(cache, 0o755);
    for (const mode of [0o777, 0o720, 0o755]) {
      chmodSync(kept, mode);
      start();
      assert.ok(isEmpty(kept), mode.toString(8));
      assert.equal(modeOf(kept), mode);
    }
  });

  it('is not used where others could swap it', () => {
    mkdirSync(cache);
    for (const mode of [0o777, 0o775]) {
      chmodSync(cache, mode);
      start();
      assert.ok(!existsSync(kept), mode.toString(8));
    }
  });

  it('is not used where it is a link', () => {
    mkdirSync(cache, 0o755);
    chmodSync(cache, 0o755);
    const elsewhere = join(installed, 'elsewhere');
    mkdirSync(elsewhere, 0o700);
    symlinkSync(elsewhere, kept);
    start();
    assert.ok(isEmpty(elsewhere));
  });
});
