/** S13, S14: processes, their ends, and what they could reach if the isolate and the runtime had been broken out of. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { wrappedCommand } from '../../src/hook-runner/command.ts';
import { confine } from '../../src/hook-runner/confinement.ts';
import { createHookRunner } from '../../src/hook-runner/runner.ts';
import { until } from '../support/until.ts';
import { echo, handler, openRunner, type TestRunner } from './runner.ts';

const endless = handler('return new Promise(() => {})');
const one = handler('return 1');

function isAlive(pid: number): boolean {
  try {
    // A process that has ended but was not waited for does not count.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** Of a wrapper and of what it started. */
function family(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return [
      pid,
      ...text
        .split(' ')
        .filter(Boolean)
        .flatMap((child) => family(Number(child))),
    ];
  } catch {
    return [pid];
  }
}

describe('hook processes', () => {
  let runner: TestRunner;
  before(async () => {
    runner = await openRunner();
  });
  after(() => runner.close());

  const pidOf = (accountId: number) => runner.processes().find((one) => one.accountId === accountId)?.pid ?? 0;

  it('what does not look at its input ends with the program around it, whatever user it has', async () => {
    const { wrap } = await confine();
    const { file, args, variables } = wrappedCommand([...wrap, 'sh', '-c', 'echo begun; exec sleep 1000000']);
    const child = spawn(file, args, { env: variables, stdio: ['pipe', 'pipe', 'ignore'], cwd: '/' });
    await once(child.stdout, 'data');
    const all = family(Number(child.pid));
    child.kill('SIGKILL');
    await until(() => !all.some(isAlive));
  });

  it('S14: kill -9 in a call ends that call, and the next runs in another process', async () => {
    for (let round = 0; round < 3; round++) {
      await runner.value(one);
      const pid = pidOf(1);
      const call = runner.call(endless, { timeoutMilliseconds: 60_000 });
      await until(() => runner.processes().some(({ pid: its, underWay }) => its === pid && underWay === 1));
      process.kill(pid, 'SIGKILL');
      assert.equal((await call).ending, 'crashed');
      assert.equal(await runner.value(one), 1);
      assert.notEqual(pidOf(1), pid);
      await until(() => !isAlive(pid));
    }
  });

  it('S14: of the innermost process too', async () => {
    await runner.value(one);
    const call = runner.call(endless, { timeoutMilliseconds: 60_000 });
    await until(() => runner.processes().some(({ accountId, underWay }) => accountId === 1 && underWay === 1));
    process.kill(family(pidOf(1)).at(-1) as number, 'SIGKILL');
    assert.equal((await call).ending, 'crashed');
    assert.equal(await runner.value(one), 1);
  });

  it("are replaced when their account's functions change, while active runs continue", async () => {
    await runner.value(one);
    const pid = pidOf(1);
    const slow = runner.value(handler('await new Promise((done) => setTimeout(done, 300)); return 2'));
    runner.recycle(1);
    assert.equal(await runner.value(one), 1);
    assert.ok(runner.processes().some((its) => its.accountId === 1 && its.pid !== pid));
    assert.equal(await slow, 2);
    await until(() => !isAlive(pid));
  });

  it('of drafts are separate from those of the account’s hooks, and stay when these change', async () => {
    assert.equal(await runner.value(one, { accountId: 6 }), 1);
    assert.equal(await runner.value(one, { accountId: 6, isDraft: true }), 1);
    const [live, draft] = [pidOf(6), pidOf(-6)];
    assert.ok(live !== 0 && draft !== 0 && live !== draft);
    const calls = [
      runner.value(handler('await new Promise((done) => setTimeout(done, 300)); return 2'), { accountId: 6 }),
    ];
    const drafted = runner.call(endless, { accountId: 6, isDraft: true, timeoutMilliseconds: 60_000 });
    await until(() => (runner.processes().find((one) => one.accountId === -6)?.underWay ?? 0) > 0);
    process.kill(draft, 'SIGKILL');
    assert.equal((await drafted).ending, 'crashed');
    assert.deepEqual(await Promise.all(calls), [2]);
    assert.equal(await runner.value(one, { accountId: 6, isDraft: true }), 1);
    const next = pidOf(-6);
    runner.recycle(6);
    await runner.value(one, { accountId: 6, isDraft: true });
    await runner.value(one, { accountId: 6 });
    // The former is listed until it has ended.
    assert.ok(runner.processes().some((its) => its.accountId === 6 && its.pid !== live));
    await until(() => !isAlive(live));
    assert.equal(pidOf(-6), next);
  });

  it('are warm before the first run', async () => {
    runner.warm({ accountId: 4, source: one, packages: null });
    await until(() => pidOf(4) !== 0);
    const pid = pidOf(4);
    assert.equal(await runner.value(one, { accountId: 4 }), 1);
    assert.equal(pidOf(4), pid);
  });

  it('run four functions of an account at a time, and the fifth waits for one of them', async (t) => {
    let underWay = 0;
    let most = 0;
    const answers: (() => void)[] = [];
    const fetch: typeof echo = async (...asked) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise<void>((answer) => answers.push(answer));
      underWay -= 1;
      return echo(...asked);
    };
    const held = await openRunner({ fetch, waitMilliseconds: 60_000 });
    t.after(() => held.close());
    const run = handler("await fetch('https://example.com/'); return 1");
    const calls = Array.from({ length: 5 }, () => held.value(run, { accountId: 5 }));
    await until(() => underWay === 4);
    assert.equal(held.processes().find(({ accountId }) => accountId === 5)?.underWay, 4);
    // The fifth begins once one of the four has been answered.
    answers.shift()?.();
    await until(() => answers.length === 4);
    while (answers.length > 0) answers.shift()?.();
    assert.deepEqual(await Promise.all(calls), Array(5).fill(1));
    assert.equal(most, 4);
  });
});

