/** API authorization servers that clients have by their users' consent, without a link. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrationNames } from '../../src/store/knex/migrations/index.ts';
import type { Store, StoreVerbs } from '../../src/store/store.ts';
import { whileUncommitted } from '../support/locks.ts';
import { ask } from '../support/rows.ts';
import { databases, openTestStore } from '../support/stores.ts';
import { clearAll, consume, count, fillGrants, many } from './filled.ts';
import { type Cast, newAccount, newCast, newClient, newGrant, newServer, now } from './samples.ts';
import { onEachDatabase } from './suite.ts';

/** The number of grants that the end of an app's API revokes in its own transaction. */
const rowsAtOnce = 200;
const reason = 'the API is no longer linked';
const consent = { clientAccess: 'consent' } as const;

/** A server that the cast's app has by consent. */
async function openServer(store: Store, cast: Cast): Promise<number> {
  const { id } = await newServer(store, cast.accountId, consent);
  assert.equal(await hold(store, cast, id), true);
  return id;
}

function hold(store: Store, { accountId, appId }: Cast, serverId: number): Promise<boolean> {
  return store.transaction((tx) => tx.authorizationServers.holdOpen(accountId, serverId, appId));
}

/** As an operator closes it. */
async function close({ authorizationServers }: StoreVerbs, accountId: number, serverId: number): Promise<number> {
  await authorizationServers.update(accountId, serverId, { clientAccess: 'linked' });
  return authorizationServers.endOpen(accountId, serverId, now + 1);
}

