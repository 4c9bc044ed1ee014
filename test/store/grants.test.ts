import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hour, newAccount, newCast, newClient, newGrant, newUser, now, ofTokens, unique } from './samples.ts';
import { onEachDatabase } from './suite.ts';

onEachDatabase('grants and access tokens', (subject) => {
  test('a grant is read back whole, gets its first token once, in its account only', async () => {
    const { grants } = subject.store;
    const cast = await newCast(subject.store);
    const { id: otherId } = await newAccount(subject.store);
    const grant = await newGrant(subject.store, cast, { currentDigest: null, sid: null, nonce: null });
    assert.deepEqual(await grants.find(cast.accountId, grant.id), grant);
    assert.equal(await grants.find(otherId, grant.id), null);
    await grants.setFirstToken(otherId, grant.id, 'foreign');
    assert.equal((await grants.find(cast.accountId, grant.id))?.currentDigest, null);
    await grants.setFirstToken(cast.accountId, grant.id, 'first');
    await grants.setFirstToken(cast.accountId, grant.id, 'second');
    assert.deepEqual(await grants.find(cast.accountId, grant.id), { ...grant, currentDigest: 'first' });
  });

  test('claims beyond the scope are stored with a grant, in its account only, and removed with it', async () => {
    const { grants, clients } = subject.store;
    const cast = await newCast(subject.store);
    const grant = await newGrant(subject.store, cast);
    assert.equal(await grants.findClaims(cast.accountId, grant.id), null);
    const claims = { email: ['a@example.com', 1], name: null };
    await grants.saveClaims(cast.accountId, grant.id, claims);
    assert.deepEqual(await grants.findClaims(cast.accountId, grant.id), claims);
    assert.deepEqual(await grants.findClaimsOf(cast.accountId, [0, grant.id]), [null, claims]);
    assert.equal(await grants.findClaims((await newAccount(subject.store)).id, grant.id), null);
    await clients.remove(cast.accountId, cast.appId, now);
    assert.equal(await grants.findClaims(cast.accountId, grant.id), null);
  });

  test('the first reason of a revocation is kept', async () => {
    const { grants } = subject.store;
    const cast = await newCast(subject.store);
    const grant = await newGrant(subject.store, cast);
    await grants.revoke((await newAccount(subject.store)).id, grant.id, now, 'foreign');
    assert.deepEqual(await grants.find(cast.accountId, grant.id), grant);
    await grants.revoke(cast.accountId, grant.id, now + 1, 'token_revoked');
    await grants.revoke(cast.accountId, grant.id, now + 2, 'another');
    const revoked = { ...grant, revokedAt: now + 1, revokedBecause: 'token_revoked' };
    assert.deepEqual(await grants.find(cast.accountId, grant.id), revoked);
  });

  test('all live grants of a user are revoked and counted', async () => {
    const { grants } = subject.store;
    const cast = await newCast(subject.store);
    const { id: neighbour } = await newUser(subject.store, cast.accountId);
    const [first, , other] = [
      await newGrant(subject.store, cast),
      await newGrant(subject.store, cast),
      await newGrant(subject.store, { ...cast, userId: neighbour }),
    ];
    await grants.revoke(cast.accountId, first.id, now, 'earlier');
    const { id: otherId } = await newAccount(subject.store);
    assert.equal(await grants.revokeOfUser(otherId, cast.userId, now + 1, 'sign_out'), 0);
    assert.equal(await grants.revokeOfUser(cast.accountId, cast.userId, now + 1, 'sign_out'), 1);
    assert.equal((await grants.find(cast.accountId, first.id))?.revokedBecause, 'earlier');
    assert.equal((await grants.find(cast.accountId, other.id))?.revokedAt, null);
  });

  test('live grants of a user are listed, and end by app or by session', async () => {
    const { grants } = subject.store;
    const cast = await newCast(subject.store);
    const { accountId, userId, appId } = cast;
    const [own, other] = [
      await newGrant(subject.store, cast),
      await newGrant(subject.store, { ...cast }, { sid: null }),
    ];
    const elsewhere = await newGrant(subject.store, await newCast(subject.store));
    await newGrant(subject.store, cast, { idleExpiresAt: now });
    await newGrant(subject.store, cast, { absoluteExpiresAt: now });
    assert.deepEqual(await grants.listLive(accountId, userId, now), [own, other]);
    assert.equal(await grants.revokeOfUserElsewhere(accountId, userId, own.sid ?? '', now, 'elsewhere'), 1);
    assert.deepEqual(await grants.listLive(accountId, userId, now), [own]);
    assert.equal(await grants.revokeOfUserApp(accountId, userId, appId + 1, now, 'app'), 0);
    assert.equal(await grants.revokeOfUserApp(accountId, userId, appId, now, 'app'), 3);
    assert.deepEqual(await grants.listLive(accountId, userId, now), []);
    assert.deepEqual(await grants.find(elsewhere.accountId, elsewhere.id), elsewhere);
  });

  test('grants of one session end with it, except those that outlive it', async () => {
    const { grants } = subject.store;
    const cast = await newCast(subject.store);
    const { accountId, userId } = cast;
    const own = await newGrant(subject.store, cast, { sid: 'one' });
    const { id: _, ...terms } = await newGrant(subject.store, cast, { sid: 'one', revokedAt: now });
    const offline = await grants.create({ ...terms, revokedAt: null, offlineAccess: true });
    const other = await newGrant(subject.store, cast, { sid: 'other' });
    await newGrant(subject.store, cast, { sid: 'expired', idleExpiresAt: now });
    await grants.create({ ...terms, sid: 'offline', revokedAt: null, offlineAccess: true });
    const has = (sid: string, of = userId) => grants.hasOfSession(accountId, of, sid, now);
    assert.deepEqual([await has('one'), await has('one', userId + 1)], [true, false]);
    for (const sid of ['expired', 'offline', 'unknown']) assert.equal(await has(sid), false, sid);
    assert.equal(await grants.revokeOfSession(accountId, userId + 1, 'one', now, 'ended'), 0);
    assert.equal(await grants.revokeOfSession(accountId, userId, 'one', now, 'ended'), 1);
    assert.equal((await grants.find(accountId, own.id))?.revokedBecause, 'ended');
    assert.equal(await has('one'), false);
    const left = (await grants.listLive(accountId, userId, now)).filter(({ sid }) => sid !== 'offline');
    assert.deepEqual(left, [offline, other]);
  });

  test('to make room for a grant, revoked ones go first, then the least recently used, per app and in all', async () => {
    const { grants } = subject.store;
    const cast = await newCast(subject.store);
    const { accountId, userId, appId } = cast;
    const { appId: otherApp } = await newClient(subject.store, accountId);
    await subject.store.access.grant(accountId, otherApp, { userId }, now);
    const { id: neighbour } = await newUser(subject.store, accountId);
    await subject.store.access.grant(accountId, appId, { userId: neighbour }, now);
    const make = async (given: object) => (await newGrant(subject.store, cast, given)).id;
    const rotated = await make({ createdAt: now - 9, rotatedAt: now });
    const revoked = await make({ createdAt: now - 8, rotatedAt: now + 1, revokedAt: now + 1 });
    const [old, young, last] = [
      await make({ createdAt: now - 7 }),
      await make({ createdAt: now - 6 }),
      await make({ createdAt: now }),
    ];
    const other = await make({ appId: otherApp, createdAt: now - 5 });
    const apart = await make({ userId: neighbour, createdAt: now - 20 });
    const all = [rotated, revoked, old, young, last, other, apart];
    const left = async () => {
      const found = await Promise.all(all.map((id) => grants.find(accountId, id)));
      return found.flatMap((grant) => grant?.id ?? []);
    };
    const room = (ofApp: number, ofUser: number, atOnce = 9) =>
      grants.makeRoom(accountId, { userId, appId }, { ofApp, ofUser, atOnce });
    assert.equal(await room(6, 7), 0);
    assert.deepEqual(await left(), all);
    // With the new one there would be six.
    assert.equal(await room(5, 9), 0);
    assert.deepEqual(await left(), [rotated, old, young, last, other, apart]);
    assert.equal(await room(4, 9), 1);
    assert.deepEqual(await left(), [rotated, young, last, other, apart]);
    assert.equal(await room(9, 2, 1), 1);
    assert.deepEqual(await left(), [rotated, last, other, apart]);
    // Of another app only where all are too many.
    assert.equal(await room(1, 9), 2);
    assert.deepEqual(await left(), [other, apart]);
    assert.equal(await room(1, 1), 1);
    assert.deepEqual(await left(), [apart]);
    const elsewhere = (await newAccount(subject.store)).id;
    await grants.makeRoom(elsewhere, { userId: neighbour, appId }, { ofApp: 1, ofUser: 1, atOnce: 9 });
    assert.deepEqual(await left(), [apart]);
  });

  test('a grant for any API stores its scopes with their APIs; an older release stored none', async () => {
    const { grants } = subject.store;
    const cast = await newCast(subject.store);
    const { id, ...terms } = await newGrant(subject.store, cast);
    assert.equal((await grants.findForApis(cast.accountId, id))?.apiScopes, null);
    const grant = await grants.create({ ...terms, apiScopes: ['write 1', 'write 2'] });
    const found = { ...grant, apiScopes: ['write 1', 'write 2'] };
    assert.deepEqual(await grants.findForApis(cast.accountId, grant.id), found);
    assert.deepEqual(await grants.find(cast.accountId, grant.id), grant);
    assert.equal(await grants.findForApis((await newCast(subject.store)).accountId, grant.id), null);
  });

  test('grants end when the access to the app does, direct or through a role', async () => {
    const { grants, access, roles } = subject.store;
    const cast = await newCast(subject.store);
    const { accountId, userId, appId } = cast;
    const grant = await newGrant(subject.store, cast);
    const { id: roleId } = await roles.create({ accountId, name: 'staff', createdAt: now });
    await roles.link(accountId, 'users', roleId, [userId], now);
    await access.grant(accountId, appId, { roleId }, now);
    await access.revoke(accountId, appId, { userId });
    assert.equal(await grants.revokeUnassigned(accountId, { appId }, now), 0);
    await roles.unlink(accountId, 'users', roleId, [userId]);
    assert.equal(await grants.revokeUnassigned((await newAccount(subject.store)).id, { userIds: [userId] }, now), 0);
    assert.equal(await grants.revokeUnassigned(accountId, { appId: appId + 1000 }, now), 0);
    assert.equal(await grants.revokeUnassigned(accountId, { userIds: [userId, userId + 1000] }, now + 1), 1);
    assert.equal(await grants.revokeUnassigned(accountId, { appId }, now + 2), 0);
    assert.equal((await grants.find(accountId, grant.id))?.revokedAt, now + 1);
  });

  test('an access token is read with everything that decides about it', async () => {
    const { grants, access, clients, users } = subject.store;
    const cast = await newCast(subject.store);
    const { accountId, userId, appId } = cast;
    const grant = await newGrant(subject.store, cast);
    const given = { accountId, digest: unique(), grantId: grant.id, appId, userId, scope: ['openid'], issuedAt: now };
    const token = await grants.addAccessToken({ ...given, expiresAt: now + hour, revokedAt: null });
    const told = ofTokens(await users.find(accountId, userId), await clients.findByApp(accountId, appId));
    const standing = { token, grant, ...told, assigned: true };
    assert.deepEqual(await grants.findAccessToken(accountId, token.id), standing);
    const { id: otherId } = await newAccount(subject.store);
    assert.equal(await grants.findAccessToken(otherId, token.id), null);
    await grants.revokeAccessToken(otherId, token.id, now);
    await access.revoke(accountId, appId, { userId });
    assert.deepEqual(await grants.findAccessToken(accountId, token.id), { ...standing, assigned: false });
    await grants.revokeAccessToken(accountId, token.id, now + 1);
    await grants.revokeAccessToken(accountId, token.id, now + 2);
    assert.equal((await grants.findAccessToken(accountId, token.id))?.token.revokedAt, now + 1);
    await grants.revoke(accountId, grant.id, now + 3, 'sign_out');
    assert.equal((await grants.findAccessToken(accountId, token.id))?.grant?.revokedAt, now + 3);
  });

  test("a client's own token has neither grant nor user", async () => {
    const { grants, clients, users } = subject.store;
    const { accountId, appId, userId } = await newCast(subject.store);
    const given = { accountId, digest: unique(), grantId: null, appId, userId: null, scope: [], issuedAt: now };
    const token = await grants.addAccessToken({ ...given, expiresAt: now + hour, revokedAt: null });
    const { client } = ofTokens(await users.find(accountId, userId), await clients.findByApp(accountId, appId));
    const standing = { token, grant: null, user: null, client, assigned: false };
    assert.deepEqual(await grants.findAccessToken(accountId, token.id), standing);
  });
});
