/** Each runtime has a Node of its own: which runs what, and what is shared. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { placeNode } from '../support/programs.ts';
import { until } from '../support/until.ts';
import { handler, openRunner, type TestRunner } from './runner.ts';

const one = handler('return 1');

describe('the runtimes of functions', () => {
  let folder: string;
  let other: string;
  let runner: TestRunner;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-runtimes-'));
    other = placeNode(join(folder, 'other-node'));
    const runtimes = [
      { name: 'first.x', node: null },
      { name: 'same.x', node: null },
      { name: 'other.x', node: other },
    ];
    runner = await openRunner({ runtimes, mostProcesses: 4, waitMilliseconds: 20_000 });
  });
  after(async () => {
    await runner.close();
    rmSync(folder, { recursive: true });
  });

  const pidsOf = (accountId: number) =>
    runner.processes().flatMap((process) => (process.accountId === accountId ? (process.pid ?? []) : []));
  /** Whether the words by which a process was started name the other program. */
  const runsOther = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(other);

  it('are started with their own program, and each process of an account runs one of them', async () => {
    assert.equal(await runner.value(one, { accountId: 5, runtime: 'first.x' }), 1);
    const [first, ...none] = pidsOf(5);
    assert.deepEqual([none, first && runsOther(first)], [[], false]);
    assert.equal(await runner.value(one, { accountId: 5, runtime: 'other.x' }), 1);
    const both = pidsOf(5);
    assert.deepEqual([both.length, both.filter(runsOther).length], [2, 1]);
    for (const runtime of ['first.x', 'other.x', 'same.x', undefined]) {
      assert.equal(await runner.value(one, { accountId: 5, ...(runtime && { runtime }) }), 1);
    }
    // Two identifiers of one program share a process, and so does a call that names none.
    assert.deepEqual(pidsOf(5), both);
  });

  it("all get new processes when the account's functions change", async () => {
    for (const runtime of ['first.x', 'other.x']) await runner.value(one, { accountId: 6, runtime });
    const before = pidsOf(6);
    runner.recycle(6);
    for (const runtime of ['first.x', 'other.x']) await runner.value(one, { accountId: 6, runtime });
    assert.deepEqual([before.length, pidsOf(6).filter((pid) => !before.includes(pid)).length], [2, 2]);
    // The former are listed until they have ended.
    await until(() => !pidsOf(6).some((pid) => before.includes(pid)));
  });

  it('together start no more processes than a single one', async () => {
    const calls = Array.from({ length: 12 }, (_, at) =>
      runner.value(one, { accountId: 100 + at, runtime: at % 2 === 0 ? 'first.x' : 'other.x' }),
    );
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, runner.processes().length);
    }, 1);
    assert.deepEqual(new Set(await Promise.all(calls)), new Set([1]));
    clearInterval(watch);
    assert.ok(most >= 2 && most <= 4, `${most}`);
  });

  it('that are not offered run nothing, and the call says so', async () => {
    const { ending, output, value } = await runner.call(one, { runtime: 'third.x' });
    assert.deepEqual([ending, value, output.length], ['unavailable', 'null', 1]);
    assert.match(output[0]?.text ?? '', /^the runtime third\.x is not offered here/);
    await runner.warm({ accountId: 9, runtime: 'third.x', source: one, packages: null });
    assert.deepEqual(pidsOf(9), []);
  });

  it('fail separately: one with a missing program says so, and the others run', async () => {
    const runtimes = [
      { name: 'well.x', node: null },
      { name: 'gone.x', node: join(folder, 'gone') },
    ];
    const half = await openRunner({ runtimes });
    assert.equal((await half.call(one, { runtime: 'gone.x' })).ending, 'unavailable');
    assert.equal(await half.value(one, { runtime: 'well.x' }), 1);
    const { state, reason, runtimes: told } = half.health();
    assert.equal(state, 'degraded');
    assert.match(reason ?? '', /gone/);
    assert.deepEqual(
      told.map((each) => [each.name, each.state]),
      [
        ['well.x', 'ok'],
        ['gone.x', 'degraded'],
      ],
    );
    await half.close();
  });
});
