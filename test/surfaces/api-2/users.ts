import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRole } from '../../../src/domain/roles/write-role.ts';
import { newClient, newGrant, unique } from '../../store/samples.ts';
import type { TestApp } from '../../support/app.ts';
import { assertRefused, managing, newUser } from './managing.ts';

export function users(app: () => TestApp): void {
  it('creates, reads, lists, changes and deletes a user with all members', async () => {
    using _ = app().services.clock.hold();
    const api = await managing(app());
    const role = await createRole(app().services, app().account, { name: unique('role') });
    const shortname = unique('badge');
    await api.done(201, 'POST', '/users/custom_attributes', { user_field: { name: 'Badge', shortname } });
    const manager = await newUser(api);
    const [policy] = await api.done(200, 'GET', '/policies');
    const given = {
      email: `${unique('Ada')}@Example.com`,
      username: unique('ada'),
      firstname: 'Ada',
      lastname: 'Lovelace',
      title: 'Analyst',
      department: 'Research',
      company: 'Example Ltd',
      phone: '+44 20 7946 0000',
      comment: 'Joined in spring',
      external_id: 'e-1815',
      group_id: 7,
      role_ids: [role.id],
      manager_user_id: manager.id,
      preferred_locale_code: 'en-GB',
      policy_id: policy.id,
      status: 2,
      state: 3,
    };
    const created = await api.done(201, 'POST', '/users', { ...given, custom_attributes: { [shortname]: '1815' } });
    const { custom_attributes: attributes, id, ...members } = created;
    const now = new Date(app().services.clock.now()).toISOString();
    assert.deepEqual(members, {
      ...given,
      email_verified: false,
      invalid_login_attempts: 0,
      locked_until: null,
      activated_at: null,
      last_login: null,
      invitation_sent_at: null,
      password_changed_at: null,
      created_at: now,
      updated_at: now,
    });
    assert.equal(attributes[shortname], '1815');
    assert.deepEqual(await api.done(200, 'GET', `/users/${id}`), created);
    assert.deepEqual(await api.done(200, 'GET', `/users?id=${id}`), [created]);
    app().services.clock.advance(1000);
    const changed = await api.done(200, 'PUT', `/users/${id}`, {
      title: null,
      company: '',
      group_id: 0,
      manager_user_id: null,
      role_ids: [],
      custom_attributes: { [shortname]: null },
    });
    assert.deepEqual(changed, {
      ...created,
      ...{ title: null, company: null, group_id: null, manager_user_id: null, role_ids: [] },
      custom_attributes: { ...attributes, [shortname]: null },
      updated_at: new Date(app().services.clock.now()).toISOString(),
    });
    assert.equal((await api.call('DELETE', `/users/${id}`)).status, 204);
    assertRefused(await api.call('GET', `/users/${id}`), 404);
    assertRefused(await api.call('DELETE', `/users/${id}`), 404);
  });

  it('ignores read-only and unknown members, whatever their values', async () => {
    using _ = app().services.clock.hold();
    const api = await managing(app());
    const noise = {
      ...{ id: 'x', created_at: '0001-01-01T00:00:00Z', updated_at: 7, last_login: {}, activated_at: [] },
      ...{ invalid_login_attempts: -1, locked_until: 'x', password_changed_at: false, invitation_sent_at: 1 },
      ...{ email_verified: true },
      ...{ unknown: { deep: ['x'] }, password_digest: 'x', account_id: 1 },
    };
    const user = await newUser(api, noise);
    assert.notEqual(user.id, 'x');
    assert.deepEqual(await api.done(200, 'PUT', `/users/${user.id}`, noise), user);
    assert.deepEqual(await api.done(200, 'PUT', `/users/${user.id}`, user), user);
  });

  it('unlocks: status 3 becomes active, a lockout ends, everything else is unchanged', async () => {
    const api = await managing(app());
    const { services, account } = app();
    const locked = await newUser(api, { status: 3 });
    assert.deepEqual(await api.done(200, 'POST', `/users/${locked.id}/unlock`, {}), { message: 'User unlocked' });
    assert.equal((await api.done(200, 'GET', `/users/${locked.id}`)).status, 1);
    const suspended = await newUser(api, { status: 2 });
    const paused = { invalidLoginAttempts: 10, lockedUntil: services.clock.now() + 60_000 };
    await services.store.users.update(account.id, suspended.id, paused);
    const before = await api.done(200, 'GET', `/users/${suspended.id}`);
    assert.deepEqual([before.invalid_login_attempts, before.locked_until !== null], [10, true]);
    await api.done(200, 'POST', `/users/${suspended.id}/unlock`);
    const after = await api.done(200, 'GET', `/users/${suspended.id}`);
    assert.deepEqual([after.status, after.invalid_login_attempts, after.locked_until], [2, 0, null]);
    assertRefused(await api.call('POST', `/users/${suspended.id}/unlock`, { unknown: 1 }), 422, /unknown/);
    assertRefused(await api.call('POST', '/users/2147483000/unlock'), 404);
  });

  it('lists the apps of a user, assigned directly or through a role, each once', async () => {
    const api = await managing(app());
    const { services, account } = app();
    const user = await newUser(api);
    const role = await createRole(services, account, { name: unique('role') });
    const one = await newClient(services.store, account.id, { name: 'Payroll' });
    const two = await newClient(services.store, account.id, { name: 'Wiki', extra: {} });
    await newClient(services.store, account.id, { name: 'Payments' });
    await services.store.access.grant(account.id, one.appId, { userId: user.id }, 0);
    for (const { appId } of [one, two]) await services.store.access.grant(account.id, appId, { roleId: role.id }, 0);
    await api.done(200, 'PUT', `/users/${user.id}`, { role_ids: [role.id] });
    const fixed = {
      extension: false,
      provisioning_status: null,
      provisioning_state: null,
      provisioning_enabled: false,
    };
    const payroll = {
      id: one.appId,
      name: 'Payroll',
      icon_url: 'https://app.example.com/logo.png',
      login_id: one.appId,
      ...fixed,
    };
    const wiki = { id: two.appId, name: 'Wiki', icon_url: null, login_id: two.appId, ...fixed };
    const path = `/users/${user.id}/apps`;
    assert.deepEqual(await api.done(200, 'GET', path), [payroll, wiki]);
    assert.deepEqual(await api.done(200, 'GET', `${path}?sort=-name&ignore_visibility=true`), [wiki, payroll]);
    assert.deepEqual(await api.done(200, 'GET', `${path}?name=Pay*&fields=name`), [{ name: 'Payroll' }]);
    assert.deepEqual(await api.done(200, 'GET', `${path}?limit=1&page=2&fields=id`), [{ id: two.appId }]);
    assertRefused(await api.call('GET', '/users/2147483000/apps'), 404);
  });

  it('ends grants when a role or the user is removed', async () => {
    const api = await managing(app());
    const { services, account } = app();
    const role = await createRole(services, account, { name: unique('role') });
    const user = await newUser(api, { role_ids: [role.id], status: 1 });
    const { appId } = await newClient(services.store, account.id);
    await services.store.access.grant(account.id, appId, { roleId: role.id }, 0);
    const grant = await newGrant(services.store, { accountId: account.id, userId: user.id, appId });
    await api.done(200, 'PUT', `/users/${user.id}`, { firstname: 'x' });
    assert.equal((await services.store.grants.find(account.id, grant.id))?.revokedAt, null);
    await api.done(200, 'PUT', `/users/${user.id}`, { role_ids: null });
    assert.notEqual((await services.store.grants.find(account.id, grant.id))?.revokedAt, null);
    await api.done(204, 'DELETE', `/users/${user.id}`);
    assert.equal(await services.store.grants.find(account.id, grant.id), null);
  });
}
