/** The room that an account has for logs of its hooks: the oldest runs go first, and what is counted is what is there. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, type HookExecutionRecord } from '../../src/store/hook-executions.ts';
import { purgeTable } from '../support/purge.ts';
import { ask, execute } from '../support/rows.ts';
import { newAccount, now, unique } from './samples.ts';
import { onEachDatabase, type Subject } from './suite.ts';

const hour = 3_600_000;

function newRun(accountId: number, expiresAt: number, length = 5_000): Omit<HookExecutionRecord, 'id'> {
  return {
    ...{ accountId, hookId: 1, requestId: unique('run'), correlationId: unique(), createdAt: now, outcome: 'success' },
    ...{ durationMilliseconds: 1, attempt: 1, events: ['x'.repeat(length)], sealedReplay: 'sealed', shadow: null },
    expiresAt,
  };
}

/** As a sign-in does it: room is made, and then the run is added. */
async function write({ store }: Subject, run: Omit<HookExecutionRecord, 'id'>, most: number): Promise<boolean> {
  return store.transaction(async (tx) => {
    const { isEnough } = await tx.hookExecutions.makeRoom(run.accountId, bytesOf(run), most);
    if (isEnough) await tx.hookExecutions.add([run]);
    return isEnough;
  });
}

async function sums({ url }: Subject, accountId: number): Promise<readonly [stored: number, counted: number]> {
  const sum = async (table: string) => {
    const [row] = await ask(url, `select coalesce(sum(bytes), 0) as b from ${table} where account_id = ${accountId}`);
    return Number(row?.['b']);
  };
  return [await sum('hook_executions'), await sum('hook_log_sizes')];
}

async function kept({ store }: Subject, runs: readonly { accountId: number; requestId: string }[]): Promise<number[]> {
  const found = await Promise.all(runs.map((run) => store.hookExecutions.find(run.accountId, run.requestId)));
  return found.flatMap((run, at) => (run ? at : []));
}

onEachDatabase('the room for logs of hooks', (subject) => {
  test('the oldest runs of the account go first, and those of others stay', async () => {
    const { store } = subject;
    const [{ id: one }, { id: other }] = [await newAccount(store), await newAccount(store)];
    const theirs = newRun(other, now + hour);
    await store.hookExecutions.add([theirs]);
    const runs = Array.from({ length: 8 }, (_, at) => newRun(one, now + at * 7 * hour));
    const most = 3 * bytesOf(newRun(one, now));
    for (const run of runs) assert.equal(await write(subject, run, most), true);
    assert.deepEqual(await kept(subject, runs), [5, 6, 7]);
    assert.deepEqual(await sums(subject, one), [most, most]);
    assert.deepEqual(await kept(subject, [theirs]), [0]);
  });

  test('a run that is larger than all the room has none, and costs the others', async () => {
    const { id } = await newAccount(subject.store);
    const run = newRun(id, now + hour);
    assert.equal(await write(subject, run, bytesOf(run) - 1), false);
    assert.equal(await write(subject, run, bytesOf(run)), true);
    assert.deepEqual(await kept(subject, [run]), [0]);
  });

  test('one call deletes some hundred runs at most, and the next one continues', async () => {
    const { store } = subject;
    const { id } = await newAccount(store);
    const runs = Array.from({ length: 620 }, () => newRun(id, now + hour, 1));
    for (let from = 0; from < runs.length; from += 31) await store.hookExecutions.add(runs.slice(from, from + 31));
    const [stored] = await sums(subject, id);
    const all = stored - runs.length;
    assert.deepEqual(await store.hookExecutions.makeRoom(id, all, stored), { isEnough: false, deleted: 500 });
    const [left, counted] = await sums(subject, id);
    assert.deepEqual([left, counted], [(stored / runs.length) * 120, left]);
    assert.deepEqual(await store.hookExecutions.makeRoom(id, all, stored), { isEnough: true, deleted: 120 });
    assert.deepEqual((await kept(subject, runs)).length, 0);
  });

  test('simultaneous writers are all counted', async () => {
    const { store } = subject;
    const { id } = await newAccount(store);
    const most = 4 * bytesOf(newRun(id, now));
    await subject.store.hookExecutions.add([newRun(id, now + hour)]);
    await Promise.all(Array.from({ length: 12 }, () => write(subject, newRun(id, now + 2 * hour), most)));
    const [stored, counted] = await sums(subject, id);
    assert.equal(stored, counted);
    assert.equal(await write(subject, newRun(id, now + 3 * hour), most), true);
    // Writers that do not see each other's deletions may each make room.
    const [left, countedThen] = await sums(subject, id);
    assert.ok(left === countedThen && left > 0 && left <= most, `${left} of ${countedThen} bytes`);
  });

  test('runs that expired take no room, before and after what counted them has expired too', async () => {
    const { store } = subject;
    const { id } = await newAccount(store);
    const [old, young] = [newRun(id, now + hour), newRun(id, now + 24 * hour)];
    const most = 2 * bytesOf(old);
    for (const run of [old, young]) assert.equal(await write(subject, run, most), true);
    await purgeTable(store, 'hook_executions', now + hour);
    assert.deepEqual(await kept(subject, [old, young]), [1]);
    const next = newRun(id, now + 25 * hour);
    assert.equal(await write(subject, next, most), true);
    assert.deepEqual(await kept(subject, [young, next]), [0, 1]);
    assert.deepEqual(await sums(subject, id), [most, most]);
    await purgeTable(store, 'hook_executions', now + 40 * hour);
    await purgeTable(store, 'hook_log_sizes', now + 40 * hour);
    assert.deepEqual(await sums(subject, id), [0, 0]);
  });

  test('what a process of the release before adds counts for nothing, and goes as the others do', async () => {
    const { store, url } = subject;
    const { id } = await newAccount(store);
    const [old, run] = [newRun(id, now + hour), newRun(id, now + hour)];
    await execute(
      url,
      `insert into hook_executions (account_id, hook_id, request_id, correlation_id, created_at, outcome, duration_ms,
        attempt, events, expires_at) values (${id}, 1, '${old.requestId}', 'x', ${now}, 'success', 1, 1, '[]', ${now})`,
    );
    assert.equal(await write(subject, run, bytesOf(run)), true);
    assert.deepEqual(await kept(subject, [old, run]), [0, 1]);
    assert.equal(await write(subject, newRun(id, now + hour), bytesOf(run)), true);
    assert.deepEqual(await kept(subject, [old, run]), []);
  });
});
