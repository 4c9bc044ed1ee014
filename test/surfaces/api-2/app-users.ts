import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { UserRecord } from '../../../src/store/users.ts';
import { toldBy } from '../../domain/audit/told.ts';
import { newUser as storedUser } from '../../store/samples.ts';
import type { TestApp } from '../../support/app.ts';
import {
  makeUser,
  type RegisteredClient,
  redeem,
  refresh,
  registerClient,
  signInForCode,
  type Tokens,
} from '../../support/sign-in.ts';
import { assertRefused, managing, newUser } from './managing.ts';

const unknown = 2_147_483_000;

async function tokensFor(app: TestApp, client: RegisteredClient, user: UserRecord): Promise<Tokens> {
  return redeem(app, client, (await signInForCode(app, client, user)).get('code') ?? '');
}

export function appUsers(app: () => TestApp): void {
  it('a user can sign in once the app is assigned, and loses access as soon as it is removed', async () => {
    const one = await app().another();
    const api = await managing(one);
    const client = await registerClient(one);
    const user = await makeUser(one);
    const path = `/apps/${client.app_id}/users`;
    await assert.rejects(signInForCode(one, client, user));
    assert.deepEqual(await api.done(200, 'POST', path, [user.id]), [{ id: user.id }]);
    assert.equal((await api.done(200, 'GET', path))[0].id, user.id);
    const tokens = await tokensFor(one, client, user);
    await api.done(204, 'DELETE', path, [user.id]);
    assert.deepEqual(await api.done(200, 'GET', path), []);
    assert.equal((await refresh(one, client, tokens.refresh_token)).status, 400);
    await assert.rejects(signInForCode(one, client, user));
    await api.done(200, 'POST', path, [user.id]);
    assert.equal((await refresh(one, client, tokens.refresh_token)).status, 400, 'the grant stays ended');
  });

  it('both can be repeated; the trail has one event per user who got or lost the app', async () => {
    const one = await app().another();
    const api = await managing(one);
    const { app_id: appId } = await registerClient(one);
    const ada = await newUser(api);
    const bob = await newUser(api);
    const path = `/apps/${appId}/users`;
    const told = async (method: string, status: number, ids: readonly number[]) => {
      const events = await toldBy(one, () => api.done(status, method, path, ids));
      return events.map(({ action, targetId, detail }) => [action, targetId, JSON.parse(detail)]);
    };
    assert.deepEqual(await told('POST', 200, [ada.id, ada.id]), [['access.granted', appId, { user_id: ada.id }]]);
    assert.deepEqual(await told('POST', 200, [bob.id, ada.id]), [['access.granted', appId, { user_id: bob.id }]]);
    assert.deepEqual(await told('POST', 200, [ada.id]), []);
    assert.deepEqual(await told('POST', 200, []), []);
    assert.deepEqual(await told('DELETE', 204, [bob.id, unknown, bob.id, ada.id]), [
      ['access.revoked', appId, { user_id: ada.id, grants_revoked: 0 }],
      ['access.revoked', appId, { user_id: bob.id, grants_revoked: 0 }],
    ]);
    assert.deepEqual(await told('DELETE', 204, [ada.id]), []);
  });

  it('a user who also has the app through a role keeps it and its tokens', async () => {
    const one = await app().another();
    const api = await managing(one);
    const client = await registerClient(one);
    const user = await makeUser(one, client.app_id);
    await api.done(201, 'POST', '/roles', { name: 'Staff', apps: [client.app_id], users: [user.id] });
    const tokens = await tokensFor(one, client, user);
    await api.done(204, 'DELETE', `/apps/${client.app_id}/users`, [user.id]);
    assert.equal((await api.done(200, 'GET', `/apps/${client.app_id}/users`))[0].id, user.id);
    assert.equal((await refresh(one, client, tokens.refresh_token)).status, 200);
  });

  it('no user gets the app if one of them is unknown, removed, or of another account', async () => {
    const one = await app().another();
    const api = await managing(one);
    const other = await managing(app());
    const { app_id: appId } = await registerClient(one);
    const path = `/apps/${appId}/users`;
    const user = await newUser(api);
    const gone = await newUser(api);
    await api.done(204, 'DELETE', `/users/${gone.id}`);
    const foreign = await newUser(other);
    for (const id of [unknown, gone.id, foreign.id]) {
      const refusal = new RegExp(`^unknown user in users: ${id}$`);
      assertRefused(await api.call('POST', path, [user.id, id]), 422, refusal);
      await api.done(204, 'DELETE', path, [id]);
    }
    assert.deepEqual(await api.done(200, 'GET', path), []);
    const most = Array.from({ length: 101 }, (_, index) => index + 1);
    for (const method of ['POST', 'DELETE']) {
      assertRefused(await api.call(method, path, most), 422, /100/);
      for (const body of [{}, { users: [user.id] }, undefined]) {
        assertRefused(await api.call(method, path, body), 400, /^Expected array in request$/);
      }
      for (const body of [['x'], [0], [null], [1.5]]) assertRefused(await api.call(method, path, body), 422, /^0 /);
    }
  });

  it('accepts 100 users at once', async () => {
    const one = await app().another();
    const api = await managing(one);
    const { app_id: appId } = await registerClient(one);
    const path = `/apps/${appId}/users`;
    const ids: number[] = [];
    await one.services.store.transaction(async (tx) => {
      while (ids.length < 100) ids.push((await storedUser(tx, one.account.id)).id);
    });
    assert.equal((await api.done(200, 'POST', path, ids)).length, 100);
    assert.equal((await api.done(200, 'GET', `${path}?limit=100&fields=id`)).length, 100);
    await api.done(204, 'DELETE', path, ids.slice(1));
    assert.deepEqual(await api.done(200, 'GET', `${path}?fields=id`), [{ id: ids[0] }]);
  });
}
