import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRole } from '../../../src/domain/roles/write-role.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { makeUser } from '../../support/sign-in.ts';

type Send = (method: string, path?: string, json?: object) => Promise<Answer>;

async function callerOf(app: TestApp): Promise<Send> {
  const headers = { authorization: `Bearer ${await app.bearer('manage_all')}` };
  return (method, path, json) =>
    app.send(method, `/api/2/policies${path ?? ''}`, { headers, ...(json !== undefined && { json }) });
}

function assertError(answer: Answer, status: number, message: RegExp): void {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.body.statusCode, status);
  assert.match(answer.body.message, message);
}

/** Policies over the API (docs/users.md#which-policy-is-in-force). */
export function policies(app: () => TestApp): void {
  it('an account has one default policy; others are created, read, changed, listed and removed', async () => {
    using _ = app().services.clock.hold();
    const send = await callerOf(await app().another());
    const [standard, ...more] = (await send('GET')).body;
    assert.deepEqual(more, []);
    assert.deepEqual([standard.name, standard.is_default], ['Default', true]);
    const made = await send('POST', '', { name: 'Staff', minimum_password_length: 12 });
    assert.equal(made.status, 201);
    const { id, created_at, updated_at, ...rest } = made.body;
    assert.deepEqual(rest, {
      name: 'Staff',
      is_default: false,
      minimum_password_length: 12,
      maximum_invalid_login_attempts: 10,
      lock_effective_minutes: 15,
      session_timeout_minutes: 30,
      session_absolute_minutes: 720,
      password_expiration_days: null,
      otp_required: false,
    });
    assert.equal(created_at, updated_at);
    assert.deepEqual((await send('GET', `/${id}`)).body, made.body);
    const changed = await send('PUT', `/${id}`, { password_expiration_days: 90, lock_effective_minutes: 1 });
    assert.deepEqual(changed.body, {
      ...made.body,
      password_expiration_days: 90,
      lock_effective_minutes: 1,
      updated_at: changed.body.updated_at,
    });
    assert.equal((await send('PUT', `/${id}`, { password_expiration_days: null })).body.password_expiration_days, null);
    const back = { ...changed.body, id: 1, created_at: 'never', updated_at: '0001-01-01T00:00:00Z' };
    assert.deepEqual((await send('PUT', `/${id}`, back)).body, changed.body, 'read-only members are ignored');
    const names = (await send('GET', '?sort=-name&limit=1')).body.map(({ name }: { name: string }) => name);
    assert.deepEqual(names, ['Staff']);
    assert.deepEqual((await send('GET', '?name=St*&fields=id')).body, [{ id }]);
    const removed = await send('DELETE', `/${id}`);
    assert.deepEqual([removed.status, removed.text], [204, '']);
    assertError(await send('GET', `/${id}`), 404, /could not be found/);
    assertError(await send('DELETE', `/${id}`), 404, /could not be found/);
    assertError(await send('PUT', `/${id}`, {}), 404, /could not be found/);
  });

  it('the default can be handed on, but not unset or removed', async () => {
    const send = await callerOf(await app().another());
    const [first] = (await send('GET')).body;
    assertError(await send('DELETE', `/${first.id}`), 409, /^The default policy cannot be deleted$/);
    assertError(await send('PUT', `/${first.id}`, { is_default: false }), 422, /is_default/);
    const { body: second } = await send('POST', '', { name: 'Second', is_default: true });
    assert.equal(second.is_default, true);
    assert.equal((await send('GET', `/${first.id}`)).body.is_default, false);
    assert.equal((await send('DELETE', `/${first.id}`)).status, 204);
  });

  it('a policy in use cannot be removed, and an unknown one cannot be used', async () => {
    const one = await app().another();
    const send = await callerOf(one);
    const headers = { authorization: `Bearer ${await one.bearer('manage_all')}` };
    const { body: policy } = await send('POST', '', { name: 'Followed' });
    const user = await makeUser(one);
    const put = (policyId: number | null) =>
      one.send('PUT', `/api/2/users/${user.id}`, { headers, json: { policy_id: policyId } });
    assert.equal((await put(policy.id)).body.policy_id, policy.id);
    assertError(await send('DELETE', `/${policy.id}`), 409, /follows cannot be deleted/);
    assertError(await put(2 ** 31 - 1), 422, /policy_id/);
    const other = await app().another();
    const { body: theirs } = await (await callerOf(other))('POST', '', { name: 'Theirs' });
    assertError(await put(theirs.id), 422, /policy_id/);
    await put(null);
    const { id: roleId } = await createRole(one.services, one.account, { name: 'staff' });
    await one.send('PUT', `/api/2/roles/${roleId}/policy`, { headers, json: { policy_id: policy.id } });
    assertError(await send('DELETE', `/${policy.id}`), 409, /follows cannot be deleted/);
  });

  it('every member has a rule, and the message names both; names are unique', async () => {
    const send = await callerOf(await app().another());
    const { body: policy } = await send('POST', '', { name: 'Rules' });
    for (const [member, values] of Object.entries({
      minimum_password_length: [7, 257, 8.5, '12', null],
      maximum_invalid_login_attempts: [0, 101],
      lock_effective_minutes: [0, 1441],
      session_timeout_minutes: [0, 1441],
      session_absolute_minutes: [0, 43_201],
      password_expiration_days: [0, 3651],
      name: ['', 'x'.repeat(256), ' x', 'a\u202eb', null],
      is_default: ['yes', null],
      otp_required: [null, 1],
      unknown: [1],
    })) {
      for (const value of values) {
        const sent = { [member]: value };
        assertError(await send('PUT', `/${policy.id}`, sent), 422, new RegExp(member));
        assertError(await send('POST', '', { name: 'New', ...sent }), 422, new RegExp(member));
      }
    }
    assertError(await send('POST', '', {}), 422, /name/);
    assertError(await send('POST', '', { name: 'Rules' }), 422, /name has already been taken/);
    assertError(await send('PUT', `/${policy.id}`, { name: 'Default' }), 422, /name has already been taken/);
    assert.deepEqual((await send('GET', `/${policy.id}`)).body, policy);
    assert.equal((await send('PUT', `/${policy.id}`, { otp_required: true })).body.otp_required, true);
  });

  it('passwords set over the API must follow the policy, unless the caller skips it', async () => {
    const one = await app().another();
    const headers = { authorization: `Bearer ${await one.bearer('manage_all')}` };
    const { body: policy } = await (await callerOf(one))('POST', '', { name: 'Long', minimum_password_length: 20 });
    const post = (json: object, query = '') => one.send('POST', `/api/2/users${query}`, { headers, json });
    const user = { email: 'ada@example.com', policy_id: policy.id };
    assertError(await post({ ...user, password: 'vq41 zwx8 ty' }), 422, /password must have 20 to 256 characters/);
    assertError(await post({ email: 'x@example.com', password: 'password1' }), 422, /most common/);
    const made = await post({ ...user, password: 'vq41 zwx8 ty and more' });
    assert.equal(made.status, 201, made.text);
    const put = (json: object, query = '') =>
      one.send('PUT', `/api/2/users/${made.body.id}${query}`, { headers, json });
    assertError(await put({ password: 'vq41 zwx8 ty' }), 422, /password must have 20/);
    assertError(
      await put({ lastname: 'Lovelace of London', password: 'Lovelace of London 1815' }),
      422,
      /names or e-mail address/,
    );
    assert.equal((await put({ password: 'short' }, '?validate_policy=false')).status, 200);
  });

  it('readers read and only manage_all writes; another account’s policy is unknown', async () => {
    const one = await app().another();
    const { body: policy } = await (await callerOf(one))('POST', '', { name: 'Scoped' });
    for (const [scope, read, write] of [
      ['read_all', 200, 403],
      ['manage_users', 403, 403],
      ['read_users', 403, 403],
      ['authentication_only', 403, 403],
    ] as const) {
      const headers = { authorization: `Bearer ${await one.bearer(scope)}` };
      for (const path of ['/api/2/policies', `/api/2/policies/${policy.id}`]) {
        assert.equal((await one.send('GET', path, { headers })).status, read, scope);
      }
      const json = { name: 'Other' };
      assert.equal((await one.send('POST', '/api/2/policies', { headers, json })).status, write, scope);
      assert.equal((await one.send('PUT', `/api/2/policies/${policy.id}`, { headers, json })).status, write, scope);
      assert.equal((await one.send('DELETE', `/api/2/policies/${policy.id}`, { headers })).status, write, scope);
    }
    assert.equal((await one.send('GET', '/api/2/policies')).status, 401);
    const stranger = await callerOf(await app().another());
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await stranger(method, `/${policy.id}`, method === 'PUT' ? { name: 'Mine' } : undefined);
      assertError(answer, 404, /could not be found/);
    }
  });
}
