import assert from 'node:assert/strict';
import { it } from 'node:test';
import { grantAccess, revokeAccess } from '../../../src/domain/users/access.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import {
  clientAuthentication,
  makeUser,
  type RegisteredClient,
  redeem,
  refresh,
  registerClient,
  signedIn,
  signInForCode,
} from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, assertError, settle } from './asking.ts';

const inactive = { active: false };

function introspect(app: TestApp, client: RegisteredClient, token: string, more = {}): Promise<Answer> {
  const { headers, form } = clientAuthentication(client);
  return app.send('POST', '/oauth2/introspect', { headers, form: { ...form, token, ...more } });
}

/** RFC 7662. */
export function introspection(app: AppOf): void {
  it('describes an access token and its user', async () => {
    using _ = app().services.clock.hold();
    const { client, user, tokens } = await signedIn(app());
    const answer = await introspect(app(), client, tokens.access_token);
    const now = Math.floor(app().services.clock.now() / 1000);
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.deepEqual(answer.body, {
      active: true,
      scope: 'openid profile email',
      client_id: client.client_id,
      username: user.email,
      token_type: 'Bearer',
      exp: now + 3600,
      iat: now,
      sub: String(user.id),
      aud: client.client_id,
      iss: app().account.baseUrl,
    });
  });

  it('a client that only sees its own tokens gets an e-mail address with the scope email', async () => {
    const setting = await settle(app(), { token_endpoint_auth_method: 'none' });
    const withEmail = await redeem(app(), setting.client, await setting.code({ scope: 'openid email' }));
    const told = (await introspect(app(), setting.client, withEmail.access_token)).body;
    assert.equal(told.username, setting.user.email);
    const tokens = await redeem(app(), setting.client, await setting.code({ scope: 'openid profile' }));
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      const { body } = await introspect(app(), setting.client, token);
      assert.deepEqual([body.active, 'username' in body], [true, false]);
    }
    await setUser(app().services, app().account, setting.user.id, { username: 'grace' });
    assert.equal((await introspect(app(), setting.client, tokens.access_token)).body.username, 'grace');
  });

  it('describes a refresh token, without a token type, until its idle end', async () => {
    using _ = app().services.clock.hold();
    const { client, user, tokens } = await signedIn(app());
    const { body } = await introspect(app(), client, tokens.refresh_token);
    const now = Math.floor(app().services.clock.now() / 1000);
    assert.deepEqual(
      [body.active, body.sub, body.iat, body.exp, body.token_type],
      [true, String(user.id), now, now + 14 * 86_400, undefined],
    );
  });

  it('a hint is only a hint, and an unknown one is ignored (§2.1)', async () => {
    const { client, tokens } = await signedIn(app());
    for (const hint of ['access_token', 'refresh_token', 'saml']) {
      const more = { token_type_hint: hint };
      assert.equal((await introspect(app(), client, tokens.access_token, more)).body.active, true, hint);
      assert.equal((await introspect(app(), client, tokens.refresh_token, more)).body.active, true, hint);
    }
  });

  it('a client with a secret sees every access token of the account, as a gateway must; one without only its own', async () => {
    const { client, tokens } = await signedIn(app());
    const gateway = await registerClient(app());
    const seen = await introspect(app(), gateway, tokens.access_token);
    assert.deepEqual([seen.body.active, seen.body.client_id], [true, client.client_id]);
    const open = await registerClient(app(), { token_endpoint_auth_method: 'none' });
    assert.deepEqual((await introspect(app(), open, tokens.access_token)).body, inactive);
    const user = await makeUser(app(), open.app_id);
    const own = await redeem(app(), open, (await signInForCode(app(), open, user)).get('code') ?? '');
    assert.equal((await introspect(app(), open, own.access_token)).body.active, true);
    assert.equal((await introspect(app(), open, own.refresh_token)).body.active, true);
  });

  it("another client's refresh token is inactive to everyone else", async () => {
    const { user, tokens } = await signedIn(app());
    const gateway = await registerClient(app());
    // The user may use the other as well: nothing but the token's own client is in the way.
    await grantAccess(app().services, app().account, gateway.app_id, { user: user.email ?? '' });
    assert.deepEqual((await introspect(app(), gateway, tokens.refresh_token)).body, inactive);
  });

  it('an unknown, expired, used, forged or malformed token is inactive and nothing else (T10)', async () => {
    const { client, tokens } = await signedIn(app());
    const next = (await refresh(app(), client, tokens.refresh_token)).body;
    const forged = `${btoa('{"alg":"none","typ":"at+jwt"}').replaceAll('=', '')}.e30.`;
    const texts = ['x', tokens.id_token, forged, `${tokens.access_token}A`, tokens.refresh_token, '%00', 'at_zzzzzz_x'];
    for (const text of texts) assert.deepEqual((await introspect(app(), client, text)).body, inactive, text);
    assert.equal(
      (await introspect(app(), client, tokens.access_token)).body.active,
      true,
      'a rotation leaves it alone',
    );
    app().services.clock.advance(3_600_000);
    assert.deepEqual((await introspect(app(), client, next.access_token)).body, inactive);
    app().services.clock.advance(14 * 86_400_000);
    assert.deepEqual((await introspect(app(), client, next.refresh_token)).body, inactive);
  });

  it('a user who is locked or has lost the app makes both tokens inactive at once (T6)', async () => {
    const { client, user, tokens } = await signedIn(app());
    const both = async () => [
      (await introspect(app(), client, tokens.access_token)).body.active,
      (await introspect(app(), client, tokens.refresh_token)).body.active,
    ];
    await setUser(app().services, app().account, user.id, { status: 'locked' });
    assert.deepEqual(await both(), [false, false]);
    await setUser(app().services, app().account, user.id, { status: 'active' });
    assert.deepEqual(await both(), [true, true]);
    await revokeAccess(app().services, app().account, client.app_id, { user: user.email ?? '' });
    assert.deepEqual(await both(), [false, false]);
  });

  it('token is needed', async () => {
    const client = await registerClient(app());
    assertError(await introspect(app(), client, ''), 400, 'invalid_request', /^token is missing$/);
  });
}
