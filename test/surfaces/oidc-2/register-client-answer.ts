/** What a registration answers: the members of the document's §2.1, all of them and no other. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { grantAccess } from '../../../src/domain/users/access.ts';
import type { TestApp } from '../../support/app.ts';
import { authorizePath, CookieJar, makeUser, password, signInForCode, submit, walk } from '../../support/sign-in.ts';
import { minimal, redirectUri, register, registered } from './door.ts';

/** The table of response fields of the document's §2.1, in its order. */
const documented = [
  'application_type',
  'grant_types',
  'id_token_signed_response_alg',
  'require_auth_time',
  'response_types',
  'subject_type',
  'token_endpoint_auth_method',
  'post_logout_redirect_uris',
  'client_id_issued_at',
  'client_id',
  'client_name',
  'client_secret_expires_at',
  'client_secret',
  'initiate_login_uri',
  'logo_uri',
  'redirect_uris',
  'introspection_endpoint_auth_method',
  'revocation_endpoint_auth_method',
  'login_url',
  'app_id',
  'account_id',
];

const publicKey = {
  kty: 'EC',
  kid: '2026-01',
  crv: 'P-256',
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
};

/** Every optional member that the document does not name, with a value that is not its default. */
const everything = {
  client_name: 'Gateway Portal',
  application_type: 'native',
  redirect_uris: [redirectUri, 'com.example.gateway:/callback'],
  token_endpoint_auth_method: 'client_secret_post',
  subject_type: 'public',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  post_logout_redirect_uris: ['https://app.example.com/signed-out'],
  logo_uri: 'https://app.example.com/logo.png',
  initiate_login_uri: 'https://app.example.com/start',
  login_url: 'https://app.example.com/login',
  id_token_signed_response_alg: 'ES256',
  contacts: ['developers@example.com'],
  client_uri: 'https://app.example.com',
  policy_uri: 'https://app.example.com/privacy',
  tos_uri: 'https://app.example.com/terms',
  jwks: { keys: [publicKey] },
  scope: 'openid profile',
  software_id: '4NRB1-0XZABZI9E6-5SM3R',
};

function without(names: readonly string[], ...left: string[]): string[] {
  return names.filter((name) => !left.includes(name)).sort();
}

export function registerClientAnswer(app: () => TestApp): void {
  it('answers 200 with exactly the members of §2.1, except initiate_login_uri', async () => {
    const answer = await register(app());
    assert.equal(answer.status, 200);
    assert.deepEqual(Object.keys(answer.body).sort(), without(documented, 'initiate_login_uri'));
  });

  it('returns all members of §2.1 when initiate_login_uri is set', async () => {
    const client = await registered(app(), { initiate_login_uri: 'https://app.example.com/start' });
    assert.deepEqual(Object.keys(client).sort(), without(documented));
  });

  it('returns no client_secret for method none', async () => {
    const client = await registered(app(), { token_endpoint_auth_method: 'none' });
    assert.deepEqual(Object.keys(client).sort(), without(documented, 'initiate_login_uri', 'client_secret'));
    assert.equal(client['client_secret_expires_at'], 0);
  });

  it('fills in every default', async () => {
    using _ = app().services.clock.hold();
    const { client_id: _id, client_secret: _secret, app_id: _app, ...rest } = await registered(app());
    assert.deepEqual(rest, {
      application_type: 'web',
      grant_types: ['authorization_code', 'implicit', 'password', 'refresh_token', 'client_credentials'],
      id_token_signed_response_alg: 'RS256',
      require_auth_time: false,
      response_types: ['code', 'id_token token', 'id_token'],
      subject_type: 'public',
      token_endpoint_auth_method: 'client_secret_basic',
      post_logout_redirect_uris: [],
      client_id_issued_at: Math.floor(app().services.clock.now() / 1000),
      client_name: 'Test App',
      client_secret_expires_at: 0,
      logo_uri: '',
      redirect_uris: [redirectUri],
      introspection_endpoint_auth_method: 'client_secret_basic',
      revocation_endpoint_auth_method: 'client_secret_basic',
      login_url: '',
      account_id: app().account.id,
    });
  });

  it('returns every optional member as it was sent', async () => {
    using _ = app().services.clock.hold();
    const { client_id: _id, client_secret: _secret, app_id: _app, ...rest } = await registered(app(), everything);
    assert.deepEqual(rest, {
      ...everything,
      require_auth_time: false,
      client_id_issued_at: Math.floor(app().services.clock.now() / 1000),
      client_secret_expires_at: 0,
      introspection_endpoint_auth_method: 'client_secret_post',
      revocation_endpoint_auth_method: 'client_secret_post',
      account_id: app().account.id,
    });
  });

  it('treats an empty address as not set, and never returns null', async () => {
    const pages = { logo_uri: '', login_url: '', initiate_login_uri: '', client_uri: '', policy_uri: '' };
    const answer = await register(app(), { ...minimal, ...pages, tos_uri: '', jwks_uri: '' });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(Object.keys(answer.body).sort(), without(documented, 'initiate_login_uri'));
    assert.deepEqual([answer.body.logo_uri, answer.body.login_url], ['', '']);
    assert.doesNotMatch(answer.text, /null/);
  });

  it('gives introspection and revocation the method of the token endpoint', async () => {
    for (const method of ['client_secret_basic', 'client_secret_post', 'none']) {
      const client = await registered(app(), { token_endpoint_auth_method: method });
      assert.equal(client.token_endpoint_auth_method, method);
      assert.equal(client['introspection_endpoint_auth_method'], method);
      assert.equal(client['revocation_endpoint_auth_method'], method);
      assert.equal('client_secret' in client, method !== 'none');
    }
  });

  it('creates unique ids and secrets of A–Z a–z 0–9 - _', async () => {
    const clients = await Promise.all([1, 2, 3, 4].map(() => registered(app())));
    for (const { client_id: id, client_secret: secret = '', app_id: appId } of clients) {
      assert.match(id, /^[A-Za-z0-9_-]{16,255}$/);
      assert.match(secret, /^[A-Za-z0-9_-]{43,255}$/);
      assert.ok(Number.isInteger(appId) && appId > 0 && appId < 2 ** 31);
    }
    const values = clients.flatMap(({ client_id: id, client_secret: secret, app_id: appId }) => [id, secret, appId]);
    assert.equal(new Set(values).size, values.length);
  });

  it('answers uncacheable JSON with its own request id', async () => {
    const [first, second] = [await register(app()), await register(app())];
    assert.equal(first.headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(first.headers['cache-control'], 'no-store');
    assert.equal(first.headers['x-content-type-options'], 'nosniff');
    assert.equal(first.headers['x-powered-by'], undefined);
    assert.notEqual(first.headers['x-request-id'], second.headers['x-request-id']);
  });

  it('creates an app that nobody may use until access is assigned (§1.2)', async () => {
    const client = await registered(app());
    const user = await makeUser(app());
    const form = await walk(app(), new CookieJar(), authorizePath(client));
    const refused = await submit(app(), form, { username: user.email ?? '', password });
    assert.equal(refused.answer.status, 403);
    await grantAccess(app().services, app().account, client.app_id, { user: user.email ?? '' });
    assert.ok((await signInForCode(app(), client, user)).get('code'));
  });
}
