import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import { redirectUri, refresh, signedIn, signInForCode } from '../../support/sign-in.ts';
import { assertRefused, managing, newUser } from './managing.ts';

export function appAccess(app: () => TestApp): void {
  it('lists the users of an app, and by default only the visible apps of a user', async () => {
    const one = await app().another();
    const api = await managing(one);
    const user = await newUser(api, { firstname: 'Ada', username: 'ada' });
    const other = await newUser(api);
    const { id: roleId } = await api.done(201, 'POST', '/roles', { name: 'Staff', users: [user.id] });
    const { id } = await api.done(200, 'POST', '/apps', { name: 'Hidden', visible: false, role_ids: [roleId] });
    const shown = { id: user.id, firstname: 'Ada', lastname: null, username: 'ada', email: user.email };
    assert.deepEqual(await api.done(200, 'GET', `/apps/${id}/users`), [shown]);
    assert.deepEqual(await api.done(200, 'GET', `/apps/${id}/users?fields=id`), [{ id: user.id }]);
    await one.services.store.access.grant(one.account.id, id, { userId: other.id }, 0);
    assert.equal((await api.done(200, 'GET', `/apps/${id}/users?sort=-id`))[0].id, other.id);
    assert.deepEqual(await api.done(200, 'GET', `/users/${user.id}/apps`), []);
    assert.equal((await api.done(200, 'GET', `/users/${user.id}/apps?ignore_visibility=true`))[0].id, id);
    await api.done(200, 'PUT', `/apps/${id}`, { visible: true });
    assert.equal((await api.done(200, 'GET', `/users/${user.id}/apps`))[0].id, id);
  });

  it('a cursor of the apps of a user keeps ignore_visibility, as it keeps any filter', async () => {
    const api = await managing(await app().another());
    const user = await newUser(api);
    const { id: roleId } = await api.done(201, 'POST', '/roles', { name: 'Staff', users: [user.id] });
    const hidden: number[] = [];
    for (const name of ['One', 'Two']) {
      hidden.push((await api.done(200, 'POST', '/apps', { name, visible: false, role_ids: [roleId] })).id);
    }
    const path = `/users/${user.id}/apps`;
    const first = await api.call('GET', `${path}?ignore_visibility=1&limit=1&fields=id`);
    const cursor = encodeURIComponent(String(first.headers['after-cursor']));
    const next = [`cursor=${cursor}`, `cursor=${cursor}&ignore_visibility=true`];
    for (const query of next) assert.deepEqual(await api.done(200, 'GET', `${path}?${query}`), [{ id: hidden[1] }]);
    assertRefused(
      await api.call('GET', `${path}?cursor=${cursor}&ignore_visibility=0`),
      400,
      /does not match the cursor/,
    );
  });

  it("losing the app with a role ends a user's grants, and deleting it ends all grants", async () => {
    const one = await app().another();
    const api = await managing(one);
    const { client, user, tokens } = await signedIn(one);
    const { id: roleId } = await api.done(201, 'POST', '/roles', { name: 'Staff', users: [user.id] });
    const path = `/apps/${client.app_id}`;
    await api.done(200, 'PUT', path, { role_ids: [roleId] });
    await one.services.store.access.revoke(one.account.id, client.app_id, { userId: user.id });
    const first = await refresh(one, client, tokens.refresh_token);
    assert.equal(first.status, 200, first.text);
    await api.done(200, 'PUT', path, { role_ids: [] });
    await api.done(200, 'PUT', path, { role_ids: [roleId] });
    assert.equal((await refresh(one, client, first.body.refresh_token)).status, 400);
    await api.done(204, 'DELETE', path);
    assert.equal((await refresh(one, client, first.body.refresh_token)).status, 401);
  });

  it('an app created here can be signed in to once it has a redirect URI', async () => {
    const one = await app().another();
    const api = await managing(one);
    const { id, sso } = await api.done(200, 'POST', '/apps', { name: 'Later' });
    const { user } = await signedIn(one);
    await one.services.store.access.grant(one.account.id, id, { userId: user.id }, 0);
    const client = { ...sso, app_id: id, token_endpoint_auth_method: 'client_secret_basic' };
    await assert.rejects(signInForCode(one, client, user));
    await api.done(200, 'PUT', `/apps/${id}`, { configuration: { redirect_uri: redirectUri } });
    assert.ok((await signInForCode(one, client, user)).get('code'));
  });
}
