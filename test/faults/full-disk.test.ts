/** D3 beside the drill: the log, and a backup, on a disk without space. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { install } from '../support/process.ts';
import { mountSmallDisk } from './full-disk.ts';

const script = fileURLToPath(new URL('../../bin/gatehouse.js', import.meta.url));

describe('D3: a full disk', () => {
  it('the log: the server continues, and resumes its log once there is space', { timeout: 300_000 }, async (t) => {
    const disk = mountSmallDisk(1);
    if (!disk) return t.skip('no right to mount a small file system');
    t.after(() => disk.remove());
    const installation = await install('sqlite');
    t.after(() => installation.dispose());
    await installation.cli('account', 'create', 'acme');
    const path = join(disk.folder, 'log');
    const log = openSync(path, 'a');
    const env = { PATH: process.env['PATH'], PORT: String(installation.port) };
    const child = spawn(process.execPath, [script, 'serve'], {
      cwd: installation.folder,
      env,
      stdio: ['ignore', log, log],
    });
    t.after(() => child.kill('SIGKILL'));
    closeSync(log);
    const ended = once(child, 'close');
    const ask = () => fetch(`http://127.0.0.1:${installation.port}/oauth2/jwks`).then(({ status }) => status);
    while ((await ask().catch(() => 0)) === 0) await delay(25);
    disk.fill();
    const { length } = readFileSync(path, 'utf8');
    for (let count = 0; count < 200; count += 1) assert.equal(await ask(), 404);
    disk.free();
    while (readFileSync(path, 'utf8').length <= length) {
      assert.equal(await ask(), 404);
      await delay(5);
    }
    disk.fill();
    for (let count = 0; count < 50; count += 1) assert.equal(await ask(), 404);
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
    const whole = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    for (const line of whole) assert.ok(JSON.parse(line).event);
  });

  it('a backup: refused with a clear message, and no partial file remains', { timeout: 300_000 }, async (t) => {
    const disk = mountSmallDisk(4);
    if (!disk) return t.skip('no right to mount a small file system');
    t.after(() => disk.remove());
    const installation = await install('sqlite');
    t.after(() => installation.dispose());
    await installation.cli('account', 'create', 'acme');
    disk.fill();
    const file = join(disk.folder, 'backup.db');
    const full = await installation.run(['db', 'backup', file]);
    assert.equal(full.exitCode, 1);
    const [, refused] = full.stderr.split(/(?<=\n)/);
    assert.equal(refused, `gatehouse: ${file} cannot be written: the disk is full\n`);
    assert.deepEqual(readdirSync(disk.folder), ['ballast']);
    disk.free();
    await installation.cli('db', 'backup', file);
    assert.ok(existsSync(file));
  });
});
