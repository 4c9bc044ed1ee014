/** A running service that cannot find out what shuts builds of packages in (P6): it serves, says so, and asks again. */

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Installation, install, type Service } from '../support/process.ts';
import { openRegistry, type TestRegistry } from '../support/registry.ts';
import { openAccount, type RunningAccount } from '../support/running-account.ts';
import { hookOf } from './hook-sign-ins.ts';

describe('a service without a folder for temporary files', () => {
  let registry: TestRegistry;
  let installation: Installation;
  let temporary: string;
  let service: Service;
  let account: RunningAccount;
  before(async () => {
    registry = await openRegistry();
    registry.add('double', '1.0.0', { 'index.js': 'module.exports = (n) => n * 2;' });
    installation = await install('sqlite', { NPM_REGISTRY: registry.url, HOOK_PACKAGES: 'unconfined' });
    temporary = join(installation.folder, 'temporary');
    service = await installation.serve({ env: { TMPDIR: temporary } });
    account = await openAccount(service);
  });
  after(async () => {
    await registry.close();
    await installation.dispose();
    account.close();
  });

  /** What builds are shut in with, once it is known. */
  async function packages() {
    for (;;) {
      const { status, body } = await account.wire.call('GET', '/readyz');
      assert.equal(status, 200);
      if (body.packages.state !== 'starting') return body.packages;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async function writeHook() {
    const headers = { authorization: `Bearer ${await account.bearer('manage_all')}` };
    const json = hookOf('', { packages: { double: '1.0.0' } });
    return account.send('POST', '/api/2/hooks', { headers, json });
  }

  const logged = (event: string) =>
    service
      .output()
      .split('\n')
      .slice(0, -1)
      .filter((line) => JSON.parse(line).event === event);

  /** The lines of that event, once there is one: what a process logs arrives by a pipe, later than its answers. */
  async function untilLogged(event: string) {
    while (logged(event).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    return logged(event);
  }

  it('starts, and says why packages are refused and what to do', async () => {
    const { state, reason, remedy, layers } = await packages();
    assert.deepEqual([state, layers], ['refused', []]);
    assert.match(reason, /^ENOENT: /);
    assert.match(remedy, /TMPDIR/);
    const command = await installation.run(['doctor', '--json'], { env: { TMPDIR: temporary } });
    const found = JSON.parse(command.stdout).find(({ layer }: { layer: string }) => layer === 'packages of hooks');
    assert.deepEqual([found.status, found.remedy], ['off', remedy]);
    assert.match(found.detail, /^refused: ENOENT: /);
  });

  it('refuses hooks with packages, and logs it once', async () => {
    for (let time = 0; time < 2; time += 1) {
      const { status, text } = await writeHook();
      assert.equal(status, 422, text);
      assert.match(text, /this service refuses packages/);
      assert.ok(!text.includes(temporary));
    }
    const [line, ...others] = await untilLogged('packages are refused');
    assert.match(JSON.parse(line ?? '{}').reason, /^ENOENT: .*TMPDIR/);
    assert.deepEqual(others, []);
  });

  it('accepts them without a restart once the folder exists', async () => {
    mkdirSync(temporary);
    const { status, text } = await writeHook();
    assert.equal(status, 201, text);
    const { state, reason, remedy } = await packages();
    assert.match(state, /^(confined|open)$/);
    assert.deepEqual([reason, remedy], [null, null]);
    assert.equal((await untilLogged('packages are built again')).length, 1);
    assert.equal(await service.stop(), 0);
    assert.deepEqual(logged('crashed'), []);
  });
});
