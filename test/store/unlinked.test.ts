/** Grants for one API end at once with its links to apps, however many there are, and are revoked in slices. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrationNames } from '../../src/store/knex/migrations/index.ts';
import type { StoreVerbs } from '../../src/store/store.ts';
import { whileUncommitted } from '../support/locks.ts';
import { ask } from '../support/rows.ts';
import { databases, openTestStore } from '../support/stores.ts';
import { clearAll, consume, count, fillGrants, many } from './filled.ts';
import { type LinkedApp, linkedApp, linkMany } from './linked-apps.ts';
import { type Cast, failureOf, newCast, newClient, newGrant, newServer, now, present, unique } from './samples.ts';
import { onEachDatabase, type Subject } from './suite.ts';

/** The number of grants of an app that the removal of its link revokes in its own transaction. */
const rowsAtOnce = 200;
const reason = 'the API is no longer linked';

/** The grants of an app, by whether they are to end with its link to the first API. */
async function newGrants({ store }: Subject, { cast, serverId, link }: LinkedApp) {
  const { id: otherId } = await newServer(store, cast.accountId);
  await link(otherId);
  const other = await newClient(store, cast.accountId);
  await store.access.grant(cast.accountId, other.appId, { userId: cast.userId }, now);
  const elsewhere = { ...cast, appId: other.appId };
  await store.authorizationServers.link({ ...elsewhere, serverId, scopeIds: [], linkedAt: now });
  return {
    ended: await newGrant(store, cast, { serverId }),
    forOther: await newGrant(store, cast, { serverId: otherId }),
    forAny: await newGrant(store, cast),
    elsewhere: await newGrant(store, elsewhere, { serverId }),
  };
}

function newToken({ grants }: StoreVerbs, { accountId, appId, userId }: Cast, grantId: number) {
  const lives = { scope: ['openid'], issuedAt: now, expiresAt: now * 2, revokedAt: null };
  return grants.addAccessToken({ accountId, appId, userId, grantId, digest: unique(), ...lives });
}

