import assert from 'node:assert/strict';
import { test } from 'node:test';
import { policyDefaults } from '../../src/domain/policies/rules.ts';
import type { PolicyRecord } from '../../src/store/policies.ts';
import { failureOf, minute, newAccount, newCast, newClient, now, unique } from './samples.ts';
import { onEachDatabase } from './suite.ts';

onEachDatabase('policies', (subject) => {
  function newPolicy(accountId: number, given: Partial<PolicyRecord> = {}): Promise<PolicyRecord> {
    const rules = { ...policyDefaults, name: unique('policy'), isDefault: false, createdAt: now, updatedAt: now };
    return subject.store.policies.create({ accountId, ...rules, ...given });
  }

  async function defaultOf(accountId: number): Promise<PolicyRecord | undefined> {
    return (await subject.store.policies.list(accountId)).find(({ isDefault }) => isDefault);
  }

  test('an account is created with one default policy, whose rules are the defaults', async () => {
    const { id: accountId } = await newAccount(subject.store);
    const [only, ...more] = await subject.store.policies.list(accountId);
    assert.deepEqual(more, []);
    assert.ok(only);
    const { id, ...rest } = only;
    const name = { accountId, name: 'Default', isDefault: true, createdAt: now, updatedAt: now };
    assert.deepEqual(rest, { ...name, ...policyDefaults });
    assert.deepEqual(await subject.store.policies.find(accountId, id), only);
  });

  test('a second default is a conflict, and so is a name in use in the account', async () => {
    const [{ id: one }, { id: other }] = [await newAccount(subject.store), await newAccount(subject.store)];
    assert.match(await failureOf(newPolicy(one, { isDefault: true })), /^conflict/);
    const { name } = await newPolicy(one);
    assert.equal(await failureOf(newPolicy(one, { name })), 'conflict name');
    assert.equal((await newPolicy(other, { name })).name, name);
  });

  test("an update changes the given members, of the account's own policy only", async () => {
    const [{ id: accountId }, { id: foreign }] = [await newAccount(subject.store), await newAccount(subject.store)];
    const policy = await newPolicy(accountId, { passwordExpirationDays: 90 });
    const { policies } = subject.store;
    assert.equal(await policies.update(foreign, policy.id, { lockEffectiveMinutes: 1 }), null);
    const changes = { minimumPasswordLength: 20, passwordExpirationDays: null, otpRequired: true };
    assert.deepEqual(await policies.update(accountId, policy.id, changes), { ...policy, ...changes });
    assert.equal(await policies.find(foreign, policy.id), null);
    assert.equal(await policies.remove(foreign, policy.id), false);
    assert.equal(await policies.remove(accountId, policy.id), true);
    assert.equal(await policies.remove(accountId, policy.id), false);
  });

  test('a policy in use is kept, and a policy of another account or an unknown one cannot be assigned', async () => {
    const { store } = subject;
    const { accountId, userId, appId } = await newCast(store);
    const { id: roleId } = await store.roles.create({ accountId, name: 'staff', createdAt: now });
    const { id: foreign } = await newAccount(store);
    const theirs = await newPolicy(foreign);
    for (const follower of [{ userId }, { roleId }, { appId }]) {
      const policy = await newPolicy(accountId);
      assert.equal(await store.policies.assign(foreign, follower, theirs.id), false);
      for (const unknown of [theirs.id, 2 ** 31 - 1]) {
        assert.equal(await failureOf(store.policies.assign(accountId, follower, unknown)), 'not_found');
      }
      assert.equal(await store.policies.assign(accountId, follower, policy.id), true);
      assert.equal(await failureOf(store.policies.remove(accountId, policy.id)), 'conflict policy');
      assert.equal(await store.policies.assign(accountId, follower, null), true);
      assert.equal(await store.policies.remove(accountId, policy.id), true);
    }
    assert.equal(await failureOf(newClient(store, accountId, { policyId: theirs.id })), 'not_found');
  });

  test("the policy of the user's first assigned role with a policy counts", async () => {
    const { store } = subject;
    const { accountId, userId } = await newCast(store);
    const [first, second] = [await newPolicy(accountId), await newPolicy(accountId)];
    const role = (policyId: number | null) =>
      store.roles.create({ accountId, name: unique(), policyId, createdAt: now });
    const [late, early, without] = [await role(second.id), await role(first.id), await role(null)];
    assert.equal((await store.policies.followedBy(accountId, userId)).ofRole, null);
    await store.roles.link(accountId, 'users', without.id, [userId], now);
    assert.equal((await store.policies.followedBy(accountId, userId)).ofRole, null);
    await store.roles.link(accountId, 'users', late.id, [userId], now + minute);
    assert.equal((await store.policies.followedBy(accountId, userId)).ofRole, second.id);
    await store.roles.link(accountId, 'users', early.id, [userId], now + 1);
    assert.equal((await store.policies.followedBy(accountId, userId)).ofRole, first.id);
    assert.equal((await store.policies.followedBy(accountId, 0)).ofRole, null);
    for (const id of [userId, 0]) {
      const policies = await store.policies.list(accountId);
      const both = { ...(await store.policies.followedBy(accountId, id)), policies };
      assert.deepEqual(await store.policies.listFollowed(accountId, id), both);
    }
  });

  test('every change of a policy, or of its clients, is a new generation of the account', async () => {
    const { store } = subject;
    const { accountId, appId } = await newCast(store);
    let former = await store.generation(accountId);
    const assertNew = async () => {
      const generation = await store.generation(accountId);
      assert.notEqual(generation, former);
      former = generation;
    };
    const policy = await newPolicy(accountId);
    await assertNew();
    await store.policies.update(accountId, policy.id, { lockEffectiveMinutes: 1 });
    await assertNew();
    await store.policies.assign(accountId, { appId }, policy.id);
    await assertNew();
    await store.policies.assign(accountId, { appId }, null);
    await store.policies.remove(accountId, policy.id);
    await assertNew();
    assert.equal((await defaultOf(accountId))?.name, 'Default');
  });

  test('existing accounts get their default policy with the migration, and keep their sessions', async () => {
    const { store } = subject;
    const { accountId, userId } = await newCast(store);
    const session = { accountId, sid: 'sid', userId, amr: [], authenticatedAt: now, lastSeenAt: now, digest: unique() };
    await store.sessions.create({ ...session, idleMilliseconds: minute, expiresAt: now + minute });
    const steps = (await store.status()).applied.length - (await store.status()).applied.indexOf('0006_policies');
    await store.rollback(steps);
    await store.migrate();
    assert.equal((await store.policies.list(accountId)).length, 1);
    assert.equal((await store.sessions.find(accountId, session.digest))?.idleMilliseconds, 30 * minute);
    assert.deepEqual(await store.policies.followedBy(accountId, userId), { own: null, ofRole: null });
  });
});
