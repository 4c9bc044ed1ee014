import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, it } from 'node:test';
import { decodeJwt, SignJWT } from 'jose';
import { setAccount } from '../../../src/domain/accounts/accounts.ts';
import { grantAccess } from '../../../src/domain/users/access.ts';
import { atGateway, linkApi, makeApi } from '../../support/api.ts';
import type { TestApp } from '../../support/app.ts';
import { registerSigner, testKey } from '../../support/assertions.ts';
import {
  authorizePath,
  CookieJar,
  clientAuthentication,
  implicitClient,
  password,
  type RegisteredClient,
  redirectUri,
  registerClient,
  submit,
  type Walk,
  walk,
} from '../../support/sign-in.ts';
import { logoutPath } from '../../support/sign-out.ts';
import { type AppOf, type Setting, settle, unlimited } from './asking.ts';
import { received } from './response-modes.ts';

/** Of an account that turned them on. */
export const implicitAccount = { ...unlimited, 'grant.implicit': 'on' };

/** Continues from any page until the client has its answer. */
async function arrive(app: TestApp, { user, jar }: Pick<Setting, 'user' | 'jar'>, path: string): Promise<Walk> {
  let at = await walk(app, jar, path);
  if (/name="password"/.test(at.answer.text)) at = await submit(app, at, { username: user.email ?? '', password });
  return /value="allow"/.test(at.answer.text) ? submit(app, at, { decision: 'allow' }) : at;
}

