import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { decodeJwt } from 'jose';
import type { Egress, EgressRequest, EgressResult } from '../../../src/domain/egress.ts';
import { grantAccess } from '../../../src/domain/users/access.ts';
import { linkApi, makeApi } from '../../support/api.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { deviceGrant } from '../../support/devices.ts';
import { fetched } from '../../support/egress.ts';
import {
  authorizePath,
  CookieJar,
  clientAuthentication,
  makeUser,
  type RegisteredClient,
  redeem,
  redirectUri,
  refresh,
  registerClient,
  signInForCode,
  type Tokens,
  walk,
} from '../../support/sign-in.ts';
import { beginSignOut } from '../../support/sign-out.ts';
import { assertClientError, assertError, toClient, unlimited } from './asking.ts';

const pairwise = { subject_type: 'pairwise' };

/**
 * OpenID Connect Core §8, Registration §5: another subject in each sector. On an application whose Internet is the
 * test's.
 */
export function pairwiseSubjects(kind: 'sqlite' | 'postgres'): void {
  const asked: EgressRequest[] = [];
  let there: unknown = [];
  let failure: Extract<EgressResult, { ok: false }> | null = null;
  let app: TestApp;
  const egress: Egress = {
    fetch: async (request) => {
      asked.push(request);
      return failure ?? fetched(request.url, there);
    },
  };
  before(async () => {
    app = await openTestApp(kind, { settings: unlimited, services: { egress } });
  });
  after(() => app.dispose());

  const subOf = (token: string) => decodeJwt(token).sub;
  const sidOf = (token: string) => decodeJwt(token)['sid'];

  async function introspect(client: RegisteredClient, token: string) {
    const { headers, form } = clientAuthentication(client);
    return (await app.send('POST', '/oauth2/introspect', { headers, form: { ...form, token } })).body;
  }

  /** A client with a user's tokens; the browser is signed in once for all of them. */
  async function tokensOf(jar: CookieJar, email: string | null, metadata: object) {
    const client = await registerClient(app, {
      post_logout_redirect_uris: ['https://app.example.com/bye'],
      ...metadata,
    });
    await grantAccess(app.services, app.account, client.app_id, { user: email ?? '' });
    const uri = (metadata as { redirect_uris?: string[] }).redirect_uris?.[0] ?? redirectUri;
    const code = (await signInForCode(app, client, { email }, { redirect_uri: uri }, jar)).get('code') ?? '';
    return { client, tokens: await redeem(app, client, code, uri) };
  }

  it('is the same within a sector, different between sectors, and opaque; public ones do not change (§8.1)', async () => {
    const { email, id } = await makeUser(app);
    const other = await makeUser(app);
    const jar = new CookieJar();
    const one = await tokensOf(jar, email, pairwise);
    const same = await tokensOf(jar, email, pairwise);
    const away = await tokensOf(jar, email, { ...pairwise, redirect_uris: ['https://other.example.com/callback'] });
    const open = await tokensOf(jar, email, {});
    const theirs = await tokensOf(new CookieJar(), other.email, pairwise);
    const sub = subOf(one.tokens.id_token);
    assert.match(String(sub), /^[\w-]{43}$/);
    assert.equal(subOf(same.tokens.id_token), sub);
    assert.equal(subOf(open.tokens.id_token), String(id));
    const all = [one, away, open, theirs].map(({ tokens }) => subOf(tokens.id_token));
    assert.equal(new Set(all).size, 4);
  });

  it('is in every token and answer: refreshed id token, userinfo, introspection, access tokens of an API', async () => {
    const { email, id } = await makeUser(app);
    const jar = new CookieJar();
    const { client, tokens } = await tokensOf(jar, email, pairwise);
    const sub = subOf(tokens.id_token);
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const userinfo = (await app.send('GET', '/oauth2/userinfo', { headers })).body;
    assert.equal(userinfo.sub, sub);
    const opaque = await introspect(client, tokens.access_token);
    assert.deepEqual([opaque.active, opaque.sub, 'username' in opaque], [true, sub, false]);
    assert.equal((await introspect(client, tokens.refresh_token)).sub, sub);
    const resource = await registerClient(app);
    assert.equal((await introspect(resource, tokens.access_token)).sub, sub, 'with the subject that the client knows');
    const api = await makeApi(app, ['orders:read']);
    await linkApi(app, client, api, ['orders:read']);
    const next: Tokens = (await refresh(app, client, tokens.refresh_token)).body;
    assert.equal(subOf(next.id_token), sub);
    const scope = 'openid orders:read';
    const code = (await signInForCode(app, client, { email }, { scope }, jar)).get('code') ?? '';
    const jwt = (await redeem(app, client, code)).access_token;
    assert.equal(subOf(jwt), sub);
    assert.notEqual(sub, String(id));
  });

  it('is used in hints, claims and logout tokens', async () => {
    const { email, id } = await makeUser(app);
    const jar = new CookieJar();
    const told = 'https://app.example.com/ended';
    const { client, tokens } = await tokensOf(jar, email, { ...pairwise, backchannel_logout_uri: told });
    const open = await tokensOf(jar, email, { backchannel_logout_uri: `${told}/public` });
    const sub = subOf(tokens.id_token) ?? '';
    const ask = async (parameters: Record<string, string>) =>
      (await walk(app, jar, authorizePath(client, { prompt: 'none', ...parameters }))).answer;
    const claims = (value: string) => ({ claims: JSON.stringify({ id_token: { sub: { value } } }) });
    assert.ok(toClient(await ask({ id_token_hint: tokens.id_token })).has('code'));
    assert.ok(toClient(await ask(claims(sub))).has('code'));
    assertClientError(app, await ask(claims(String(id))), 'login_required');
    assertClientError(app, await ask({ id_token_hint: open.tokens.id_token }), 'invalid_request');
    asked.length = 0;
    const { answer } = await beginSignOut(app, jar, { id_token_hint: tokens.id_token });
    assert.match(answer.text, /You are signed out/, 'nobody is asked: the hint names the user');
    await app.services.logoutNotices.run();
    const heard = asked.map(({ url, body }) => [
      url,
      subOf(new URLSearchParams(String(body)).get('logout_token') ?? ''),
    ]);
    assert.deepEqual(heard.sort(), [
      [told, sub],
      [`${told}/public`, String(id)],
    ]);
  });

  it('the sid of a session is the sector’s own as well, in id tokens and logout tokens; public clients share the plain one', async () => {
    const { email } = await makeUser(app);
    const jar = new CookieJar();
    const told = (name: string) => ({ backchannel_logout_uri: `https://app.example.com/ended/${name}` });
    const other = { redirect_uris: ['https://other.example.com/callback'] };
    const one = await tokensOf(jar, email, { ...pairwise, ...told('one') });
    const same = await tokensOf(jar, email, { ...pairwise, ...told('same') });
    const away = await tokensOf(jar, email, { ...pairwise, ...other, ...told('away') });
    const open = await tokensOf(jar, email, told('open'));
    const plain = await tokensOf(jar, email, told('plain'));
    const sids = [one, same, away, open, plain].map(({ tokens }) => sidOf(tokens.id_token));
    const [ofOne, ofSame, ofAway, ofOpen, ofPlain] = sids;
    assert.deepEqual([ofSame, ofPlain], [ofOne, ofOpen]);
    assert.equal(new Set([ofOne, ofAway, ofOpen]).size, 3);
    const again: Tokens = (await refresh(app, one.client, one.tokens.refresh_token)).body;
    assert.equal(sidOf(again.id_token), ofOne);
    asked.length = 0;
    const { answer } = await beginSignOut(app, jar, { id_token_hint: again.id_token });
    assert.match(answer.text, /You are signed out/, 'nobody is asked: the hint names the user');
    await app.services.logoutNotices.run();
    const heard = asked.map(({ url, body }) => [
      url.split('/').at(-1),
      sidOf(new URLSearchParams(String(body)).get('logout_token') ?? ''),
    ]);
    assert.deepEqual(heard.sort(), [
      ['away', ofAway],
      ['one', ofOne],
      ['open', ofOpen],
      ['plain', ofPlain],
      ['same', ofSame],
    ]);
  });

  it('without sector_identifier_uri all redirect URIs have one host', async () => {
    const headers = { authorization: `Bearer ${await app.bearer('register_clients')}` };
    const register = (json: object, path = '/oauth2/register') =>
      app.send('POST', path, { headers, json: { client_name: 'C', ...pairwise, ...json } });
    asked.length = 0;
    const two = { redirect_uris: [redirectUri, 'https://two.example.com/callback'] };
    for (const path of ['/oauth2/register', '/oidc/2/register']) {
      assertError(await register(two, path), 400, 'invalid_client_metadata', /sector_identifier_uri/);
      const good = await register({ redirect_uris: [redirectUri, `${redirectUri}/2`] }, path);
      assert.equal(good.body.subject_type, 'pairwise', good.text);
    }
    const native = { application_type: 'native', redirect_uris: ['com.example.app:/callback'] };
    assertError(await register(native), 400, 'invalid_client_metadata', /sector_identifier_uri/);
    assertError(
      await register({ subject_type: 'Pairwise', redirect_uris: [redirectUri] }),
      400,
      'invalid_client_metadata',
    );
    assert.equal(asked.length, 0);
  });

  it('sector_identifier_uri is fetched only for pairwise subjects, and must list all redirect URIs (Registration §5)', async () => {
    const headers = { authorization: `Bearer ${await app.bearer('register_clients')}` };
    const uri = 'https://sector.example.com/uris.json';
    const two = [redirectUri, 'https://two.example.com/callback'];
    const register = (json: object = {}) =>
      app.send('POST', '/oauth2/register', {
        headers,
        json: { ...pairwise, sector_identifier_uri: uri, redirect_uris: two, ...json },
      });
    asked.length = 0;
    const open = await register({ subject_type: 'public' });
    assert.deepEqual([open.status, open.body.sector_identifier_uri, asked.length], [201, uri, 0]);
    for (const wrong of [[redirectUri], [], {}, 'x', { redirect_uris: two }, [two], 'x'.repeat(65_537)]) {
      there = wrong;
      assertError(await register(), 400, 'invalid_client_metadata', /sector_identifier_uri/);
    }
    there = [...two, 'https://more.example.com/'];
    failure = { ok: false, failure: 'address_forbidden' };
    assertError(await register(), 400, 'invalid_client_metadata', /cannot be fetched/);
    failure = null;
    for (const bad of ['http://sector.example.com/', 'https://user@sector.example.com/', 'x', 'data:,[]']) {
      assertError(
        await register({ sector_identifier_uri: bad }),
        400,
        'invalid_client_metadata',
        /sector_identifier_uri/,
      );
    }
    asked.length = 0;
    const { body } = await register();
    assert.deepEqual(
      asked.map(({ url, method, redirect, accountId }) => [url, method, redirect, accountId]),
      [[uri, 'GET', 'error', app.account.id]],
    );
    const anonymous = await app.send('POST', '/oauth2/register', { json: { ...pairwise, sector_identifier_uri: uri } });
    assert.deepEqual([anonymous.status, asked.length], [401, 1], 'nothing is fetched for callers who may not register');
    // One sector for clients of several hosts, and for a client that is replaced.
    const { email } = await makeUser(app);
    const jar = new CookieJar();
    const first = await tokensOf(jar, email, { ...pairwise, sector_identifier_uri: uri });
    const second = await tokensOf(jar, email, { ...pairwise, sector_identifier_uri: uri, redirect_uris: [two[1]] });
    assert.equal(subOf(first.tokens.id_token), subOf(second.tokens.id_token));
    const owner = { authorization: `Bearer ${body.registration_access_token}` };
    const json = { client_id: body.client_id, redirect_uris: two, ...pairwise };
    const replace = (more: object) =>
      app.send('PUT', `/oauth2/register/${body.client_id}`, { headers: owner, json: { ...json, ...more } });
    assertError(await replace({}), 400, 'invalid_client_metadata', /sector_identifier_uri/);
    assert.equal((await replace({ sector_identifier_uri: uri })).status, 200);
  });

  it('a replaced registration keeps its sector and its kind of subjects: it cannot learn the subjects of others', async () => {
    const elsewhere = ['https://bank.example.com/callback'];
    for (const [type, other] of [
      ['pairwise', 'public'],
      ['public', 'pairwise'],
    ]) {
      const headers = { authorization: `Bearer ${await app.bearer('register_clients')}` };
      const json = { subject_type: type, redirect_uris: [redirectUri] };
      const { body } = await app.send('POST', '/oauth2/register', { headers, json });
      const owner = { authorization: `Bearer ${body.registration_access_token}` };
      const replace = (more: object) => {
        const changed = { client_id: body.client_id, ...json, ...more };
        return app.send('PUT', `/oauth2/register/${body.client_id}`, { headers: owner, json: changed });
      };
      assertError(await replace({ subject_type: other }), 400, 'invalid_client_metadata', /^subject_type must stay /);
      const moved = await replace({ redirect_uris: elsewhere });
      if (type === 'public') assert.equal(moved.status, 200);
      else
        assertError(
          moved,
          400,
          'invalid_client_metadata',
          /^redirect_uris must stay in the sector .*app\.example\.com/,
        );
      assert.equal((await replace({ redirect_uris: [`${redirectUri}/2`] })).status, 200);
    }
  });

  it('the host of an address that any program may claim names no sector, for clients of open registration', async () => {
    const open = await app.another({ ...unlimited, registration: 'open' });
    const native = { client_name: 'Open', application_type: 'native', token_endpoint_auth_method: 'none', ...pairwise };
    for (const uris of [
      ['evilapp://bank.example/cb'],
      ['http://127.0.0.1/cb'],
      [redirectUri, 'evilapp://app.example.com/cb'],
    ]) {
      const answer = await open.send('POST', '/oauth2/register', { json: { ...native, redirect_uris: uris } });
      assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_client_metadata'], answer.text);
      assert.match(answer.body.error_description, /^sector_identifier_uri is required/);
    }
    const honest = await open.send('POST', '/oauth2/register', { json: { ...native, redirect_uris: [redirectUri] } });
    assert.equal(honest.status, 201, honest.text);
    const { client_id, registration_access_token } = honest.body;
    const json = { ...native, client_id, redirect_uris: ['evilapp://app.example.com/callback'] };
    const headers = { authorization: `Bearer ${registration_access_token}` };
    assert.equal((await open.send('PUT', `/oauth2/register/${client_id}`, { headers, json })).status, 400);
  });

  it('clients of open registration get no pairwise subjects with the device grant, as it has no redirect URI', async () => {
    const open = await app.another({ ...unlimited, registration: 'open' });
    const register = (grantTypes: readonly string[], headers = {}) => {
      const json = { ...pairwise, redirect_uris: [redirectUri], grant_types: grantTypes };
      return open.send('POST', '/oauth2/register', { headers, json });
    };
    assertError(
      await register(['authorization_code', deviceGrant]),
      400,
      'invalid_client_metadata',
      /^grant_types\[1\] /,
    );
    assertError(
      await register([deviceGrant, 'authorization_code']),
      400,
      'invalid_client_metadata',
      /^grant_types\[0\] /,
    );
    assertError(await register([deviceGrant]), 400, 'invalid_client_metadata', /^grant_types\[0\] /);
    assert.equal((await register(['authorization_code'])).status, 201);
    const headers = { authorization: `Bearer ${await open.bearer('register_clients')}` };
    assert.equal((await register(['authorization_code', deviceGrant], headers)).status, 201);
  });
}
