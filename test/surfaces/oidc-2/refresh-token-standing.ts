/** What ends or interrupts refreshing (T6): the user's state, access, the client and its secret. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { GrantType } from '../../../src/domain/clients/known-values.ts';
import { createRole } from '../../../src/domain/roles/write-role.ts';
import { digestOf } from '../../../src/domain/secrets.ts';
import { grantAccess, revokeAccess } from '../../../src/domain/users/access.ts';
import { removeUser } from '../../../src/domain/users/users.ts';
import type { UserStatus } from '../../../src/store/users.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { makeUser, refresh } from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { assertRefusal, registered, type SignedIn, signedIn, signInAgain, tokenPath } from './door.ts';

const unauthorized = [401, 'invalid_request', 'Access is unauthorized'] as const;

export function refreshTokenStanding(app: () => TestApp): void {
  const use = ({ client, tokens }: SignedIn): Promise<Answer> =>
    refresh(app(), client, tokens.refresh_token, tokenPath);
  async function assertServed(held: SignedIn): Promise<void> {
    const answer = await use(held);
    assert.equal(answer.status, 200, answer.text);
  }
  async function isActive({ tokens }: SignedIn): Promise<boolean> {
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    return (await app().send('GET', '/oauth2/userinfo', { headers })).status === 200;
  }

  for (const status of ['locked', 'suspended'] as const) {
    it(`T6: refuses while the user is ${status}; afterwards the same refresh token works`, async () => {
      const held = await signedIn(app());
      await setUser(app().services, app().account, held.user.id, { status });
      for (let count = 0; count < 3; count += 1) {
        assertRefusal(await use(held), 401, 'invalid_request', `Access is unauthorized: user is ${status}`);
      }
      assert.equal(await isActive(held), false);
      await setUser(app().services, app().account, held.user.id, { status: 'active' });
      assert.equal(await isActive(held), status === 'locked', 'a suspension ends access tokens permanently');
      await assertServed(held);
    });
  }

  it('refuses a user in any other state that is not active; afterwards the same refresh token works', async () => {
    const held = await signedIn(app());
    const { store } = app().services;
    for (const status of [0, 4, 5, 7] satisfies UserStatus[]) {
      await store.users.update(app().account.id, held.user.id, { status });
      assertRefusal(await use(held), ...unauthorized, `status ${status}`);
    }
    await store.users.update(app().account.id, held.user.id, { status: 1 });
    await assertServed(held);
  });

  it('T6: refuses after the user was deleted', async () => {
    const held = await signedIn(app());
    await removeUser(app().services, app().account, held.user.id);
    assertRefusal(await use(held), ...unauthorized);
    assert.equal(await isActive(held), false);
  });

  it('T6: refuses once access is revoked, and ends the grant: assigning access again does not restore it', async () => {
    const held = await signedIn(app());
    const name = { user: held.user.email ?? '' };
    await revokeAccess(app().services, app().account, held.client.app_id, name);
    assertRefusal(await use(held), ...unauthorized);
    assert.equal(await isActive(held), false);
    await grantAccess(app().services, app().account, held.client.app_id, name);
    assertRefusal(await use(held), ...unauthorized);
  });

  it('T6: refuses once the role that gave access is removed', async () => {
    const { services, account } = app();
    const client = await registered(app());
    await createRole(services, account, { name: 'Gateway users' });
    const user = await makeUser(app(), undefined, { roles: ['Gateway users'] });
    await grantAccess(services, account, client.app_id, { role: 'Gateway users' });
    const first = { client, user, tokens: await signInAgain(app(), client, user) };
    await assertServed(first);
    const second = { client, user, tokens: await signInAgain(app(), client, user) };
    await setUser(services, account, user.id, { roles: [] });
    assertRefusal(await use(second), ...unauthorized);
  });

  it("T6: another user's and another client's grants stay valid", async () => {
    const held = await signedIn(app());
    const bystander = await makeUser(app(), held.client.app_id);
    const other = { client: held.client, user: bystander, tokens: await signInAgain(app(), held.client, bystander) };
    await setUser(app().services, app().account, held.user.id, { status: 'suspended' });
    await assertServed(other);
  });

  it('T6: answers Resource not found after the client was deleted', async () => {
    const held = await signedIn(app());
    assert.ok(await app().services.store.clients.remove(app().account.id, held.client.app_id, 1_000));
    assertRefusal(await use(held), 400, 'invalid_request', 'Resource not found');
    assert.equal(await isActive(held), false);
  });

  it('T6: refuses the old secret once it was replaced; the new one serves the same refresh token', async () => {
    for (const method of ['client_secret_basic', 'client_secret_post']) {
      const held = await signedIn(app(), { token_endpoint_auth_method: method });
      const secret = 'cs_the-next-secret';
      await app().services.store.clients.replaceSecret(app().account.id, held.client.app_id, digestOf(secret));
      assertRefusal(await use(held), 401, 'invalid_request', 'Authentication Failed');
      await assertServed({ ...held, client: { ...held.client, client_secret: secret } });
    }
  });

  it('T6: refuses after the password was changed', async () => {
    const held = await signedIn(app());
    await setUser(app().services, app().account, held.user.id, { password: 'another long enough password' });
    assertRefusal(await use(held), ...unauthorized);
  });

  it('T6: refuses after the refresh token was revoked at the standard door', async () => {
    const held = await signedIn(app(), { token_endpoint_auth_method: 'client_secret_post' });
    const { client_id, client_secret = '' } = held.client;
    const form = { client_id, client_secret, token: held.tokens.refresh_token };
    assert.equal((await app().send('POST', '/oauth2/revoke', { form })).status, 200);
    assertRefusal(await use(held), ...unauthorized);
  });

  it('still refreshes while sign-in by password is locked: the lock applies to password checks only', async () => {
    const held = await signedIn(app());
    const lockedUntil = app().services.clock.now() + 900_000;
    await app().services.store.users.update(app().account.id, held.user.id, { lockedUntil, invalidLoginAttempts: 10 });
    await assertServed(held);
  });

  it("T7: refuses another client's refresh token, which stays valid", async () => {
    const [held, thief] = [await signedIn(app()), await signedIn(app())];
    assertRefusal(await use({ ...held, client: thief.client }), ...unauthorized);
    await assertServed(held);
  });

  it("T7: refuses another account's refresh token, which stays valid", async () => {
    const [other, held] = [await app().another(), await signedIn(app())];
    const theirs = await signedIn(other);
    assertRefusal(await use({ ...theirs, client: held.client }), ...unauthorized);
    const answer = await refresh(other, theirs.client, theirs.tokens.refresh_token, tokenPath);
    assert.equal(answer.status, 200, answer.text);
  });

  it('refuses a client that did not register the grant type refresh_token', async () => {
    const held = await signedIn(app());
    const client = await registered(app(), { grant_types: ['authorization_code'] });
    assertRefusal(await use({ ...held, client }), ...unauthorized);
    // The token is the client's own: the grant type alone is in the way.
    const { services, account } = app();
    const change = (...grantTypes: GrantType[]) =>
      services.store.clients.update(account.id, held.client.app_id, { grantTypes });
    await change('authorization_code');
    assertRefusal(await use(held), ...unauthorized);
    await change('authorization_code', 'refresh_token');
    await assertServed(held);
  });
}