onEachDatabase('apps that are unlinked from an API', (subject) => {
  /** Asserts that the grant is over, by each way in which the store reads it. */
  async function assertDead({ accountId, userId }: Cast, grantId: number, tokenId: number): Promise<void> {
    const { grants } = subject.store;
    const grant = (await grants.find(accountId, grantId)) ?? assert.fail();
    assert.equal(grant.revokedAt, now + 1);
    assert.equal((await grants.findForApis(accountId, grantId))?.revokedAt, now + 1);
    assert.equal(await consume(subject, grant), 'revoked');
    const outcomes = await grants.consumeAll([present(grant), present(grant)]);
    assert.deepEqual(outcomes, [
      { outcome: 'refused', reason: 'revoked' },
      { outcome: 'refused', reason: 'revoked' },
    ]);
    assert.equal((await grants.findAccessToken(accountId, tokenId))?.grant?.revokedAt, now + 1);
    assert.ok((await grants.listLive(accountId, userId, now)).every(({ id }) => id !== grantId));
  }

  test('a few grants for the API are revoked with the link, the others are dead and follow; all others live', async () => {
    const { store } = subject;
    const setting = await linkedApp(subject);
    const { cast, serverId } = setting;
    const { accountId } = cast;
    let { ended, ...living } = await newGrants(subject, setting);
    const token = await newToken(store, cast, ended.id);
    assert.equal((await store.grants.findAccessToken(accountId, token.id))?.grant?.revokedAt, null);

    assert.equal(await setting.unlink(), rowsAtOnce);
    assert.equal(await setting.unlink(), null);
    const revoked = `grants where account_id = ${accountId} and revoked_at is not null`;
    assert.equal(await count(subject, revoked), rowsAtOnce);
    assert.deepEqual(await store.findWaitingRemovals(), { count: 1, since: now + 1 });
    await assertDead(cast, ended.id, token.id);
    const listed = (await store.grants.listLive(accountId, cast.userId, now)).map(({ id }) => id);
    assert.deepEqual(
      listed,
      Object.values(living).map(({ id }) => id),
    );
    for (const [name, grant] of Object.entries(living)) {
      assert.equal(await consume(subject, grant), 'rotated', name);
      living = { ...living, [name]: (await store.grants.find(accountId, grant.id)) ?? assert.fail() };
    }

    await setting.link();
    await assertDead(cast, ended.id, token.id);
    const later = await newGrant(store, cast, { serverId });
    assert.equal(await consume(subject, later), 'rotated');

    const slices = await clearAll(subject);
    assert.ok(slices.length > 0 && slices.every(({ kind, rows }) => kind === 'api_link' && rows <= 100));
    assert.equal((await store.findWaitingRemovals()).count, 0);
    await assertDead(cast, ended.id, token.id);
    assert.equal((await store.grants.find(accountId, ended.id))?.revokedBecause, reason);
    assert.equal(await count(subject, revoked), many + 1);
    assert.equal(await count(subject, `${revoked} and revoked_because <> '${reason}'`), 0);
    for (const [name, grant] of Object.entries(living)) assert.equal(await consume(subject, grant), 'rotated', name);
  });

  test('the same with an API that is removed, in all apps', async () => {
    const { store } = subject;
    const one = await linkedApp(subject);
    const { accountId, userId } = one.cast;
    const { serverId } = one;
    const { ended, forOther, forAny, elsewhere } = await newGrants(subject, one);
    await fillGrants(subject, { accountId, userId, appId: elsewhere.appId }, many, serverId);
    const last = await newGrant(store, { accountId, userId, appId: elsewhere.appId }, { serverId });
    const dead = [
      { cast: one.cast, grant: ended, token: await newToken(store, one.cast, ended.id) },
      { cast: last, grant: last, token: await newToken(store, last, last.id) },
    ];
    assert.equal(await store.authorizationServers.remove(accountId, serverId, now + 1), 2 * rowsAtOnce);
    assert.equal(await store.authorizationServers.remove(accountId, serverId, now + 1), null);
    assert.deepEqual(await store.authorizationServers.ofClient(accountId, elsewhere.appId), []);
    assert.equal((await store.findWaitingRemovals()).count, 2);
    for (const { cast, grant, token } of dead) await assertDead(cast, grant.id, token.id);
    for (const grant of [forOther, forAny]) assert.equal(await consume(subject, grant), 'rotated');
    await clearAll(subject);
    for (const { cast, grant, token } of dead) await assertDead(cast, grant.id, token.id);
    const live = `grants where account_id = ${accountId} and revoked_at is null`;
    assert.equal(await count(subject, `${live} and server_id = ${serverId}`), 0);
    assert.equal(await count(subject, live), 2);
  });

  test('an API with many apps is gone at once, its identifier is free, and the links follow', async () => {
    const { store } = subject;
    const { authorizationServers: servers } = store;
    const { cast, serverId } = await linkedApp(subject);
    const { accountId, userId } = cast;
    const { resourceIdentifier } = (await servers.find(accountId, serverId)) ?? assert.fail();
    const added = { accountId, serverId, createdAt: now };
    const scope = { ...added, value: 'a', description: null, open: false };
    const claim = { ...added, label: 'a', attribute: 'email', macro: null };
    const [{ id: scopeId }, { id: claimId }] = [await servers.addScope(scope), await servers.addClaim(claim)];
    const { appId } = await linkMany(subject, cast, serverId);
    const last = { accountId, userId, appId };
    await store.access.grant(accountId, appId, { userId }, now);
    const [own, beyond] = [await newGrant(store, cast, { serverId }), await newGrant(store, last, { serverId })];
    const tokens = [await newToken(store, cast, own.id), await newToken(store, last, beyond.id)];
    const other = await newGrant(store, last);

    assert.equal(await servers.remove(accountId, serverId, now + 1), rowsAtOnce);
    assert.equal(await servers.remove(accountId, serverId, now + 1), null);
    assert.equal(await servers.find(accountId, serverId), null);
    assert.equal(await servers.update(accountId, serverId, { name: 'changed' }), null);
    assert.equal(await servers.update(accountId, serverId, {}), null);
    const page = { sort: { field: 'id', descending: false }, limit: 10, filters: [], at: { page: 1 } } as const;
    assert.deepEqual((await servers.page(accountId, page)).items, []);
    assert.deepEqual(
      [await servers.listScopes(accountId, serverId), await servers.listClaims(accountId, serverId)],
      [[], []],
    );
    assert.equal(await servers.updateScope(accountId, serverId, scopeId, { value: 'b' }), null);
    assert.equal(await servers.updateClaim(accountId, serverId, claimId, { label: 'b' }), null);
    assert.equal(await servers.removeScope(accountId, serverId, scopeId), false);
    assert.equal(await servers.removeClaim(accountId, serverId, claimId), false);
    assert.equal(await failureOf(servers.addScope({ ...scope, value: 'b' })), 'not_found');
    assert.equal(await failureOf(servers.addClaim({ ...claim, label: 'b' })), 'not_found');
    const { appId: newAppId } = await newClient(store, accountId);
    const link = { accountId, serverId, scopeIds: [], linkedAt: now };
    assert.equal(await failureOf(servers.link({ ...link, appId: newAppId })), 'not_found');
    for (const linkedId of [cast.appId, appId]) {
      assert.deepEqual(await servers.ofClient(accountId, linkedId), []);
      assert.equal(await servers.findLink(accountId, serverId, linkedId), null);
      assert.equal(await servers.updateLink(accountId, serverId, linkedId, []), false);
      assert.equal(await servers.unlink(accountId, serverId, linkedId, now), null);
      const held = store.transaction((tx) => tx.authorizationServers.holdLink(accountId, serverId, linkedId));
      assert.equal(await held, false);
    }
    await newServer(store, accountId, { resourceIdentifier });
    const links = `authorization_server_clients where account_id = ${accountId}`;
    assert.equal(await count(subject, links), many + 1 - rowsAtOnce);
    await assertDead(cast, own.id, tokens[0]?.id ?? 0);
    await assertDead(last, beyond.id, tokens[1]?.id ?? 0);
    assert.equal(await consume(subject, other), 'rotated');

    const kinds = new Set((await clearAll(subject)).map(({ kind }) => kind));
    assert.deepEqual(kinds, new Set(['api', 'api_link']));
    for (const table of ['servers', 'server_scopes', 'server_claims', 'server_clients'].map(
      (part) => `authorization_${part}`,
    )) {
      const key = table === 'authorization_servers' ? 'id' : 'server_id';
      assert.equal(await count(subject, `${table} where ${key} = ${serverId}`), 0, table);
    }
    await assertDead(last, beyond.id, tokens[1]?.id ?? 0);
    const live = `grants where account_id = ${accountId} and revoked_at is null`;
    assert.equal(await count(subject, live), 1);
    assert.equal(await count(subject, `clients where account_id = ${accountId} and linked_servers > 0`), 0);
  });

  test('an app that is linked and unlinked repeatedly is cleared by one pass, and each API by its own', async () => {
    const { store } = subject;
    const one = await linkedApp(subject);
    const { accountId } = one.cast;
    const two = await linkedApp(subject, one.cast);
    assert.equal(await two.unlink(), 0);
    for (let round = 0; round < 5; round += 1) {
      await one.unlink();
      await one.link();
    }
    const later = await newGrant(store, one.cast, { serverId: one.serverId });
    assert.equal((await store.findWaitingRemovals()).count, 6);
    const slices = await clearAll(subject);
    assert.ok(slices.length <= 2 * Math.ceil((2 * many) / 100) + 2, `${slices.length} slices`);
    assert.equal(await count(subject, `removals where account_id = ${accountId}`), 0);
    assert.equal(await count(subject, `grants where account_id = ${accountId} and revoked_at is null`), 1);
    assert.equal(await consume(subject, later), 'rotated');
  });

  test('a link with few grants ends together with them, and nothing waits', async () => {
    const { store } = subject;
    const cast = await newCast(store);
    const { id: serverId } = await newServer(store, cast.accountId);
    await store.authorizationServers.link({ ...cast, serverId, scopeIds: [], linkedAt: now });
    const { id } = await newGrant(store, cast, { serverId });
    assert.equal(await store.authorizationServers.unlink(cast.accountId, serverId, cast.appId, now), 1);
    assert.equal((await store.grants.find(cast.accountId, id))?.revokedBecause, reason);
    assert.equal(await store.clearRemoved(100), null);
  });

  test('a link that another transaction is removing cannot be held', async () => {
    const { store } = subject;
    const { cast, serverId, link } = await linkedApp(subject);
    const { accountId, appId } = cast;
    const hold = () => store.transaction((tx) => tx.authorizationServers.holdLink(accountId, serverId, appId));
    const removals: readonly ((tx: StoreVerbs) => Promise<number | null>)[] = [
      (tx) => tx.authorizationServers.unlink(accountId, serverId, appId, now),
      (tx) => tx.authorizationServers.remove(accountId, serverId, now),
    ];
    for (const remove of removals) {
      assert.equal(await hold(), true);
      assert.equal(await whileUncommitted(subject, remove, hold), false);
      if (remove === removals[0]) await link();
    }
    await clearAll(subject);
  });

  test('a grant made while its link is removed ends with it', async () => {
    const { store } = subject;
    const setting = await linkedApp(subject);
    const { cast, serverId } = setting;
    const made: number[] = [];
    const ended = await whileUncommitted(
      subject,
      async (tx) => {
        assert.equal(await tx.authorizationServers.holdLink(cast.accountId, serverId, cast.appId), true);
        made.push((await newGrant(tx, cast, { serverId })).id);
      },
      () => setting.unlink(),
    );
    assert.equal(ended, rowsAtOnce);
    assert.equal((await store.grants.find(cast.accountId, made[0] ?? 0))?.revokedAt, now + 1);
    await clearAll(subject);
  });
});

