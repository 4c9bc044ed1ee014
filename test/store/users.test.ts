import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UserDetails, UserKeys } from '../../src/store/users.ts';
import { whileUncommitted } from '../support/locks.ts';
import { failureOf, minute, newAccount, newCast, newCode, newGrant, newUser, now, unique } from './samples.ts';
import { onEachDatabase } from './suite.ts';

onEachDatabase('users', (subject) => {
  test('a user is found by id, e-mail and name, in the account only', async () => {
    const { users } = subject.store;
    const [{ id: accountId }, { id: otherId }] = [await newAccount(subject.store), await newAccount(subject.store)];
    const user = await newUser(subject.store, accountId, {
      email: 'Ada@Example.com',
      emailKey: 'ada@example.com',
      username: 'Ada',
      usernameKey: 'ada',
    });
    const second = await newUser(subject.store, accountId);
    assert.deepEqual(await users.find(accountId, user.id), user);
    assert.deepEqual(await users.findByEmail(accountId, 'ada@example.com'), user);
    assert.deepEqual(await users.findByName(accountId, 'ada@example.com'), user);
    assert.deepEqual(await users.findByName(accountId, 'ada'), user);
    assert.equal(await users.findByEmail(accountId, 'ada'), null);
    assert.equal(await users.findByName(accountId, 'nobody'), null);
    assert.deepEqual(await users.list(accountId), [user, second]);
    assert.equal(await users.find(otherId, user.id), null);
    assert.equal(await users.findByName(otherId, 'ada'), null);
    assert.equal(await users.findByEmail(otherId, 'ada@example.com'), null);
    assert.deepEqual(await users.list(otherId), []);
  });

  test('many users are created in order or, when one name is taken, none of them', async () => {
    const { users } = subject.store;
    const [{ id: accountId }, { id: otherId }] = [await newAccount(subject.store), await newAccount(subject.store)];
    const blank = { lastname: null, passwordDigest: null, lockedUntil: null, lastLogin: null, activatedAt: null };
    const times = { passwordChangedAt: null, createdAt: now, updatedAt: now };
    const given = (keys: UserKeys, details: Partial<UserDetails> = {}) => ({
      ...{
        accountId,
        email: keys.emailKey,
        username: keys.usernameKey,
        firstname: keys.usernameKey,
        status: 0 as const,
      },
      ...{ ...blank, ...times, ...keys, ...details, invalidLoginAttempts: 0 },
    });
    const names = Array.from({ length: 60 }, (_, number) => [
      { emailKey: `u${number}@example.com`, usernameKey: null },
      { emailKey: null, usernameKey: `u${number}` },
      { emailKey: `v${number}@example.com`, usernameKey: `v${number}` },
    ]).flat();
    const created = await users.createAll(
      names.map((keys) => given(keys, { title: `Dr ${keys.usernameKey}`, state: 2 })),
    );
    assert.deepEqual(await users.list(accountId), created);
    assert.deepEqual(
      created.map(({ email, username }) => ({ emailKey: email, usernameKey: username })),
      names,
    );
    assert.deepEqual(
      await users.idsByNames(accountId, names),
      created.map(({ id }) => id),
    );
    const { title, state, company } = (await users.findDetailed(accountId, created[179]?.id ?? 0)) ?? assert.fail();
    assert.deepEqual([title, state, company], ['Dr v59', 2, null]);
    const [first, second] = await users.createAll(
      [
        given({ emailKey: null, usernameKey: 'plain' }),
        given({ emailKey: 'u0@example.com', usernameKey: null }, { state: 0 }),
      ].map((user) => ({ ...user, accountId: otherId })),
    );
    assert.equal((await users.findDetailed(otherId, first?.id ?? 0))?.state, 1);
    assert.equal((await users.findDetailed(otherId, second?.id ?? 0))?.state, 0);

    const free = (number: number) => given({ emailKey: `free${number}@example.com`, usernameKey: null });
    const taken = [free(1), given({ emailKey: 'free@example.com', usernameKey: 'u7' }), free(2)];
    assert.equal(await failureOf(users.createAll(taken)), 'conflict username');
    await subject.store.transaction(async (tx) => {
      assert.equal(await failureOf(tx.users.createAll([free(1), free(2), free(1)])), 'conflict email');
      await tx.users.createAll([free(3)]);
    });
    assert.equal(await failureOf(users.createAll([free(1), { ...free(2), firstname: 'a\0b' }])), 'value_invalid');
    const found = await users.idsByNames(accountId, [
      { emailKey: 'free1@example.com', usernameKey: 'u7' },
      { emailKey: null, usernameKey: 'nobody' },
      { emailKey: null, usernameKey: 'u7' },
      { emailKey: 'free3@example.com', usernameKey: null },
    ]);
    assert.deepEqual(
      found.map((id) => id !== null),
      [false, false, true, true],
    );
    assert.deepEqual(await users.idsByNames(otherId, names.slice(1, 3)), [null, null]);
    assert.deepEqual(await users.createAll([]), []);
    assert.deepEqual(await users.idsByNames(accountId, []), []);
  });

  test('every change of address, name, digest or status is counted, and nothing else', async () => {
    const { users } = subject.store;
    const { id: accountId } = await newAccount(subject.store);
    const { id, email, passwordDigest } = await newUser(subject.store, accountId, { passwordDigest: 'i1' });
    const version = async () => (await users.find(accountId, id))?.meansVersion;
    assert.equal(await version(), 0);
    await users.update(accountId, id, { firstname: 'Grace', lastLogin: now, title: 'Admiral', policyId: null });
    await users.update(accountId, id, {
      email,
      username: null,
      usernameKey: null,
      status: 1,
      passwordDigest,
    });
    const attempt = { accountId, userId: id, now, maximum: 1, lockedUntil: now + minute };
    assert.equal(await users.countAttempt(attempt), 'last');
    await users.clearAttempts(accountId, id);
    assert.equal(await users.replaceDigest(accountId, id, 'i1', 'p1'), true);
    assert.equal(await version(), 0);
    const name = unique('name');
    let counted = 0;
    for (const changes of [
      { email: null, emailKey: null, username: name, usernameKey: name },
      { email: name, emailKey: name },
      { username: null, usernameKey: null },
      { passwordDigest: 'p2' },
      { passwordDigest: null },
      { status: 3 },
      { status: 1, firstname: 'Ada' },
    ] as const) {
      counted += 1;
      assert.equal((await users.update(accountId, id, changes))?.meansVersion, counted, JSON.stringify(changes));
      assert.equal((await users.update(accountId, id, changes))?.meansVersion, counted, 'the same, repeated');
    }
  });

  test('a locked user row is changed by no other transaction until this one ends', async () => {
    const { store } = subject;
    const { id: accountId } = await newAccount(store);
    const { id } = await newUser(store, accountId, { firstname: 'x' });
    const add = () =>
      store.transaction(async (tx) => {
        const user = await tx.users.lock(accountId, id);
        await tx.users.update(accountId, id, { firstname: `${user?.firstname}x` });
      });
    await Promise.all(Array.from({ length: 8 }, add));
    assert.equal((await store.users.find(accountId, id))?.firstname, 'x'.repeat(9));
    assert.equal(await store.transaction((tx) => tx.users.lock(accountId + 1, id)), null);
  });

  test('a lock that waited for a removal finds nobody', async () => {
    const { store } = subject;
    const { accountId, userId: id, appId } = await newCast(store);
    // So many that the row stays after the removal.
    for (let n = 0; n < 250; n += 1) await newGrant(store, { accountId, userId: id, appId });
    const found = await whileUncommitted(
      subject,
      (tx) => tx.users.remove(accountId, id, now),
      () => store.transaction((tx) => tx.users.lock(accountId, id)),
    );
    assert.equal(found, null);
  });

  test('an e-mail match takes precedence over a username match, and names count in the account only', async () => {
    const { users } = subject.store;
    const [{ id: accountId }, { id: otherId }] = [await newAccount(subject.store), await newAccount(subject.store)];
    const name = 'both@example.com';
    const named = await newUser(subject.store, accountId, {
      username: name,
      usernameKey: name,
      emailKey: null,
      email: null,
    });
    assert.equal((await users.findByName(accountId, name))?.id, named.id);
    const mailed = await newUser(subject.store, accountId, { email: name, emailKey: name });
    assert.equal((await users.findByName(accountId, name))?.id, mailed.id);
    assert.equal(await failureOf(newUser(subject.store, accountId, { emailKey: name })), 'conflict email');
    assert.equal(await failureOf(newUser(subject.store, accountId, { usernameKey: name })), 'conflict username');
    assert.equal(await failureOf(users.update(accountId, named.id, { emailKey: name })), 'conflict email');
    await newUser(subject.store, otherId, { email: name, emailKey: name, usernameKey: name });
  });

  test('an update changes the given members', async () => {
    const { users } = subject.store;
    const [{ id: accountId }, { id: otherId }] = [await newAccount(subject.store), await newAccount(subject.store)];
    const user = await newUser(subject.store, accountId);
    const changes = { status: 3, lastname: 'Lovelace', firstname: null, updatedAt: now + 1 } as const;
    const changed = { ...user, ...changes, meansVersion: 1 };
    assert.deepEqual(await users.update(accountId, user.id, changes), changed);
    assert.deepEqual(await users.update(accountId, user.id, {}), changed);
    assert.equal(await users.update(otherId, user.id, { status: 1 }), null);
    assert.equal(await users.update(accountId, user.id + 1000, { status: 1 }), null);
    const key = unique('name');
    await users.update(accountId, user.id, { username: key, usernameKey: key });
    assert.equal((await users.findByName(accountId, key))?.id, user.id);
  });

  test('everything that belongs to a user is removed with them', async () => {
    const { users, roles, access, sessions, authorizations, grants } = subject.store;
    const cast = await newCast(subject.store);
    const { accountId, userId, appId } = cast;
    const role = await roles.create({ accountId, name: 'staff', createdAt: now });
    await roles.link(accountId, 'users', role.id, [userId], now);
    const session = { accountId, digest: unique(), sid: 'sid', userId, amr: [], authenticatedAt: now };
    await sessions.create({ ...session, lastSeenAt: now, idleMilliseconds: minute, expiresAt: now + minute });
    const code = newCode(cast);
    await authorizations.createCode(code);
    await authorizations.saveConsent(accountId, userId, appId, ['openid'], now);
    const grant = await newGrant(subject.store, cast);
    const token = await grants.addAccessToken({
      accountId,
      digest: unique(),
      grantId: grant.id,
      appId,
      userId,
      scope: [],
      issuedAt: now,
      expiresAt: now + minute,
      revokedAt: null,
    });
    assert.ok(await grants.findAccessToken(accountId, token.id));
    const { id: otherId } = await newAccount(subject.store);
    assert.equal(await users.remove(otherId, userId, now), false);
    assert.equal(await users.remove(accountId, userId, now), true);
    assert.equal(await users.remove(accountId, userId, now), false);
    assert.deepEqual(await roles.ofUser(accountId, userId), []);
    assert.equal(await access.isAssigned(accountId, appId, userId), false);
    assert.equal(await sessions.find(accountId, session.digest), null);
    assert.equal(await authorizations.findCode(accountId, code.digest), null);
    assert.equal(await authorizations.findConsent(accountId, userId, appId), null);
    assert.equal(await grants.find(accountId, grant.id), null);
    assert.equal(await grants.findAccessToken(accountId, token.id), null);
  });

  const attemptOf = (accountId: number, userId: number, at = now) =>
    subject.store.users.countAttempt({ accountId, userId, now: at, maximum: 10, lockedUntil: at + 15 * minute });

  test('of 100 parallel guesses exactly the maximum is counted, then sign-in is locked', async () => {
    const { accountId, userId } = await newCast(subject.store);
    const counted = await Promise.all(Array.from({ length: 100 }, () => attemptOf(accountId, userId)));
    assert.equal(counted.filter(Boolean).length, 10);
    assert.equal(counted.filter((attempt) => attempt === 'last').length, 1);
    const user = await subject.store.users.find(accountId, userId);
    assert.equal(user?.invalidLoginAttempts, 10);
    assert.equal(user?.lockedUntil, now + 15 * minute);
  });

  test('an expired lock restarts the count, and the same number locks again', async () => {
    const { accountId, userId } = await newCast(subject.store);
    for (let attempt = 0; attempt < 9; attempt += 1) assert.equal(await attemptOf(accountId, userId), 'counted');
    assert.equal(await attemptOf(accountId, userId), 'last');
    assert.equal(await attemptOf(accountId, userId, now + 15 * minute - 1), null);
    const later = now + 15 * minute;
    assert.equal(await attemptOf(accountId, userId, later), 'counted');
    const user = await subject.store.users.find(accountId, userId);
    assert.deepEqual([user?.invalidLoginAttempts, user?.lockedUntil], [1, null]);
    const counted = await Promise.all(Array.from({ length: 30 }, () => attemptOf(accountId, userId, later)));
    assert.equal(counted.filter(Boolean).length, 9);
  });

  test('a right password resets count and lock, and keeps the digest', async () => {
    const { users } = subject.store;
    const { accountId, userId } = await newCast(subject.store);
    for (let attempt = 0; attempt < 11; attempt += 1) await attemptOf(accountId, userId);
    await users.clearAttempts(accountId, userId);
    const cleared = await users.find(accountId, userId);
    assert.deepEqual(
      [cleared?.invalidLoginAttempts, cleared?.lockedUntil, cleared?.passwordDigest],
      [0, null, 'digest'],
    );
  });

  test('attempts on unknown users count nothing, and a decoy changes no record', async () => {
    const { users, accounts } = subject.store;
    const { accountId, userId } = await newCast(subject.store);
    const { id: otherId } = await newAccount(subject.store);
    assert.equal(await attemptOf(otherId, userId), null);
    assert.equal(await attemptOf(accountId, userId + 1000), null);
    const [user, account] = [await users.find(accountId, userId), await accounts.find(accountId)];
    await Promise.all(Array.from({ length: 10 }, () => users.countDecoyAttempt(accountId)));
    await users.clearAttempts(otherId, userId);
    assert.equal(await users.replaceDigest(otherId, userId, 'digest', 'foreign'), false);
    assert.deepEqual(await users.find(accountId, userId), user);
    assert.deepEqual(await accounts.find(accountId), account);
  });
});
