import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodeProtectedHeader } from 'jose';
import { setAccount } from '../../../src/domain/accounts/accounts.ts';
import { toldBy } from '../../domain/audit/told.ts';
import { basic, type TestApp } from '../../support/app.ts';
import { registerSigner, testKey } from '../../support/assertions.ts';
import type { Answer } from '../../support/conforms.ts';
import { dump } from '../../support/rows.ts';
import { authorizePath, redirectUri, refresh, registerClient, signedIn } from '../../support/sign-in.ts';
import { type AppOf, assertError, unlimited } from './asking.ts';

interface Owned {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly registration_access_token: string;
  readonly registration_client_uri: string;
}

/** RFC 7592: the registration of a client in its own hands. */
export function ownRegistration(app: AppOf): void {
  async function register(metadata: object = {}): Promise<Owned & Record<string, unknown>> {
    return (await registerClient(app(), metadata)) as unknown as Owned & Record<string, unknown>;
  }

  function ask(method: string, client: Owned, json?: object, on: Pick<TestApp, 'send'> = app()): Promise<Answer> {
    const { pathname } = new URL(client.registration_client_uri);
    const headers = { authorization: `Bearer ${client.registration_access_token}` };
    return on.send(method, pathname, { headers, ...(json && { json }) });
  }

  it('reads what was registered, but never the secret; the token stays (RFC 7592 §2.1, §3)', async () => {
    const client = await register({ client_name: 'Owned' });
    assert.match(client.registration_access_token, /^rg_[\w-]{43}$/);
    assert.equal(
      client.registration_client_uri,
      `${app().account.baseUrl}/oauth2/register/${client.client_id}`,
      'built from the configured address',
    );
    const { client_secret: secret = '', client_secret_expires_at: _, ...rest } = client;
    for (let round = 0; round < 2; round += 1) {
      const answer = await ask('GET', client);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers['cache-control'], 'no-store');
      assert.deepEqual(answer.body, rest);
    }
    const stored = await dump(app().url);
    assert.ok(!stored.includes(secret) && !stored.includes(client.registration_access_token), 'digests only (R6)');
  });

  it('accepts its own answer as a request, also for a client without redirects (RFC 7592 §2.2)', async () => {
    const device = 'urn:ietf:params:oauth:grant-type:device_code';
    for (const grants of [['client_credentials'], [device], [device, 'refresh_token']]) {
      const client = await register({ grant_types: grants, response_types: [], redirect_uris: undefined });
      const { body } = await ask('GET', client);
      assert.deepEqual([body.grant_types, body.response_types, body.redirect_uris], [[...grants].sort(), [], []]);
      const replaced = await ask('PUT', client, body);
      assert.deepEqual([replaced.status, replaced.body], [200, body], grants.join());
    }
    const usual = await register({ client_name: 'Usual' });
    const { body } = await ask('GET', usual);
    assert.deepEqual((await ask('PUT', usual, body)).body, body);
    for (const member of ['redirect_uris', 'response_types']) {
      assert.equal((await ask('PUT', usual, { ...body, [member]: [] })).status, 400, `${member} is needed for codes`);
    }
  });

  it('id_token_signing_alg decides for new clients that name no algorithm, at all doors, and for no other', async () => {
    const at = await app().another(unlimited);
    const bearer = async () => ({ authorization: `Bearer ${await at.bearer('manage_all')}` });
    const asked = { client_name: 'An App', redirect_uris: [redirectUri] };
    const made = async (path: string, named: object = {}): Promise<Owned & Record<string, unknown>> =>
      (await at.send('POST', path, { headers: await bearer(), json: { ...asked, ...named } })).body;
    const algorithmOf = ({ id_token_signed_response_alg: alg }: Readonly<Record<string, unknown>>) => alg;
    const replaced = async (client: Owned, named: object = {}) =>
      algorithmOf((await ask('PUT', client, { client_id: client.client_id, ...asked, ...named }, at)).body);
    const older = await made('/oauth2/register');
    const { body: discovery } = await at.send('GET', '/.well-known/openid-configuration');
    const setting = '/api/2/account-settings/id_token_signing_alg';
    const to = async (value: string) => at.send('PUT', setting, { headers: await bearer(), json: { value } });
    assert.equal((await to('EdDSA')).status, 422);
    assert.equal((await to('ES256')).status, 200);
    assert.deepEqual((await at.send('GET', '/.well-known/openid-configuration')).body, discovery);
    for (const door of ['/oauth2/register', '/oidc/2/register']) {
      assert.equal(algorithmOf(await made(door)), 'ES256', door);
      for (const alg of ['RS256', 'PS256']) {
        assert.equal(algorithmOf(await made(door, { id_token_signed_response_alg: alg })), alg, door);
      }
    }
    const younger = await made('/oauth2/register');
    assert.equal(algorithmOf((await ask('GET', older, undefined, at)).body), 'RS256');
    assert.deepEqual([await replaced(older), await replaced(younger)], ['RS256', 'ES256']);
    assert.equal(await replaced(younger, { id_token_signed_response_alg: 'PS256' }), 'PS256');
    assert.equal(await replaced(younger), 'RS256', 'it asked for another than the default of the account');
    const app2 = await at.send('POST', '/api/2/apps', { headers: await bearer(), json: { name: 'Managed' } });
    const managed = await at.services.store.clients.findApp(at.account.id, app2.body.id);
    assert.equal(managed?.idTokenAlg, 'ES256');
    const { tokens } = await signedIn(at);
    assert.equal(decodeProtectedHeader(tokens.id_token ?? '').alg, 'ES256');
    await setAccount(at.services, at.account.subdomain, { security_profile: 'fapi2' });
    const key = await testKey('ES256', 'a key');
    const grants = { grant_types: ['authorization_code', 'refresh_token'] };
    const profiled = await registerSigner(at, [key], grants);
    assert.equal(algorithmOf({ ...profiled }), 'PS256', 'FAPI 2.0 keeps its rule');
  });

  it('replaces all members: omitted ones are reset to their defaults (RFC 7592 §2.2)', async () => {
    const client = await register({ client_name: 'Before', logo_uri: 'https://app.example.com/logo.png' });
    const uri = 'https://app.example.com/other';
    const answer = await ask('PUT', client, { client_id: client.client_id, redirect_uris: [uri], default_max_age: 60 });
    assert.equal(answer.status, 200, answer.text);
    const { client_name, logo_uri, redirect_uris, default_max_age, grant_types, client_secret } = answer.body;
    assert.deepEqual(
      [client_name, logo_uri, redirect_uris, default_max_age, grant_types, client_secret],
      [undefined, undefined, [uri], 60, ['authorization_code', 'refresh_token'], undefined],
    );
    assert.deepEqual((await ask('GET', client)).body, answer.body);
    const own = { client_id: client.client_id };
    assert.equal((await app().send('GET', authorizePath(own))).status, 400, 'the former address is not registered');
    assert.equal((await app().send('GET', authorizePath(own, { redirect_uri: uri }))).status, 303);
    const form = { grant_type: 'refresh_token', refresh_token: 'rt_1.none' };
    const headers = basic(client.client_id, client.client_secret ?? '');
    assertError(await app().send('POST', '/oauth2/token', { headers, form }), 400, 'invalid_grant');
  });

  it('accepts its own answer as a request: the other members change nothing', async () => {
    const client = await register();
    const sent = { ...client, app_id: 1, account_id: 1, client_id_issued_at: 5, registration_access_token: 'mine' };
    const answer = await ask('PUT', client, sent);
    assert.equal(answer.status, 200, answer.text);
    const { client_secret: _, client_secret_expires_at: __, ...rest } = client;
    assert.deepEqual(answer.body, rest);
  });

  it('a change of method removes the secret, or creates one that is shown once', async () => {
    const client = await register({ token_endpoint_auth_method: 'none', grant_types: ['authorization_code'] });
    const replace = (method: string) =>
      ask('PUT', client, {
        client_id: client.client_id,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: method,
      });
    const made = await replace('client_secret_post');
    assert.match(made.body.client_secret, /^cs_/);
    const form = { client_id: client.client_id, client_secret: made.body.client_secret, token: 'x' };
    assert.equal((await app().send('POST', '/oauth2/introspect', { form })).status, 200);
    assert.equal((await replace('client_secret_basic')).body.client_secret, undefined, 'it stays');
    assert.equal((await replace('none')).status, 200);
    assertError(await app().send('POST', '/oauth2/introspect', { form }), 400, 'invalid_client');
    const again = await replace('client_secret_post');
    assert.notEqual(again.body.client_secret, made.body.client_secret);
  });

  it('refuses another client_id, none, another secret, and bad metadata; nothing is changed', async () => {
    const client = await register();
    const other = await register();
    const good = { client_id: client.client_id, redirect_uris: [redirectUri] };
    const bad: readonly [object, string][] = [
      [{ ...good, client_id: other.client_id }, 'invalid_client_metadata'],
      [{ redirect_uris: [redirectUri] }, 'invalid_client_metadata'],
      [{ ...good, client_id: 5 }, 'invalid_client_metadata'],
      [{ ...good, client_secret: 'cs_chosen' }, 'invalid_client_metadata'],
      [{ ...good, client_secret: other.client_secret }, 'invalid_client_metadata'],
      [{ ...good, application_type: 'desktop' }, 'invalid_client_metadata'],
      [{ ...good, redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
      [{ ...good, redirect_uris: 5 }, 'invalid_redirect_uri'],
      [{ client_id: client.client_id }, 'invalid_redirect_uri'],
      [{ ...good, software_statement: 'a.b.c' }, 'invalid_software_statement'],
      [{ ...good, client_name: 'gnp\u202eexe' }, 'invalid_client_metadata'],
      [{ ...good, logo_uri: 'https://x;sandbox' }, 'invalid_client_metadata'],
    ];
    const before = await ask('GET', client);
    for (const [json, error] of bad) assertError(await ask('PUT', client, json), 400, error);
    assert.deepEqual((await ask('GET', client)).body, before.body);
    assert.equal((await ask('PUT', client, { ...good, client_secret: client.client_secret })).status, 200);
  });

  it('deletes the client with its grants (RFC 7592 §2.3)', async () => {
    const { client, tokens } = await signedIn(app());
    const owned = client as unknown as Owned;
    const answer = await ask('DELETE', owned);
    assert.equal(answer.status, 204);
    assertError(await refresh(app(), client, tokens.refresh_token), 401, 'invalid_client');
    for (const method of ['GET', 'DELETE']) assertError(await ask(method, owned), 401, 'invalid_token');
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    assert.equal((await app().send('GET', '/oauth2/userinfo', { headers })).status, 401);
  });

  it('401 for no token, any other token, another client and another account: one answer (I1)', async () => {
    const client = await register();
    const other = await register();
    const elsewhere = await app().another(unlimited);
    const json = { client_id: client.client_id, redirect_uris: [redirectUri] };
    const strangers = [
      other.registration_access_token,
      client.client_secret ?? '',
      `rg_${'A'.repeat(43)}`,
      await app().bearer('manage_all'),
      'x',
    ];
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const body = method === 'PUT' ? json : undefined;
      const texts = new Set<string>();
      for (const registration_access_token of strangers) {
        const answer = await ask(method, { ...client, registration_access_token }, body);
        assertError(answer, 401, 'invalid_token');
        assert.match(String(answer.headers['www-authenticate']), /^Bearer realm="gatehouse", error="invalid_token"$/);
        texts.add(answer.text);
      }
      texts.add((await ask(method, client, body, elsewhere)).text);
      texts.add(
        (await ask(method, { ...client, registration_client_uri: `${client.registration_client_uri}x` }, body)).text,
      );
      const { pathname } = new URL(client.registration_client_uri);
      const without = await app().send(method, pathname, { ...(body && { json: body }) });
      assertError(without, 401, 'invalid_token');
      assert.equal(without.headers['www-authenticate'], 'Bearer realm="gatehouse"');
      assert.equal(texts.add(without.text).size, 1);
      assert.equal((await app().send(method, `${pathname}?a=1&a=2`, { ...(body && { json: body }) })).status, 400);
    }
    assert.equal((await ask('GET', client)).status, 200);
  });

  it('clients of the documented door have no such token; closing registration keeps existing tokens', async () => {
    const headers = { authorization: `Bearer ${await app().bearer('register_clients')}` };
    const json = { client_name: 'Document', redirect_uris: [redirectUri] };
    const { client_id: id } = (await app().send('POST', '/oidc/2/register', { headers, json })).body;
    assertError(await app().send('GET', `/oauth2/register/${id}`, { headers }), 401, 'invalid_token');
    const one = await app().another({ ...unlimited, registration: 'open' });
    const open = (await one.send('POST', '/oauth2/register', { json })).body;
    assert.equal((await ask('GET', open, undefined, one)).status, 200);
  });

  it('a replacement that changes nothing writes nothing', async () => {
    const one = await app().another({ ...unlimited, registration: 'open' });
    const json = { client_name: 'Same', redirect_uris: [redirectUri], default_max_age: 60 };
    const client: Owned = (await one.send('POST', '/oauth2/register', { json })).body;
    const replacement = { ...json, client_id: client.client_id };
    const rowOf = () => one.services.store.clients.find(one.account.id, client.client_id, 'fresh');
    const before = await rowOf();
    app().services.clock.advance(1000);
    const same = await toldBy(one, async () => {
      assert.equal((await ask('PUT', client, replacement, one)).status, 200);
    });
    assert.deepEqual([same, await rowOf()], [[], before]);
    const changed = await toldBy(one, async () => {
      assert.equal((await ask('PUT', client, { ...replacement, client_name: 'Other' }, one)).status, 200);
    });
    assert.deepEqual(
      changed.map(({ action }) => action),
      ['app.changed'],
    );
  });

  for (const [limit, registration] of [
    ['register-open', 'open'],
    ['register', 'token'],
  ] as const) {
    it(`${limit}: changes of a registration count, each registration by itself; then 429 with Retry-After`, async () => {
      const one = await app().another({ ...unlimited, registration, [`limit.${limit}`]: '2/h' });
      const headers =
        registration === 'open' ? {} : { authorization: `Bearer ${await one.bearer('register_clients')}` };
      const register = async (): Promise<Owned> =>
        (await one.send('POST', '/oauth2/register', { headers, json: { redirect_uris: [redirectUri] } })).body;
      const [client, other] = [await register(), await register()];
      const replace = (owned: Owned, name: string) => {
        const json = { client_id: owned.client_id, client_name: name, redirect_uris: [redirectUri] };
        return ask('PUT', owned, json, one);
      };
      for (const name of ['first', 'second']) assert.equal((await replace(client, name)).status, 200);
      for (const refused of [await replace(client, 'third'), await ask('DELETE', client, undefined, one)]) {
        assertError(refused, 429, 'rate_limited');
        const seconds = Number(refused.headers['retry-after']);
        assert.ok(seconds > 0 && seconds <= 3600, String(seconds));
      }
      assert.equal((await ask('GET', client, undefined, one)).body.client_name, 'second');
      assert.equal((await replace(other, 'its own')).status, 200);
    });
  }

  it('failures are limited per client and source', async () => {
    const one = await app().another({ 'limit.client-auth': '3/h', registration: 'open' });
    const json = { redirect_uris: [redirectUri] };
    const client: Owned = (await one.send('POST', '/oauth2/register', { json })).body;
    const guess = { ...client, registration_access_token: 'rg_guess' };
    const replacement = { ...json, client_id: client.client_id };
    for (let round = 0; round < 3; round += 1) assert.equal((await ask('GET', guess, undefined, one)).status, 401);
    assertError(await ask('GET', client, undefined, one), 429, 'rate_limited');
    assertError(await ask('PUT', client, replacement, one), 429, 'rate_limited');
    assertError(await ask('DELETE', client, undefined, one), 429, 'rate_limited');
  });
}
