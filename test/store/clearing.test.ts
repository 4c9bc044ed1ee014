/** Whose removals are cleared when, and what happens where that fails. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import pg from 'pg';
import { migrationNames } from '../../src/store/knex/migrations/index.ts';
import type { ClearingTurn } from '../../src/store/removals.ts';
import { untilWaiting } from '../support/locks.ts';
import { ask, execute } from '../support/rows.ts';
import { databases, openTestStore } from '../support/stores.ts';
import { clearAll, count, fillGrants, fillUsers } from './filled.ts';
import { type Cast, newCast, newCode, newGrant, newUser, now } from './samples.ts';
import { onEachDatabase, type Subject } from './suite.ts';

/** From now on no grant of the account can be deleted, until what this answers is called. */
async function forbidDeletion({ store, url }: Subject, accountId: number): Promise<() => Promise<void>> {
  const [when, body, undone] =
    store.kind === 'sqlite'
      ? [`when old.account_id = ${accountId}`, "begin select raise(abort, 'not this one'); end", '']
      : [`for each row when (old.account_id = ${accountId})`, 'execute function forbid()', ' on grants'];
  if (store.kind === 'postgres') {
    const forbid = "begin raise exception 'not this one'; end";
    await execute(url, `create function forbid() returns trigger language plpgsql as $$ ${forbid} $$`);
  }
  await execute(url, `create trigger forbidden before delete on grants ${when} ${body}`);
  return () => execute(url, `drop trigger forbidden${undone}`);
}

onEachDatabase('clearing', (subject) => {
  /** Three accounts that have removed a user with much, in the order of their numbers. */
  async function removeThree(): Promise<number[]> {
    const casts: Cast[] = [];
    for (const rows of [900, 450, 450]) {
      const cast = await newCast(subject.store);
      await fillGrants(subject, cast, rows);
      casts.push(cast);
    }
    for (const { accountId, userId } of casts)
      assert.equal(await subject.store.users.remove(accountId, userId, now), true);
    return casts.map(({ accountId }) => accountId);
  }

  test('accounts take turns, however much one of them has removed', async () => {
    const [first, second, third] = await removeThree();
    const turns: number[] = [];
    let after = 0;
    for (;;) {
      const slice = await subject.store.clearRemoved(100, { after, except: [] });
      if (!slice) break;
      assert.ok('rows' in slice);
      turns.push(slice.accountId);
      after = slice.accountId;
    }
    assert.deepEqual(turns.slice(0, 6), [first, second, third, first, second, third]);
    assert.deepEqual(new Set(turns.slice(-3)), new Set([first]));
  });

  test('a removal that cannot be cleared is named, keeps its rows, and is skipped for the others', async () => {
    const { store } = subject;
    const [first, second, third] = await removeThree();
    const allow = await forbidDeletion(subject, first ?? 0);
    try {
      const failed = await store.clearRemoved(100);
      assert.ok(failed && 'error' in failed);
      assert.equal(failed.accountId, first);
      assert.match(inspect(failed.error), /not this one/);
      const except = [failed.removalId];
      const cleared: (number | undefined)[] = [];
      for (let turn: ClearingTurn = { after: 0, except }; ; ) {
        const slice = await store.clearRemoved(1_000, turn);
        if (!slice) break;
        cleared.push(slice.accountId);
        turn = { after: slice.accountId, except };
      }
      assert.deepEqual(cleared, [second, third]);
      assert.equal((await store.findWaitingRemovals()).count, 1);
    } finally {
      await allow();
    }
    await clearAll(subject);
    assert.equal(await count(subject, `grants where account_id = ${first}`), 0);
  });

  test('a slice locks grants before codes, like every other transaction', async () => {
    const { store, url } = subject;
    if (store.kind === 'sqlite') return;
    const cast = await newCast(store);
    const { accountId, appId, userId } = cast;
    // An app beyond the twentieth: nothing of it is cleared in the transaction itself.
    const removal = `insert into removals (account_id, kind, object_id, removed_at, last_grant_id)
      values (${accountId}, 'access', ${appId}, ${now}, 1000000000)`;
    const grant = await newGrant(store, cast);
    const code = newCode(cast);
    await store.authorizations.createCode(code);
    await store.access.revoke(accountId, appId, { userId });
    await execute(url, removal);
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    try {
      await other.query('begin');
      await other.query(`select 1 from grants where id = ${grant.id} for update`);
      const clearing = store.clearRemoved(100);
      await untilWaiting(url, clearing);
      const { rowCount } = await other.query('select 1 from codes where digest = $1 for update nowait', [code.digest]);
      assert.equal(rowCount, 1);
      await other.query('commit');
      const slice = await clearing;
      assert.ok(slice && 'rows' in slice);
      assert.equal(await store.authorizations.findCode(accountId, code.digest), null);
      assert.ok((await store.grants.find(accountId, grant.id))?.revokedAt);
    } finally {
      await other.end();
    }
    await clearAll(subject);
  });

  test('a slice that lost a race is retried', async () => {
    const { store, url } = subject;
    if (store.kind === 'sqlite') return;
    const cast = await newCast(store);
    await fillGrants(subject, cast, 450);
    await store.users.remove(cast.accountId, cast.userId, now);
    // A sequence counts what was undone too: the first deletion of each grant loses.
    const lose = `begin if nextval('races') = 1 then raise exception using errcode = '40P01'; end if; return old; end`;
    await execute(url, 'create sequence races');
    await execute(url, `create function lose() returns trigger language plpgsql as $$ ${lose} $$`);
    await execute(url, 'create trigger losing before delete on grants for each row execute function lose()');
    try {
      const slice = await store.clearRemoved(100);
      assert.ok(slice && 'rows' in slice);
      assert.equal(slice.rows, 100);
    } finally {
      await execute(url, 'drop trigger losing on grants');
    }
    await clearAll(subject);
  });
});