describe('hook processes under pressure', () => {
  it('are replaced after 1,000 runs: the last one is in the former process, and none after it', async (t) => {
    let answer = Promise.withResolvers<void>();
    const fetch: typeof echo = (...asked) => answer.promise.then(() => echo(...asked));
    const runner = await openRunner({ fetch, waitMilliseconds: 60_000 });
    t.after(() => runner.close());
    /** The process of one more run, which is held until it has been seen there. */
    const pidOfRun = async () => {
      answer = Promise.withResolvers();
      const run = runner.value(handler("await fetch('https://example.com/'); return 2"));
      // Told apart by what it does: a process that was retired is listed until it has ended, beside its successor.
      const busy = () => runner.processes().filter(({ underWay }) => underWay > 0);
      await until(() => busy().length > 0);
      const [its, ...others] = busy();
      answer.resolve();
      assert.equal(await run, 2);
      assert.deepEqual(others, []);
      return its?.pid;
    };
    const former = await pidOfRun();
    const half = async () => {
      for (let run = 0; run < 499; run += 1) assert.equal(await runner.value(one), 1);
    };
    await Promise.all([half(), half()]);
    // One at a time from here on: of runs at once, those that are let in before the 1,000th ends begin after it.
    assert.equal(await pidOfRun(), former);
    assert.notEqual(await pidOfRun(), former);
  });

  it('serve a run that arrived before their start command was known', async (t) => {
    const runner = createHookRunner({ fetch: echo, waitMilliseconds: 60_000 });
    t.after(() => runner.close());
    const rest = { packages: null, context: '{}', variables: {}, timeoutMilliseconds: 60_000 };
    assert.equal((await runner.run({ accountId: 1, source: one, ...rest })).value, '1');
  });

  it('that are starting when functions change lose no waiting run', async (t) => {
    const runner = createHookRunner({ fetch: echo, waitMilliseconds: 60_000 });
    t.after(() => runner.close());
    const rest = { packages: null, context: '{}', variables: {}, timeoutMilliseconds: 60_000 };
    const runs = [1, 2].map((accountId) => runner.run({ accountId, source: one, ...rest }));
    await runner.probed;
    for (const accountId of [1, 2]) runner.recycle(accountId);
    assert.deepEqual(
      (await Promise.all(runs)).map(({ value }) => value),
      ['1', '1'],
    );
    assert.equal(runner.health().state, 'ok');
  });

  it('do not exceed the limit; the least recently used is stopped for another account', async () => {
    const runner = await openRunner({ mostProcesses: 2 });
    for (const accountId of [1, 2, 3, 1]) {
      assert.equal(await runner.value(one, { accountId }), 1);
      assert.ok(runner.processes().length <= 2);
    }
    await runner.close();
  });

  it('fail a run as unavailable when none is free in time', async (t) => {
    const runner = await openRunner({ mostProcesses: 1, waitMilliseconds: 500 });
    t.after(() => runner.close());
    // On a busy machine a process takes longer to start than this waits.
    await until(async () => (await runner.call(one)).ending === 'success');
    const busy = runner.call(endless, { timeoutMilliseconds: 60_000 });
    await until(() => runner.processes().some(({ underWay }) => underWay === 1));
    const { ending, value } = await runner.call(one, { accountId: 2 });
    assert.deepEqual([ending, value], ['unavailable', 'null']);
    await runner.close();
    assert.equal((await busy).ending, 'crashed');
    assert.equal((await runner.call(one)).ending, 'unavailable');
  });

  it('are stopped when they are not used', async (t) => {
    const runner = await openRunner({ idleMilliseconds: 100 });
    t.after(() => runner.close());
    await runner.value(one);
    const pids = runner.processes().map(({ pid }) => pid ?? 0);
    await until(() => runner.processes().length === 0);
    await until(() => pids.every((pid) => !isAlive(pid)));
    assert.equal(await runner.value(one), 1);
  });

  it('have all ended when the runner is closed, with or without active runs', async () => {
    const runner = await openRunner();
    await runner.value(one);
    const call = runner.call(endless, { accountId: 2 });
    await until(() => runner.processes().some(({ underWay }) => underWay === 1));
    const pids = runner.processes().flatMap(({ pid }) => family(pid ?? 0));
    await runner.close();
    assert.equal((await call).ending, 'crashed');
    await until(() => pids.every((pid) => !isAlive(pid)));
  });
});

