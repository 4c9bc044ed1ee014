/** Builds on hosts that offer less, tried for real: `HOOK_PACKAGES` says what becomes of packages there. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isRoot, runs, shutsIn, withoutNamespaces, withoutRights } from '../support/host-walls.ts';
import { openRegistry, type TestRegistry } from '../support/registry.ts';

const program = fileURLToPath(new URL('say-walls.ts', import.meta.url));
const start = promisify(execFile);

describe('P6: builds of packages on hosts that offer less', () => {
  let registry: TestRegistry;
  let parent: string;
  before(async () => {
    registry = await openRegistry();
    registry.add('double', '1.0.0', { 'index.js': 'module.exports = (n) => n * 2;' });
    parent = mkdtempSync(join(tmpdir(), 'gatehouse-hosts-'));
    chmodSync(parent, 0o777);
  });
  after(async () => {
    await registry.close();
    rmSync(parent, { recursive: true });
  });

  /** What is said by a program that runs behind these words. */
  async function said(words: readonly string[]) {
    const command = [...words, process.execPath, program, registry.url, parent, 'double', '1.0.0'];
    const { stdout } = await start(command[0] ?? '', command.slice(1));
    assert.deepEqual(readdirSync(parent), [], 'the folders of the builds are gone');
    return JSON.parse(stdout);
  }

  async function assertLess(words: readonly string[]): Promise<void> {
    const { confined, open } = await said(words);
    assert.equal(confined.state, 'refused');
    assert.equal(confined.reason, 'a build would lack: no network, own process space, own file tree');
    assert.match(
      confined.remedy,
      /^install util-linux and allow user namespaces .* HOOK_PACKAGES=unconfined to build packages without$/,
    );
    assert.deepEqual([confined.result.ok, confined.result.isFinal], [false, true]);
    assert.ok(confined.result.reason.endsWith(confined.remedy));
    assert.deepEqual([open.state, open.reason, open.remedy], ['open', null, null]);
    assert.ok(open.result.ok, open.result.reason);
    assert.match(open.result.script, /\*2/);
  }

  const canTakeNamespaces = runs([...withoutNamespaces, 'true']);
  it('another user without user namespaces', { skip: !canTakeNamespaces && 'this host has none to take away' }, () =>
    assertLess(withoutNamespaces),
  );

  // A container that drops all capabilities: no folder can be given to another user there.
  it('root without its rights', { skip: !isRoot && 'the tests do not run as root' }, () => assertLess(withoutRights));

  it('this host, as it is', async () => {
    if (!shutsIn) return assertLess([]);
    const { confined, open } = await said([]);
    for (const { state, reason, remedy, result } of [confined, open]) {
      assert.deepEqual([state, reason, remedy], ['confined', null, null]);
      assert.ok(result.ok, result.reason);
    }
  });

  it('this host, for a service with low priority', async () => {
    if (!shutsIn) return assertLess([]);
    const { confined, open } = await said(['nice', '-n', '15']);
    for (const { state, reason, remedy, result } of [confined, open]) {
      assert.deepEqual([state, reason, remedy], ['confined', null, null]);
      assert.ok(result.ok, result.reason);
    }
  });
});
