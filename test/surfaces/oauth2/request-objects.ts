import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, it } from 'node:test';
import { exportSPKI, importJWK, type JWTHeaderParameters, SignJWT, UnsecuredJWT } from 'jose';
import type { Egress, EgressRequest, EgressResult } from '../../../src/domain/egress.ts';
import { linkApi, makeApi } from '../../support/api.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { shown, sign, type TestKey, testKey } from '../../support/assertions.ts';
import { fetched } from '../../support/egress.ts';
import {
  authorizePath,
  CookieJar,
  clientAuthentication,
  codeChallenge,
  password,
  redeem,
  redirectUri,
  registerClient,
  submit,
  walk,
} from '../../support/sign-in.ts';
import { type AppOf, assertClientError, assertError, assertErrorPage, settle, toClient, unlimited } from './asking.ts';

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** RFC 9101, OpenID Connect Core §6: requests that a client signed. */
export function requestObjects(app: AppOf): void {
  const keys = new Map<string, TestKey>();
  before(async () => {
    for (const alg of ['RS256', 'PS256', 'ES256', 'EdDSA']) keys.set(alg, await testKey(alg, `key of ${alg}`));
  });
  const keyOf = (alg: string) => keys.get(alg) as TestKey;
  const jwks = () => ({ keys: [...keys.values()].map(({ jwk }) => jwk) });

  const claimsOf = (clientId: string, more: object = {}) => ({
    iss: clientId,
    aud: app().account.baseUrl,
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid',
    state: 'signed',
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
    ...more,
  });
  function object(
    clientId: string,
    more: object = {},
    header: Partial<JWTHeaderParameters> = {},
    key = keyOf('ES256'),
  ) {
    const jwt = new SignJWT(claimsOf(clientId, more) as never);
    return jwt.setProtectedHeader({ alg: key.alg, kid: key.kid, ...header }).sign(key.privateKey);
  }
  const path = (client_id: string, more: Record<string, string>) =>
    `/oauth2/authorize?${new URLSearchParams({ client_id, ...more })}`;

  it('several resources are a list in it (RFC 8707 §2)', async () => {
    const { client } = await settle(app(), { jwks: jwks() });
    const api = await makeApi(app());
    await linkApi(app(), client, api);
    const ask = async (resource: unknown) => {
      const request = await object(client.client_id, { resource });
      return app().send('GET', path(client.client_id, { request, redirect_uri: redirectUri }));
    };
    assert.match(String((await ask([api.resource, 'https://x.example'])).headers['location']), /^\/continue\?/);
    assertClientError(app(), await ask(['https://x.example']), 'invalid_target', 'signed');
    assertClientError(app(), await ask([7]), 'invalid_request_object', null);
  });

  for (const alg of ['RS256', 'PS256', 'ES256', 'EdDSA']) {
    it(`${alg}: the signed request counts, and other parameters are ignored (RFC 9101 §6.3)`, async () => {
      const { client, user } = await settle(app(), { jwks: jwks() });
      const typ = 'oauth-authz-req+jwt';
      const max = { max_age: 300, claims: { id_token: { email: null } } };
      const request = await object(client.client_id, max, { typ }, keyOf(alg));
      const beside = { redirect_uri: 'https://evil.example/', scope: 'openid email', state: 'beside', prompt: 'none' };
      let at = await walk(app(), new CookieJar(), path(client.client_id, { request, ...beside }));
      at = await submit(app(), at, { username: user.email ?? '', password });
      at = await submit(app(), at, { decision: 'allow' });
      assert.equal(toClient(at.answer).get('state'), 'signed');
      const tokens = await redeem(app(), client, toClient(at.answer).get('code') ?? '');
      assert.equal(tokens.scope, 'openid');
    });
  }

  it('an untrusted object is refused, whatever its claims (T10)', async () => {
    using _ = app().services.clock.hold();
    const client = await registerClient(app(), { jwks: jwks() });
    const id = client.client_id;
    const good = await object(id);
    const [head = '', body = ''] = good.split('.');
    const stranger = await testKey('ES256', 'key of ES256');
    const secret = await exportSPKI((await importJWK({ ...keyOf('RS256').jwk }, 'RS256')) as never);
    const hmac = `${encoded({ alg: 'HS256', kid: 'key of RS256' })}.${body}`;
    const now = Math.floor(app().services.clock.now() / 1000);
    for (const [what, request] of [
      ['no JWT', 'x'],
      ['none', new UnsecuredJWT(claimsOf(id) as never).encode()],
      ['none by another name', `${encoded({ alg: 'None' })}.${body}.`],
      ['no signature', `${head}.${body}.`],
      ['another key', await object(id, {}, {}, stranger)],
      ['its own key', await object(id, {}, { jwk: stranger.jwk as never }, stranger)],
      ['HS256 with the public key', `${hmac}.${createHmac('sha256', secret).update(hmac).digest('base64url')}`],
      ['crit', `${encoded({ alg: 'ES256', crit: ['x'], x: 1 })}.${body}.${good.split('.')[2]}`],
      ['an assertion', await object(id, {}, { typ: 'client-authentication+jwt' })],
      ['an access token', await object(id, {}, { typ: 'at+jwt' })],
      ['the client as subject', await object(id, { sub: id })],
      ['another client', await object(id, { client_id: 'other' })],
      ['no client', await object(id, { client_id: undefined })],
      ['another issuer', await object(id, { iss: 'other' })],
      ['another audience', await object(id, { aud: 'https://other.example' })],
      ['over', await object(id, { exp: now - 31 })],
      // More than the 30 seconds that are allowed, by more than this test takes.
      ['not yet', await object(id, { nbf: now + 60 })],
      ['an object in the object', await object(id, { request: good })],
      ['a place in the object', await object(id, { request_uri: 'https://app.example.com/r' })],
      ['a list', await object(id, { scope: ['openid'] })],
      ['too long', await object(id, { state: 'x'.repeat(2049) })],
      ['NUL', await object(id, { state: 'a\u0000' })],
      ['claims of 33 levels', await object(id, { claims: JSON.parse(`${'['.repeat(33)}${']'.repeat(33)}`) })],
      ['JWE', 'eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.a.b.c.d'],
    ] as const) {
      const beside = { request, redirect_uri: redirectUri, state: 'state-1' };
      const answer = await app().send('GET', path(id, beside));
      assert.equal(toClient(answer).get('error'), 'invalid_request_object', what);
      assertClientError(app(), answer, 'invalid_request_object');
      // An address in it is unverified.
      assertErrorPage(await app().send('GET', path(id, { request })), /sent an invalid request/);
    }
    const both = { request: good, request_uri: 'https://app.example.com/r', redirect_uri: redirectUri };
    assertClientError(app(), await app().send('GET', path(id, both)), 'invalid_request', null);
  });

  it("an object with an invalid signature counts towards its source's limit.authorize, a valid one does not", async () => {
    for (const isPushed of [false, true]) {
      const limited = await app().another({ 'limit.authorize': '2/h' });
      const client = await registerClient(limited, { jwks: jwks() });
      const claims = { aud: limited.account.baseUrl, iss: client.client_id };
      const good = await object(client.client_id, claims);
      const bad = await object(client.client_id, claims, {}, await testKey('ES256', 'key of ES256'));
      const { headers } = clientAuthentication(client);
      const ask = async (request: string) => {
        const { status } = isPushed
          ? await limited.send('POST', '/oauth2/par', { headers, form: { request } })
          : await limited.send('GET', path(client.client_id, { request, redirect_uri: redirectUri }));
        return status;
      };
      const [taken, refused] = isPushed ? [201, 400] : [303, 303];
      for (let round = 0; round < 3; round += 1) assert.equal(await ask(good), taken);
      assert.deepEqual([await ask(bad), await ask(good), await ask(bad)], [refused, taken, refused]);
      assert.deepEqual([await ask(bad), await ask(good)], [429, 429]);
    }
  });

  it('errors in the request of a valid object go to its redirect URI', async () => {
    const client = await registerClient(app(), { jwks: jwks() });
    const ask = async (more: object) =>
      app().send('GET', path(client.client_id, { request: await object(client.client_id, more) }));
    assertClientError(app(), await ask({ prompt: 'create' }), 'invalid_request', 'signed');
    const text = path(client.client_id, { request: await object(client.client_id, { max_age: '1.5' }) });
    assertClientError(app(), await app().send('GET', text), 'invalid_request', 'signed');
  });

  it('the registered algorithm is the only one; none and unknown ones cannot be registered', async () => {
    const client = await registerClient(app(), { jwks: jwks(), request_object_signing_alg: 'RS256' });
    const ask = async (alg: string) =>
      app().send(
        'GET',
        path(client.client_id, {
          request: await object(client.client_id, { prompt: 'create' }, {}, keyOf(alg)),
          redirect_uri: redirectUri,
        }),
      );
    assert.equal(toClient(await ask('RS256')).get('error'), 'invalid_request');
    assert.equal(toClient(await ask('ES256')).get('error'), 'invalid_request_object');
    const headers = { authorization: `Bearer ${await app().bearer('register_clients')}` };
    for (const wrong of [
      { request_object_signing_alg: 'none' },
      { request_object_signing_alg: 'HS256' },
      { request_uris: ['http://app.example.com/r'] },
      { request_uris: ['https://user@app.example.com/r'] },
      { request_uris: ['x'] },
      { request_uris: Array.from({ length: 21 }, (_, n) => `https://app.example.com/${n}`) },
    ]) {
      const json = { redirect_uris: [redirectUri], ...wrong };
      assertError(await app().send('POST', '/oauth2/register', { headers, json }), 400, 'invalid_client_metadata');
    }
  });

  it('a client registered to sign must sign, whether it pushes or not (RFC 9101 §10.5)', async () => {
    const { client } = await settle(app(), { jwks: jwks(), require_signed_request_object: true });
    assertClientError(app(), await app().send('GET', authorizePath(client)), 'invalid_request');
    const own = clientAuthentication(client);
    const plain = Object.fromEntries(new URL(authorizePath(client), redirectUri).searchParams);
    const push = (form: object) =>
      app().send('POST', '/oauth2/par', { headers: own.headers, form: { ...own.form, ...form } });
    assertError(await push(plain), 400, 'invalid_request', /must sign/);
    const request = await object(client.client_id);
    const pushed = await push({ request });
    assert.equal(pushed.status, 201, pushed.text);
    const { client_id } = client;
    for (const asked of [{ request }, { request_uri: pushed.body.request_uri }]) {
      assert.match((await walk(app(), new CookieJar(), path(client_id, asked))).answer.text, /name="password"/);
    }
  });

  it('an object may be pushed (RFC 9126 §3)', async () => {
    const client = await registerClient(app(), { jwks: jwks() });
    const { headers } = clientAuthentication(client);
    const push = async (request: string) => app().send('POST', '/oauth2/par', { headers, form: { request } });
    const pushed = await push(await object(client.client_id));
    assert.equal(pushed.status, 201, pushed.text);
    const answer = await app().send('GET', path(client.client_id, { request_uri: pushed.body.request_uri }));
    assert.match(String(answer.headers['location']), /^\/continue/);
    assertError(await push(await object(client.client_id, {}, { typ: 'at+jwt' })), 400, 'invalid_request_object');
  });
}

