import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HookExecutionRecord } from '../../src/store/hook-executions.ts';
import { newAccount, now, unique } from './samples.ts';
import { onEachDatabase } from './suite.ts';

onEachDatabase('records of hook runs', (subject) => {
  /** The id of a run that is recorded with these lines. */
  async function newRun(accountId: number, events: readonly string[], requestId = unique('run')): Promise<string> {
    const run: Omit<HookExecutionRecord, 'id'> = {
      ...{ accountId, hookId: 1, requestId, correlationId: unique(), createdAt: now, outcome: 'success' },
      ...{ durationMilliseconds: 1, attempt: 1, events, sealedReplay: 'sealed', expiresAt: now + 1 },
    };
    await subject.store.hookExecutions.add([run]);
    return requestId;
  }
  const eventsOf = async (accountId: number, requestId: string) =>
    (await subject.store.hookExecutions.find(accountId, requestId))?.events;

  test('a line is added after those of the run, in the account’s own record only', async () => {
    const { hookExecutions } = subject.store;
    const [{ id: one }, { id: other }] = [await newAccount(subject.store), await newAccount(subject.store)];
    const run = await newRun(one, ['first', 'second “line”']);
    await newRun(other, ['theirs'], run);
    const next = await newRun(one, []);
    const before = await hookExecutions.find(one, run);
    await hookExecutions.addEvent(one, run, 'third\n\u{1F511}');
    assert.deepEqual(await hookExecutions.find(one, run), {
      ...before,
      events: [...(before?.events ?? []), 'third\n\u{1F511}'],
    });
    assert.deepEqual([await eventsOf(other, run), await eventsOf(one, next)], [['theirs'], []]);
    await hookExecutions.addEvent(one, next, 'only');
    assert.deepEqual(await eventsOf(one, next), ['only']);
  });

  test('nothing is added to a run whose record has been deleted', async () => {
    const { id } = await newAccount(subject.store);
    const unknown = unique('run');
    await subject.store.hookExecutions.addEvent(id, unknown, 'line');
    assert.equal(await subject.store.hookExecutions.find(id, unknown), null);
  });

  test('lines added simultaneously are all kept', async () => {
    const { id } = await newAccount(subject.store);
    const run = await newRun(id, ['first']);
    const lines = Array.from({ length: 8 }, (_, index) => `line ${index}`);
    await Promise.all(lines.map((line) => subject.store.hookExecutions.addEvent(id, run, line)));
    const [first, ...added] = (await eventsOf(id, run)) ?? [];
    assert.deepEqual([first, added.sort()], ['first', lines]);
  });
});
