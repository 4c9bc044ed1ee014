import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRole, removeRoleMembers } from '../../../src/domain/roles/write-role.ts';
import { grantAccess, revokeAccess } from '../../../src/domain/users/access.ts';
import { removeUser } from '../../../src/domain/users/users.ts';
import type { TestApp } from '../../support/app.ts';
import {
  makeUser,
  password,
  type RegisteredClient,
  redeem,
  refresh,
  registerClient,
  signedIn,
  signInForCode,
  type Tokens,
} from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, assertEnded, assertError, unlimited } from './asking.ts';

const documented = '/oidc/2/token';

/** T6: what ends a grant, and what only holds it up (docs/users.md#what-ends-with-what). */
export function refreshEndings(app: AppOf): void {
  for (const status of ['locked', 'suspended'] as const) {
    it(`a ${status} user is refused and nothing is used up: afterwards the same token works (T6)`, async () => {
      const { client, user, tokens } = await signedIn(app());
      await setUser(app().services, app().account, user.id, { status });
      assertError(await refresh(app(), client, tokens.refresh_token), 400, 'invalid_grant');
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      assert.equal((await app().send('GET', '/oauth2/userinfo', { headers })).status, 401);
      await setUser(app().services, app().account, user.id, { status: 'active' });
      assert.equal((await refresh(app(), client, tokens.refresh_token)).status, 200);
      // A suspension ends access tokens for good.
      const opens = status === 'locked' ? 200 : 401;
      assert.equal((await app().send('GET', '/oauth2/userinfo', { headers })).status, opens);
    });
  }

  const endings: readonly [
    title: string,
    end: (app: TestApp, client: RegisteredClient, userId: number, email: string) => Promise<unknown>,
  ][] = [
    [
      'a new password',
      (one, _client, userId) => setUser(one.services, one.account, userId, { password: `${password}!` }),
    ],
    [
      'taking away the access',
      (one, client, _userId, user) => revokeAccess(one.services, one.account, client.app_id, { user }),
    ],
    ['deleting the user', (one, _client, userId) => removeUser(one.services, one.account, userId)],
    ['deleting the client', (one, client) => one.services.store.clients.remove(one.account.id, client.app_id, 1_000)],
  ];
  for (const [title, end] of endings) {
    it(`${title} ends the grant at once (T6)`, async () => {
      const { client, user, tokens } = await signedIn(app());
      await end(app(), client, user.id, user.email ?? '');
      const answer = await refresh(app(), client, tokens.refresh_token);
      assert.ok([400, 401].includes(answer.status));
      assert.ok(['invalid_grant', 'invalid_client'].includes(answer.body.error));
      assert.notEqual((await refresh(app(), client, tokens.refresh_token, documented)).status, 200);
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      assert.equal((await app().send('GET', '/oauth2/userinfo', { headers })).status, 401);
    });
  }

  it('access through a role counts while the user has the role', async () => {
    const one = await app().another(unlimited);
    const role = await createRole(one.services, one.account, { name: 'Staff' });
    const client = await registerClient(one);
    await grantAccess(one.services, one.account, client.app_id, { role: 'Staff' });
    const user = await makeUser(one, undefined, { roles: ['Staff'] });
    const tokens: Tokens = await redeem(one, client, (await signInForCode(one, client, user)).get('code') ?? '');
    const next = (await refresh(one, client, tokens.refresh_token)).body;
    await removeRoleMembers(one.services, one.account, role.id, 'users', [user.id]);
    await assertEnded(one, client, next.refresh_token, next.access_token);
  });
}