describe('the service', () => {
  const script = (body: string) => `
    import { openRunner, handler } from ${JSON.stringify(fileURLToPath(new URL('runner.ts', import.meta.url)))};
    const runner = await openRunner();
    await runner.value(handler('return 1'));
    void runner.call(handler(${JSON.stringify(body)}), { accountId: 2, timeoutMilliseconds: 60_000 });
    while (!runner.processes().some(({ accountId, underWay }) => accountId === 2 && underWay === 1)) {
      await new Promise((done) => setTimeout(done, 5));
    }
    console.log(JSON.stringify(runner.processes().map(({ pid }) => pid)));
  `;
  const deaths = {
    'kill -9, with a run that waits': 'return new Promise(() => {})',
    'kill -9, with a run that nothing in its process can stop': 'return [].indexOf.call({ length: 2 ** 53 - 1 }, 1)',
  };
  for (const [death, body] of Object.entries(deaths)) {
    it(`is not outlived by hook processes: ${death}`, async () => {
      const service = spawn(process.execPath, ['--input-type=module', '--eval', script(body)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [said] = (await once(service.stdout, 'data')) as [Buffer];
      const pids = (JSON.parse(said.toString()) as number[]).flatMap(family);
      assert.ok(pids.length >= 2);
      service.kill('SIGKILL');
      await until(() => pids.every((pid) => !isAlive(pid)));
    });
  }
});

describe('S13: a compromised process', () => {
  it('reaches no file of the service, no network and no other process', async (t) => {
    const { wrap, layers } = await confine();
    const on = new Set(layers.filter(({ state }) => state === 'ok').map(({ name }) => name));
    t.diagnostic(`on: ${[...on].join(', ')}`);
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-escape-'));
    const database = join(folder, 'gatehouse.db');
    writeFileSync(database, 'secret', { mode: 0o600 });
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const attempts = `
      const fs = require('node:fs');
      const attempts = {
        database: () => fs.readFileSync(${JSON.stringify(database)}),
        write: () => fs.writeFileSync(${JSON.stringify(join(folder, 'written'))}, 'x'),
        environment: () => fs.readFileSync('/proc/${process.pid}/environ'),
        parent: () => process.kill(${process.pid}, 0),
        user: () => { if (process.getuid() !== 0) throw new Error(); },
        privilege: () => { process.setuid(0); if (process.getuid() !== 0) throw new Error(); },
      };
      const done = Object.keys(attempts).filter((name) => { try { attempts[name](); return true } catch { return false } });
      const finish = (more) => { process.stdout.write(JSON.stringify([...done, ...more])); process.exit(); };
      require('node:net').connect(${port}, '127.0.0.1').on('connect', () => finish(['network'])).on('error', () => finish([]));
    `;
    const [file = '', ...args] = [...wrap, process.execPath, '--jitless', '--eval', attempts];
    const child = spawn(file, args, {
      cwd: '/',
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    const succeeded = JSON.parse(said.toString()) as string[];
    server.close();
    const mayDo = [
      ...(on.has('no network') ? [] : ['network']),
      ...(on.has('own process space') ? [] : ['environment', 'parent']),
      ...(on.has('own file tree') || on.has('other user') ? [] : ['database', 'write']),
      ...(on.has('other user') || process.getuid?.() !== 0 ? [] : ['user', 'privilege']),
    ];
    assert.deepEqual(
      succeeded.filter((name) => !mayDo.includes(name)),
      [],
    );
    assert.ok(!existsSync(join(folder, 'written')) || mayDo.includes('write'));
    rmSync(folder, { recursive: true });
  });
});
