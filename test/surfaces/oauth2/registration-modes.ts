import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setAccount } from '../../../src/domain/accounts/accounts.ts';
import { createRole } from '../../../src/domain/roles/write-role.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { readTable } from '../../support/rows.ts';
import {
  authorizePath,
  CookieJar,
  makeUser,
  password,
  redirectUri,
  signInForCode,
  submit,
  walk,
} from '../../support/sign-in.ts';
import { type AppOf, askTokens, assertClientError, assertError, codeForm, toClient, unlimited } from './asking.ts';

const json = { client_name: 'Open App', redirect_uris: [redirectUri] };

function register(app: TestApp, authorization?: string, more: Record<string, string> = {}): Promise<Answer> {
  return app.send('POST', '/oauth2/register', { headers: { ...(authorization && { authorization }), ...more }, json });
}

async function clients(app: TestApp): Promise<number> {
  const rows = (await readTable(app.url, 'clients')) as { account_id: unknown }[];
  return rows.filter(({ account_id: id }) => Number(id) === app.account.id).length;
}

/** Who may register: the account's setting `registration` (docs/document-gaps.md#the-standard-door). */
export function registrationModes(app: AppOf): void {
  async function openToEveryone(more: Readonly<Record<string, string>> = {}): Promise<TestApp> {
    const one = await app().another(unlimited);
    await createRole(one.services, one.account, { name: 'Everyone' });
    const settings = { registration: 'open', open_registration_roles: 'Everyone', ...more };
    await setAccount(one.services, one.account.subdomain, settings);
    return one;
  }

  it('token: 401 without a bearer token or with one not of this account; no row (R1, I1)', async () => {
    const one = await app().another(unlimited);
    const other = await app().another(unlimited);
    const expired = `Bearer ${await one.bearer('register_clients')}`;
    one.services.clock.advance(36_000_000);
    // RFC 6750 §3.1: no error code for no authentication, or one of another scheme.
    const without = await register(one);
    for (const answer of [without, await register(one, 'Basic YTpi'), await register(one, 'nonsense')]) {
      assertError(answer, 401, 'invalid_token');
      assert.equal(answer.headers['www-authenticate'], 'Bearer realm="gatehouse"');
    }
    for (const authorization of [
      expired,
      `Bearer ${await other.bearer('manage_all')}`,
      `Bearer ct_1_${'A'.repeat(43)}`,
      'Bearer',
      'Bearer nonsense',
    ]) {
      const answer = await register(one, authorization);
      assertError(answer, 401, 'invalid_token');
      assert.equal(
        answer.headers['www-authenticate'],
        'Bearer realm="gatehouse", error="invalid_token"',
        authorization,
      );
      assert.deepEqual(answer.body, without.body);
    }
    assert.equal(await clients(one), 0);
  });

  it('token: 403 for a token without the scope, naming the sufficient ones; no row (R1)', async () => {
    const one = await app().another(unlimited);
    for (const scope of ['authentication_only', 'read_users', 'manage_users', 'read_all'] as const) {
      const answer = await register(one, `Bearer ${await one.bearer(scope)}`);
      assertError(answer, 403, 'insufficient_scope', /manage_all.*register_clients|register_clients.*manage_all/);
      assert.match(
        String(answer.headers['www-authenticate']),
        /^Bearer realm="gatehouse", error="insufficient_scope", scope="manage_all register_clients"$/,
      );
    }
    assert.equal(await clients(one), 0);
  });

  it('closed: nobody may register', async () => {
    const one = await app().another({ ...unlimited, registration: 'closed' });
    assertError(await register(one), 403, 'access_denied', /closed/);
    assertError(await register(one, `Bearer ${await one.bearer('manage_all')}`), 403, 'access_denied');
    assert.equal(await clients(one), 0);
  });

  it('open: anyone may register, but a bearer, if sent, must be valid', async () => {
    const one = await app().another({ ...unlimited, registration: 'open' });
    assert.equal((await register(one)).status, 201);
    assert.equal((await register(one, `Bearer ${await one.bearer('register_clients')}`)).status, 201);
    assertError(await register(one, `Bearer ct_1_${'A'.repeat(43)}`), 401, 'invalid_token');
    assertError(await register(one, `Bearer ${await one.bearer('read_all')}`), 403, 'insufficient_scope');
    assert.equal(await clients(one), 2);
  });

  it('open: the app gets the default roles of the account, and consent is asked at every sign-in', async () => {
    const one = await openToEveryone();
    const user = await makeUser(one, undefined, { roles: ['Everyone'] });
    const stranger = await makeUser(one);
    const { body: client } = await register(one);
    const jar = new CookieJar();
    for (const round of ['first', 'second']) {
      let at = await walk(one, jar, authorizePath(client));
      if (round === 'first') at = await submit(one, at, { username: user.email ?? '', password });
      assert.match(at.answer.text, /value="allow"/, `${round}: the consent page`);
      at = await submit(one, at, { decision: 'allow' });
      assert.match(String(at.answer.headers['location']), /[?&]code=/);
    }
    const refused = await submit(one, await walk(one, new CookieJar(), authorizePath(client)), {
      username: stranger.email ?? '',
      password,
    });
    assert.equal(refused.answer.status, 403, 'a user without the role has no access');
  });

  it('open_registration_consent=remembered: asked once, while the account says so and consent is there', async () => {
    const one = await openToEveryone({ open_registration_consent: 'remembered' });
    const user = await makeUser(one, undefined, { roles: ['Everyone'] });
    const { body: client } = await register(one);
    const jar = new CookieJar();
    await signInForCode(one, client, user, {}, jar);
    const silent = () => walk(one, jar, authorizePath(client, { prompt: 'none' }));
    const pending = toClient((await silent()).answer).get('code') ?? '';
    const asked = await walk(one, jar, authorizePath(client, { prompt: 'consent' }));
    assert.match(asked.answer.text, /value="allow"/);
    await setAccount(one.services, one.account.subdomain, { open_registration_consent: 'always' });
    assertClientError(one, (await silent()).answer, 'consent_required');
    await setAccount(one.services, one.account.subdomain, { open_registration_consent: 'remembered' });
    await one.services.store.authorizations.removeConsent(one.account.id, user.id, client.app_id);
    assertClientError(one, (await silent()).answer, 'consent_required');
    assertError(await askTokens(one, client, codeForm(pending)), 400, 'invalid_grant');
  });

  it('remembered, but never for a public client that other programs could pose as (RFC 8252 §8.6)', async () => {
    const one = await openToEveryone({ open_registration_consent: 'remembered', 'grant.implicit': 'on' });
    const user = await makeUser(one, undefined, { roles: ['Everyone'] });
    const both = { grant_types: ['implicit', 'authorization_code'], response_types: ['code', 'id_token'] };
    const none = { token_endpoint_auth_method: 'none' };
    for (const [metadata, remembered] of [
      [none, true],
      [{ redirect_uris: [redirectUri, 'http://127.0.0.1/callback'] }, true],
      [both, true],
      // Nobody shows a secret in the implicit flow.
      [{ ...both, redirect_uris: [redirectUri, 'http://127.0.0.1/callback'] }, false],
      [{ ...none, redirect_uris: [redirectUri, 'http://127.0.0.1/callback'] }, false],
      [{ ...none, redirect_uris: [redirectUri, 'com.example.app:/callback'], application_type: 'native' }, false],
    ] as const) {
      const { body: client } = await one.send('POST', '/oauth2/register', { json: { ...json, ...metadata } });
      const jar = new CookieJar();
      await signInForCode(one, client, user, {}, jar);
      const { answer } = await walk(one, jar, authorizePath(client, { prompt: 'none' }));
      assert.equal(toClient(answer).get('error'), remembered ? null : 'consent_required', JSON.stringify(metadata));
    }
  });

  it('the logo of a client of open registration is not fetched (R5)', async () => {
    const one = await app().another({ ...unlimited, registration: 'open' });
    const metadata = { logo_uri: 'https://cdn.example.com/logo.png' };
    for (const [authorization, shown] of [
      [undefined, false],
      [`Bearer ${await one.bearer('register_clients')}`, true],
    ] as const) {
      const headers = authorization ? { authorization } : {};
      const sent = { headers, json: { ...json, ...metadata } };
      const { body: client } = await one.send('POST', '/oauth2/register', sent);
      const { answer } = await walk(one, new CookieJar(), authorizePath(client));
      assert.equal(answer.text.includes(metadata.logo_uri), shown);
      assert.equal(String(answer.headers['content-security-policy']).includes('https://cdn.example.com'), shown);
    }
  });

  it('registration_roles: clients registered with a token can be used at once, others as before', async () => {
    const one = await app().another({ ...unlimited, registration: 'open' });
    await createRole(one.services, one.account, { name: 'Everyone' });
    await setAccount(one.services, one.account.subdomain, { registration_roles: 'Everyone' });
    const user = await makeUser(one, undefined, { roles: ['Everyone'] });
    const { body: client } = await register(one, `Bearer ${await one.bearer('register_clients')}`);
    assert.ok((await signInForCode(one, client, user)).get('code'));
    const { body: open } = await register(one);
    const at = await walk(one, new CookieJar(), authorizePath(open));
    assert.equal((await submit(one, at, { username: user.email ?? '', password })).answer.status, 403);
    const { body: events } = await one.send('GET', '/api/2/events?action=access.granted', {
      headers: { authorization: `Bearer ${await one.bearer('read_all')}` },
    });
    assert.deepEqual(
      events.map((event: { target: { id: number } }) => event.target.id),
      [client.app_id],
    );
  });

  it('a client that was registered with a token asks once', async () => {
    const one = await app().another({ ...unlimited, registration: 'open' });
    const { body: client } = await register(one, `Bearer ${await one.bearer('register_clients')}`);
    const user = await makeUser(one, client.app_id);
    const jar = new CookieJar();
    await signInForCode(one, client, user, {}, jar);
    const again = await walk(one, jar, authorizePath(client));
    assert.match(String(again.answer.headers['location']), /[?&]code=/);
  });

  it('open: 20 an hour per source address, then 429 with Retry-After; a token or another address still works', async () => {
    const options = { settings: { registration: 'open' }, app: { trustProxy: ['loopback'] } };
    const one = await openTestApp(app().services.store.kind, options);
    try {
      const from = (address: string) => register(one, undefined, { 'x-forwarded-for': address });
      for (let count = 0; count < 20; count += 1) assert.equal((await from('192.0.2.1')).status, 201);
      const refused = await from('192.0.2.1');
      assertError(refused, 429, 'rate_limited');
      const seconds = Number(refused.headers['retry-after']);
      assert.ok(seconds > 0 && seconds <= 3600, String(seconds));
      assert.equal(await clients(one), 20);
      assert.equal((await from('192.0.2.2')).status, 201);
      const token = `Bearer ${await one.bearer('register_clients')}`;
      assert.equal((await register(one, token, { 'x-forwarded-for': '192.0.2.1' })).status, 201);
    } finally {
      await one.dispose();
    }
  });

  it('token: the limit counts per credential', async () => {
    const one = await app().another({ 'limit.register': '2/h' });
    const [first, second] = [`Bearer ${await one.bearer('manage_all')}`, `Bearer ${await one.bearer('manage_all')}`];
    assert.deepEqual([(await register(one, first)).status, (await register(one, first)).status], [201, 201]);
    assertError(await register(one, first), 429, 'rate_limited');
    assert.equal((await register(one, second)).status, 201);
  });
}
