import assert from 'node:assert/strict';
import { it } from 'node:test';
import { registerSigner, shown, sign, testKey } from '../../support/assertions.ts';
import type { Answer } from '../../support/conforms.ts';
import { askWithProof, newProofKey, proofFor } from '../../support/dpop.ts';
import { assertCharacters, patternedTexts } from '../../support/patterned-texts.ts';
import { purgeAll } from '../../support/purge.ts';
import { readTable } from '../../support/rows.ts';
import {
  authorizePath,
  CookieJar,
  clientAuthentication,
  password,
  type RegisteredClient,
  redeem,
  redirectUri,
  registerClient,
  submit,
  walk,
} from '../../support/sign-in.ts';
import {
  type AppOf,
  askTokens,
  assertClientError,
  assertError,
  assertErrorPage,
  codeForm,
  settle,
  toClient,
  unlimited,
} from './asking.ts';

/** RFC 9126: requests that a client sends ahead. */
export function pushedRequests(app: AppOf): void {
  function push(client: RegisteredClient, parameters: Record<string, string> = {}, at = app()): Promise<Answer> {
    const query = Object.fromEntries(new URL(authorizePath(client, parameters), redirectUri).searchParams);
    const { headers, form } = clientAuthentication(client);
    return at.send('POST', '/oauth2/par', { headers, form: { ...query, ...form } });
  }
  const path = ({ client_id }: { client_id: string }, request_uri: string, more: object = {}) =>
    `/oauth2/authorize?${new URLSearchParams({ client_id, request_uri, ...more })}`;

  for (const method of ['client_secret_basic', 'client_secret_post', 'none'] as const) {
    it(`${method}: the pushed request counts, and other parameters are ignored`, async () => {
      const { client, user } = await settle(app(), { token_endpoint_auth_method: method });
      const answer = await push(client, { state: 'pushed', scope: 'openid' });
      assert.equal(answer.status, 201, answer.text);
      assert.match(answer.body.request_uri, /^urn:ietf:params:oauth:request_uri:[\w-]{43}$/);
      assert.equal(answer.body.expires_in, 90);
      const beside = { state: 'beside', scope: 'openid email', redirect_uri: 'https://evil.example/', prompt: 'none' };
      let at = await walk(app(), new CookieJar(), path(client, answer.body.request_uri, beside));
      at = await submit(app(), at, { username: user.email ?? '', password });
      at = await submit(app(), at, { decision: 'allow' });
      assert.equal(toClient(at.answer).get('state'), 'pushed');
      assert.equal((await redeem(app(), client, toClient(at.answer).get('code') ?? '')).scope, 'openid');
    });
  }

  it('a request is used once, by its client, for 90 seconds (§7.3, T11)', async () => {
    const setting = await settle(app());
    const { client } = setting;
    const other = await registerClient(app());
    const uri = (await push(client)).body.request_uri;
    assertErrorPage(await app().send('GET', path(other, uri)), /request_uri/);
    assertErrorPage(await app().send('GET', path(client, `${uri}x`)), /request_uri/);
    const jar = setting.jar;
    // Until it is used its address can be loaded again, here by three tabs (§4); one of them gets the answer.
    await setting.code();
    const open = async () =>
      String((await app().send('GET', path(client, uri), { headers: { cookie: tx } })).headers['location']);
    const tx = `__Host-tx=${jar.cookies.get('__Host-tx')}`;
    const tabs = await Promise.all([open(), open()]);
    const ends = await Promise.all(
      [...tabs, path(client, uri)].map((tab) => app().send('GET', tab, { headers: jar.header })),
    );
    assert.deepEqual(ends.map(({ status }) => status).sort(), [303, 400, 400]);
    assertErrorPage(await app().send('GET', path(client, uri), { headers: jar.header }), /already been finished/);
    const late = (await push(client)).body.request_uri;
    app().services.clock.advance(90_000);
    assertErrorPage(await app().send('GET', path(client, late, { redirect_uri: redirectUri })), /has expired/);
    const elsewhere = await app().another(unlimited);
    const foreign = (await push(await registerClient(elsewhere), {}, elsewhere)).body.request_uri;
    assertErrorPage(await app().send('GET', path(client, foreign)), /request_uri/);
  });

  it('the page for a used request leads back to the client, but not to one that registered in the open', async () => {
    const addresses = { login_url: 'https://app.example.com/start', client_uri: 'https://app.example.com/about' };
    const initiate = 'https://app.example.com/begin?from=idp';
    const begin = `https://app.example.com/begin?from=idp&iss=${encodeURIComponent(app().account.baseUrl)}`;
    const { client_uri } = addresses;
    for (const [metadata, href] of [
      [{ ...addresses, initiate_login_uri: initiate }, begin],
      [{ client_uri }, client_uri],
      [{}, null],
    ] as const) {
      const client = await registerClient(app(), metadata);
      const { text } = await app().send('GET', path(client, 'urn:ietf:params:oauth:request_uri:x'));
      const shown = /<a href="(https:[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? null;
      assert.equal(shown, href);
    }
    const open = await app().another({ ...unlimited, registration: 'open' });
    const json = { client_name: 'Stranger', redirect_uris: [redirectUri], client_uri };
    const stranger = (await open.send('POST', '/oauth2/register', { json })).body;
    const { text, status } = await open.send('GET', path(stranger, 'urn:ietf:params:oauth:request_uri:x'));
    assert.deepEqual([status, text.includes(client_uri)], [400, false]);
  });

  it('errors are reported when it is pushed, and nothing is stored', async () => {
    const client = await registerClient(app());
    const kept = async () => (await readTable(app().url, 'pushed_requests')).length;
    const before = await kept();
    for (const [parameters, error] of [
      [{ response_type: '' }, 'invalid_request'],
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ redirect_uri: 'https://evil.example/' }, 'invalid_request'],
      [{ redirect_uri: '' }, 'invalid_request'],
      [{ scope: 'x' }, 'invalid_scope'],
      [{ resource: 'https://api.example.com/none' }, 'invalid_target'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ claims: '[]' }, 'invalid_request'],
      [{ claims: '{"id_token":{"acr":{"essential":true,"value":"urn:x"}}}' }, 'unmet_authentication_requirements'],
      [{ request_uri: 'urn:ietf:params:oauth:request_uri:x' }, 'invalid_request'],
      [{ request: 'x.y.z' }, 'request_not_supported'],
      [{ state: 'x'.repeat(2049) }, 'invalid_request'],
    ] as const) {
      assertError(await push(client, parameters), 400, error);
    }
    assertError(
      await push(await registerClient(app(), { grant_types: ['client_credentials'], redirect_uris: [redirectUri] })),
      400,
      'unauthorized_client',
    );
    assert.equal(await kept(), before);
    const { headers } = clientAuthentication(client);
    assertError(await app().send('POST', '/oauth2/par', { headers, json: {} }), 400, 'invalid_request');
    assertError(await app().send('POST', '/oauth2/par', { headers, form: 'state=a&state=b' }), 400, 'invalid_request');
    assert.equal((await app().send('POST', '/oauth2/par', { headers, form: `a=${'x'.repeat(17_000)}` })).status, 413);
  });

  it('texts have the characters that their patterns allow', async () => {
    const client = await registerClient(app());
    const texts = patternedTexts('oauth2').filter(({ operation }) => operation.template === '/oauth2/par');
    assert.ok(texts.length > 0);
    for (const text of texts) {
      await assertCharacters(text, {}, (parameters) => push(client, parameters as Record<string, string>));
    }
  });

  it('the client authenticates by its registered method, and its credentials are not stored (T5)', async () => {
    const client = await registerClient(app());
    assertError(await push({ ...client, client_secret: 'wrong' }), 401, 'invalid_client');
    assertError(await push({ ...client, token_endpoint_auth_method: 'none' }), 400, 'invalid_client');
    assertError(await app().send('POST', '/oauth2/par', { form: {} }), 400, 'invalid_client');
    const posted = await registerClient(app(), { token_endpoint_auth_method: 'client_secret_post' });
    await push(posted);
    const rows = JSON.stringify(await readTable(app().url, 'pushed_requests'));
    assert.ok(rows.includes(redirectUri) && !rows.includes(posted.client_secret ?? 'x'));
    const key = await testKey('ES256', 'k');
    const signer = await registerSigner(app(), [key]);
    for (const aud of ['', '/oauth2/token', '/oauth2/par'].map((end) => app().account.baseUrl + end)) {
      const form = { ...shown(await sign(app(), signer.client_id, key, { claims: { aud } })), scope: 'openid' };
      const query = Object.fromEntries(new URL(authorizePath(signer), redirectUri).searchParams);
      assert.equal((await app().send('POST', '/oauth2/par', { form: { ...query, ...form } })).status, 201, aud);
    }
    const aud = `${app().account.baseUrl}/oauth2/par`;
    const elsewhere = shown(await sign(app(), signer.client_id, key, { claims: { aud } }));
    assertError(
      await app().send('POST', '/oauth2/token', { form: { ...elsewhere, grant_type: 'refresh_token' } }),
      400,
      'invalid_client',
    );
  });

  it('with a proof the code works only with its key (RFC 9449 §10.1)', async () => {
    const { client, user, jar } = await settle(app());
    const [key, other] = [await newProofKey(), await newProofKey()];
    const { headers, form } = clientAuthentication(client);
    const send = async (claims: object, more: Record<string, string> = {}, by = key) => {
      const query = Object.fromEntries(new URL(authorizePath(client, more), redirectUri).searchParams);
      const dpop = await proofFor(app(), by, 'POST', '/oauth2/par', { claims: { ...claims } });
      return app().send('POST', '/oauth2/par', { headers: { ...headers, dpop }, form: { ...query, ...form } });
    };
    const unknown = await send({});
    assertError(unknown, 400, 'use_dpop_nonce');
    const nonce = String(unknown.headers['dpop-nonce']);
    assertError(await send({ nonce, htu: `${app().account.baseUrl}/oauth2/token` }), 400, 'invalid_dpop_proof', /htu/);
    assertError(
      await send({ nonce }, { dpop_jkt: other.thumbprint }),
      400,
      'invalid_dpop_proof',
      /does not match dpop_jkt/,
    );
    for (const more of [{}, { dpop_jkt: key.thumbprint }]) {
      const pushed = await send({ nonce }, more);
      assert.equal(pushed.status, 201, pushed.text);
      assert.ok(pushed.headers['dpop-nonce']);
      let at = await walk(app(), jar, path(client, pushed.body.request_uri));
      if (/name="password"/.test(at.answer.text))
        at = await submit(app(), at, { username: user.email ?? '', password });
      if (/value="allow"/.test(at.answer.text)) at = await submit(app(), at, { decision: 'allow' });
      const asked = codeForm(toClient(at.answer).get('code') ?? '');
      assertError(await askTokens(app(), client, asked), 400, 'invalid_grant');
      assertError(await askWithProof(app(), client, other, asked), 400, 'invalid_grant');
      assert.equal((await askWithProof(app(), client, key, asked)).body.token_type, 'DPoP');
    }
  });

  it('a client registered to push must push (§6)', async () => {
    const { client } = await settle(app(), { require_pushed_authorization_requests: true });
    assertClientError(app(), await app().send('GET', authorizePath(client)), 'invalid_request');
    const at = await walk(app(), new CookieJar(), path(client, (await push(client)).body.request_uri));
    assert.match(at.answer.text, /name="password"/);
  });

  it('a client that changed meanwhile is checked again', async () => {
    const { client } = await settle(app());
    const uri = (await push(client)).body.request_uri;
    await app().services.store.clients.update(app().account.id, client.app_id, { redirectUris: [`${redirectUri}/2`] });
    assertErrorPage(await app().send('GET', path(client, uri)), /not registered for this application/);
  });

  it('a client may push as many requests as the account allows', async () => {
    const few = await app().another({ 'limit.par': '2/h' });
    const client = await registerClient(few);
    const statuses: number[] = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await push(client, {}, few)).status);
    assert.deepEqual(statuses, [201, 201, 429]);
    assert.equal((await push(await registerClient(few), {}, few)).status, 201);
  });

  it('unused ones are purged', async () => {
    using _ = app().services.clock.hold();
    const client = await registerClient(app());
    await push(client);
    const count = async () =>
      ((await readTable(app().url, 'pushed_requests')) as { app_id: number }[]).filter(
        ({ app_id: id }) => Number(id) === client.app_id,
      ).length;
    assert.equal(await count(), 1);
    const { store, clock } = app().services;
    await purgeAll(store, clock.now() + 89_999);
    assert.equal(await count(), 1);
    await purgeAll(store, clock.now() + 90_000);
    assert.equal(await count(), 0);
  });
}
