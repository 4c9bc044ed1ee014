/** What a walk by cursor sees of a list that changes under it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListPage, ListQuery } from '../../src/store/listing.ts';
import type { DetailedUser } from '../../src/store/records.ts';
import { newAccount, newUser, unique } from './samples.ts';
import { onEachDatabase } from './suite.ts';

const byId = { field: 'id', descending: false };

onEachDatabase('a walk', (subject) => {
  test('A4: a walk over 10,000 rows that come and go returns each untouched row exactly once', {
    timeout: 120_000,
  }, async () => {
    const { store } = subject;
    const { id: accountId } = await newAccount(store);
    const word = (index: number) => `n${(index * 7919) % 200}`;
    const ids: number[] = [];
    for (let start = 0; start < 10_000; start += 500) {
      await store.transaction(async (tx) => {
        for (let index = start; index < start + 500; index += 1) {
          const key = `u${index}-${accountId}`;
          const given = { email: key, emailKey: key, firstname: word(index) };
          ids.push((await newUser(tx, accountId, given)).id);
        }
      });
    }
    const doomed = new Set(ids.filter((_, index) => index % 97 === 0));
    const left = [...doomed];
    for (const sort of [byId, { field: 'firstname', descending: false }, { field: 'firstname', descending: true }]) {
      const seen = new Map<number, number>();
      let at: ListQuery['at'] = { page: 1 };
      for (;;) {
        const found: ListPage<DetailedUser> = await store.users.page(accountId, { sort, filters: [], limit: 500, at });
        for (const { id } of found.items) seen.set(id, (seen.get(id) ?? 0) + 1);
        const gone = left.pop();
        if (gone !== undefined) await store.users.remove(accountId, gone);
        await newUser(store, accountId, { firstname: word(seen.size), emailKey: unique(), lastname: 'new' });
        if (!found.after) break;
        at = { after: found.after };
      }
      const untouched = ids.filter((id) => !doomed.has(id));
      assert.deepEqual(
        untouched.filter((id) => seen.get(id) !== 1),
        [],
      );
      assert.deepEqual(
        [...seen].filter(([, times]) => times > 1),
        [],
      );
    }
  });
});