/** By reference: what is fetched, and what is not. On a separate application with a simulated Internet. */
export function requestReferences(kind: 'sqlite' | 'postgres'): void {
  const uri = 'https://app.example.com/request.jwt#v1';
  const asked: EgressRequest[] = [];
  let result: EgressResult = { ok: false, failure: 'connection_failed' };
  let app: TestApp;
  let key: TestKey;
  const egress: Egress = {
    fetch: async (request) => {
      asked.push(request);
      return result;
    },
  };
  const answered = (text: string, status = 200) => {
    result = fetched(uri, text, status);
  };
  before(async () => {
    key = await testKey('ES256', 'k');
    app = await openTestApp(kind, { settings: unlimited, services: { egress } });
  });
  after(() => app.dispose());

  it('only a registered address is fetched, at the authorization endpoint', async () => {
    const client = await registerClient(app, { jwks: { keys: [key.jwk] }, request_uris: [uri] });
    assert.equal(asked.length, 0, 'never at registration (R5)');
    const ask = (request_uri: string, more = {}) => app.send('GET', authorizePath(client, { request_uri, ...more }));
    for (const other of [`${uri}2`, uri.replace('#v1', ''), 'http://127.0.0.1/', 'https://evil.example/r', 'x']) {
      assertClientError(app, await ask(other), 'invalid_request_uri');
      assertErrorPage(await ask(other, { redirect_uri: 'https://evil.example/' }), /sent an invalid request/);
    }
    assert.equal(asked.length, 0);
    const claims = { client_id: client.client_id, response_type: 'code', redirect_uri: redirectUri, scope: 'openid' };
    const jwt = new SignJWT({ ...claims, prompt: 'create', state: 's' }).setProtectedHeader({ alg: 'ES256' });
    answered(`${await jwt.sign(key.privateKey)}\n`);
    assertClientError(app, await ask(uri), 'invalid_request', 's');
    assert.deepEqual(
      asked.map(({ url, method, redirect, accountId }) => [url, method, redirect, accountId]),
      [[uri, 'GET', 'error', app.account.id]],
    );
  });

  it('the client gets an error when the fetch fails or returns no object', async () => {
    const client = await registerClient(app, { jwks: { keys: [key.jwk] }, request_uris: [uri] });
    const ask = () => app.send('GET', authorizePath(client, { request_uri: uri }));
    for (const failure of ['address_forbidden', 'timeout', 'redirect_forbidden', 'response_too_large'] as const) {
      result = { ok: false, failure };
      assertClientError(app, await ask(), 'invalid_request_uri');
    }
    result = { ok: false, failure: 'disabled' };
    assertClientError(app, await ask(), 'request_uri_not_supported');
    answered('x', 404);
    assertClientError(app, await ask(), 'invalid_request_uri');
    answered('x'.repeat(16_385));
    assertClientError(app, await ask(), 'invalid_request_uri');
    answered('<html>');
    assertClientError(app, await ask(), 'invalid_request_object');
  });

  it('a fetch counts towards limit.authorize of its source; an address that is not registered is not fetched and does not count', async () => {
    const limited = await app.another({ 'limit.authorize': '2/h' });
    const client = await registerClient(limited, { jwks: { keys: [key.jwk] }, request_uris: [uri] });
    const ask = (request_uri: string) => limited.send('GET', authorizePath(client, { request_uri }));
    result = { ok: false, failure: 'timeout' };
    asked.length = 0;
    for (let round = 0; round < 3; round += 1) assertClientError(limited, await ask(`${uri}2`), 'invalid_request_uri');
    for (let round = 0; round < 2; round += 1) assertClientError(limited, await ask(uri), 'invalid_request_uri');
    assert.deepEqual([(await ask(uri)).status, asked.length], [429, 2]);
  });

  it('without a free place for a fetch the answer is temporarily_unavailable, not a client error', async () => {
    result = { ok: false, failure: 'busy' };
    const client = await registerClient(app, { jwks: { keys: [key.jwk] }, request_uris: [uri] });
    const answer = await app.send('GET', authorizePath(client, { request_uri: uri }));
    assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '1']);
    const signer = await registerClient(app, {
      token_endpoint_auth_method: 'private_key_jwt',
      jwks_uri: 'https://keys.example.com/jwks',
    });
    const form = { grant_type: 'client_credentials', ...shown(await sign(app, signer.client_id, key)) };
    const refused = await app.send('POST', '/oauth2/token', { form });
    assertError(refused, 503, 'temporarily_unavailable');
    assert.equal(refused.headers['retry-after'], '1');
    result = fetched('https://keys.example.com/jwks', { keys: [key.jwk] }, 200);
    assert.notEqual((await app.send('POST', '/oauth2/token', { form })).body.error, 'invalid_client');
  });
}
