import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newClient, newGrant, unique } from '../../store/samples.ts';
import type { TestApp } from '../../support/app.ts';
import { assertRefused, managing, newUser } from './managing.ts';

const password = 'correct horse battery';

export function userWrites(app: () => TestApp): void {
  it('a user with a password is active, one without is not, unless the status says otherwise', async () => {
    const api = await managing(app());
    const active = await newUser(api, { password, password_confirmation: password });
    assert.equal(active.status, 1);
    assert.ok(active.activated_at !== null && active.password_changed_at !== null);
    assert.doesNotMatch(JSON.stringify(active), /correct horse|argon2|"password"/);
    const waiting = await newUser(api, { password: '' });
    assert.deepEqual([waiting.status, waiting.activated_at], [0, null]);
    const named = await newUser(api, { password, status: 4 });
    assert.equal(named.status, 4);
    const late = await api.done(200, 'PUT', `/users/${waiting.id}`, { password });
    assert.deepEqual([late.status, late.activated_at !== null], [1, true]);
  });

  it('a new password ends the grants; locking and suspending leave them', async () => {
    const api = await managing(app());
    const { services, account } = app();
    const user = await newUser(api, { password });
    const { appId } = await newClient(services.store, account.id);
    const grant = await newGrant(services.store, { accountId: account.id, userId: user.id, appId });
    const isLive = async () => (await services.store.grants.find(account.id, grant.id))?.revokedAt === null;
    for (const status of [3, 2, 1]) {
      assert.equal((await api.done(200, 'PUT', `/users/${user.id}`, { status })).status, status);
    }
    assert.equal(await isLive(), true);
    await api.done(200, 'PUT', `/users/${user.id}`, { password: 'another horse' });
    assert.equal(await isLive(), false);
  });

  it('names are unique in the account, however they are written', async () => {
    const api = await managing(app());
    const [email, username] = [`${unique('Eve')}@example.com`, `Zoë ${unique()}`];
    const first = await newUser(api, { email, username });
    for (const [members, name] of [
      [{ email: email.toUpperCase() }, 'email'],
      [{ username: username.normalize('NFD').toUpperCase() }, 'username'],
    ] as const) {
      assertRefused(await api.call('POST', '/users', members), 422, new RegExp(`^${name} has already been taken$`));
      const other = await newUser(api);
      assertRefused(await api.call('PUT', `/users/${other.id}`, members), 422, new RegExp(`^${name} has already`));
    }
    const elsewhere = await managing(await app().another());
    await newUser(elsewhere, { email, username });
    await api.done(200, 'PUT', `/users/${first.id}`, { email: email.toLowerCase() });
  });

  it('an invalid member is 422 with its name, and nothing changes', async () => {
    const api = await managing(app());
    const user = await newUser(api);
    const bidi = '\u202e';
    for (const [members, name] of [
      [{ email: 'nobody' }, 'email'],
      [{ email: null, username: '' }, 'email'],
      [{ username: 'x@example.com' }, 'username'],
      [{ username: ' x' }, 'username'],
      [{ firstname: 7 }, 'firstname'],
      [{ firstname: `x${bidi}` }, 'firstname'],
      [{ lastname: 'x'.repeat(256) }, 'lastname'],
      [{ title: ' x' }, 'title'],
      [{ comment: 'x'.repeat(1025) }, 'comment'],
      [{ group_id: -1 }, 'group_id'],
      [{ group_id: 2 ** 31 }, 'group_id'],
      [{ manager_user_id: 2_147_483_000 }, 'manager_user_id'],
      [{ role_ids: [2_147_483_000] }, 'role_ids'],
      [{ role_ids: ['x'] }, 'role_ids'],
      [{ role_ids: 1 }, 'role_ids'],
      [{ status: 6 }, 'status'],
      [{ status: null }, 'status'],
      [{ state: 4 }, 'state'],
      [{ custom_attributes: { none: 'x' } }, 'custom_attributes.none'],
      [{ custom_attributes: { none: 7 } }, 'custom_attributes.none'],
      [{ password: 'short' }, 'password'],
      [{ password: 'x'.repeat(300) }, 'password'],
      [{ password, password_confirmation: 'other' }, 'password_confirmation'],
      [{ password_confirmation: password }, 'password_confirmation'],
    ] as const) {
      const pattern = new RegExp(`\\b${name.replace('.', '\\.')}\\b`);
      assertRefused(await api.call('PUT', `/users/${user.id}`, { title: 'y', ...members }), 422, pattern, name);
      const answer = await api.call('POST', '/users', { username: unique('new'), ...members });
      assertRefused(answer, 422, pattern, name);
    }
    assert.deepEqual(await api.done(200, 'GET', `/users/${user.id}`), user);
    assertRefused(await api.call('POST', '/users', {}), 422, /email/);
    assertRefused(await api.call('PUT', '/users/2147483000', { title: 'x' }), 404);
  });

  it('validate_policy=false accepts a password that the rules refuse', async () => {
    const api = await managing(app());
    const { id } = await newUser(api);
    await api.done(200, 'PUT', `/users/${id}?validate_policy=false&mappings=sync`, { password: 'x' });
    assertRefused(
      await api.call('PUT', `/users/${id}?validate_policy=false`, { password: 'x'.repeat(257) }),
      422,
      /password/,
    );
    assertRefused(await api.call('PUT', `/users/${id}?validate_policy=maybe`, {}), 400, /validate_policy/);
  });
}
