/** What many rows hang on is gone at once, and its rows are cleared in slices. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GrantRecord } from '../../src/store/grants.ts';
import type { StoreVerbs } from '../../src/store/store.ts';
import { execute } from '../support/rows.ts';
import { clearAll, consume, count, fillGrants, fillUsers } from './filled.ts';
import { type Cast, newAccount, newCast, newClient, newGrant, newUser, now, present, unique } from './samples.ts';
import { onEachDatabase, type Subject } from './suite.ts';

/** As the batch that locks each grant and looks at it consumes. */
async function consumeTwice({ store }: Subject, grant: GrantRecord): Promise<string[]> {
  const outcomes = await store.grants.consumeAll([present(grant), present(grant)]);
  return outcomes.map((one) => (one.outcome === 'refused' ? one.reason : one.outcome));
}

async function newToken({ store }: Subject, { accountId, appId, userId }: Cast, grant: GrantRecord | null) {
  const { id } = await store.grants.addAccessToken({
    accountId,
    digest: unique(),
    grantId: grant?.id ?? null,
    appId,
    userId: grant ? userId : null,
    scope: ['openid'],
    issuedAt: now,
    expiresAt: now * 2,
    revokedAt: null,
  });
  return () => store.grants.findAccessToken(accountId, id);
}

const byId = { sort: { field: 'id', descending: false }, limit: 10, filters: [] } as const;

/** What a list shows, with its total. */
async function numbered(page: (query: typeof byId & { at: { page: number } }) => Promise<unknown>) {
  type Found = { items: { id?: number; appId?: number }[]; total: number };
  const { items, total } = (await page({ ...byId, at: { page: 1 } })) as Found;
  return [items.map(({ id, appId }) => appId ?? id), total];
}

function find(store: StoreVerbs, { accountId, userId }: Cast, name: string) {
  const { users } = store;
  return Promise.all([
    users.find(accountId, userId),
    users.findDetailed(accountId, userId),
    users.lock(accountId, userId),
    users.findByName(accountId, name),
    users.findByEmail(accountId, name),
    users.idsByNames(accountId, [{ emailKey: name, usernameKey: null }]).then(([id]) => id),
    users.update(accountId, userId, { firstname: 'changed' }),
  ]);
}

