import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LimitCount } from '../../src/store/limit-counts.ts';
import { purgeTable } from '../support/purge.ts';
import { ask } from '../support/rows.ts';
import { openPatientStore } from '../support/stores.ts';
import { minute, newAccount, unique } from './samples.ts';
import { onEachDatabase } from './suite.ts';

function told(digest: string, taken: number, more: Partial<LimitCount> = {}): LimitCount {
  return { digest, taken, expiresAt: null, leftMilliseconds: minute, ...more };
}

onEachDatabase('counts of limits', (subject) => {
  test('what nodes tell adds up, for each account, subject and window', async () => {
    const { store } = subject;
    const [one, other] = [await newAccount(store), await newAccount(store)];
    const [first, second] = [unique(), unique()];
    const add = async (id: number, ...counts: LimitCount[]) =>
      Object.fromEntries((await store.limitCounts.add(id, counts)).map(({ digest, taken }) => [digest, taken]));
    assert.deepEqual(await add(one.id), {});
    assert.deepEqual(await add(one.id, told(first, 3), told(second, 1)), { [first]: 3, [second]: 1 });
    assert.deepEqual(await add(one.id, told(second, 4), told(first, 0)), { [first]: 3, [second]: 5 });
    assert.deepEqual(await add(other.id, told(first, 1)), { [first]: 1 });
    assert.deepEqual(await add(one.id, told(first, -2)), { [first]: 1 });
    assert.deepEqual(await add(one.id, told(first, -2)), { [first]: 0 }, 'never fewer than none');
  });

  test("a window is by the database's clock and ends when the first of the nodes says", async () => {
    const { store } = subject;
    const { id } = await newAccount(store);
    const digest = unique();
    const add = async (count: LimitCount) => (await store.limitCounts.add(id, [count]))[0] ?? assert.fail();
    const begun = await add(told(digest, 1));
    assert.equal(begun.leftMilliseconds, minute);
    const later = await add(told(digest, 1, { leftMilliseconds: 2 * minute }));
    assert.equal(later.expiresAt, begun.expiresAt);
    assert.ok(later.leftMilliseconds <= minute && later.leftMilliseconds > 0);
    const sooner = await add(told(digest, 1, { expiresAt: begun.expiresAt - 20_000 }));
    assert.equal(sooner.expiresAt, begun.expiresAt - 20_000);
    assert.equal((await add(told(digest, 1))).expiresAt, sooner.expiresAt);
  });

  test('after its end a window begins anew, and what is told late of the former one changes nothing', async () => {
    const { store } = subject;
    const { id } = await newAccount(store);
    const digest = unique();
    const add = async (count: LimitCount) => (await store.limitCounts.add(id, [count]))[0] ?? assert.fail();
    const late = { expiresAt: Date.now() - minute };
    await add(told(digest, 7, late));
    const { taken, expiresAt } = await add(told(digest, 1));
    assert.equal(taken, 1);
    assert.deepEqual(
      { ...(await add(told(digest, 5, late))), leftMilliseconds: 0 },
      { digest, taken, expiresAt, leftMilliseconds: 0 },
    );
  });

  test('nodes that tell of the same subjects at once, in whatever order, lose nothing', async () => {
    const { id } = await newAccount(subject.store);
    const stores = await Promise.all([1, 2, 3].map(() => openPatientStore(subject.url)));
    const counts = Array.from({ length: 40 }, () => told(unique(), 1));
    await Promise.all(
      stores.flatMap((store) => [counts, counts.toReversed()].map((ordered) => store.limitCounts.add(id, ordered))),
    );
    const sums = await subject.store.limitCounts.add(id, counts);
    assert.deepEqual([...new Set(sums.map(({ taken }) => taken))], [7]);
    await Promise.all(stores.map((store) => store.close()));
  });

  test('rows are deleted a minute after their end, whatever the clock of the node says meanwhile', async () => {
    const { store, url } = subject;
    const { id } = await newAccount(store);
    const [digest, current] = [unique(), unique()];
    const now = Date.now();
    await store.limitCounts.add(id, [told(digest, 1, { expiresAt: now - minute }), told(current, 1)]);
    const left = async () =>
      (await ask(url, `select digest from limit_counts where account_id = ${id}`)).map((row) => row['digest']);
    await purgeTable(store, 'limit_counts', now - 1);
    assert.deepEqual(new Set(await left()), new Set([digest, current]));
    await purgeTable(store, 'limit_counts', now);
    assert.deepEqual(await left(), [current]);
  });
});
