/** What a refresh answers: the members of the document's §2.2, and tokens that work. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose';
import type { TestApp } from '../../support/app.ts';
import { refresh } from '../../support/sign-in.ts';
import { signedIn, tokenPath } from './door.ts';

const documented = ['access_token', 'expires_in', 'id_token', 'refresh_token', 'token_type'];

/** Checks the signature against the published keys, issuer, audience and times; answers the claims. */
async function verified(app: TestApp, idToken: string, audience: string): Promise<JWTPayload> {
  const keys = createLocalJWKSet((await app.send('GET', '/oauth2/jwks')).body);
  const currentDate = new Date(app.services.clock.now());
  const { payload } = await jwtVerify(idToken, keys, { issuer: app.account.baseUrl, audience, currentDate });
  return payload;
}

async function userinfo(app: TestApp, accessToken: string): Promise<number> {
  const headers = { authorization: `Bearer ${accessToken}` };
  return (await app.send('GET', '/oauth2/userinfo', { headers })).status;
}

export function refreshTokenAnswer(app: () => TestApp): void {
  for (const method of ['client_secret_basic', 'client_secret_post', 'none']) {
    it(`answers a ${method} client with 200 and exactly the five members of §2.2`, async () => {
      const { client, tokens } = await signedIn(app(), { token_endpoint_auth_method: method });
      const answer = await refresh(app(), client, tokens.refresh_token, tokenPath);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(Object.keys(answer.body).sort(), documented);
      assert.equal(answer.body.token_type, 'Bearer');
      assert.equal(answer.body.expires_in, 3600);
      for (const name of ['access_token', 'refresh_token', 'id_token'] as const) {
        assert.equal(typeof answer.body[name], 'string');
        assert.notEqual(answer.body[name], tokens[name]);
      }
      assert.equal(answer.headers['cache-control'], 'no-store');
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
      assert.match(String(answer.headers['x-request-id']), /^[\w.-]+$/);
    });
  }

  it('returns an access token that is valid like the first one, for an hour', async () => {
    using _ = app().services.clock.hold();
    const { client, tokens } = await signedIn(app());
    const { access_token: accessToken } = (await refresh(app(), client, tokens.refresh_token, tokenPath)).body;
    assert.equal(await userinfo(app(), accessToken), 200);
    app().services.clock.advance(3_600_000 - 1);
    assert.equal(await userinfo(app(), accessToken), 200);
    app().services.clock.advance(1);
    assert.equal(await userinfo(app(), accessToken), 401);
  });

  it('continues from refresh to refresh, at both endpoints', async () => {
    const { client, tokens } = await signedIn(app());
    let current = tokens.refresh_token;
    for (const door of [tokenPath, '/oauth2/token', tokenPath, tokenPath, '/oauth2/token'] as const) {
      const answer = await refresh(app(), client, current, door);
      assert.equal(answer.status, 200, answer.text);
      current = answer.body.refresh_token;
    }
  });

  for (const [alg, metadata] of Object.entries({ RS256: {}, ES256: { id_token_signed_response_alg: 'ES256' } })) {
    it(`returns an ${alg} id token that verifies against /oauth2/jwks and keeps iss, sub, aud and auth_time`, async () => {
      using _ = app().services.clock.hold();
      const { client, user, tokens } = await signedIn(app(), metadata);
      const first = await verified(app(), tokens.id_token, client.client_id);
      app().services.clock.advance(90_000);
      const { id_token: idToken } = (await refresh(app(), client, tokens.refresh_token, tokenPath)).body;
      assert.equal(decodeProtectedHeader(idToken).alg, alg);
      const next = await verified(app(), idToken, client.client_id);
      for (const claim of ['iss', 'sub', 'aud', 'auth_time', 'sid', 'amr', 'acr']) {
        assert.deepEqual(next[claim], first[claim], claim);
      }
      assert.equal(next.sub, String(user.id));
      assert.equal(next.iss, app().account.baseUrl);
      assert.equal(next['email'], user.email);
      // OpenID Connect Core §12.2: its own time, and no nonce of the first request.
      assert.equal(next.iat, (first.iat ?? 0) + 90);
      assert.equal(next['nonce'], undefined);
    });
  }

  it('returns no id_token, not even null, for a grant without the scope openid', async () => {
    const { client, tokens } = await signedIn(app(), {}, { scope: 'profile' });
    const answer = await refresh(app(), client, tokens.refresh_token, tokenPath);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(
      Object.keys(answer.body).sort(),
      documented.filter((name) => name !== 'id_token'),
    );
  });

  it('ignores unlisted members (RFC 6749 §3.2)', async () => {
    const { client, tokens } = await signedIn(app());
    const more = { x: '1', redirect_uri: 'https://evil.example/', code: 'x', is_admin: 'true', constructor: 'x' };
    assert.equal((await refresh(app(), client, tokens.refresh_token, tokenPath, more)).status, 200);
  });

  it('T7: never gives a wider scope, another audience or another subject', async () => {
    const { client, user, tokens } = await signedIn(app(), {}, { scope: 'openid' });
    const more = {
      scope: 'openid profile email groups',
      audience: 'https://api.example.com',
      resource: 'https://api.example.com',
      sub: '1',
      username: 'other',
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    };
    const answer = await refresh(app(), client, tokens.refresh_token, tokenPath, more);
    assert.equal(answer.status, 200, answer.text);
    const claims = decodeJwt(answer.body.id_token);
    assert.deepEqual(
      [claims.aud, claims.sub, claims['email'], claims['name']],
      [client.client_id, String(user.id), undefined, undefined],
    );
    const headers = { authorization: `Bearer ${answer.body.access_token}` };
    assert.deepEqual((await app().send('GET', '/oauth2/userinfo', { headers })).body, { sub: String(user.id) });
  });
}
