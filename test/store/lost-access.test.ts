/**
 * While access that was lost waits to be cleared: what is given again revives nothing, and who never lost it keeps it.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoreVerbs } from '../../src/store/store.ts';
import { whileUncommitted } from '../support/locks.ts';
import { clearAll, consume, count, fillGrants, fillUsers } from './filled.ts';
import { type Cast, newCast, newClient, newGrant, newUser, now, unique } from './samples.ts';
import { onEachDatabase, type Subject } from './suite.ts';

async function newRole({ store }: Subject, accountId: number, appIds: number[], userIds: number[]): Promise<number> {
  const { id } = await store.roles.create({ accountId, name: unique('role'), createdAt: now });
  await store.roles.link(accountId, 'apps', id, appIds, now);
  await store.roles.link(accountId, 'users', id, userIds, now);
  return id;
}

async function lose({ store }: Subject, accountId: number, roleId: number, appId: number): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.roles.unlink(accountId, 'apps', roleId, [appId]);
    await tx.access.endLost(accountId, [appId], now);
  });
}

/** A user with the app by a role, while others lose the same app with a role of theirs. */
async function newBystander(subject: Subject): Promise<Cast & { readonly roleId: number; readonly lostBy: number }> {
  const { store } = subject;
  const { accountId, appId } = await newCast(store);
  const { id: loser } = await newUser(store, accountId);
  const { id: userId } = await newUser(store, accountId);
  const lostBy = await newRole(subject, accountId, [appId], [loser]);
  const roleId = await newRole(subject, accountId, [appId], [userId]);
  await fillGrants(subject, { accountId, appId, userId: loser });
  return { accountId, appId, userId, roleId, lostBy };
}

