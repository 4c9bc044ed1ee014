import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { setAccount } from '../../../src/domain/accounts/accounts.ts';
import { type GrantType, knownGrantTypes } from '../../../src/domain/clients/known-values.ts';
import { grantAccess } from '../../../src/domain/users/access.ts';
import { toldBy } from '../../domain/audit/told.ts';
import { linkApi, makeApi } from '../../support/api.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { askForCodes, codesOf, decideDevice, deviceGrant, poll, typeAndSignIn } from '../../support/devices.ts';
import {
  authorizePath,
  CookieJar,
  clientAuthentication,
  makeUser,
  password,
  type RegisteredClient,
  redeem,
  redirectUri,
  refresh,
  registerClient,
  signedIn,
  signInForCode,
  submit,
  walk,
} from '../../support/sign-in.ts';
import { type AppOf, askTokens, assertError, toClient, unlimited } from './asking.ts';
import { implicitAccount } from './implicit.ts';

const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
const accessToken = 'urn:ietf:params:oauth:token-type:access_token';
const inactive = { active: false };

/** What such a client may be registered for, in the order in which it is answered. */
const open: readonly GrantType[] = ['authorization_code', 'implicit', 'refresh_token', deviceGrant];

interface OwnClient extends RegisteredClient {
  readonly registration_access_token: string;
  readonly grant_types: readonly string[];
}

/**
 * Clients that registered in the open: the client's kind decides, whatever its registration says
 * (docs/registration.md#clients-that-registered-in-the-open).
 */