for (const kind of databases) {
  test(`rolling back the migration revives nothing that a removed link or API had ended, on ${kind}`, async () => {
    const { store, url, dispose } = await openTestStore(kind);
    try {
      const setting = await linkedApp({ store, url });
      const { cast, serverId } = setting;
      const ended = await newGrant(store, cast, { serverId });
      await setting.unlink();
      await setting.link();
      const kept = [await newGrant(store, cast, { serverId }), await newGrant(store, cast)];
      const api = await linkedApp({ store, url });
      const { appId } = await linkMany({ store, url }, api.cast, api.serverId);
      const ofApi = await newGrant(store, { ...api.cast, appId }, { serverId: api.serverId });
      await store.authorizationServers.remove(api.cast.accountId, api.serverId, now + 2);
      const at = migrationNames.findIndex((name) => name.startsWith('0035'));
      await store.rollback(migrationNames.length - at);
      const ids = [ended, ...kept, ofApi].map(({ id }) => id);
      const rows = await ask(url, `select * from grants where id in (${ids.join(', ')}) order by id`);
      assert.deepEqual(
        rows.map((row) => [row['revoked_because'], row['revoked_at'] === null ? null : Number(row['revoked_at'])]),
        [
          [reason, now + 1],
          [null, null],
          [null, null],
          [reason, now + 2],
        ],
      );
      assert.deepEqual(await ask(url, 'select * from removals'), []);
      assert.deepEqual(await ask(url, `select * from authorization_servers where id = ${api.serverId}`), []);
    } finally {
      await dispose();
    }
  });
}
