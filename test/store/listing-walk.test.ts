/** What a walk by cursor sees of a list that changes under it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPostgres } from '../../src/store/knex/postgres/engine.ts';
import { openSqlite } from '../../src/store/knex/sqlite/engine.ts';
import type { ListPage, ListQuery } from '../../src/store/listing.ts';
import type { DetailedUser } from '../../src/store/users.ts';
import { isWhole } from '../support/sample.ts';
import { wayTo } from '../support/way.ts';
import { newAccount, newUser, now, unique } from './samples.ts';
import { onEachDatabase } from './suite.ts';

/** Twenty pages in any case; the drill M11 walks over as many as A4 says. */
const count = isWhole ? 10_000 : 2_000;
const byId = { field: 'id', descending: false };

/** Past the verbs, which add one user at a time. */
async function addUsers(url: string, accountId: number, firstname: (index: number) => string): Promise<void> {
  const open = url.startsWith('sqlite:') ? openSqlite : openPostgres;
  const { db } = open({ ...wayTo(url), log: () => {}, waitMilliseconds: 60_000 });
  const common = { account_id: accountId, status: 1, invalid_login_attempts: 0, created_at: now, updated_at: now };
  const rows = Array.from({ length: count }, (_, index) => {
    const email = `u${index}@example.com`;
    return { ...common, email, email_key: email, firstname: firstname(index) };
  });
  await db.batchInsert('users', rows, 200);
  await db.destroy();
}

onEachDatabase('a walk', (subject) => {
  test(`A4: a walk over ${count} changing rows returns each untouched row exactly once`, async () => {
    const { store } = subject;
    const { id: accountId } = await newAccount(store);
    const word = (index: number) => `n${(index * 7919) % 200}`;
    await addUsers(subject.url, accountId, word);
    const ids = (await store.users.list(accountId)).map(({ id }) => id);
    const doomed = new Set(ids.filter((_, index) => index % 19 === 0));
    const left = [...doomed];
    for (const sort of [byId, { field: 'firstname', descending: false }, { field: 'firstname', descending: true }]) {
      const seen = new Map<number, number>();
      let at: ListQuery['at'] = { page: 1 };
      for (;;) {
        const found: ListPage<DetailedUser> = await store.users.page(accountId, {
          sort,
          filters: [],
          limit: count / 20,
          at,
        });
        for (const { id } of found.items) seen.set(id, (seen.get(id) ?? 0) + 1);
        const gone = left.pop();
        if (gone !== undefined) await store.users.remove(accountId, gone, now);
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
