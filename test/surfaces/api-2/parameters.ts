/** How parameters and ids are written: one grammar for each kind, whichever operation takes them. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import { assertRefused, managing, newUser } from './managing.ts';

export function parameters(app: () => TestApp): void {
  it('a boolean is true, false, 1, or 0, in any letter case', async () => {
    const api = await managing(await app().another());
    const { id } = await newUser(api);
    const role = await api.done(201, 'POST', '/roles', { name: 'Clerks' });
    const hidden = await api.done(200, 'POST', '/apps', { name: 'Hidden', visible: false, role_ids: [role.id] });
    await api.done(200, 'POST', `/roles/${role.id}/users`, [id]);
    const idsOf = async (path: string) => (await api.done(200, 'GET', path)).map((shown: { id: number }) => shown.id);
    for (const yes of ['true', 'True', 'TRUE', '1']) {
      assert.deepEqual(await idsOf(`/users/${id}/apps?ignore_visibility=${yes}`), [hidden.id], yes);
      assert.deepEqual(await idsOf(`/roles/${role.id}/users?assigned=${yes}`), [id], yes);
      assert.deepEqual(await idsOf(`/roles/${role.id}/admins?include_unassigned=${yes}`), [id], yes);
    }
    for (const no of ['false', 'False', 'FALSE', '0']) {
      assert.deepEqual(await idsOf(`/users/${id}/apps?ignore_visibility=${no}`), [], no);
      assert.deepEqual(await idsOf(`/roles/${role.id}/users?assigned=${no}`), [], no);
      assert.deepEqual(await idsOf(`/roles/${role.id}/admins?include_unassigned=${no}`), [], no);
      await api.done(200, 'PUT', `/users/${id}?validate_policy=${no}`, { password: 'x' });
    }
    for (const neither of ['zzz', '2', 'yes', '01', '%20true']) {
      for (const path of [
        `/users/${id}/apps?ignore_visibility=`,
        `/roles/${role.id}/users?assigned=`,
        `/roles/${role.id}/admins?include_unassigned=`,
      ]) {
        assertRefused(await api.call('GET', path + neither), 400, / must be true or false/);
      }
      assertRefused(await api.call('PUT', `/users/${id}?validate_policy=${neither}`, {}), 400, /validate_policy/);
    }
  });

  it('a name with brackets is an unknown parameter, and is refused wherever those are', async () => {
    const api = await managing(app());
    for (const path of ['/users', '/roles', '/apps', '/events']) {
      for (const name of ['limit[]', 'username[$ne]', 'cursor[0]']) {
        const refused = await api.call('GET', `${path}?${encodeURIComponent(name)}=1`);
        assertRefused(refused, 400);
        assert.ok(refused.body.message.startsWith(`unknown parameter: ${name}; known are limit, page, `));
      }
    }
    await api.done(200, 'GET', '/policies?limit%5B%5D=1');
  });

  it('a filter takes no value that nothing in the list can have', async () => {
    const api = await managing(app());
    for (const [path, name, others] of [
      ['/signing-keys', 'state', ['nothing', 'Signing', 'signing next']],
      ['/signing-keys', 'alg', ['PS256', 'none']],
      ['/usage/deprecated-calls', 'surface', ['api-2', 'XML']],
    ] as const) {
      for (const other of others) {
        const refused = await api.call('GET', `${path}?${name}=${encodeURIComponent(other)}`);
        assertRefused(refused, 400, new RegExp(`^${name} must `), other);
      }
    }
    for (const path of ['/signing-keys?state=next&alg=ES256', '/events?action=user.created', '/events?actor=system']) {
      await api.done(200, 'GET', path);
    }
    // A later release has more of these.
    for (const [name, others] of [
      ['action', ['user.vanished', 'USER.CREATED']],
      ['actor', ['robot', 'robot:1', 'constructor', 'api_key:1']],
      ['target', ['robot', 'session:1', '__proto__:1']],
    ] as const) {
      for (const other of others) assert.deepEqual(await api.done(200, 'GET', `/events?${name}=${other}`), [], other);
    }
    // Documented lists take any text.
    for (const path of ['/events?target=credential_token:1', '/hooks?type=other', '/hooks?type=']) {
      await api.done(200, 'GET', path);
    }
  });

  it('an empty cursor is refused; it does not mean the first page', async () => {
    const api = await managing(app());
    for (const path of ['/users', '/policies', '/events']) {
      assertRefused(await api.call('GET', `${path}?cursor=`), 400, /cursor/);
    }
    assertRefused(await api.call('GET', '/hooks?cursor='), 422, /cursor/);
    await api.done(200, 'GET', '/users?limit=&sort=');
  });

  it('an id is decimal digits without a leading zero, in paths, queries and bodies', async () => {
    const api = await managing(await app().another());
    const { id } = await newUser(api);
    const written = [`0x${id.toString(16)}`, `${id}e0`, `%20${id}`, `${id}%20`, `0${id}`, `%2B${id}`, `${id}.0`];
    for (const text of written) {
      assertRefused(await api.call('GET', `/users/${text}`), 404);
      assertRefused(await api.call('GET', `/users?id=${text}`), 400, /^id must be an integer/);
      assertRefused(await api.call('GET', `/users?user_ids=${text}`), 400, /^user_ids must be/);
      assertRefused(await api.call('GET', `/events?target=user:${text}`), 400, /^target must be/);
      assertRefused(await api.call('GET', `/users?limit=${text}`), 400, /^limit must be an integer/);
    }
    await api.done(200, 'GET', `/users/${id}`);
    assert.equal((await api.done(200, 'GET', `/users?id=${id}`)).length, 1);
  });

  it('PUT without a body is refused, and changes nothing', async () => {
    const api = await managing(app());
    const { id } = await newUser(api);
    const before = await api.done(200, 'GET', `/users/${id}`);
    assertRefused(await api.call('PUT', `/users/${id}`), 400, /^the body is missing$/);
    assert.deepEqual(await api.done(200, 'GET', `/users/${id}`), before);
    await api.done(200, 'PUT', `/users/${id}`, {});
  });

  it('GET with a body is 405 on a path without GET', async () => {
    const headers = { authorization: `Bearer ${await app().bearer('manage_all')}` };
    for (const path of ['/api/2/users/1/unlock', '/oidc/2/register', '/oauth2/token', '/auth/oauth2/v2/token']) {
      const answer = await app().send('GET', path, { headers, json: { a: 1 } });
      assert.deepEqual([answer.status, answer.headers['allow']], [405, 'POST'], path);
    }
  });
}
