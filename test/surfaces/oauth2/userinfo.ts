import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import { createRole } from '../../../src/domain/roles/write-role.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { authorizePath, redeem, redirectUri, signedIn } from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, askTokens, assertClientError, assertError, codeForm, settle, unlimited } from './asking.ts';

const path = '/oauth2/userinfo';
const noToken = 'Bearer realm="gatehouse"';
const badToken = 'Bearer realm="gatehouse", error="invalid_token"';

function byHeader(app: TestApp, token: string, method = 'GET'): Promise<Answer> {
  return app.send(method, path, { headers: { authorization: `Bearer ${token}` } });
}

/** OpenID Connect Core §5.3, RFC 6750. */
export function userinfo(app: AppOf): void {
  it('returns the claims of the scopes, by GET, by POST with the header and by POST with the form', async () => {
    const one = await app().another(unlimited);
    await createRole(one.services, one.account, { name: 'Engineering' });
    await createRole(one.services, one.account, { name: 'Ärzte' });
    const setting = await settle(one, {}, { username: 'ada', roles: ['Engineering', 'Ärzte'] });
    const { user } = setting;
    const tokens = await redeem(one, setting.client, await setting.code({ scope: 'openid profile email groups' }));
    const wanted = {
      sub: String(user.id),
      name: 'Ada Lovelace',
      given_name: 'Ada',
      family_name: 'Lovelace',
      preferred_username: 'ada',
      updated_at: Math.floor(user.updatedAt / 1000),
      email: user.email,
      email_verified: false,
      groups: ['Engineering', 'Ärzte'],
    };
    const answers = [
      await byHeader(one, tokens.access_token),
      await byHeader(one, tokens.access_token, 'POST'),
      await one.send('POST', path, { form: { access_token: tokens.access_token } }),
    ];
    for (const { status, body, headers } of answers) {
      assert.equal(status, 200);
      assert.deepEqual(body, wanted);
      assert.equal(headers['cache-control'], 'no-store');
    }
  });

  for (const alg of ['RS256', 'PS256', 'ES256']) {
    it(`${alg}: returns the same claims signed if the client registered it (§5.3.2), with no other algorithm`, async () => {
      const setting = await settle(app(), { userinfo_signed_response_alg: alg });
      const tokens = await redeem(app(), setting.client, await setting.code({ scope: 'openid email' }));
      const { keys } = (await app().send('GET', '/oauth2/jwks')).body;
      const claims = { sub: String(setting.user.id), email: setting.user.email, email_verified: false };
      const form = { access_token: tokens.access_token };
      for (const answer of [await byHeader(app(), tokens.access_token), await app().send('POST', path, { form })]) {
        assert.equal(answer.headers['content-type'], 'application/jwt');
        const { payload } = await jwtVerify(answer.text, createLocalJWKSet({ keys }), { algorithms: [alg] });
        assert.deepEqual(payload, { ...claims, iss: app().account.baseUrl, aud: setting.client.client_id });
        const hint = authorizePath(setting.client, { id_token_hint: answer.text, prompt: 'none' });
        assertClientError(app(), await app().send('GET', hint), 'invalid_request');
      }
      const headers = { authorization: `Bearer ${await app().bearer('register_clients')}` };
      for (const wrong of ['none', 'HS256', 'PS512']) {
        const json = { redirect_uris: [redirectUri], userinfo_signed_response_alg: wrong };
        assertError(await app().send('POST', '/oauth2/register', { headers, json }), 400, 'invalid_client_metadata');
      }
    });
  }

  it('returns no more than the scope, and omits empty claims', async () => {
    const setting = await settle(app(), {}, { firstname: undefined, lastname: undefined });
    const claimsFor = async (scope: string) => {
      const tokens = await redeem(app(), setting.client, await setting.code({ scope }));
      return (await byHeader(app(), tokens.access_token)).body;
    };
    const sub = String(setting.user.id);
    assert.deepEqual(await claimsFor('openid'), { sub });
    assert.deepEqual(await claimsFor('openid email'), { sub, email: setting.user.email, email_verified: false });
    assert.deepEqual(Object.keys(await claimsFor('openid profile')).sort(), ['sub', 'updated_at']);
    assert.deepEqual(await claimsFor('openid groups'), { sub, groups: [] });
  });

  it('the e-mail address is used as user name only with the scope `email`', async () => {
    const setting = await settle(app());
    const one = JSON.stringify({ id_token: { preferred_username: null }, userinfo: { preferred_username: null } });
    const namesFor = async (parameters: Record<string, string>) => {
      const tokens = await redeem(app(), setting.client, await setting.code(parameters));
      const { body } = await byHeader(app(), tokens.access_token);
      return [decodeJwt(tokens.id_token)['preferred_username'], body.preferred_username];
    };
    const email = setting.user.email ?? '';
    const call = (username: string | null) => setUser(app().services, app().account, setting.user.id, { username });
    for (const [username, shown] of [
      [null, email],
      [email, email],
      [email.toUpperCase(), email.toUpperCase()],
    ] as const) {
      await call(username);
      assert.deepEqual(await namesFor({ scope: 'openid profile' }), [undefined, undefined]);
      assert.deepEqual(await namesFor({ scope: 'openid', claims: one }), [undefined, undefined]);
      assert.deepEqual(await namesFor({ scope: 'openid profile email' }), [shown, shown]);
      assert.deepEqual(await namesFor({ scope: 'openid email', claims: one }), [shown, shown]);
    }
    await call('ada.lovelace');
    assert.deepEqual(await namesFor({ scope: 'openid profile' }), ['ada.lovelace', 'ada.lovelace']);
  });

  it('returns current values, not those at sign-in', async () => {
    const { user, tokens } = await signedIn(app());
    await setUser(app().services, app().account, user.id, { firstname: 'Grace' });
    assert.equal((await byHeader(app(), tokens.access_token)).body.given_name, 'Grace');
  });

  it('without a token: 401 with a challenge that names no error (RFC 6750 §3.1)', async () => {
    for (const sent of [{}, { headers: { authorization: 'Basic YTpi' } }]) {
      for (const method of ['GET', 'POST']) {
        const answer = await app().send(method, path, sent);
        assertError(answer, 401, 'invalid_token');
        assert.equal(answer.headers['www-authenticate'], noToken);
      }
    }
    // A token in the query is not read: it would appear in logs (RFC 9700 §4.3.2).
    const { tokens } = await signedIn(app());
    const answer = await app().send('GET', `${path}?access_token=${tokens.access_token}`);
    assert.equal(answer.headers['www-authenticate'], noToken);
  });

  it('with an invalid, expired or revoked token, a refresh token or an id token: invalid_token (T10)', async () => {
    using _ = app().services.clock.hold();
    const { tokens } = await signedIn(app());
    const { access_token: access } = tokens;
    const forged = `${btoa('{"alg":"none"}').replaceAll('=', '')}.${tokens.id_token.split('.')[1]}.`;
    const texts = [
      'x',
      `${access}A`,
      access.slice(0, -1),
      access.toUpperCase(),
      tokens.refresh_token,
      tokens.id_token,
      forged,
    ];
    for (const text of texts) {
      for (const answer of [
        await byHeader(app(), text),
        await app().send('POST', path, { form: { access_token: text } }),
      ]) {
        assertError(answer, 401, 'invalid_token');
        assert.equal(answer.headers['www-authenticate'], badToken);
      }
    }
    app().services.clock.advance(3_599_999);
    assert.equal((await byHeader(app(), access)).status, 200);
    app().services.clock.advance(1);
    assert.equal((await byHeader(app(), access)).status, 401, '3,600 seconds are over');
  });

  it('with a token without openid, or of a client: 403 naming the scope', async () => {
    const setting = await settle(app());
    const ofUser = (await askTokens(app(), setting.client, codeForm(await setting.code({ scope: 'email' })))).body;
    const ofClient = (await askTokens(app(), setting.client, { grant_type: 'client_credentials' })).body;
    for (const { access_token: token } of [ofUser, ofClient]) {
      for (const method of ['GET', 'POST']) {
        const answer = await byHeader(app(), token, method);
        assertError(answer, 403, 'insufficient_scope', /openid/);
        assert.equal(
          answer.headers['www-authenticate'],
          'Bearer realm="gatehouse", error="insufficient_scope", scope="openid"',
        );
      }
    }
  });

  it('with the token in two places: 400 (RFC 6750 §2)', async () => {
    const { tokens } = await signedIn(app());
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const answer = await app().send('POST', path, { headers, form: { access_token: tokens.access_token } });
    assertError(answer, 400, 'invalid_request', /^access_token is given twice$/);
    assertError(await app().send('GET', `${path}?a=1&a=2`, { headers }), 400, 'invalid_request');
    const json = await app().send('POST', path, { headers, json: {} });
    assertError(json, 400, 'invalid_request', /Content-Type/);
  });
}