for (const kind of databases) {
  test(`rolling back to before removals revives nothing that they ended on ${kind}`, async () => {
    const { store, url, dispose } = await openTestStore(kind);
    try {
      const subject = { store, url };
      const loser = await newCast(store);
      const { accountId, appId } = loser;
      const { id: keeperId } = await newUser(store, accountId);
      await store.access.grant(accountId, appId, { userId: keeperId }, now);
      const role = await store.roles.create({ accountId, name: 'staff', createdAt: now });
      const members = await fillUsers(subject, accountId);
      const [memberId = 0] = members;
      await store.roles.link(accountId, 'apps', role.id, [appId], now);
      await store.roles.link(accountId, 'users', role.id, members, now);
      await fillGrants(subject, loser);
      await fillGrants(subject, { ...loser, userId: memberId });
      const [lost, member, kept] = [
        await newGrant(store, loser),
        await newGrant(store, { ...loser, userId: memberId }),
        await newGrant(store, { ...loser, userId: keeperId }),
      ];
      await store.transaction(async (tx) => {
        await tx.access.revoke(accountId, appId, { userId: loser.userId });
        await tx.access.endLost(accountId, [appId], now);
      });
      await store.roles.remove(accountId, role.id, now + 1);
      for (const userId of [loser.userId, memberId]) await store.access.grant(accountId, appId, { userId }, now + 2);
      const { id: managerId } = await newUser(store, accountId);
      await store.users.update(accountId, keeperId, { managerUserId: managerId });
      await fillGrants(subject, { ...loser, userId: managerId });
      await store.users.remove(accountId, managerId, now + 2);

      const at = migrationNames.findIndex((name) => name.includes('0031'));
      await store.rollback(migrationNames.length - at);
      const ids = [lost, member, kept].map(({ id }) => id);
      const rows = await ask(url, `select * from grants where id in (${ids.join(', ')}) order by id`);
      assert.deepEqual(
        rows.map((row) => [row['revoked_because'], row['revoked_at'] !== null]),
        [
          ['access_not_assigned', true],
          ['access_not_assigned', true],
          [null, false],
        ],
      );
      const [keeper] = await ask(url, `select manager_user_id from users where id = ${keeperId}`);
      assert.equal(keeper?.['manager_user_id'], null);
      assert.equal(await count(subject, `users where id = ${managerId}`), 0);
      assert.equal(await count(subject, `roles where id = ${role.id}`), 0);
    } finally {
      await dispose();
    }
  });
}
