import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Answer } from '../../support/conforms.ts';
import { dump } from '../../support/rows.ts';
import { authorizePath, redirectUri } from '../../support/sign-in.ts';
import { type AppOf, assertClientError, assertError } from './asking.ts';

const everything = {
  client_name: 'Åse’s 注文 <b>App</b>',
  application_type: 'native',
  redirect_uris: ['com.example.app:/callback', 'http://127.0.0.1/callback', redirectUri],
  post_logout_redirect_uris: ['https://app.example.com/bye'],
  token_endpoint_auth_method: 'client_secret_post',
  grant_types: ['authorization_code', 'implicit', 'password', 'refresh_token', 'client_credentials'],
  response_types: ['code', 'id_token token', 'id_token'],
  subject_type: 'public',
  id_token_signed_response_alg: 'ES256',
  logo_uri: 'https://app.example.com/logo.png',
  login_url: 'https://app.example.com/login',
  initiate_login_uri: 'https://app.example.com/start',
  client_uri: 'https://app.example.com',
  policy_uri: 'https://app.example.com/privacy',
  tos_uri: 'https://app.example.com/terms',
  contacts: ['dev@example.com'],
  software_id: 'sw-1',
  scope: 'openid email',
  jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'eA', y: 'eQ', kid: 'k1', use: 'sig', alg: 'ES256' }] },
};