onEachDatabase('removals', (subject) => {
  test('a user with many rows is gone at once, the name is free, and the rows follow', async () => {
    const { store } = subject;
    const cast = await newCast(store);
    const { accountId, userId, appId } = cast;
    const { id: other } = await newUser(store, accountId);
    const email = (await store.users.find(accountId, userId))?.email ?? '';
    const role = await store.roles.create({ accountId, name: 'staff', createdAt: now });
    await store.roles.link(accountId, 'users', role.id, [userId, other], now);
    await store.users.update(accountId, other, { managerUserId: userId });
    await fillGrants(subject, cast);
    // The last one: the removal itself clears others.
    const grant = await newGrant(store, cast);
    const token = await newToken(subject, cast, grant);
    assert.ok(await token());

    assert.equal(await store.users.remove(accountId, userId, now), true);
    assert.deepEqual(await find(store, cast, email), [null, null, null, null, null, null, null]);
    assert.equal(await store.users.remove(accountId, userId, now), false);
    assert.deepEqual(await numbered((query) => store.users.page(accountId, query)), [[other], 1]);
    const members = { ...byId, filters: [{ field: 'role', test: 'in', values: [role.id] }] } as const;
    assert.deepEqual(await numbered((query) => store.users.page(accountId, { ...query, ...members })), [[other], 1]);
    assert.deepEqual((await store.roles.linked(accountId, 'users', [role.id])).get(role.id), [other]);
    assert.equal(await store.roles.findUnknown(accountId, 'users', [userId]), userId);
    assert.equal(await token(), null);
    assert.equal(await consume(subject, grant), 'unknown');
    assert.deepEqual(await consumeTwice(subject, grant), ['unknown', 'unknown']);
    await newUser(store, accountId, { email, emailKey: email });
    const { count: waiting, since } = await store.findWaitingRemovals();
    assert.deepEqual([waiting, since], [1, now]);

    const slices = await clearAll(subject);
    assert.ok(slices.length > 0 && slices.every(({ kind, rows }) => kind === 'user' && rows <= 100));
    assert.deepEqual(
      slices.map(({ isLast }) => isLast),
      slices.map((_, at) => at === slices.length - 1),
    );
    assert.equal(await count(subject, `users where id = ${userId}`), 0);
    assert.equal(await count(subject, `grants where user_id = ${userId}`), 0);
    assert.equal((await store.users.findDetailed(accountId, other))?.managerUserId, null);
    assert.equal((await store.findWaitingRemovals()).count, 0);
    assert.ok(await store.clients.findByApp(accountId, appId));
  });

  test('an app with many rows is gone at once, and the rows follow', async () => {
    const { store } = subject;
    const cast = await newCast(store);
    const { accountId, userId, appId } = cast;
    const { clientId } = (await store.clients.findByApp(accountId, appId)) ?? assert.fail();
    const role = await store.roles.create({ accountId, name: 'staff', createdAt: now });
    await store.roles.link(accountId, 'apps', role.id, [appId], now);
    await fillGrants(subject, cast);
    const grant = await newGrant(store, cast);
    const [token, ownToken] = [await newToken(subject, cast, grant), await newToken(subject, cast, null)];
    assert.ok((await token()) && (await ownToken()));

    assert.equal(await store.clients.remove(accountId, appId, now), true);
    assert.equal(await store.clients.remove(accountId, appId, now), false);
    assert.equal(await store.clients.find(accountId, clientId), null);
    assert.equal(await store.clients.findByApp(accountId, appId), null);
    assert.equal(await store.clients.findApp(accountId, appId), null);
    assert.equal(await store.clients.update(accountId, appId, { name: 'changed' }), false);
    assert.equal(await store.clients.replaceSecret(accountId, appId, 'digest'), false);
    assert.deepEqual(await numbered((query) => store.clients.pageApps(accountId, query)), [[], 0]);
    assert.deepEqual(await numbered((query) => store.clients.pageOfUser(accountId, userId, query)), [[], 0]);
    const withApp = { ...byId, filters: [{ field: 'app', test: 'in', values: [appId] }] } as const;
    assert.deepEqual(await numbered((query) => store.users.page(accountId, { ...query, ...withApp })), [[], 0]);
    assert.deepEqual((await store.roles.linked(accountId, 'apps', [role.id])).get(role.id), []);
    assert.equal(await store.access.isAssigned(accountId, appId, userId), false);
    assert.equal(await store.transaction((tx) => tx.access.isAssigned(accountId, appId, userId)), false);
    assert.deepEqual([await token(), await ownToken()], [null, null]);
    assert.equal(await consume(subject, grant), 'access_not_assigned');
    await newClient(store, accountId, { clientId });

    assert.ok((await clearAll(subject)).every(({ kind }) => kind === 'app'));
    assert.equal(await count(subject, `clients where app_id = ${appId}`), 0);
    assert.equal(await count(subject, `grants where app_id = ${appId}`), 0);
  });

  test('a role with many members gives nothing from then on, and nothing it gave comes back', async () => {
    const { store } = subject;
    const first = await newCast(store);
    const { accountId, appId } = first;
    const role = await store.roles.create({ accountId, name: 'staff', createdAt: now });
    const members = await fillUsers(subject, accountId);
    const { id: userId } = await newUser(store, accountId);
    const cast = { accountId, appId, userId };
    await store.roles.link(accountId, 'apps', role.id, [appId], now);
    await store.roles.link(accountId, 'users', role.id, [...members, userId], now);
    const kept = await newUser(store, accountId);
    await store.access.grant(accountId, appId, { userId: kept.id }, now);
    const [grant, keptGrant] = [await newGrant(store, cast), await newGrant(store, { ...cast, userId: kept.id })];
    const token = await newToken(subject, cast, grant);
    assert.equal((await token())?.assigned, true);

    assert.equal(await store.roles.remove(accountId, role.id, now + 1), 0);
    assert.equal(await store.roles.remove(accountId, role.id, now + 1), null);
    assert.equal(await store.roles.find(accountId, role.id), null);
    assert.equal(await store.roles.findByName(accountId, 'staff'), null);
    assert.equal(await store.roles.rename(accountId, role.id, 'again'), null);
    assert.deepEqual(await numbered((query) => store.roles.page(accountId, query)), [[], 0]);
    assert.deepEqual(await store.roles.ofUser(accountId, userId), []);
    assert.deepEqual((await store.roles.idsOfUsers(accountId, [userId])).get(userId), []);
    assert.deepEqual((await store.access.rolesOf(accountId, [appId])).get(appId), []);
    const withApp = { ...byId, filters: [{ field: 'app', test: 'in', values: [appId] }] } as const;
    assert.deepEqual(await numbered((query) => store.users.page(accountId, { ...query, ...withApp })), [
      [first.userId, kept.id],
      2,
    ]);
    assert.equal(await store.access.isAssigned(accountId, appId, userId), false);
    assert.equal(await store.transaction((tx) => tx.access.isAssigned(accountId, appId, userId)), false);
    assert.equal(await consume(subject, grant), 'access_not_assigned');
    assert.equal((await token())?.assigned, false);
    await store.roles.create({ accountId, name: 'staff', createdAt: now });

    await store.access.grant(accountId, appId, { userId }, now - 1);
    assert.equal(await store.access.isAssigned(accountId, appId, userId), true);
    assert.equal((await token())?.assigned, false);
    assert.equal((await store.grants.find(accountId, grant.id))?.revokedAt, now + 1);
    assert.deepEqual(await store.grants.listLive(accountId, userId, now), []);
    assert.deepEqual(await consumeTwice(subject, grant), ['access_not_assigned', 'access_not_assigned']);
    const later = await newGrant(store, cast);

    assert.ok((await clearAll(subject)).every(({ kind }) => kind === 'role'));
    const revoked = await store.grants.find(accountId, grant.id);
    assert.deepEqual([revoked?.revokedAt, revoked?.revokedBecause], [now + 1, 'access_not_assigned']);
    assert.equal(await consume(subject, later), 'rotated');
    assert.equal(await consume(subject, keptGrant), 'rotated');
    assert.equal(await count(subject, `role_users where role_id = ${role.id}`), 0);
    assert.equal(await count(subject, `roles where id = ${role.id}`), 0);
  });

  test("lost access ends the app's many grants at once, and giving it again does not revive them", async () => {
    const { store } = subject;
    const cast = await newCast(store);
    const { accountId, userId, appId } = cast;
    const others = await newCast(store);
    await fillGrants(subject, cast);
    const grant = await newGrant(store, cast);
    const elsewhere = await newGrant(store, others);
    const token = await newToken(subject, cast, grant);
    await store.transaction(async (tx) => {
      await tx.access.revoke(accountId, appId, { userId });
      assert.equal(await tx.access.endLost(accountId, [appId], now), 200);
    });
    assert.equal(await consume(subject, grant), 'access_not_assigned');
    const role = await store.roles.create({ accountId, name: 'staff', createdAt: now });
    await store.roles.link(accountId, 'users', role.id, [userId], now - 1);
    await store.roles.link(accountId, 'apps', role.id, [appId], now - 1);
    assert.equal(await store.access.isAssigned(accountId, appId, userId), true);
    assert.equal(await consume(subject, grant), 'access_not_assigned');
    assert.equal((await token())?.assigned, false);
    const later = await newGrant(store, cast);
    assert.equal(await consume(subject, later), 'rotated');

    // Lost once more: what the role gave since is dead as well.
    await store.transaction(async (tx) => {
      await tx.roles.unlink(accountId, 'apps', role.id, [appId]);
      await tx.access.endLost(accountId, [appId], now);
    });
    await store.access.grant(accountId, appId, { userId }, now);
    const last = await newGrant(store, cast);
    for (const dead of [grant, later]) assert.notEqual(await consume(subject, dead), 'rotated');
    assert.equal(await consume(subject, last), 'rotated');
    await clearAll(subject);
    assert.equal(await count(subject, `grants where app_id = ${appId} and revoked_at is null`), 1);
    assert.equal((await store.grants.find(others.accountId, elsewhere.id))?.revokedAt, null);
  });

  test('a custom attribute with many values is gone at once, and the values follow', async () => {
    const { store } = subject;
    const { id: accountId } = await newAccount(store);
    const members = await fillUsers(subject, accountId);
    const given = { accountId, name: 'Badge', shortname: 'badge', createdAt: now };
    const attribute = await store.attributes.create(given);
    const users = `select account_id, id, ${attribute.id}, 'a' from users where account_id = ${accountId}`;
    await execute(subject.url, `insert into user_attributes (account_id, user_id, attribute_id, value) ${users}`);

    assert.equal(await store.attributes.remove(accountId, attribute.id, now), true);
    assert.equal(await store.attributes.remove(accountId, attribute.id, now), false);
    assert.equal(await store.attributes.find(accountId, attribute.id), null);
    assert.equal(await store.attributes.update(accountId, attribute.id, { name: 'changed' }), null);
    assert.deepEqual(await store.attributes.list(accountId), []);
    assert.deepEqual(await numbered((query) => store.attributes.page(accountId, query)), [[], 0]);
    assert.deepEqual(await store.attributes.valuesOf(accountId, members), []);
    assert.equal((await store.attributes.create(given)).position, 1);
    assert.ok((await clearAll(subject)).every(({ kind }) => kind === 'attribute'));
    assert.equal(await count(subject, `user_attributes where attribute_id = ${attribute.id}`), 0);
  });

  test('small removals are complete at once, and nothing waits', async () => {
    const { store } = subject;
    const cast = await newCast(store);
    await newGrant(store, cast);
    assert.equal(await store.users.remove(cast.accountId, cast.userId, now), true);
    assert.equal(await store.clearRemoved(100), null);
    assert.equal(await count(subject, `users where id = ${cast.userId}`), 0);
  });

  test('one of two simultaneous removals succeeds, and clearing processes share the work', async () => {
    const { store } = subject;
    const casts = [await newCast(store), await newCast(store), await newCast(store)];
    for (const cast of casts) await fillGrants(subject, cast, 450);
    const removed = await Promise.all(
      [...casts, ...casts].map(({ accountId, userId }) => store.users.remove(accountId, userId, now)),
    );
    assert.equal(removed.filter(Boolean).length, 3);
    const slices = await Promise.all([clearAll(subject), clearAll(subject)]);
    assert.equal(slices.flat().filter(({ isLast }) => isLast).length, 3);
    assert.equal((await store.findWaitingRemovals()).count, 0);
    const accounts = casts.map(({ accountId }) => accountId).join(', ');
    assert.equal(await count(subject, `grants where account_id in (${accounts})`), 0);
  });
});