/** Tokens from the authorization endpoint: OpenID Connect Core §3.2, off unless the account says otherwise. */
export function implicit(app: AppOf): void {
  let on: TestApp;
  let setting: Setting;
  before(async () => {
    on = await app().another(implicitAccount);
    setting = await settle(on, implicitClient);
  });
  const path = (asked: Record<string, string> = {}, client: RegisteredClient = setting.client) =>
    authorizePath(client, { response_type: 'id_token token', ...asked });
  const ask = async (asked: Record<string, string>, own = setting) =>
    received((await arrive(on, own, path(asked, own.client))).answer, 'fragment');
  const userinfo = (token = '') =>
    on.send('GET', '/oauth2/userinfo', { headers: { authorization: `Bearer ${token}` } });

  for (const type of ['id_token token', 'token id_token']) {
    it(`${type}: both tokens in the fragment, bound to each other, and never a refresh token`, async () => {
      const { answer } = await arrive(on, setting, path({ response_type: type, scope: 'openid email' }));
      assert.equal(answer.headers['cache-control'], 'no-store');
      assert.equal(answer.headers['referrer-policy'], 'no-referrer');
      const { access_token = '', id_token = '', ...rest } = received(answer, 'fragment');
      const { baseUrl } = on.account;
      const plain = { token_type: 'Bearer', expires_in: '3600', scope: 'openid email', state: 'state-1', iss: baseUrl };
      assert.deepEqual(rest, plain);
      const { nonce, at_hash, sub, email, aud } = decodeJwt(id_token);
      const half = createHash('sha256').update(access_token).digest().subarray(0, 16).toString('base64url');
      assert.deepEqual(
        [nonce, at_hash, sub, email, aud],
        ['nonce-1', half, String(setting.user.id), setting.user.email, setting.client.client_id],
      );
      assert.deepEqual((await userinfo(access_token)).body, { sub, email, email_verified: false });
      const shown = clientAuthentication(setting.client);
      const form = { ...shown.form, token: access_token };
      const { body } = await on.send('POST', '/oauth2/introspect', { headers: shown.headers, form });
      assert.deepEqual([body.active, body.token_type, body.scope], [true, 'Bearer', 'openid email']);
    });
  }

  it('id_token: it contains the claims of the scope, as there is no access token (§5.4)', async () => {
    const claims = '{"id_token":{"given_name":null}}';
    const { id_token = '', ...rest } = await ask({ response_type: 'id_token', scope: 'openid email', claims });
    assert.deepEqual(rest, { state: 'state-1', iss: on.account.baseUrl });
    const { iat, exp, auth_time, sid, ...said } = decodeJwt(id_token);
    assert.ok(iat && exp === iat + 3600 && Number(auth_time) <= iat);
    assert.match(String(sid), /^[\w-]{22}$/);
    assert.deepEqual(said, {
      iss: on.account.baseUrl,
      aud: setting.client.client_id,
      sub: String(setting.user.id),
      nonce: 'nonce-1',
      email: setting.user.email,
      email_verified: false,
      given_name: 'Ada',
      amr: ['pwd'],
      acr: 'urn:gatehouse:acr:single-factor',
    });
  });

  it('form_post: the same members, in a form', async () => {
    for (const [type, names] of [
      ['id_token', ['id_token', 'iss', 'state']],
      ['id_token token', ['access_token', 'expires_in', 'id_token', 'iss', 'scope', 'state', 'token_type']],
    ] as const) {
      const { answer } = await arrive(on, setting, path({ response_type: type, response_mode: 'form_post' }));
      assert.deepEqual(Object.keys(received(answer, 'form_post')).sort(), names);
    }
  });

  it('errors of a request for tokens are in the fragment', async () => {
    for (const [asked, error, said] of [
      [{ nonce: '' }, 'invalid_request', /nonce is missing/],
      [{ response_mode: 'query' }, 'invalid_request', /must not be used for tokens/],
      [{ scope: 'email' }, 'invalid_scope', /openid/],
      [{ dpop_jkt: 'x'.repeat(43) }, 'invalid_request', /dpop_jkt/],
      [{ prompt: 'create' }, 'invalid_request', /prompt/],
      [{ response_type: 'token' }, 'unsupported_response_type', /code, id_token token, id_token/],
      [{ response_type: 'code id_token' }, 'unsupported_response_type', /code, id_token token, id_token/],
      [{ response_type: 'id_token', claims: '{"userinfo":{"email":null}}' }, 'invalid_request', /userinfo/],
    ] as const) {
      const told = received(await on.send('GET', path({ ...asked })), 'fragment');
      assert.equal(told['error'], error, JSON.stringify(asked));
      assert.match(told['error_description'] ?? '', said);
      assert.deepEqual([told['state'], told['iss']], ['state-1', on.account.baseUrl]);
    }
    const silent = await walk(on, new CookieJar(), path({ prompt: 'none' }));
    assert.equal(received(silent.answer, 'fragment')['error'], 'login_required');
    await ask({});
    const again = await walk(on, setting.jar, path({ prompt: 'consent' }));
    const denied = await submit(on, again, { decision: 'deny' });
    assert.equal(received(denied.answer, 'fragment')['error'], 'access_denied');
  });

  it('a client gets only what it registered: the grant type, the response type, and no token without its key', async () => {
    for (const [metadata, type, told] of [
      [{ ...implicitClient, grant_types: ['authorization_code'] }, 'id_token', 'unauthorized_client'],
      [{ ...implicitClient, response_types: ['code', 'id_token'] }, 'id_token token', 'unauthorized_client'],
      [{ ...implicitClient, response_types: ['id_token'], grant_types: ['implicit'] }, 'code', 'unauthorized_client'],
      [{ ...implicitClient, dpop_bound_access_tokens: true }, 'id_token token', 'unauthorized_client'],
      [{ ...implicitClient, dpop_bound_access_tokens: true }, 'id_token', undefined],
      [{ ...implicitClient, token_endpoint_auth_method: 'none' }, 'id_token', undefined],
    ] as const) {
      const client = await registerClient(on, metadata);
      const query = { response_type: type, ...(type !== 'code' && { code_challenge: '', code_challenge_method: '' }) };
      const answer = await on.send('GET', path(query, client));
      const error = /[#?]/.exec(String(answer.headers['location']).split('/continue')[0] ?? '')
        ? received(answer, type === 'code' ? 'query' : 'fragment')['error']
        : undefined;
      assert.equal(error, told, `${type} ${JSON.stringify(metadata)}`);
    }
  });

  it('over http on this machine only for a native client (§3.2.2.1)', async () => {
    const uri = 'http://127.0.0.1/callback';
    for (const [application_type, error] of [
      ['web', 'invalid_request'],
      ['native', 'login_required'],
    ] as const) {
      const client = await registerClient(on, { ...implicitClient, application_type, redirect_uris: [uri] });
      const { answer } = await walk(on, new CookieJar(), path({ redirect_uri: uri, prompt: 'none' }, client));
      assert.equal(received(answer, 'fragment', uri)['error'], error);
    }
  });

  it('pushed or in a request object, the request is answered the same way', async () => {
    const key = await testKey('ES256', 'implicit');
    const client = await registerSigner(on, [key], implicitClient);
    await grantAccess(on.services, on.account, client.app_id, { user: setting.user.email ?? '' });
    const asked = Object.fromEntries(new URL(path({ response_type: 'id_token' }, client), redirectUri).searchParams);
    const request = await new SignJWT(asked).setProtectedHeader({ alg: 'ES256', kid: key.kid }).sign(key.privateKey);
    const { client_id } = client;
    const shown = clientAuthentication(setting.client);
    const own = Object.fromEntries(new URL(path({ response_type: 'id_token' }), redirectUri).searchParams);
    const pushed = await on.send('POST', '/oauth2/par', { headers: shown.headers, form: { ...own, ...shown.form } });
    const { request_uri } = pushed.body;
    for (const query of [
      { client_id, request },
      { client_id: setting.client.client_id, request_uri },
    ]) {
      const { answer } = await arrive(on, setting, `/oauth2/authorize?${new URLSearchParams(query)}`);
      const { id_token = '' } = received(answer, 'fragment');
      assert.equal(decodeJwt(id_token).aud, query.client_id);
    }
  });

  it('for an API that the client is linked to the access token is its JWT', async () => {
    const own = await settle(on, implicitClient);
    const api = await makeApi(on);
    await linkApi(on, own.client, api, ['orders:read']);
    const asked = { scope: 'openid orders:read', resource: api.resource };
    const { access_token = '', scope } = await ask(asked, own);
    assert.equal(scope, 'openid orders:read');
    assert.equal((await atGateway(on, access_token, api.resource))['scope'], 'openid orders:read');
  });

  it('the grant behind it is recorded, counts as use, and ends with the session', async () => {
    const own = await settle(on, { ...implicitClient, backchannel_logout_uri: 'https://client.invalid/ended' });
    const { store } = on.services;
    const { lastId } = await store.events.findEnd(on.account.id);
    const { id_token = '' } = await ask({ response_type: 'id_token' }, own);
    const { access_token } = await ask({ response_type: 'id_token token' }, own);
    const toldOf = async (action: string) =>
      (await store.events.listAfter(on.account.id, lastId, 100))
        .filter((event) => event.action === action)
        .map(({ detail }) => JSON.parse(detail));
    const { app_id } = own.client;
    const told = { method: 'implicit', user_id: own.user.id, app_id, scope: ['openid', 'profile', 'email'] };
    assert.deepEqual(await toldOf('grant.issued'), [told, told]);
    await on.services.counts.flush();
    // A credential may have the same number as the app.
    const ofApps = (await store.counts.list(on.account.id, '')).filter(({ kind }) => kind !== 'credential_token');
    const counted = ofApps.filter(({ subjectId }) => subjectId === app_id);
    assert.deepEqual(
      counted.map(({ kind, count }) => [kind, count]),
      [['implicit', 2]],
    );
    assert.equal((await userinfo(access_token)).status, 200);
    await walk(on, own.jar, logoutPath({ id_token_hint: id_token }));
    assert.deepEqual(await toldOf('sign_out.succeeded'), [{ app_id, grants_revoked: 2, clients_told: 1 }]);
    assert.equal((await userinfo(access_token)).status, 401);
  });

  it('switched off while the user signs in: no more tokens, but codes as before', async () => {
    const one = await app().another(implicitAccount);
    const own = await settle(one, implicitClient);
    let at = await walk(one, own.jar, path({}, own.client));
    at = await submit(one, at, { username: own.user.email ?? '', password });
    const later = await walk(one, own.jar, authorizePath(own.client));
    await setAccount(one.services, one.account.subdomain, { 'grant.implicit': '' });
    const { answer } = await submit(one, at, { decision: 'allow' });
    assert.equal(received(answer, 'fragment')['error'], 'unsupported_response_type');
    const usual = await submit(one, later, { decision: 'allow' });
    assert.ok(received(usual.answer, 'query')['code']);
  });

  it('an app registered at the documented door has all of it by default', async () => {
    const headers = { authorization: `Bearer ${await on.bearer('register_clients')}` };
    const json = { client_name: 'Documented', redirect_uris: [redirectUri] };
    const { body } = await on.send('POST', '/oidc/2/register', { headers, json });
    const { answer } = await walk(on, new CookieJar(), path({ prompt: 'none' }, body));
    assert.equal(received(answer, 'fragment')['error'], 'login_required');
    const off = await on.send('GET', path({ prompt: 'none' }, body), { host: new URL(app().account.baseUrl).host });
    assert.equal(off.status, 400, 'it is switched off in another account');
  });
}
