import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countWatcher, createDailyCounts } from '../../src/domain/audit/daily-counts.ts';
import { purgeTable } from '../support/purge.ts';
import { testClock } from '../support/services.ts';
import { newAccount, newEvent } from './samples.ts';
import { onEachDatabase } from './suite.ts';

const day = 24 * 60 * 60_000;
const start = Date.parse('2026-11-21T12:00:00Z');

onEachDatabase('counts of accounts', (subject) => {
  test('two processes add up, and each subject counts for its account once', async () => {
    const { store } = subject;
    const { id } = await newAccount(store);
    const clock = testClock(start);
    const processes = [createDailyCounts({ store, clock }), createDailyCounts({ store, clock })];
    for (const counts of processes) {
      for (const subjectId of [1, 2, 2]) counts.add(id, 'refresh', subjectId);
      counts.add(id, 'call.readUser', 3);
      counts.add(id, 'call.listUsers', 3);
      counts.addToAccount(id, 'refresh.reused');
    }
    await Promise.all(processes.map((counts) => counts.flush()));
    await Promise.all(processes.map((counts) => counts.flush()));
    const found = await store.counts.listOfAccount(id, '2026-11-21', '2026-11-21');
    assert.deepEqual(
      found.map(({ kind, count }) => [kind, count]),
      [
        ['deprecated_call', 4],
        ['refresh', 6],
        ['refresh.reused', 2],
      ],
    );
    assert.deepEqual(await store.counts.listOfAccount(id, '2026-11-22', '2026-12-22'), []);
    assert.deepEqual(
      (await store.counts.list(id, '')).map(({ kind, subjectId, count }) => [kind, subjectId, count]),
      [
        ['call.listUsers', 3, 2],
        ['call.readUser', 3, 2],
        ['refresh', 1, 2],
        ['refresh', 2, 4],
      ],
    );
  });

  test('what could not be stored is stored the next time, once', async () => {
    const { store } = subject;
    const { id } = await newAccount(store);
    let fails = true;
    const failing = {
      ...store,
      counts: {
        ...store.counts,
        add: async (...given: Parameters<typeof store.counts.add>) => {
          if (fails) throw new Error('for the test');
          await store.counts.add(...given);
        },
      },
    };
    const counts = createDailyCounts({ store: failing, clock: testClock(start) });
    counts.add(id, 'refresh', 1);
    counts.addToAccount(id, 'hook.timeout');
    await assert.rejects(counts.flush());
    counts.add(id, 'refresh', 1);
    counts.addToAccount(id, 'hook.timeout');
    fails = false;
    await counts.flush();
    const found = await store.counts.listOfAccount(id, '2026-11-21', '2026-11-21');
    assert.deepEqual(
      found.map(({ kind, count }) => [kind, count]),
      [
        ['hook.timeout', 2],
        ['refresh', 2],
      ],
    );
  });

  test('they are deleted 90 days after their day, those by subject are not', async () => {
    const { store } = subject;
    const { id } = await newAccount(store);
    const counts = createDailyCounts({ store, clock: testClock(start) });
    counts.add(id, 'refresh', 1);
    await counts.flush();
    const ends = Date.parse('2026-11-22T00:00:00Z') + 90 * day;
    const left = async () => (await store.counts.listOfAccount(id, '2026-11-21', '2026-11-21')).length;
    await purgeTable(store, 'account_counts', ends - 1);
    assert.equal(await left(), 1);
    await purgeTable(store, 'account_counts', ends);
    assert.equal(await left(), 0);
    assert.equal((await store.counts.list(id, '')).length, 1);
  });

  test('a sign-in counts by the event that ends it, any other event does not', async () => {
    const { store } = subject;
    const { id } = await newAccount(store);
    const counts = createDailyCounts({ store, clock: testClock(start) });
    const watcher = countWatcher(counts);
    const events = [
      { action: 'sign_in.failed', detail: JSON.stringify({ reason: 'wrong_password' }) },
      { action: 'sign_in.failed', detail: JSON.stringify({ reason: 'wrong_password' }) },
      { action: 'user.changed', detail: '{}' },
    ] as const;
    for (const event of events) watcher.event?.({ ...newEvent(id), ...event });
    await counts.flush();
    const found = await store.counts.listOfAccount(id, '2026-11-21', '2026-11-21');
    assert.deepEqual(
      found.map(({ kind, count }) => [kind, count]),
      [['sign_in.wrong_password', 2]],
    );
  });
});
