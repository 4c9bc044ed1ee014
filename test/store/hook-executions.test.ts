import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HookExecutionRecord } from '../../src/store/hook-executions.ts';
import type { HookDefinition } from '../../src/store/hooks.ts';
import { newAccount, now, unique } from './samples.ts';
import { onEachDatabase } from './suite.ts';

const kept = { sealedReplay: null, shadow: null, expiresAt: now + 1 };
const emptyHook: HookDefinition = {
  ...{ type: 'pre-authentication', function: '', disabled: true, runtime: 'jsruntime12.x', retries: 0 },
  ...{ timeoutSeconds: 1, options: null, variableIds: [], packages: {}, conditions: [], contextVersion: '1.1.0' },
};
const difference = {
  live: { outcome: 'success', policyId: 1 },
  draft: { outcome: 'refused', policyId: null },
} as const;

onEachDatabase('records of hook runs', (subject) => {
  /** The id of a run that is recorded with these lines. */
  async function newRun(accountId: number, events: readonly string[], requestId = unique('run')): Promise<string> {
    const run: Omit<HookExecutionRecord, 'id'> = {
      ...{ accountId, hookId: 1, requestId, correlationId: unique(), createdAt: now, outcome: 'success' },
      ...{ durationMilliseconds: 1, attempt: 1, events, sealedReplay: 'sealed', shadow: null, expiresAt: now + 1 },
    };
    await subject.store.hookExecutions.add([run]);
    return requestId;
  }
  /** A draft that was set at 0 differs from a run. */
  const differ = (accountId: number, requestId: string, line: string) =>
    subject.store.hookExecutions.addComparison({
      ...{ accountId, hookId: 1, setAt: 0, requestId },
      difference: { ...difference, line },
    });
  const eventsOf = async (accountId: number, requestId: string) =>
    (await subject.store.hookExecutions.find(accountId, requestId))?.events;

  test('a line is added after those of the run, in the account’s own record only', async () => {
    const { hookExecutions } = subject.store;
    const [{ id: one }, { id: other }] = [await newAccount(subject.store), await newAccount(subject.store)];
    const run = await newRun(one, ['first', 'second “line”']);
    await newRun(other, ['theirs'], run);
    const next = await newRun(one, []);
    const before = await hookExecutions.find(one, run);
    await differ(one, run, 'third\n\u{1F511}');
    assert.deepEqual(await hookExecutions.find(one, run), {
      ...before,
      events: [...(before?.events ?? []), 'third\n\u{1F511}'],
      shadow: difference,
    });
    assert.deepEqual([await eventsOf(other, run), await eventsOf(one, next)], [['theirs'], []]);
    await differ(one, next, 'only');
    assert.deepEqual(await eventsOf(one, next), ['only']);
  });

  test('nothing is added to a run whose record has been deleted', async () => {
    const { id } = await newAccount(subject.store);
    const unknown = unique('run');
    await differ(id, unknown, 'line');
    assert.equal(await subject.store.hookExecutions.find(id, unknown), null);
  });

  test('lines added simultaneously are all kept', async () => {
    const { id } = await newAccount(subject.store);
    const run = await newRun(id, ['first']);
    const lines = Array.from({ length: 8 }, (_, index) => `line ${index}`);
    await Promise.all(lines.map((line) => differ(id, run, line)));
    const [first, ...added] = (await eventsOf(id, run)) ?? [];
    assert.deepEqual([first, added.sort()], ['first', lines]);
  });

  test('runs from which a draft differed are listed, newest first; comparisons count for the draft that ran', async () => {
    const { hooks, hookExecutions } = subject.store;
    const { id: accountId } = await newAccount(subject.store);
    const author = { authorType: 'credential', authorId: 3 };
    const made = { accountId, uuid: unique(), createdAt: now, updatedAt: now, ...author };
    const { hook } = await hooks.create(made, emptyHook, null);
    const { id: hookId } = hook;
    assert.equal(await hooks.countComparisons(accountId, hookId, 5), null);
    assert.equal(await hooks.setShadow(accountId, hookId, { function: 'x', setAt: 5 }), true);
    const compare = (requestId: string, setAt: number, differs: boolean) =>
      hookExecutions.addComparison({
        ...{ accountId, hookId, setAt, requestId },
        difference: differs ? { ...difference, line: 'line' } : null,
      });
    const runs: string[] = [];
    for (let made = 0; made < 4; made += 1) {
      const requestId = unique('run');
      const run = { accountId, hookId, requestId, correlationId: unique(), createdAt: now + made, outcome: 'success' };
      await hookExecutions.add([
        { ...run, outcome: 'success', durationMilliseconds: 1, attempt: 1, events: [], ...kept },
      ]);
      runs.push(requestId);
      await compare(requestId, made === 3 ? 4 : 5, made !== 1);
    }
    assert.deepEqual(await hooks.countComparisons(accountId, hookId, 5), { same: 1, different: 2 });
    const listed = async (since: number, limit: number) =>
      (await hookExecutions.listDifferences(accountId, hookId, since, limit)).map(({ requestId, shadow }) => {
        assert.deepEqual(shadow, difference);
        return runs.indexOf(requestId);
      });
    assert.deepEqual([await listed(0, 20), await listed(now + 2, 20), await listed(0, 1)], [[3, 2, 0], [3, 2], [3]]);
    await hooks.setShadow(accountId, hookId, { function: 'y', setAt: 6 });
    assert.equal(await hooks.countComparisons(accountId, hookId, 5), null);
    assert.deepEqual(await hooks.countComparisons(accountId, hookId, 6), { same: 0, different: 0 });
    await hooks.setShadow(accountId, hookId, null);
    assert.equal(await hooks.countComparisons(accountId, hookId, 6), null);
    assert.equal(await hooks.setShadow(accountId, hookId + 1, null), false);
  });
});