onEachDatabase('access that is lost', (subject) => {
  test('a user who never loses the app keeps it, through any newer links', async () => {
    const { store } = subject;
    const swaps: ((tx: StoreVerbs, cast: Cast, former: number, next: number) => Promise<unknown>)[] = [
      (tx, { accountId, userId }, _, next) => tx.roles.link(accountId, 'users', next, [userId], now),
      (tx, { accountId, userId }, _, next) => tx.roles.assign(accountId, userId, [next], now),
      (tx, { accountId, appId, userId }) => tx.access.grant(accountId, appId, { userId }, now),
    ];
    for (const give of swaps) {
      const cast = await newBystander(subject);
      const { accountId, appId, userId, roleId, lostBy } = cast;
      const grant = await newGrant(store, cast);
      const next = await newRole(subject, accountId, [appId], [(await newUser(store, accountId)).id]);
      await lose(subject, accountId, lostBy, appId);
      await store.transaction(async (tx) => {
        await give(tx, cast, roleId, next);
        await tx.roles.unlink(accountId, 'users', roleId, [userId]);
        assert.equal(await tx.grants.revokeUnassigned(accountId, { userIds: [userId] }, now), 0);
      });
      assert.ok((await store.findWaitingRemovals()).count > 0);
      assert.equal(await consume(subject, grant), 'rotated');
      await clearAll(subject);
      assert.equal((await store.grants.find(accountId, grant.id))?.revokedAt, null);
    }
  });

  test("a role whose position among its user's roles changes keeps what it gives", async () => {
    const { store } = subject;
    const cast = await newBystander(subject);
    const { accountId, appId, userId, roleId, lostBy } = cast;
    const other = await newRole(subject, accountId, [], [userId]);
    const grant = await newGrant(store, cast);
    await lose(subject, accountId, lostBy, appId);
    await store.roles.move(accountId, other, userId, now - 1);
    assert.deepEqual((await store.roles.idsOfUsers(accountId, [userId])).get(userId), [other, roleId]);
    await store.roles.move(accountId, roleId, userId, now - 2);
    assert.deepEqual((await store.roles.idsOfUsers(accountId, [userId])).get(userId), [roleId, other]);
    assert.equal(await consume(subject, grant), 'rotated');
    await clearAll(subject);
    assert.equal((await store.grants.find(accountId, grant.id))?.revokedAt, null);
  });

  test('a user who lost one app of a role gets nothing back when the role gives it again', async () => {
    const { store } = subject;
    const { accountId, appId, userId, lostBy } = await newBystander(subject);
    const { id: loser } = await newUser(store, accountId);
    await store.roles.link(accountId, 'users', lostBy, [loser], now);
    const grant = await newGrant(store, { accountId, appId, userId: loser });
    const next = await newRole(subject, accountId, [(await newClient(store, accountId)).appId, appId], [userId]);
    await lose(subject, accountId, lostBy, appId);
    await store.roles.link(accountId, 'users', next, [loser], now);
    assert.equal(await store.access.isAssigned(accountId, appId, loser), true);
    assert.equal(await consume(subject, grant), 'access_not_assigned');
    await store.access.grant(accountId, appId, { userId: loser }, now);
    assert.equal(await consume(subject, grant), 'access_not_assigned');
    await clearAll(subject);
  });

  test('members of a removed role get nothing back through a newer role, and keep what an older one gives', async () => {
    const { store } = subject;
    const { accountId, appId, userId, lostBy, roleId } = await newBystander(subject);
    await store.roles.link(accountId, 'users', lostBy, await fillUsers(subject, accountId), now);
    const { id: loser } = await newUser(store, accountId);
    await store.roles.link(accountId, 'users', lostBy, [loser, userId], now);
    const [lost, kept] = [
      await newGrant(store, { accountId, appId, userId: loser }),
      await newGrant(store, { accountId, appId, userId }),
    ];
    const next = await newRole(subject, accountId, [appId], [(await newUser(store, accountId)).id]);
    await store.roles.remove(accountId, lostBy, now);
    await store.roles.link(accountId, 'users', next, [loser, userId], now);
    await store.roles.unlink(accountId, 'users', roleId, [userId]);
    assert.equal(await consume(subject, lost), 'access_not_assigned');
    assert.equal(await consume(subject, kept), 'rotated');
    await clearAll(subject);
    assert.equal((await store.grants.find(accountId, kept.id))?.revokedAt, null);
  });

  test('access given again before its loss is committed revives nothing', async () => {
    const { store } = subject;
    const again: readonly [
      string,
      (tx: StoreVerbs, cast: Cast, roleId: number) => Promise<unknown>,
      (tx: StoreVerbs, cast: Cast, roleId: number) => Promise<unknown>,
    ][] = [
      [
        'app of a role',
        (tx, { accountId, appId }, roleId) => tx.roles.unlink(accountId, 'apps', roleId, [appId]),
        (tx, { accountId, appId }, roleId) => tx.roles.link(accountId, 'apps', roleId, [appId], now),
      ],
      [
        'role of an app',
        (tx, { accountId, appId }, roleId) => tx.access.revoke(accountId, appId, { roleId }),
        (tx, { accountId, appId }, roleId) => tx.access.grant(accountId, appId, { roleId }, now),
      ],
      [
        'role of a user',
        (tx, { accountId, userId }, roleId) => tx.roles.unlink(accountId, 'users', roleId, [userId]),
        (tx, { accountId, userId }, roleId) => tx.roles.link(accountId, 'users', roleId, [userId], now),
      ],
    ];
    for (const [what, take, give] of again) {
      const cast = await newBystander(subject);
      await fillGrants(subject, cast);
      const grant = await newGrant(store, cast);
      await whileUncommitted(
        subject,
        async (tx) => {
          await take(tx, cast, cast.roleId);
          await tx.access.endLost(cast.accountId, [cast.appId], now);
        },
        () => store.transaction((tx) => give(tx, cast, cast.roleId)),
      );
      assert.equal(await store.access.isAssigned(cast.accountId, cast.appId, cast.userId), true, what);
      assert.equal(await consume(subject, grant), 'access_not_assigned', what);
    }
    await clearAll(subject);
  });

  test('of two simultaneous losses of one app the later one has the greater number and includes the other', async () => {
    const { store } = subject;
    const { accountId, appId, userId } = await newCast(store);
    const { id: other } = await newUser(store, accountId);
    await store.access.revoke(accountId, appId, { userId });
    const [one, two] = [
      await newRole(subject, accountId, [appId], [userId]),
      await newRole(subject, accountId, [appId], [other]),
    ];
    // The pass of the later loss is behind it when the other one is committed.
    const grant = await newGrant(store, { accountId, appId, userId });
    await fillGrants(subject, { accountId, appId, userId: other });
    // Beyond those that the transaction looks at itself.
    const further: number[] = [];
    while (further.length < 20) further.push((await newClient(store, accountId)).appId);
    const appIds = [...further, appId];
    await whileUncommitted(
      subject,
      async (tx) => {
        await tx.roles.unlink(accountId, 'apps', one, [appId]);
        await tx.access.endLost(accountId, appIds, now);
      },
      () => lose(subject, accountId, two, appId),
    );
    await clearAll(subject);
    await store.roles.link(accountId, 'apps', one, [appId], now);
    assert.equal(await consume(subject, grant), 'revoked');
  });

  test('an app that is given and taken repeatedly is cleared by one pass over its grants', async () => {
    const { store } = subject;
    const { accountId, appId, userId: loser } = await newCast(store);
    const roleId = await newRole(subject, accountId, [appId], [loser]);
    await store.access.revoke(accountId, appId, { userId: loser });
    await fillGrants(subject, { accountId, appId, userId: loser }, 900);
    for (let round = 0; round < 6; round += 1) {
      await lose(subject, accountId, roleId, appId);
      await store.roles.link(accountId, 'apps', roleId, [appId], now);
    }
    assert.equal((await store.findWaitingRemovals()).count, 6);
    const slices = await clearAll(subject);
    assert.ok(slices.length <= 900 / 100 + 6, `${slices.length} slices`);
    assert.equal(await count(subject, `grants where account_id = ${accountId} and revoked_at is null`), 0);
    assert.equal(await count(subject, `removals where account_id = ${accountId}`), 0);
  });

  test("all grants of a removed role's members end, though others revoke some during a slice", async () => {
    const { store } = subject;
    const { accountId, appId, userId } = await newCast(store);
    const { appId: other } = await newClient(store, accountId);
    await store.access.revoke(accountId, appId, { userId });
    const roleId = await newRole(subject, accountId, [appId, other], [userId]);
    for (const app of [appId, other]) await fillGrants(subject, { accountId, appId: app, userId }, 300);
    await store.roles.remove(accountId, roleId, now);
    await whileUncommitted(
      subject,
      (tx) => tx.grants.revokeOfUserApp(accountId, userId, appId, now, 'withdrawn'),
      () => store.clearRemoved(100),
    );
    await clearAll(subject);
    assert.equal(await count(subject, `grants where account_id = ${accountId} and revoked_at is null`), 0);
  });

  test('a token that another app got by exchange ends with the access behind its grant', async () => {
    const { store } = subject;
    const cast = await newBystander(subject);
    const { accountId, appId, userId, roleId } = cast;
    const { appId: gateway } = await newClient(store, accountId);
    await store.access.grant(accountId, gateway, { userId }, now);
    const grant = await newGrant(store, cast);
    const held = { accountId, appId: gateway, userId, grantId: grant.id, digest: unique() };
    const lives = { scope: ['openid'], issuedAt: now, expiresAt: now * 2, revokedAt: null };
    const { id } = await store.grants.addAccessToken({ ...held, ...lives });
    assert.equal((await store.grants.findAccessToken(accountId, id))?.assigned, true);
    await lose(subject, accountId, roleId, appId);
    assert.equal((await store.grants.findAccessToken(accountId, id))?.assigned, false);
  });
});