/** RFC 7591 §2, §3; OpenID Connect Dynamic Client Registration §2, §3. */
export function registration(app: AppOf): void {
  async function register(json: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const authorization = `Bearer ${await app().bearer('register_clients')}`;
    return app().send('POST', '/oauth2/register', { headers: { authorization, ...headers }, json });
  }

  it('201 with every default when only redirect_uris are given; unset members are omitted, never null', async () => {
    using _ = app().services.clock.hold();
    const answer = await register({ redirect_uris: [redirectUri] });
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.headers['cache-control'], 'no-store');
    const {
      client_id: id,
      client_secret: secret,
      app_id: appId,
      registration_access_token: token,
      ...rest
    } = answer.body;
    assert.match(id, /^[\w-]+$/);
    assert.match(secret, /^cs_[\w-]{43}$/);
    assert.ok(Number.isInteger(appId) && appId > 0);
    assert.match(token, /^rg_[\w-]{43}$/);
    assert.deepEqual(rest, {
      client_id_issued_at: Math.floor(app().services.clock.now() / 1000),
      client_secret_expires_at: 0,
      application_type: 'web',
      redirect_uris: [redirectUri],
      post_logout_redirect_uris: [],
      token_endpoint_auth_method: 'client_secret_basic',
      introspection_endpoint_auth_method: 'client_secret_basic',
      revocation_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      subject_type: 'public',
      id_token_signed_response_alg: 'RS256',
      require_auth_time: false,
      account_id: app().account.id,
      registration_client_uri: `${app().account.baseUrl}/oauth2/register/${id}`,
    });
  });

  it('returns all metadata as registered', async () => {
    const { status, body } = await register(everything);
    assert.equal(status, 201);
    for (const [name, value] of Object.entries(everything)) assert.deepEqual(body[name], value, name);
    assert.equal(body.introspection_endpoint_auth_method, 'client_secret_post');
    assert.equal(body.revocation_endpoint_auth_method, 'client_secret_post');
  });

  it('a client with method none gets no secret', async () => {
    const { body } = await register({ redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' });
    assert.ok(!('client_secret' in body) && !('client_secret_expires_at' in body));
    assert.equal(body.token_endpoint_auth_method, 'none');
  });

  it('redirect_uris are required only with authorization_code or implicit', async () => {
    const { status, body } = await register({ client_name: 'Nightly', grant_types: ['client_credentials'] });
    assert.equal(status, 201);
    assert.deepEqual([body.redirect_uris, body.response_types], [[], []]);
    for (const grant of ['authorization_code', 'implicit']) {
      assertError(
        await register({ grant_types: [grant] }),
        400,
        'invalid_redirect_uri',
        /redirect_uris is a mandatory/,
      );
    }
  });

  it('omits unknown grant types, response types and scopes (RFC 7591 §3.2.1); an empty result is an error', async () => {
    const { body } = await register({
      redirect_uris: [redirectUri],
      grant_types: ['urn:ietf:params:oauth:grant-type:saml2-bearer', 'authorization_code'],
      response_types: ['code', 'code token'],
      scope: 'openid offline_access admin',
    });
    assert.deepEqual(body.grant_types, ['authorization_code']);
    assert.deepEqual(body.response_types, ['code']);
    assert.equal(body.scope, 'openid');
    for (const [name, value] of [
      ['grant_types', ['device_code']],
      ['grant_types', []],
      ['response_types', ['token']],
    ] as const) {
      const answer = await register({ redirect_uris: [redirectUri], [name]: value });
      assertError(answer, 400, 'invalid_client_metadata', new RegExp(`^${name} `));
    }
  });

  it('a client that knows the scopes of an API alone has none about the user, and keeps that through a replacement', async () => {
    for (const scope of ['notes:read offline_access', '']) {
      const { status, body } = await register({ redirect_uris: [redirectUri], scope });
      assert.deepEqual([status, body.scope], [201, '']);
      const path = `/oauth2/register/${body.client_id}`;
      const headers = { authorization: `Bearer ${body.registration_access_token}` };
      const { client_id, redirect_uris, scope: read } = (await app().send('GET', path, { headers })).body;
      const replaced = await app().send('PUT', path, { headers, json: { client_id, redirect_uris, scope: read } });
      assert.deepEqual([replaced.status, replaced.body.scope], [200, ''], replaced.text);
      assertClientError(app(), await app().send('GET', authorizePath(body, { scope: 'openid' })), 'invalid_scope');
    }
  });

  it('ignores unknown members and those that only the service sets, and never stores them (R4, I7)', async () => {
    const foreign = {
      client_id: 'mine',
      client_secret: 'my-own-secret-of-some-length',
      app_id: 1,
      account_id: 2,
      is_admin: true,
      registered_by: 'me',
      constructor: { prototype: { polluted: true } },
    };
    const { status, body } = await register({ redirect_uris: [redirectUri], ...foreign });
    assert.equal(status, 201);
    assert.notEqual(body.client_id, 'mine');
    assert.notEqual(body.client_secret, foreign.client_secret);
    assert.equal(body.account_id, app().account.id);
    assert.ok(!('is_admin' in body) && !Object.hasOwn(body, 'constructor'));
    assert.doesNotMatch(await dump(app().url), /my-own-secret|is_admin|registered_by"?:"?me|polluted/);
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
    const answer = await app().send('POST', '/oauth2/register', {
      headers: { authorization: `Bearer ${await app().bearer('manage_all')}`, 'content-type': 'application/json' },
      raw: `{"redirect_uris":["${redirectUri}"],"__proto__":{"is_admin":true}}`,
    });
    assertError(answer, 400, 'invalid_request');
  });

  it('shows the secret once and keeps a digest of it only (R6)', async () => {
    const { body } = await register({ redirect_uris: [redirectUri] });
    const stored = await dump(app().url);
    assert.ok(stored.includes(body.client_id));
    assert.ok(!stored.includes(body.client_secret) && !stored.includes(body.client_secret.slice(3)));
    assert.ok(!JSON.stringify(app().services.lines).includes(body.client_secret));
  });

  it('manage_all may register too, and both header forms are accepted', async () => {
    const token = await app().bearer('manage_all');
    for (const authorization of [`Bearer ${token}`, `bearer ${token}`, `bearer:${token}`]) {
      const json = { redirect_uris: [redirectUri] };
      assert.equal((await app().send('POST', '/oauth2/register', { headers: { authorization }, json })).status, 201);
    }
  });
}
