import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Account } from '../../../src/domain/accounts/account.ts';
import { effectivePolicy } from '../../../src/domain/policies/effective-policy.ts';
import { changePolicy, createPolicy, removePolicy, requirePolicy } from '../../../src/domain/policies/policies.ts';
import { policyDefaults } from '../../../src/domain/policies/rules.ts';
import { createRole, setRolePolicy } from '../../../src/domain/roles/write-role.ts';
import { failureOf, newClient, unique } from '../../store/samples.ts';
import { assignPolicy } from '../../support/policies.ts';
import { createTestAccount } from '../../support/services.ts';
import { addUser, setUser } from '../../support/users.ts';
import { onServices } from '../subject.ts';

onServices('policies', (subject) => {
  async function standardOf(account: Account) {
    // Other than a server, SQLite answers without a turn of the event loop, in which what is kept is not asked about.
    await turn();
    const found = (await subject.services.store.policies.list(account.id)).filter(({ isDefault }) => isDefault);
    assert.equal(found.length, 1, 'exactly one default');
    return found[0] as (typeof found)[0];
  }

  test('a new policy has the defaults for members that are not given', async () => {
    const { services } = subject;
    const account = await createTestAccount(services);
    const made = await createPolicy(services, account, { name: 'Strict', minimumPasswordLength: 14 });
    const { minimumPasswordLength, isDefault, name } = made;
    assert.deepEqual([minimumPasswordLength, isDefault, name], [14, false, 'Strict']);
    assert.equal(made.maximumInvalidLoginAttempts, policyDefaults.maximumInvalidLoginAttempts);
    assert.equal(await failureOf(createPolicy(services, account, { name: 'Strict' })), 'conflict name');
    assert.deepEqual(await requirePolicy(services.store, account, made.id), made);
    const other = await createTestAccount(services);
    assert.equal(await failureOf(requirePolicy(services.store, other, made.id)), 'not_found policy');
  });

  test('every rule has a range, and errors use its name on the wire', async () => {
    const { services } = subject;
    const account = await createTestAccount(services);
    const { id } = await createPolicy(services, account, { name: 'Ranges' });
    for (const [rules, name] of [
      [{ minimumPasswordLength: 7 }, 'minimum_password_length'],
      [{ minimumPasswordLength: 257 }, 'minimum_password_length'],
      [{ minimumPasswordLength: 8.5 }, 'minimum_password_length'],
      [{ maximumInvalidLoginAttempts: 0 }, 'maximum_invalid_login_attempts'],
      [{ lockEffectiveMinutes: 1441 }, 'lock_effective_minutes'],
      [{ sessionTimeoutMinutes: Number.NaN }, 'session_timeout_minutes'],
      [{ sessionAbsoluteMinutes: 43_201 }, 'session_absolute_minutes'],
      [{ passwordExpirationDays: 0 }, 'password_expiration_days'],
    ] as const) {
      assert.equal(await failureOf(changePolicy(services, account, id, rules)), `value_invalid ${name}`);
      assert.equal(
        await failureOf(createPolicy(services, account, { name: unique(), ...rules })),
        `value_invalid ${name}`,
      );
    }
    const changed = await changePolicy(services, account, id, { passwordExpirationDays: 3650, otpRequired: true });
    assert.deepEqual([changed.passwordExpirationDays, changed.otpRequired], [3650, true]);
    const cleared = await changePolicy(services, account, id, { passwordExpirationDays: null, name: 'Cleared' });
    assert.deepEqual([cleared.passwordExpirationDays, cleared.name], [null, 'Cleared']);
  });

  test('there is always exactly one default: it can be handed on, but not unset or removed', async () => {
    const { services } = subject;
    const account = await createTestAccount(services);
    const first = await standardOf(account);
    assert.equal(await failureOf(removePolicy(services, account, first.id)), 'conflict policy');
    const refused = changePolicy(services, account, first.id, { isDefault: false });
    assert.equal(await failureOf(refused), 'value_invalid is_default');
    const second = await createPolicy(services, account, { name: 'Second', isDefault: true });
    assert.equal((await standardOf(account)).id, second.id);
    await changePolicy(services, account, first.id, { isDefault: true, lockEffectiveMinutes: 20 });
    assert.equal((await standardOf(account)).id, first.id);
    await removePolicy(services, account, second.id);
    assert.equal(await failureOf(removePolicy(services, account, second.id)), 'not_found policy');
    assert.equal(await failureOf(changePolicy(services, account, second.id, {})), 'not_found policy');
  });

  test('the most specific policy applies: user, app, first assigned role, default', async () => {
    const { services } = subject;
    const account = await createTestAccount(services);
    const policyFor = async (name: string) => createPolicy(services, account, { name });
    const [own, ofApp, ofFirst, ofSecond] = [
      await policyFor('own'),
      await policyFor('app'),
      await policyFor('first role'),
      await policyFor('second role'),
    ];
    const [second, first] = [
      await createRole(services, account, { name: 'second' }),
      await createRole(services, account, { name: 'first' }),
    ];
    const user = await addUser(services, account, { email: `${unique()}@example.com`, roles: ['first'] });
    services.clock.advance(1);
    await setUser(services, account, user.id, { roles: ['first', 'second'] });
    const { appId } = await newClient(services.store, account.id);
    const inForce = async (atApp: boolean) => {
      await turn();
      const [read, client] = [
        await services.store.users.find(account.id, user.id),
        await services.store.clients.findByApp(account.id, appId),
      ];
      return (await effectivePolicy(services, account, read, atApp ? client : null)).name;
    };
    assert.deepEqual([await inForce(true), await inForce(false)], ['Default', 'Default']);
    await setRolePolicy(services, account, second.id, ofSecond.id);
    assert.deepEqual([await inForce(true), await inForce(false)], ['second role', 'second role']);
    await setRolePolicy(services, account, first.id, ofFirst.id);
    assert.deepEqual([await inForce(true), await inForce(false)], ['first role', 'first role']);
    await assignPolicy(services, account, { appId }, ofApp.id);
    assert.deepEqual([await inForce(true), await inForce(false)], ['app', 'first role']);
    await assignPolicy(services, account, { userId: user.id }, own.id);
    assert.deepEqual([await inForce(true), await inForce(false)], ['own', 'own']);
    assert.equal((await effectivePolicy(services, account, null, null)).name, 'Default');
    assert.equal(await failureOf(removePolicy(services, account, own.id)), 'conflict policy');
    const foreign = await createTestAccount(services);
    const set = (owner: Account, roleId: number, policyId: number | null) =>
      failureOf(setRolePolicy(services, owner, roleId, policyId));
    assert.equal(await set(foreign, first.id, null), 'not_found role');
    assert.equal(await set(account, 2 ** 31 - 1, 2 ** 31 - 1), 'not_found role');
    assert.equal(await set(account, first.id, 2 ** 31 - 1), 'value_invalid policy_id');
    assert.equal(
      await set(foreign, (await createRole(services, foreign, { name: 'first' })).id, own.id),
      'value_invalid policy_id',
    );
  });

  test('every place that sets a password checks the policy and the rules', async () => {
    const { services } = subject;
    const account = await createTestAccount(services);
    const long = await createPolicy(services, account, { name: 'Long', minimumPasswordLength: 20 });
    const { id: roleId } = await createRole(services, account, { name: 'staff' });
    await setRolePolicy(services, account, roleId, long.id);
    const make = (given: object) => addUser(services, account, { email: `${unique()}@example.com`, ...given });
    assert.equal(await failureOf(make({ password: 'vq41 zwx8 ty', roles: ['staff'] })), 'value_invalid password');
    assert.equal(await failureOf(make({ password: 'password1' })), 'value_invalid password');
    assert.equal(await failureOf(make({ password: 'Lovelace-12', lastname: 'Lovelace' })), 'value_invalid password');
    const user = await make({ password: 'vq41 zwx8 ty' });
    const set = (changes: object) => failureOf(setUser(services, account, user.id, changes));
    assert.equal(await set({ password: 'iloveyou' }), 'value_invalid password');
    assert.equal(await set({ password: 'Lovelace-12', lastname: 'Lovelace' }), 'value_invalid password');
    await assignPolicy(services, account, { userId: user.id }, long.id);
    assert.equal(await set({ password: 'vq41 zwx8 ty 55' }), 'value_invalid password');
    assert.equal(await set({ password: 'vq41 zwx8 ty 55 and more' }), 'nothing');
    assert.equal(await failureOf(setUser(services, account, 2 ** 31 - 1, { password: 'x' })), 'not_found user');
  });
});
