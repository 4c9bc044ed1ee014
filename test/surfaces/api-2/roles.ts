import assert from 'node:assert/strict';
import { it } from 'node:test';
import { unique } from '../../store/samples.ts';
import type { TestApp } from '../../support/app.ts';
import { refresh, registerClient, signedIn } from '../../support/sign-in.ts';
import { assertRefused, managing, newUser } from './managing.ts';

const unknown = 2_147_483_000;

export function roles(app: () => TestApp): void {
  it('creates, reads, lists, changes and deletes a role', async () => {
    const one = await app().another();
    const api = await managing(one);
    const [user, admin] = [await newUser(api), await newUser(api)];
    const { app_id: appId } = await registerClient(one);
    const lists = { apps: [appId], users: [user.id, admin.id, user.id], admins: [admin.id] };
    const { id, ...rest } = await api.done(201, 'POST', '/roles', { name: 'Staff', ...lists });
    assert.deepEqual(rest, {});
    const role = { id, name: 'Staff', apps: [appId], users: [user.id, admin.id], admins: [admin.id] };
    assert.deepEqual(await api.done(200, 'GET', `/roles/${id}`), role);
    assert.deepEqual(await api.done(200, 'GET', '/roles'), [role]);
    assert.deepEqual((await api.done(200, 'GET', `/users/${user.id}`)).role_ids, [id]);
    assert.deepEqual(await api.done(200, 'PUT', `/roles/${id}`, { id: 5, name: 'Crew', users: [], admins: null }), {
      id,
    });
    const changed = { ...role, name: 'Crew', users: [], admins: [] };
    assert.deepEqual(await api.done(200, 'GET', `/roles/${id}`), changed);
    await api.done(200, 'PUT', `/roles/${id}`, { users: [admin.id] });
    await api.done(200, 'PUT', `/roles/${id}`, {});
    assert.deepEqual(await api.done(200, 'GET', `/roles/${id}`), { ...changed, users: [admin.id] });
    await api.done(204, 'DELETE', `/roles/${id}`);
    assertRefused(await api.call('GET', `/roles/${id}`), 404);
    assertRefused(await api.call('PUT', `/roles/${id}`, {}), 404);
    assertRefused(await api.call('DELETE', `/roles/${id}`), 404);
    assert.deepEqual((await api.done(200, 'GET', `/users/${admin.id}`)).role_ids, []);
  });

  it('lists roles by name, app and name of an app, and refuses other parameters', async () => {
    const one = await app().another();
    const api = await managing(one);
    const { app_id: appId } = await registerClient(one, { client_name: 'Payroll' });
    const { id: staff } = await api.done(201, 'POST', '/roles', { name: 'Staff', apps: [appId] });
    const { id: guests } = await api.done(201, 'POST', '/roles', { name: 'guests' });
    for (const [query, ids] of [
      ['', [staff, guests]],
      ['?sort=-name', [guests, staff]],
      ['?name=St*', [staff]],
      ['?role_name=guests', [guests]],
      [`?id=${guests}`, [guests]],
      [`?app_id=${unknown},${appId}`, [staff]],
      ['?app_name=*roll', [staff]],
      ['?app_name=Pay', []],
    ] as const) {
      const found = await api.done(200, 'GET', `/roles${query}`);
      assert.deepEqual(
        found.map(({ id }: { id: number }) => id),
        ids,
        query,
      );
    }
    assert.deepEqual(await api.done(200, 'GET', '/roles?fields=name&limit=1'), [{ name: 'Staff' }]);
    for (const query of ['?nonsense=1', '?sort=users', '?fields=nonsense', '?app_id=x']) {
      assertRefused(await api.call('GET', `/roles${query}`), 400, new RegExp(query.slice(1, 5)));
    }
  });

  it('an invalid member is 422 with its name, and nothing changes', async () => {
    const api = await managing(app());
    const taken = unique('role');
    const { id } = await api.done(201, 'POST', '/roles', { name: taken });
    const { id: other } = await api.done(201, 'POST', '/roles', { name: unique('role') });
    const before = await api.done(200, 'GET', `/roles/${other}`);
    for (const [body, message] of [
      [{ name: '' }, /name/],
      [{ name: ' x' }, /name/],
      [{ name: null }, /name/],
      [{ name: taken }, /name has already been taken/],
      [{ name: 'x', unknown: 1 }, /unknown/],
      [{ name: unique('role'), apps: [unknown] }, new RegExp(`unknown app in apps: ${unknown}`)],
      [{ name: unique('role'), users: [unknown] }, new RegExp(`unknown user in users: ${unknown}`)],
      [{ name: unique('role'), admins: [unknown] }, new RegExp(`unknown user in admins: ${unknown}`)],
      [{ name: unique('role'), admins: ['1'] }, /admins/],
    ] as const) {
      assertRefused(await api.call('POST', '/roles', body), 422, message, JSON.stringify(body));
      assertRefused(await api.call('PUT', `/roles/${other}`, body), 422, message, JSON.stringify(body));
    }
    assertRefused(await api.call('POST', '/roles', {}), 422, /name/);
    assert.deepEqual(await api.done(200, 'GET', `/roles/${other}`), before);
    await api.done(200, 'PUT', `/roles/${id}`, { name: taken });
  });

  it('another account’s roles, users and apps are answered as unknown', async () => {
    const theirs = await app().another();
    const api = await managing(app());
    const them = await managing(theirs);
    const { id } = await them.done(201, 'POST', '/roles', { name: 'Theirs' });
    const { id: userId } = await newUser(them);
    const { app_id: appId } = await registerClient(theirs);
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PUT', '', { name: 'x' }],
      ['DELETE', '', undefined],
      ['GET', '/users', undefined],
      ['POST', '/users', []],
      ['DELETE', '/users', []],
      ['GET', '/admins', undefined],
      ['POST', '/admins', []],
      ['DELETE', '/admins', []],
      ['GET', '/apps', undefined],
      ['PUT', '/apps', []],
      ['GET', '/policy', undefined],
      ['PUT', '/policy', { policy_id: null }],
    ] as const) {
      const answer = await api.call(method, `/roles/${id}${path}`, body);
      assertRefused(answer, 404);
      assert.equal(answer.text, (await api.call(method, `/roles/${unknown}${path}`, body)).text);
    }
    const own = await api.done(201, 'POST', '/roles', { name: unique('role') });
    for (const link of ['users', 'admins']) {
      assertRefused(await api.call('POST', `/roles/${own.id}/${link}`, [userId]), 422, /unknown user in/);
    }
    assertRefused(await api.call('PUT', `/roles/${own.id}/apps`, [appId]), 422, /unknown app in/);
    assert.deepEqual((await them.done(200, 'GET', `/roles/${id}`)).users, []);
  });

  it('names a policy, or none; an unknown one is refused in the words for users and apps', async () => {
    const one = await app().another();
    const api = await managing(one);
    const { id } = await api.done(201, 'POST', '/roles', { name: 'Staff' });
    const { id: policy } = await api.done(201, 'POST', '/policies', { name: 'Strict' });
    const { id: theirs } = await (await managing(app())).done(201, 'POST', '/policies', { name: unique('policy') });
    const path = `/roles/${id}/policy`;
    assert.deepEqual(await api.done(200, 'GET', path), { policy_id: null });
    assert.deepEqual(await api.done(200, 'PUT', path, { policy_id: policy }), { policy_id: policy });
    const { id: user } = await newUser(api);
    const { app_id: appId } = await registerClient(one);
    for (const policyId of [unknown, theirs]) {
      const sent = { policy_id: policyId };
      const words = (await api.call('PUT', `/users/${user}`, sent)).body.message;
      assert.equal((await api.call('PUT', `/apps/${appId}`, sent)).body.message, words);
      assertRefused(await api.call('PUT', path, sent), 422, new RegExp(`^${words}$`));
    }
    for (const body of [{}, { policy_id: 0 }, { policy_id: '1' }, { policy_id: policy, name: 'x' }]) {
      assertRefused(await api.call('PUT', path, body), 422, 'name' in body ? /name/ : /policy_id/);
    }
    assert.deepEqual(await api.done(200, 'GET', path), { policy_id: policy });
    assertRefused(await api.call('PUT', `/roles/${unknown}/policy`, { policy_id: unknown }), 404);
    const [event] = await api.done(200, 'GET', '/events?action=policy.assigned&limit=1');
    assert.deepEqual([event.target, event.detail], [{ type: 'role', id }, { policy_id: policy }]);
    assert.deepEqual(await api.done(200, 'PUT', path, { policy_id: null }), { policy_id: null });
    await api.done(204, 'DELETE', `/policies/${policy}`);
  });

  it("losing an app with the last role that gave it ends the user's grants for it, and no others", async () => {
    const one = await app().another();
    const api = await managing(one);
    const { id } = await api.done(201, 'POST', '/roles', { name: 'Staff' });
    const { id: second } = await api.done(201, 'POST', '/roles', { name: 'Second' });
    for (const [end, path, body] of [
      ['PUT', `/roles/${id}/apps`, []],
      ['PUT', `/roles/${id}`, { users: [] }],
      ['DELETE', `/roles/${id}/users`, null],
      ['DELETE', `/roles/${id}`, undefined],
    ] as const) {
      const held = await signedIn(one);
      const { app_id: appId } = held.client;
      const userId = held.user.id;
      const keep = { apps: [appId], users: [userId] };
      await api.done(200, 'PUT', `/roles/${id}`, keep);
      await api.done(200, 'PUT', `/roles/${second}`, keep);
      await one.services.store.access.revoke(one.account.id, appId, { userId });
      await api.done(end === 'PUT' ? 200 : 204, end, path, body === null ? [userId] : body);
      const first = await refresh(one, held.client, held.tokens.refresh_token);
      assert.equal(first.status, 200, `${end} ${path} ${first.text}`);
      await api.done(200, 'PUT', `/roles/${second}/apps`, []);
      assert.notEqual((await refresh(one, held.client, first.body.refresh_token)).status, 200);
      await one.services.store.access.grant(one.account.id, appId, { userId }, one.services.clock.now());
      assert.notEqual((await refresh(one, held.client, first.body.refresh_token)).status, 200);
    }
  });
}
