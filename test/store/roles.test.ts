import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf, newAccount, newCast, newClient, newCode, newGrant, newUser, now, unique } from './samples.ts';
import { onEachDatabase } from './suite.ts';

onEachDatabase('roles, access and clients', (subject) => {
  test('role names are unique in an account', async () => {
    const { roles } = subject.store;
    const [{ id: accountId }, { id: otherId }] = [await newAccount(subject.store), await newAccount(subject.store)];
    const role = await roles.create({ accountId, name: 'staff', createdAt: now });
    assert.deepEqual(await roles.find(accountId, role.id), role);
    assert.deepEqual(await roles.findByName(accountId, 'staff'), role);
    assert.equal(await failureOf(roles.create({ accountId, name: 'staff', createdAt: now })), 'conflict name');
    assert.equal(await roles.find(otherId, role.id), null);
    assert.equal(await roles.findByName(otherId, 'staff'), null);
    await roles.create({ accountId: otherId, name: 'staff', createdAt: now });
  });

  test('a user has roles in the order of assignment, each once', async () => {
    const { roles } = subject.store;
    const { accountId, userId } = await newCast(subject.store);
    const { id: otherId } = await newAccount(subject.store);
    const first = await roles.create({ accountId, name: 'first', createdAt: now });
    const second = await roles.create({ accountId, name: 'second', createdAt: now });
    assert.deepEqual(await roles.link(accountId, 'users', second.id, [userId], now), [userId]);
    assert.deepEqual(await roles.link(accountId, 'users', first.id, [userId], now + 1), [userId]);
    assert.deepEqual(await roles.link(accountId, 'users', second.id, [userId], now + 2), []);
    assert.deepEqual(await roles.ofUser(accountId, userId), [second, first]);
    assert.deepEqual(await roles.ofUser(otherId, userId), []);
    assert.equal(await failureOf(roles.link(otherId, 'users', first.id, [userId], now)), 'not_found');
    assert.equal(await failureOf(roles.link(accountId, 'users', first.id + 1000, [userId], now)), 'not_found');
    assert.deepEqual(await roles.unlink(otherId, 'users', first.id, [userId]), []);
    assert.deepEqual(await roles.unlink(accountId, 'users', first.id, [userId]), [userId]);
    assert.deepEqual(await roles.unlink(accountId, 'users', first.id, [userId]), []);
    assert.deepEqual(await roles.ofUser(accountId, userId), [second]);
  });

  test('linking many returns those that were linked or unlinked, in order', async () => {
    const { roles } = subject.store;
    const { accountId, userId } = await newCast(subject.store);
    const { id } = await roles.create({ accountId, name: 'staff', createdAt: now });
    const users = [userId];
    // More than one statement takes.
    for (let more = 0; more < 410; more += 1) users.push((await newUser(subject.store, accountId)).id);
    const [, ...others] = users;
    await roles.link(accountId, 'users', id, [userId], now);
    assert.deepEqual(await roles.link(accountId, 'users', id, users.toReversed(), now), others);
    await roles.unlink(accountId, 'users', id, [userId]);
    assert.deepEqual(await roles.unlink(accountId, 'users', id, users.toReversed()), others);
  });

  test('an app is assigned to a user directly or through a role, in one account', async () => {
    const { access, roles } = subject.store;
    const { accountId, userId, appId } = await newCast(subject.store);
    const { id: otherId } = await newAccount(subject.store);
    assert.equal(await access.isAssigned(accountId, appId, userId), true);
    assert.equal(await access.isAssigned(otherId, appId, userId), false);
    assert.equal(await access.isAssigned(accountId, appId + 1000, userId), false);
    const { id: roleId } = await roles.create({ accountId, name: 'staff', createdAt: now });
    for (const isNew of [true, false]) {
      assert.equal(await access.grant(accountId, appId, { userId }, now), false);
      assert.equal(await access.grant(accountId, appId, { roleId }, now), isNew);
    }
    assert.equal(await access.revoke(otherId, appId, { userId }), false);
    assert.equal(await access.revoke(accountId, appId, { userId }), true);
    assert.equal(await access.revoke(accountId, appId, { userId }), false);
    assert.equal(await access.isAssigned(accountId, appId, userId), false);
    await roles.link(accountId, 'users', roleId, [userId], now);
    assert.equal(await access.isAssigned(accountId, appId, userId), true);
    assert.equal(await access.revoke(accountId, appId, { roleId }), true);
    assert.equal(await access.isAssigned(accountId, appId, userId), false);
  });

  test('access links only rows of one account', async () => {
    const { access } = subject.store;
    const [cast, other] = [await newCast(subject.store), await newCast(subject.store)];
    const grant = (appId: number, userId: number) => failureOf(access.grant(cast.accountId, appId, { userId }, now));
    assert.equal(await grant(cast.appId, other.userId), 'not_found');
    assert.equal(await grant(other.appId, cast.userId), 'not_found');
  });

  test('a client is read back whole, in its account only', async () => {
    const { clients } = subject.store;
    const [{ id: accountId }, { id: otherId }] = [await newAccount(subject.store), await newAccount(subject.store)];
    const client = await newClient(subject.store, accountId, {
      secretDigest: null,
      authMethod: 'none',
      authMethodNamed: false,
      scope: ['openid', 'profile'],
      extra: { jwks: { keys: [] }, contacts: ['a@example.com'] },
      registeredBy: 'open',
    });
    assert.deepEqual(await clients.find(accountId, client.clientId), client);
    assert.deepEqual(await clients.findByApp(accountId, client.appId), client);
    assert.equal(await clients.find(otherId, client.clientId), null);
    assert.equal(await clients.findByApp(otherId, client.appId), null);
    const taken = newClient(subject.store, accountId, { clientId: client.clientId });
    assert.equal(await failureOf(taken), 'conflict client_id');
    assert.equal(await clients.replaceSecret(otherId, client.appId, 'new'), false);
    assert.equal(await clients.replaceSecret(accountId, client.appId, 'new'), true);
    assert.deepEqual(await clients.find(accountId, client.clientId), { ...client, secretDigest: 'new' });
  });

  test('everything given to a client is removed with it', async () => {
    const { clients, access, authorizations, grants } = subject.store;
    const cast = await newCast(subject.store);
    const { accountId, userId, appId } = cast;
    const code = newCode(cast);
    await authorizations.createCode(code);
    await authorizations.saveConsent(accountId, userId, appId, ['openid'], now);
    const grant = await newGrant(subject.store, cast);
    const ofClient = { accountId, appId, scope: [], issuedAt: now, expiresAt: now + 1, revokedAt: null };
    const tokens = [
      await grants.addAccessToken({ ...ofClient, digest: unique(), grantId: grant.id, userId }),
      await grants.addAccessToken({ ...ofClient, digest: unique(), grantId: null, userId: null }),
    ];
    assert.equal(await clients.remove((await newAccount(subject.store)).id, appId, now), false);
    assert.equal(await clients.remove(accountId, appId, now), true);
    assert.equal(await clients.remove(accountId, appId, now), false);
    assert.equal(await clients.findByApp(accountId, appId), null);
    assert.equal(await access.isAssigned(accountId, appId, userId), false);
    assert.equal(await authorizations.findCode(accountId, code.digest), null);
    assert.equal(await authorizations.findConsent(accountId, userId, appId), null);
    assert.equal(await grants.find(accountId, grant.id), null);
    for (const { id } of tokens) assert.equal(await grants.findAccessToken(accountId, id), null);
    assert.ok(await subject.store.users.find(accountId, userId));
  });

  test('numbers of removed rows are not reused', async () => {
    const { users } = subject.store;
    const { id: accountId } = await newAccount(subject.store);
    const removed = await newUser(subject.store, accountId);
    await users.remove(accountId, removed.id, now);
    assert.ok((await newUser(subject.store, accountId)).id > removed.id);
  });
});