onEachDatabase('servers that clients have by consent', (subject) => {
  test('one is found by its id or identifier, with its open scopes and all claims, and no other', async () => {
    const { authorizationServers: servers } = subject.store;
    const { id: accountId } = await newAccount(subject.store);
    const server = await newServer(subject.store, accountId, consent);
    const { id: serverId, resourceIdentifier } = server;
    const common = { accountId, serverId, createdAt: now };
    const open = await servers.addScope({ ...common, value: 'a', description: null, open: true });
    const other = await servers.addScope({ ...common, value: 'b', description: null, open: false });
    const claim = await servers.addClaim({ ...common, label: 'mail', attribute: 'email', macro: null });
    const found = { server, scopes: [open], claims: [claim], linkedAt: null };
    for (const key of [{ id: serverId }, { resourceIdentifier }]) {
      assert.deepEqual(await servers.findOpen(accountId, key), found);
    }
    await servers.updateScope(accountId, serverId, other.id, { open: true });
    await servers.updateScope(accountId, serverId, open.id, { open: false });
    const swapped = (await servers.findOpen(accountId, { id: serverId }))?.scopes.map(({ value }) => value);
    assert.deepEqual(swapped, ['b']);
    const { id: otherId } = await newAccount(subject.store);
    assert.equal(await servers.findOpen(otherId, { id: serverId }), null);
    assert.equal(await servers.findOpen(accountId, { resourceIdentifier: `${resourceIdentifier}/` }), null);
    const second = await newServer(subject.store, accountId, consent);
    await newServer(subject.store, accountId);
    const both = [resourceIdentifier, second.resourceIdentifier];
    assert.deepEqual(await servers.listOpenIdentifiers(accountId, 10), both);
    assert.deepEqual(await servers.listOpenIdentifiers(accountId, 1), both.slice(0, 1));
    await servers.update(accountId, serverId, { clientAccess: 'linked' });
    await servers.remove(accountId, second.id, now);
    assert.equal(await servers.findOpen(accountId, { id: serverId }), null);
    assert.equal(await servers.findOpen(accountId, { id: second.id }), null);
    assert.deepEqual(await servers.listOpenIdentifiers(accountId, 10), []);
  });

  test('that a client has one is noted once, and only where the server lets it', async () => {
    const { store } = subject;
    const cast = await newCast(store);
    const { accountId, appId } = cast;
    const uses = async () => (await store.clients.findByApp(accountId, appId))?.usesOpenServers;
    const { id: closed } = await newServer(store, accountId);
    assert.deepEqual([await hold(store, cast, closed), await hold(store, cast, 2_147_483_000)], [false, false]);
    assert.equal(await uses(), false);
    const open = await openServer(store, cast);
    assert.equal(await hold(store, cast, open), true);
    assert.equal(await uses(), true);
    const noted = `open_server_clients where account_id = ${accountId}`;
    assert.equal(await count(subject, noted), 1);
    await store.clients.remove(accountId, appId, now);
    await clearAll(subject);
    assert.equal(await count(subject, noted), 0);
  });

  test('closing one ends its grants, however many; those of linked apps and of other servers live', async () => {
    const { store } = subject;
    const cast = await newCast(store);
    const { accountId, userId } = cast;
    const serverId = await openServer(store, cast);
    await fillGrants(subject, cast, many, serverId);
    const last = await newGrant(store, cast, { serverId });
    const { appId } = await newClient(store, accountId);
    await store.access.grant(accountId, appId, { userId }, now);
    const linked = { ...cast, appId };
    assert.equal(await hold(store, linked, serverId), true);
    await store.authorizationServers.link({ accountId, serverId, appId, scopeIds: [], linkedAt: now });
    const living = [
      await newGrant(store, linked, { serverId }),
      await newGrant(store, cast, { serverId: await openServer(store, cast) }),
      await newGrant(store, cast),
    ];
    assert.equal(await store.transaction((tx) => close(tx, accountId, serverId)), rowsAtOnce);
    assert.equal(await store.transaction((tx) => close(tx, accountId, serverId)), 0, 'once');
    const isDead = async () => {
      assert.equal((await store.grants.find(accountId, last.id))?.revokedAt, now + 1);
      assert.equal(await consume(subject, last), 'revoked');
    };
    await isDead();
    for (const grant of living) assert.equal(await consume(subject, grant), 'rotated');
    await store.authorizationServers.update(accountId, serverId, consent);
    await isDead();
    assert.equal(await hold(store, cast, serverId), true);
    const later = await newGrant(store, cast, { serverId });
    assert.equal(await consume(subject, later), 'rotated');
    await clearAll(subject);
    await isDead();
    assert.equal((await store.grants.find(accountId, last.id))?.revokedBecause, reason);
    assert.equal((await store.grants.find(accountId, later.id))?.revokedAt, null);
  });

  test('removing one ends the grants of clients without a link as well', async () => {
    const { store } = subject;
    const cast = await newCast(store);
    const { accountId } = cast;
    const serverId = await openServer(store, cast);
    const grant = await newGrant(store, cast, { serverId });
    await store.authorizationServers.remove(accountId, serverId, now + 1);
    assert.equal(await consume(subject, grant), 'revoked');
    await clearAll(subject);
    assert.equal((await store.grants.find(accountId, grant.id))?.revokedBecause, reason);
    assert.equal(await count(subject, `open_server_clients where account_id = ${accountId}`), 0);
  });

  test('one that another transaction closes cannot be held, and a grant that is made meanwhile ends with it', async () => {
    const { store } = subject;
    const cast = await newCast(store);
    const { accountId } = cast;
    const serverId = await openServer(store, cast);
    const closing = (tx: StoreVerbs) => close(tx, accountId, serverId);
    assert.equal(await whileUncommitted(subject, closing, () => hold(store, cast, serverId)), false);
    await store.authorizationServers.update(accountId, serverId, consent);
    const made: number[] = [];
    const ended = await whileUncommitted(
      subject,
      async (tx) => {
        assert.equal(await tx.authorizationServers.holdOpen(accountId, serverId, cast.appId), true);
        made.push((await newGrant(tx, cast, { serverId })).id);
      },
      () => store.transaction(closing),
    );
    assert.equal(ended, 1);
    assert.equal((await store.grants.find(accountId, made[0] ?? 0))?.revokedAt, now + 1);
  });
});

for (const kind of databases) {
  test(`rolling back the migration ends what no older release would serve, on ${kind}`, async () => {
    const { store, url, dispose } = await openTestStore(kind);
    try {
      const cast = await newCast(store);
      const { accountId, appId } = cast;
      const [byConsent, byLink] = [await openServer(store, cast), await openServer(store, cast)];
      await store.authorizationServers.link({ accountId, serverId: byLink, appId, scopeIds: [], linkedAt: now });
      const grants = [
        await newGrant(store, cast, { serverId: byConsent }),
        await newGrant(store, cast, { serverId: byLink }),
        await newGrant(store, cast),
      ];
      const at = migrationNames.findIndex((name) => name.startsWith('0042'));
      await store.rollback(migrationNames.length - at);
      const ids = grants.map(({ id }) => id).join(', ');
      const rows = await ask(url, `select revoked_because from grants where id in (${ids}) order by id`);
      assert.deepEqual(
        rows.map((row) => row['revoked_because']),
        [reason, null, null],
      );
    } finally {
      await dispose();
    }
  });
}