export function openClients(app: AppOf): void {
  let one: TestApp;
  before(async () => {
    one = await app().another({ ...implicitAccount, registration: 'open', 'grant.password': 'on' });
  });
  const ask = (grantTypes: readonly string[] | undefined, more: object = {}): Promise<Answer> =>
    one.send('POST', '/oauth2/register', {
      json: {
        client_name: 'Open App',
        redirect_uris: [redirectUri],
        ...(grantTypes && { grant_types: grantTypes }),
        ...more,
      },
    });
  const registered = async (more: object = {}): Promise<OwnClient> => {
    const answer = await ask(knownGrantTypes, more);
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const manage = (method: 'GET' | 'PUT', client: OwnClient, grantTypes?: readonly string[]): Promise<Answer> =>
    one.send(method, `/oauth2/register/${client.client_id}`, {
      headers: { authorization: `Bearer ${client.registration_access_token}` },
      ...(grantTypes && {
        json: { client_id: client.client_id, redirect_uris: [redirectUri], grant_types: grantTypes },
      }),
    });
  /** A row that was written before there was a rule, or past it. */
  const holdsAll = (client: RegisteredClient) =>
    one.services.store.clients.update(one.account.id, client.app_id, { grantTypes: knownGrantTypes });
  /** A page in place of a redirect: nothing happens until its link or button is used. */
  const assertAsks = ({ status, text, headers }: Answer, target: string) => {
    assert.equal(status, 200, text);
    assert.equal(headers['location'], undefined);
    assert.doesNotMatch(text, /<script|http-equiv/);
    assert.ok(text.replaceAll('&amp;', '&').includes(`="${target}`), text);
  };
  const introspect = async (client: RegisteredClient, token: string) => {
    const { headers, form } = clientAuthentication(client);
    return (await one.send('POST', '/oauth2/introspect', { headers, form: { ...form, token } })).body;
  };
  const exchange = (client: RegisteredClient, token: string) =>
    askTokens(one, client, { grant_type: exchangeGrant, subject_token: token, subject_token_type: accessToken });
  /** A client that holds every grant type, and a user's tokens. */
  const settled = async (linked = false) => {
    const client = await registered();
    await holdsAll(client);
    const api = await makeApi(one);
    if (linked) await linkApi(one, client, api);
    const user = await makeUser(one, client.app_id);
    const query = await signInForCode(one, client, user, linked ? { scope: 'openid orders:read' } : {});
    return { client, user, api, tokens: await redeem(one, client, query.get('code') ?? '') };
  };

  it('the answer omits what they never get, and exchange until they are linked (RFC 7591 §3.2.1)', async () => {
    const client = await registered();
    assert.deepEqual(client.grant_types, open);
    assert.deepEqual((await manage('GET', client)).body.grant_types, open);
    assert.deepEqual((await ask(undefined)).body.grant_types, ['authorization_code', 'refresh_token']);
    const row = await one.services.store.clients.find(one.account.id, client.client_id);
    assert.deepEqual(
      row?.grantTypes.filter((type) => type === 'password' || type === 'client_credentials'),
      [],
    );
    await linkApi(one, client, await makeApi(one));
    assert.deepEqual((await manage('GET', client)).body.grant_types, [...open, exchangeGrant]);
  });

  it('a row with pairwise subjects cannot use the device grant, as no redirect URI proves its sector', async () => {
    const deviceUse = async (subjectType: string) => {
      const json = { redirect_uris: [redirectUri], subject_type: subjectType, token_endpoint_auth_method: 'none' };
      const { body: client } = await one.send('POST', '/oauth2/register', { json });
      await holdsAll(client);
      const form = { client_id: client.client_id };
      const begun = await one.send('POST', '/oauth2/device_authorization', { form });
      const more = { grant_type: deviceGrant, device_code: 'unknown' };
      const polled = await one.send('POST', '/oauth2/token', { form: { ...form, ...more } });
      const { grant_types: told } = (await manage('GET', client)).body;
      return [begun.body.error, polled.body.error, told.includes(deviceGrant)];
    };
    assert.deepEqual(await deviceUse('pairwise'), ['unauthorized_client', 'unauthorized_client', false]);
    assert.deepEqual(await deviceUse('public'), [undefined, 'invalid_grant', true]);
  });

  it('a row with nothing else is returned with an empty list', async () => {
    const client = await registered();
    await one.services.store.clients.update(one.account.id, client.app_id, { grantTypes: ['password'] });
    const answer = await manage('GET', client);
    assert.deepEqual([answer.status, answer.body.grant_types], [200, []]);
  });

  it('no allowed grant type: invalid_client_metadata', async () => {
    for (const types of [['password'], ['client_credentials', 'password'], [exchangeGrant]]) {
      assertError(await ask(types), 400, 'invalid_client_metadata', /grant_types/);
    }
  });

  it('a client registered by a caller in the same account gets all it requests', async () => {
    const client = await registerClient(one, { grant_types: knownGrantTypes });
    assert.equal((await askTokens(one, client, { grant_type: 'client_credentials' })).status, 200);
    const user = await makeUser(one, client.app_id);
    const form = { grant_type: 'password', username: user.email ?? '', password };
    const answer = await askTokens(one, client, form);
    assert.equal(answer.status, 200, answer.text);
    assert.equal((await exchange(client, answer.body.access_token)).status, 200);
  });

  it('password: no token whatever the row contains, for a right and a wrong password alike', async () => {
    const { client, user } = await settled();
    const form = { grant_type: 'password', username: user.email ?? '' };
    for (const typed of [password, 'wrong password']) {
      assertError(await askTokens(one, client, { ...form, password: typed }), 400, 'unauthorized_client');
    }
    assert.equal((await one.services.store.users.find(one.account.id, user.id))?.invalidLoginAttempts, 0);
  });

  it('client_credentials: no token whatever the row contains, linked or not', async () => {
    for (const linked of [false, true]) {
      const { client } = await settled(linked);
      assertError(await askTokens(one, client, { grant_type: 'client_credentials' }), 400, 'unauthorized_client');
    }
  });

  it('token exchange: only after an operator linked them', async () => {
    const before = await settled();
    assertError(await exchange(before.client, before.tokens.access_token), 400, 'unauthorized_client');
    await linkApi(one, before.client, before.api);
    assert.equal((await exchange(before.client, before.tokens.access_token)).status, 200);
    const linked = await settled(true);
    const answer = await exchange(linked.client, linked.tokens.access_token);
    assert.equal(answer.status, 200, answer.text);
  });

  it('replacing the registration does not restore them (RFC 7592 §2.2)', async () => {
    const client = await registered();
    const { status, body } = await manage('PUT', client, knownGrantTypes);
    assert.deepEqual([status, body.grant_types], [200, open]);
    assertError(await manage('PUT', client, ['client_credentials']), 400, 'invalid_client_metadata', /grant_types/);
    const user = await makeUser(one, client.app_id);
    const form = { grant_type: 'password', username: user.email ?? '', password };
    assertError(await askTokens(one, client, form), 400, 'unauthorized_client');
    assertError(await askTokens(one, client, { grant_type: 'client_credentials' }), 400, 'unauthorized_client');
  });

  it('code, refresh, device code and, where it is on, implicit stay theirs', async () => {
    const { client, user, tokens } = await settled();
    assert.equal((await refresh(one, client, tokens.refresh_token)).status, 200);
    const codes = (await askForCodes(one, client)).body;
    await decideDevice(one, codes.user_code, user);
    const polled = await poll(one, client, codes);
    assert.equal(polled.status, 200, polled.text);
    const asked = { client, user, jar: new CookieJar() };
    await one.services.store.clients.update(one.account.id, client.app_id, { responseTypes: ['code', 'id_token'] });
    const path = new URLSearchParams({
      response_type: 'id_token',
      client_id: client.client_id,
      redirect_uri: redirectUri,
      scope: 'openid',
      nonce: 'nonce-1',
    });
    const { answer } = await walk(one, asked.jar, `/oauth2/authorize?${path}`);
    assert.match(answer.text, /name="password"/, 'asked to sign in, not refused');
  });

  it('implicit is not registered while the account has it switched off', async () => {
    const off = await app().another({ registration: 'open' });
    const ask = (types: readonly string[]) =>
      off.send('POST', '/oauth2/register', { json: { redirect_uris: [redirectUri], grant_types: types } });
    const both = await ask(['implicit', 'authorization_code']);
    assert.deepEqual([both.status, both.body.grant_types], [201, ['authorization_code']]);
    assertError(await ask(['implicit']), 400, 'invalid_client_metadata');
  });

  it('introspection shows them only their own tokens, even with a secret and a link', async () => {
    const theirs = await signedIn(one);
    for (const linked of [false, true]) {
      const { client, tokens } = await settled(linked);
      assert.deepEqual(await introspect(client, theirs.tokens.access_token), inactive);
      assert.deepEqual(await introspect(client, theirs.tokens.refresh_token), inactive);
      assert.equal((await introspect(client, tokens.access_token)).active, true);
      assert.equal((await introspect(client, tokens.refresh_token)).active, true);
      assert.equal((await introspect(theirs.client, tokens.access_token)).active, true, 'it is visible to a gateway');
    }
  });

  it('keep their restrictions when open registration is closed later', async () => {
    const closed = await app().another({ ...unlimited, registration: 'open', 'grant.password': 'on' });
    const json = { redirect_uris: [redirectUri], grant_types: ['authorization_code'] };
    const client = (await closed.send('POST', '/oauth2/register', { json })).body;
    await closed.services.store.clients.update(closed.account.id, client.app_id, { grantTypes: knownGrantTypes });
    await setAccount(closed.services, closed.account.subdomain, { registration: 'token' });
    assertError(await askTokens(closed, client, { grant_type: 'client_credentials' }), 400, 'unauthorized_client');
  });

  it('an error that nobody has asked for waits on a page, by redirect and by form (RFC 9700 §4.11.2)', async () => {
    const client = await registered();
    const begin = (more: Readonly<Record<string, string>>) =>
      one.send('GET', authorizePath(client, { scope: 'nonsense', ...more }));
    assertAsks(await begin({}), `${redirectUri}?error=invalid_scope`);
    assertAsks(await begin({ prompt: 'none' }), `${redirectUri}?error=invalid_scope`);
    assertAsks(await begin({ response_mode: 'form_post' }), redirectUri);
    const byToken = await registerClient(one);
    const { location } = (await one.send('GET', authorizePath(byToken, { scope: 'nonsense' }))).headers;
    assert.match(String(location), /[?&]error=invalid_scope/);
  });

  it('prompt=none is answered by redirect at a web address, and waits on a page for a private scheme', async () => {
    const scheme = 'com.example.notes:/in';
    const native = await registered({
      application_type: 'native',
      redirect_uris: [scheme, 'http://127.0.0.1/in'],
      token_endpoint_auth_method: 'none',
    });
    const silent = async (to: string) =>
      (await walk(one, new CookieJar(), authorizePath(native, { redirect_uri: to, prompt: 'none' }))).answer;
    assertAsks(await silent(scheme), `${scheme}?error=login_required`);
    const { location } = (await silent('http://127.0.0.1:4711/in')).headers;
    assert.match(String(location), /^http:\/\/127\.0\.0\.1:4711\/in\?error=login_required/);
  });

  it('a sign-out of nobody leads on by a link', async () => {
    const to = 'https://portal.example.com/bye';
    const path = ({ client_id: id }: RegisteredClient) =>
      `/oauth2/logout?${new URLSearchParams({ client_id: id, post_logout_redirect_uri: to })}`;
    const { answer } = await walk(one, new CookieJar(), path(await registered({ post_logout_redirect_uris: [to] })));
    assertAsks(answer, to);
    const byToken = await registerClient(one, { post_logout_redirect_uris: [to] });
    assert.equal((await walk(one, new CookieJar(), path(byToken))).answer.headers['location'], to);
  });

  it('a sign-out leads nowhere any more once its client is gone, or has lost the address', async () => {
    const to = 'https://portal.example.com/bye';
    for (const end of [
      (client: OwnClient) =>
        one.send('DELETE', `/oauth2/register/${client.client_id}`, {
          headers: { authorization: `Bearer ${client.registration_access_token}` },
        }),
      (client: OwnClient) =>
        one.services.store.clients.update(one.account.id, client.app_id, { postLogoutRedirectUris: [] }),
    ]) {
      const client = await registered({ post_logout_redirect_uris: [to] });
      const asked = new URLSearchParams({ client_id: client.client_id, post_logout_redirect_uri: to });
      const begun = await one.send('GET', `/oauth2/logout?${asked}`);
      const link = String(begun.headers['location']);
      assertAsks(await one.send('GET', link), to);
      await end(client);
      assert.equal((await one.send('GET', link)).headers['location'], '/signed-out');
    }
  });

  it('a user who refused often is not asked again by the same client', async () => {
    const few = await app().another({ ...unlimited, registration: 'open', 'limit.consent': '2/h' });
    const json = { client_name: 'Open App', redirect_uris: [redirectUri] };
    const open = async (): Promise<OwnClient> => (await few.send('POST', '/oauth2/register', { json })).body;
    const [pushy, other, byToken] = [await open(), await open(), await registerClient(few)];
    const user = await makeUser(few, pushy.app_id);
    for (const { app_id: id } of [other, byToken]) {
      await grantAccess(few.services, few.account, id, { user: user.email ?? '' });
    }
    const jar = new CookieJar();
    const start = (client: RegisteredClient, more = {}) =>
      walk(few, jar, authorizePath(client, { prompt: 'consent', ...more }));
    await submit(few, await start(pushy), { username: user.email ?? '', password });
    const refuse = async (client: RegisteredClient) => {
      const asked = await start(client);
      assert.match(asked.answer.text, /value="allow"/);
      return toClient((await submit(few, asked, { decision: 'deny' })).answer).get('error_description');
    };
    for (const client of [pushy, pushy, byToken, byToken, byToken, other]) {
      assert.equal(await refuse(client), 'the user did not consent');
    }
    const { answer } = await start(pushy);
    assertAsks(answer, `${redirectUri}?error=access_denied`);
    assert.match(answer.text, /refused\+several\+times/);
    const silent = toClient((await start(pushy, { prompt: 'none' })).answer);
    assert.equal(silent.get('error'), 'consent_required');
    assert.equal(await refuse(other), 'the user did not consent');
  });
  it('a user who refused a device often is not asked by its client, and the device is told', async () => {
    const few = await app().another({ ...unlimited, registration: 'open', 'limit.consent': '1/h' });
    const json = { client_name: 'Living Room', redirect_uris: [redirectUri], grant_types: [deviceGrant] };
    const client: OwnClient = (await few.send('POST', '/oauth2/register', { json })).body;
    const user = await makeUser(few, client.app_id);
    await decideDevice(few, (await codesOf(few, client)).user_code, user, 'deny');
    const codes = await codesOf(few, client);
    const told = await toldBy(few, async () => {
      const { answer } = await typeAndSignIn(few, codes.user_code, user);
      assert.equal(answer.status, 200, answer.text);
      assert.doesNotMatch(answer.text, /value="allow"/);
    });
    assert.ok(told.some(({ action, actorId }) => action === 'device.denied' && actorId === user.id));
    assertError(await poll(few, client, codes), 400, 'access_denied');
  });
}
