import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actAs } from '../../../src/domain/audit/context.ts';
import { shareOf } from '../../../src/domain/fair-queue/share.ts';
import { addRoleMembers, createRole, removeRoleMembers } from '../../../src/domain/roles/write-role.ts';
import { grantAccess, revokeAccess } from '../../../src/domain/users/access.ts';
import { isEmailVerified } from '../../../src/domain/users/names.ts';
import { listUsers, removeUser, requireUser } from '../../../src/domain/users/users.ts';
import { unlockUser } from '../../../src/domain/users/write-user.ts';
import { failureOf, newClient, newGrant, unique } from '../../store/samples.ts';
import { createTestAccount, testServices } from '../../support/services.ts';
import { addUser, setUser } from '../../support/users.ts';
import { onServices } from '../subject.ts';

const password = 'correct horse battery';

onServices('users', (subject) => {
  /** A user in separate services, whose clock only the test moves. */
  async function scene() {
    const services = await testServices(subject.services.store);
    services.clock.hold();
    const account = await createTestAccount(services);
    const email = `${unique('ada')}@example.com`;
    const user = await addUser(services, account, { email, password, firstname: 'Ada' });
    const { appId } = await newClient(services.store, account.id);
    await grantAccess(services, account, appId, { user: email });
    const grant = await newGrant(services.store, { accountId: account.id, userId: user.id, appId });
    const isLive = async () => (await services.store.grants.find(account.id, grant.id))?.revokedAt === null;
    return { services, account, email, user, appId, isLive };
  }

  test('a user with a password is active, one without is not', async () => {
    const { services, account, user } = await scene();
    assert.equal(user.status, 1);
    assert.equal(user.activatedAt, services.clock.now());
    assert.ok(await services.passwords.verify(password, user.passwordDigest, shareOf(account)));
    const waiting = await addUser(services, account, { username: 'grace' });
    assert.deepEqual([waiting.status, waiting.passwordDigest, waiting.email], [0, null, null]);
    assert.equal((await setUser(services, account, waiting.id, { password })).status, 1);
  });

  test('a caller who was locked or suspended while its call waited cannot let itself in again', async () => {
    const { services, account, user } = await scene();
    const other = await addUser(services, account, { username: 'grace' });
    const as = (id: number, work: () => Promise<unknown>) =>
      actAs({ actor: { type: 'user', id }, source: null, requestId: null }, work);
    const ways = [
      () => setUser(services, account, user.id, { status: 'active' }),
      () => unlockUser(services, account, user.id, 'all'),
    ];
    for (const status of ['locked', 'suspended'] as const) {
      await setUser(services, account, user.id, { status });
      const held = await services.store.users.find(account.id, user.id);
      for (const way of ways) {
        await assert.rejects(as(user.id, way), { code: 'caller_unauthenticated' });
        assert.deepEqual(await services.store.users.find(account.id, user.id), held);
      }
      await as(other.id, () => setUser(services, account, user.id, { status: 'active' }));
      for (const way of ways) await as(user.id, way);
    }
  });

  test('an identity belongs to one user of the account, in whatever form it is written', async () => {
    const { services, account, email } = await scene();
    assert.equal(await failureOf(addUser(services, account, { email: email.toUpperCase() })), 'conflict email');
    const other = await addUser(services, account, { username: 'Zoe\u0308' });
    assert.equal(await failureOf(addUser(services, account, { username: 'ZOË' })), 'conflict username');
    assert.equal(await failureOf(setUser(services, account, other.id, { email })), 'conflict email');
    const elsewhere = await createTestAccount(services);
    await addUser(services, elsewhere, { email });
    assert.equal((await requireUser(services.store, account, email.toUpperCase())).email, email);
  });

  test("a user name with an @ must be the user's own address", async () => {
    const { services, account } = await scene();
    const given = { email: 'own@example.com', username: 'other@example.com' };
    assert.equal(await failureOf(addUser(services, account, given)), 'value_invalid username');
    const user = await addUser(services, account, { email: 'own@example.com', username: 'OWN@example.com' });
    assert.equal(
      await failureOf(setUser(services, account, user.id, { email: 'new@example.com' })),
      'value_invalid username',
    );
    const renamed = await setUser(services, account, user.id, { email: 'new@example.com', username: null });
    assert.deepEqual([renamed.email, renamed.username], ['new@example.com', null]);
    assert.equal(await failureOf(setUser(services, account, user.id, { email: null })), 'value_invalid email');
  });

  test('a password has 8 to 256 characters, counted as graphemes', async () => {
    const { services, account } = await scene();
    for (const bad of ['zq41vwx', '👍'.repeat(7), 'x'.repeat(257), '12345678\uD800']) {
      const refused = addUser(services, account, { email: `${unique()}@example.com`, password: bad });
      assert.equal(await failureOf(refused), 'value_invalid password');
    }
    for (const good of ['zq41vwx8', '👍'.repeat(256), 'with space ']) {
      await addUser(services, account, { email: `${unique()}@example.com`, password: good });
    }
  });

  test('locking and suspending leave grants in place; activating ends the pause', async () => {
    const { services, account, user, isLive } = await scene();
    for (const [name, status] of [
      ['locked', 3],
      ['suspended', 2],
    ] as const) {
      assert.equal((await setUser(services, account, user.id, { status: name })).status, status);
      assert.ok(await isLive());
    }
    const held = await setUser(services, account, user.id, { password: 'another password' });
    assert.equal(held.status, 2);
    await services.store.users.update(account.id, user.id, { lockedUntil: 1, invalidLoginAttempts: 9 });
    const active = await setUser(services, account, user.id, { status: 'active' });
    assert.deepEqual([active.status, active.lockedUntil, active.invalidLoginAttempts], [1, null, 0]);
  });

  test('a new password ends sessions and grants', async () => {
    const { services, account, user, isLive } = await scene();
    const now = services.clock.now();
    await services.store.sessions.create({
      accountId: account.id,
      digest: 'session',
      sid: 'sid',
      userId: user.id,
      amr: ['pwd'],
      authenticatedAt: now,
      lastSeenAt: now,
      idleMilliseconds: 1000,
      expiresAt: now + 1000,
    });
    services.clock.advance(5);
    const changed = await setUser(services, account, user.id, { password: 'another password' });
    assert.equal(changed.passwordChangedAt, services.clock.now());
    assert.ok(await services.passwords.verify('another password', changed.passwordDigest, shareOf(account)));
    assert.equal(await services.store.sessions.find(account.id, 'session'), null);
    assert.ok(!(await isLive()));
  });

  test('other changes leave grants in place, and nothing changes when one of them is refused', async () => {
    const { services, account, user, isLive } = await scene();
    const changed = await setUser(services, account, user.id, { firstname: 'Augusta', lastname: null });
    assert.deepEqual([changed.firstname, changed.lastname], ['Augusta', null]);
    assert.ok(await isLive());
    assert.equal(
      await failureOf(setUser(services, account, user.id, { lastname: 'L', roles: ['nobody'] })),
      'not_found role',
    );
    assert.equal((await services.store.users.find(account.id, user.id))?.lastname, null);
    assert.equal(
      await failureOf(setUser(services, account, user.id, { firstname: 'a\u0000' })),
      'value_invalid firstname',
    );
    assert.equal(await failureOf(setUser(services, account, 2 ** 30, { lastname: 'L' })), 'not_found user');
  });

  test('a removed user has no grants and is gone', async () => {
    const { services, account, user, email, isLive } = await scene();
    await removeUser(services, account, user.id);
    assert.ok(!(await isLive()));
    assert.equal(await failureOf(requireUser(services.store, account, email)), 'not_found user');
    assert.equal(await failureOf(removeUser(services, account, user.id)), 'not_found user');
    assert.deepEqual(await listUsers(services, account), []);
  });

  test('access comes and goes by user, and its end ends the grants', async () => {
    const { services, account, user, email, appId, isLive } = await scene();
    assert.ok(await services.store.access.isAssigned(account.id, appId, user.id));
    await grantAccess(services, account, appId, { user: email });
    await revokeAccess(services, account, appId, { user: email });
    assert.ok(!(await services.store.access.isAssigned(account.id, appId, user.id)));
    assert.ok(!(await isLive()));
    assert.equal(await failureOf(revokeAccess(services, account, appId, { user: email })), 'not_found access');
    assert.equal(await failureOf(grantAccess(services, account, 2 ** 30, { user: email })), 'not_found app');
    assert.equal(await failureOf(grantAccess(services, account, appId, { role: 'nobody' })), 'not_found role');
    assert.equal(await failureOf(grantAccess(services, account, appId, { user: 'no@example.com' })), 'not_found user');
  });

  test('access through a role lasts as long as the user has the role', async () => {
    const { services, account, user, email, appId, isLive } = await scene();
    const role = await createRole(services, account, { name: 'staff' });
    assert.equal(await failureOf(createRole(services, account, { name: 'staff' })), 'conflict name');
    await addRoleMembers(services, account, role.id, 'users', [user.id]);
    await grantAccess(services, account, appId, { role: 'staff' });
    await revokeAccess(services, account, appId, { user: email });
    assert.ok(await isLive());
    await removeRoleMembers(services, account, role.id, 'users', [user.id]);
    assert.ok(!(await isLive()));
    assert.ok(!(await services.store.access.isAssigned(account.id, appId, user.id)));
  });

  test('a verified address is no other than the present one, whoever wrote that', () => {
    const verifiedEmail = 'ada@example.com';
    // A process of an older release changes the address and knows of nothing to clear.
    const emails = ['ada@example.com', 'Ada@example.com', 'eve@example.com', null];
    assert.deepEqual(
      emails.map((email) => isEmailVerified({ email, verifiedEmail })),
      [true, false, false, false],
    );
    assert.equal(isEmailVerified({ email: null, verifiedEmail: null }), false);
  });

  test('the roles of a user are set as a whole', async () => {
    const { services, account, email, user, appId, isLive } = await scene();
    for (const name of ['one', 'two', 'three']) await createRole(services, account, { name });
    await grantAccess(services, account, appId, { role: 'one' });
    await setUser(services, account, user.id, { roles: ['one', 'two'] });
    await revokeAccess(services, account, appId, { user: email });
    const names = async () => (await services.store.roles.ofUser(account.id, user.id)).map(({ name }) => name);
    assert.deepEqual(await names(), ['one', 'two']);
    assert.ok(await isLive());
    await setUser(services, account, user.id, { roles: ['two', 'three', 'three'] });
    assert.deepEqual(await names(), ['two', 'three']);
    assert.ok(!(await isLive()));
    const born = await addUser(services, account, { username: 'born', roles: ['three', 'one'] });
    assert.equal((await services.store.roles.ofUser(account.id, born.id)).length, 2);
    assert.equal(await failureOf(addUser(services, account, { username: 'x', roles: ['none'] })), 'not_found role');
    assert.equal(await services.store.users.findByName(account.id, 'x'), null);
  });
});
