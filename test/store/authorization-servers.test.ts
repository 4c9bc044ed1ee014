import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { cacheLookups } from '../../src/store/cached.ts';
import type { ClientRecord } from '../../src/store/clients.ts';
import type { Store } from '../../src/store/store.ts';
import { openPatientStore } from '../support/stores.ts';
import { failureOf, newAccount, newCast, newClient, newGrant, newServer, newUser, now } from './samples.ts';
import { onEachDatabase } from './suite.ts';

/** The next turn of the event loop: what another process committed before it must be seen in it. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

onEachDatabase('API authorization servers', (subject) => {
  let elsewhere: Store;
  before(async () => {
    elsewhere = await openPatientStore(subject.url);
  });
  after(() => elsewhere.close());

  test('a server is kept as given, changed and removed; its identifier is unique in the account', async () => {
    const { id: accountId } = await newAccount(subject.store);
    const { authorizationServers: servers } = subject.store;
    const server = await newServer(subject.store, accountId);
    assert.deepEqual(await servers.find(accountId, server.id), server);
    const { resourceIdentifier } = server;
    assert.equal(
      await failureOf(newServer(subject.store, accountId, { resourceIdentifier })),
      'conflict resource_identifier',
    );
    const { id: otherId } = await newAccount(subject.store);
    await newServer(subject.store, otherId, { resourceIdentifier });
    assert.equal(await servers.find(otherId, server.id), null);
    assert.equal(await servers.update(otherId, server.id, { name: 'x' }), null);
    const changes = { audiences: [], accessTokenMinutes: 5, updatedAt: now + 1 };
    assert.deepEqual(await servers.update(accountId, server.id, changes), { ...server, ...changes });
    assert.equal(await servers.remove(otherId, server.id, now), null);
    assert.equal(await servers.remove(accountId, server.id, now), 0);
    assert.equal(await servers.find(accountId, server.id), null);
  });

  test('a linked client has its servers in the order of linking, with the scopes of the link and all claims', async () => {
    const { accountId, appId } = await newCast(subject.store);
    const { authorizationServers: servers } = subject.store;
    const [one, two] = [await newServer(subject.store, accountId), await newServer(subject.store, accountId)];
    const scope = (serverId: number, value: string) =>
      servers.addScope({ accountId, serverId, value, description: null, open: false, createdAt: now });
    const [a, b, c] = [await scope(one.id, 'a'), await scope(one.id, 'b'), await scope(two.id, 'a')];
    assert.equal(await failureOf(scope(one.id, 'a')), 'conflict value');
    assert.equal(await failureOf(scope(2_147_483_000, 'a')), 'not_found');
    const claim = await servers.addClaim({
      ...{ accountId, serverId: two.id, label: 'mail', attribute: 'email', macro: null, createdAt: now },
    });
    await servers.link({ accountId, serverId: two.id, appId, scopeIds: [c.id], linkedAt: now });
    await servers.link({ accountId, serverId: one.id, appId, scopeIds: [b.id], linkedAt: now + 1 });
    assert.deepEqual(await servers.ofClient(accountId, appId), [
      { server: two, scopes: [c], claims: [claim], linkedAt: now },
      { server: one, scopes: [b], claims: [], linkedAt: now + 1 },
    ]);
    assert.equal((await subject.store.clients.findByApp(accountId, appId))?.linkedServers, 2);
    await servers.updateLink(accountId, one.id, appId, [a.id, b.id]);
    await servers.removeScope(accountId, one.id, b.id);
    assert.deepEqual((await servers.ofClient(accountId, appId))[1]?.scopes, [a]);
    await servers.remove(accountId, two.id, now);
    assert.equal((await subject.store.clients.findByApp(accountId, appId))?.linkedServers, 1);
    assert.deepEqual(await servers.ofClient(accountId, appId), [
      { server: one, scopes: [a], claims: [], linkedAt: now + 1 },
    ]);
    assert.equal(await servers.unlink(accountId, one.id, appId, now), 0);
    assert.equal(await servers.unlink(accountId, one.id, appId, now), null);
    assert.equal((await subject.store.clients.findByApp(accountId, appId))?.linkedServers, 0);
    const { id: otherId } = await newAccount(subject.store);
    assert.deepEqual(await servers.ofClient(otherId, appId), []);
  });

  test('linked clients with a grant type that are assigned to a user, directly or by a role, each once', async () => {
    const { accountId, userId, appId: own } = await newCast(subject.store);
    const { authorizationServers: servers, access, clients, roles } = subject.store;
    const [one, two] = [await newServer(subject.store, accountId), await newServer(subject.store, accountId)];
    const exchanging = 'urn:ietf:params:oauth:grant-type:token-exchange' as const;
    const linked = async (serverIds: readonly number[], grantTypes: ClientRecord['grantTypes'] = [exchanging]) => {
      const { appId } = await newClient(subject.store, accountId, { grantTypes });
      for (const serverId of serverIds) await servers.link({ accountId, serverId, appId, scopeIds: [], linkedAt: now });
      return appId;
    };
    const direct = await linked([one.id, two.id]);
    const byRole = await linked([one.id]);
    const elsewhere = await linked([two.id]);
    const unassigned = await linked([one.id]);
    const without = await linked([one.id], ['authorization_code', 'refresh_token']);
    const unlinked = await linked([]);
    for (const appId of [direct, elsewhere, without, unlinked]) await access.grant(accountId, appId, { userId }, now);
    const { id: roleId } = await roles.create({ accountId, name: 'staff', createdAt: now });
    await roles.link(accountId, 'users', roleId, [userId], now);
    await access.grant(accountId, byRole, { roleId }, now);
    await servers.link({ accountId, serverId: one.id, appId: own, scopeIds: [], linkedAt: now });
    const find = async (serverIds: readonly number[], limit = 10) => {
      const found = await servers.linkedFor(accountId, serverIds, { grantType: exchanging, userId }, limit);
      return found.map(({ appId }) => appId);
    };
    assert.deepEqual(await find([one.id]), [direct, byRole]);
    assert.deepEqual(await find([one.id, two.id]), [direct, byRole, elsewhere]);
    assert.deepEqual(await find([one.id, two.id], 2), [direct, byRole]);
    assert.deepEqual(await find([]), []);
    const [first] = await servers.linkedFor(accountId, [one.id], { grantType: exchanging, userId }, 1);
    assert.deepEqual(first, await clients.findByApp(accountId, direct));
    const { id: otherId } = await newUser(subject.store, accountId);
    const ofOther = { grantType: exchanging, userId: otherId };
    assert.deepEqual(await servers.linkedFor(accountId, [one.id], ofOther, 10), []);
    await access.grant(accountId, unassigned, { userId: otherId }, now);
    assert.deepEqual((await servers.linkedFor(accountId, [one.id], ofOther, 10)).length, 1);
    const { id: foreign } = await newAccount(subject.store);
    assert.deepEqual(await servers.linkedFor(foreign, [one.id], { grantType: exchanging, userId }, 10), []);
    await clients.remove(accountId, direct, now);
    assert.deepEqual(await find([one.id, two.id]), [byRole, elsewhere]);
    await servers.remove(accountId, two.id, now);
    assert.deepEqual(await find([one.id, two.id]), [byRole]);
    await roles.remove(accountId, roleId, now);
    assert.deepEqual(await find([one.id]), []);
  });

  test("a client's links are removed with it", async () => {
    const { accountId, appId } = await newCast(subject.store);
    const server = await newServer(subject.store, accountId);
    await subject.store.authorizationServers.link({
      accountId,
      serverId: server.id,
      appId,
      scopeIds: [],
      linkedAt: now,
    });
    assert.equal(await subject.store.clients.remove(accountId, appId, now), true);
    assert.equal(await subject.store.authorizationServers.findLink(accountId, server.id, appId), null);
  });

  test('changes by another process apply to the next token, although links are cached', async () => {
    const { accountId, appId } = await newCast(subject.store);
    const { clientId } = await newClient(subject.store, accountId);
    const kept = cacheLookups(subject.store);
    const { authorizationServers: other } = elsewhere;
    const server = await newServer(elsewhere, accountId);
    const scope = await other.addScope({
      accountId,
      serverId: server.id,
      open: false,
      value: 'a',
      description: null,
      createdAt: now,
    });
    const claim = { accountId, serverId: server.id, label: 'mail', attribute: 'email', macro: null, createdAt: now };
    let claimId = 0;
    const linked = { accountId, serverId: server.id, appId, scopeIds: [scope.id], linkedAt: now };
    const changes: readonly (() => Promise<unknown>)[] = [
      () => other.link(linked),
      () => other.update(accountId, server.id, { accessTokenMinutes: 7 }),
      () => other.updateScope(accountId, server.id, scope.id, { value: 'b' }),
      async () => {
        claimId = (await other.addClaim(claim)).id;
      },
      () => other.updateClaim(accountId, server.id, claimId, { attribute: 'username' }),
      () => other.removeClaim(accountId, server.id, claimId),
      () => other.updateLink(accountId, server.id, appId, []),
      () => other.removeScope(accountId, server.id, scope.id),
      () => other.unlink(accountId, server.id, appId, now),
      () => other.link(linked),
      () => other.remove(accountId, server.id, now),
    ];
    for (const change of changes) {
      await kept.authorizationServers.ofClient(accountId, appId);
      await kept.clients.find(accountId, clientId);
      await change();
      await nextTurn();
      const [found, stored] = [
        await kept.authorizationServers.ofClient(accountId, appId),
        await other.ofClient(accountId, appId),
      ];
      assert.deepEqual(found, stored, change.toString());
    }
  });

  test('removing a link ends the grants for its server only, and no others', async () => {
    const cast = await newCast(subject.store);
    const { accountId, appId } = cast;
    const [one, two] = [await newServer(subject.store, accountId), await newServer(subject.store, accountId)];
    const { grants, authorizationServers: servers } = subject.store;
    for (const { id: serverId } of [one, two]) {
      await servers.link({ accountId, serverId, appId, scopeIds: [], linkedAt: now });
    }
    const made = [
      await newGrant(subject.store, cast, { serverId: one.id }),
      await newGrant(subject.store, cast, { serverId: two.id }),
      await newGrant(subject.store, cast),
    ];
    const ended = async () =>
      Promise.all(made.map(async ({ id }) => (await grants.find(accountId, id))?.revokedAt === now));
    assert.equal(await servers.unlink(accountId, one.id, appId, now), 1);
    assert.deepEqual(await ended(), [true, false, false]);
    assert.equal(await servers.remove(accountId, two.id, now), 1);
    assert.deepEqual(await ended(), [true, true, false]);
  });
});
