import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { decodeJwt } from 'jose';
import { setAccount } from '../../../src/domain/accounts/accounts.ts';
import { expireClients } from '../../../src/domain/clients/expire-clients.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { shown, sign, type TestKey, testKey } from '../../support/assertions.ts';
import { askForCodes, codesOf, decideDevice, deviceGrant, poll } from '../../support/devices.ts';
import { accountForDocuments, type Documents, openDocuments, publish } from '../../support/documents.ts';
import { newProofKey, proofFor } from '../../support/dpop.ts';
import { readRows, readTable } from '../../support/rows.ts';
import {
  authorizePath,
  CookieJar,
  codeVerifier,
  makeUser,
  password,
  type RegisteredClient,
  redeem,
  redirectUri,
  refresh,
  signInForCode,
  submit,
  walk,
} from '../../support/sign-in.ts';
import { assertError, assertErrorPage, codeForm, toClient, unlimited } from './asking.ts';

/** The doors at which a client comes by its metadata document. On an application with an Internet of its own. */
export function documentClientDoors(kind: 'sqlite' | 'postgres'): void {
  const documents: Documents = openDocuments();
  let app: TestApp;
  let one: TestApp;
  let keys: TestKey[];
  before(async () => {
    app = await openTestApp(kind, { services: { egress: documents.egress } });
    one = await accountForDocuments(app, unlimited);
    keys = [await testKey('ES256', 'one'), await testKey('ES256', 'two')];
  });
  after(() => app.dispose());

  const newUser = () => makeUser(one, undefined, { roles: ['Everyone'] });
  const parametersOf = (client: RegisteredClient, more: Record<string, string> = {}) =>
    Object.fromEntries(new URL(authorizePath(client, more), one.account.baseUrl).searchParams);
  const push = (client: RegisteredClient, more: Record<string, string> = {}, headers = {}) =>
    one.send('POST', '/oauth2/par', { form: parametersOf(client, more), headers });
  const loadPath = (client: RegisteredClient, uri: string) =>
    `/oauth2/authorize?${new URLSearchParams({ client_id: client.client_id, request_uri: uri })}`;
  const signer = (more: object = {}, key = keys[0]) => ({
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [key?.jwk] },
    ...more,
  });
  const as = async (client: RegisteredClient, key = keys[0] as TestKey) =>
    shown(await sign(one, client.client_id, key));

  for (const [title, documented] of Object.entries({
    'no document': undefined,
    'status 404': 404,
    'the document of another': { client_id: 'https://app.example.com/other', redirect_uris: [redirectUri] },
    'a method with a secret': { token_endpoint_auth_method: 'client_secret_basic' },
  })) {
    it(`${title}: a page that says so, invalid_client at the other doors, and a line in the log`, async () => {
      const client = publish(documents, typeof documented === 'object' ? documented : {});
      if (typeof documented !== 'object') documents.at.set(client.client_id, documented);
      const lines = one.services.lines.length;
      const answer = await one.send('GET', authorizePath(client));
      assertErrorPage(answer, /cannot be recognised: client_id is an address, but its document/);
      const line = one.services.lines.slice(lines).find(({ event }) => event === 'client_document.refused');
      assert.equal(line?.['host'], 'app.example.com', JSON.stringify(one.services.lines.slice(lines)));
      assertError(await push(client), 400, 'invalid_client', /its document/);
      assertError(await askForCodes(one, client), 400, 'invalid_client', /its document/);
      assert.equal(documents.asked.filter((url) => url === client.client_id).length, 1);
    });
  }

  it('an address that is not written as one: a page that says why, and nothing is fetched', async () => {
    documents.asked.length = 0;
    const faults = { '#a': /fragment/, '/../a': /written/, '/%2e%2e/a': /written/ };
    for (const [end, said] of Object.entries(faults)) {
      const client_id = `https://app.example.com/client${end}`;
      assertErrorPage(await one.send('GET', authorizePath({ client_id })), said);
    }
    assertErrorPage(await one.send('GET', authorizePath({ client_id: 'https://me@app.example.com/a' })), /user part/);
    assert.deepEqual(documents.asked, []);
  });

  it('too many fetches of a source: 429 on a page, until the next minute', async () => {
    const known = publish(documents);
    assert.equal((await push(known)).status, 201);
    one.services.clock.advance(300_001);
    await setAccount(one.services, one.account.subdomain, { 'limit.client-metadata': '3/h' });
    for (let index = 0; index < 3; index += 1) await one.send('GET', authorizePath(publish(documents)));
    const client = publish(documents);
    const refused = await one.send('GET', authorizePath(client));
    assert.equal(refused.status, 429);
    assertError(await push(client), 429, 'rate_limited');
    assert.equal((await push(known)).status, 201, 'its document of before counts for a day');
    await setAccount(one.services, one.account.subdomain, { 'limit.client-metadata': 'off' });
  });

  it('errors of its requests wait on a page, as those of every client of open registration', async () => {
    const client = publish(documents);
    const answer = await one.send('GET', authorizePath(client, { code_challenge_method: 'plain' }));
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['location'], undefined);
    assert.match(answer.text, /error=invalid_request/);
    assertErrorPage(
      await one.send('GET', authorizePath(client, { redirect_uri: `${redirectUri}/x` })),
      /not registered/,
    );
    const silent = await walk(one, new CookieJar(), authorizePath(client, { prompt: 'none' }));
    assert.equal(toClient(silent.answer).get('error'), 'login_required');
  });

  it('on a device the loopback port differs from that of the document', async () => {
    const client = publish(documents, { redirect_uris: ['http://127.0.0.1/callback'] });
    const user = await newUser();
    const redirect_uri = 'http://127.0.0.1:53682/callback';
    const code = (await signInForCode(one, client, user, { redirect_uri })).get('code') ?? '';
    assert.ok((await redeem(one, client, code, redirect_uri)).access_token);
    const other = authorizePath(client, { redirect_uri: 'http://127.0.0.2:53682/callback' });
    assertErrorPage(await one.send('GET', other), /not registered/);
  });

  it('a pushed request is sealed until somebody agrees: of this client alone, for 90 seconds, once', async () => {
    const client = publish(documents);
    const user = await newUser();
    const before = await readRows(one.url);
    const pushed = await push(client);
    assert.equal(pushed.status, 201, pushed.text);
    assert.deepEqual(await readTable(one.url, 'pushed_requests'), before['pushed_requests']);
    const uri: string = pushed.body.request_uri;
    assertErrorPage(await one.send('GET', loadPath(publish(documents), uri)), /request_uri/);
    const altered = `${uri.slice(0, -2)}${uri.endsWith('AA') ? 'QQ' : 'AA'}`;
    assertErrorPage(await one.send('GET', loadPath(client, altered)), /request_uri/);
    const [first, second] = [new CookieJar(), new CookieJar()];
    const pages = [
      await walk(one, first, loadPath(client, uri)),
      await walk(one, second, loadPath(client, uri)),
    ] as const;
    const signed = await submit(one, pages[0], { username: user.email ?? '', password });
    const code = toClient((await submit(one, signed, { decision: 'allow' })).answer).get('code') ?? '';
    assert.ok((await redeem(one, client, code)).access_token);
    assertErrorPage(await one.send('GET', loadPath(client, uri)), /request_uri/);
    const late = await submit(one, pages[1], { username: user.email ?? '', password });
    assertErrorPage((await submit(one, late, { decision: 'allow' })).answer);
    // From now on it has a row, and its requests are rows.
    const stored = await push(client);
    assert.ok(stored.body.request_uri.length < 128);
    const expired = (await push(publish(documents))).body.request_uri;
    one.services.clock.advance(90_001);
    assertErrorPage(await one.send('GET', loadPath(client, expired)), /request_uri/);
  });

  it('a pushed request that is too large to be sealed is refused, and nothing is stored', async () => {
    const client = publish(documents);
    assertError(await push(client, { state: 'a'.repeat(2000) }), 400, 'invalid_request', /shorter state/);
    assert.equal((await push(client, { state: 'a'.repeat(600) })).status, 201);
  });

  it('a proof of a key that comes with a pushed request binds its code', async () => {
    const client = publish(documents);
    const key = await newProofKey();
    const path = '/oauth2/par';
    const first = await push(client, {}, { dpop: await proofFor(one, key, 'POST', path) });
    const nonce = String(first.headers['dpop-nonce']);
    const pushed = await push(client, {}, { dpop: await proofFor(one, key, 'POST', path, { claims: { nonce } }) });
    assert.equal(pushed.status, 201, pushed.text);
    const user = await newUser();
    const page = await walk(one, new CookieJar(), loadPath(client, pushed.body.request_uri));
    const signed = await submit(one, page, { username: user.email ?? '', password });
    const code = toClient((await submit(one, signed, { decision: 'allow' })).answer).get('code') ?? '';
    const form = { ...codeForm(code), client_id: client.client_id };
    assertError(await one.send('POST', '/oauth2/token', { form }), 400, 'invalid_grant');
  });

  it('a request that is too large for an address is a row of nobody, and goes on', async () => {
    const client = publish(documents);
    const user = await newUser();
    const query = await signInForCode(one, client, user, { state: 'a'.repeat(2000), nonce: 'b'.repeat(500) });
    assert.ok((await redeem(one, client, query.get('code') ?? '')).access_token);
  });

  it('private_key_jwt: proves itself where it pushes and at the token endpoint, once stored each assertion once', async () => {
    const client = publish(documents, signer());
    const user = await newUser();
    assertError(await push(client), 400, 'invalid_client');
    assertError(
      await one.send('POST', '/oauth2/par', { form: { ...parametersOf(client), ...(await as(client, keys[1])) } }),
      400,
      'invalid_client',
    );
    const pushed = await one.send('POST', '/oauth2/par', { form: { ...parametersOf(client), ...(await as(client)) } });
    assert.equal(pushed.status, 201, pushed.text);
    const page = await walk(one, new CookieJar(), loadPath(client, pushed.body.request_uri));
    const signed = await submit(one, page, { username: user.email ?? '', password });
    const code = toClient((await submit(one, signed, { decision: 'allow' })).answer).get('code') ?? '';
    const redeemed = async (form: Record<string, string>) =>
      one.send('POST', '/oauth2/token', { form: { ...codeForm(code, { code_verifier: codeVerifier }), ...form } });
    assertError(await redeemed({ client_id: client.client_id }), 400, 'invalid_client');
    const tokens = await redeemed(await as(client));
    assert.equal(tokens.status, 200, tokens.text);
    const assertion = await as(client);
    const form = { token: tokens.body.access_token, ...assertion };
    assert.equal((await one.send('POST', '/oauth2/introspect', { form })).body.active, true);
    assertError(await one.send('POST', '/oauth2/introspect', { form }), 400, 'invalid_client');
  });

  it('private_key_jwt: keys of the document as it is now, also at a refresh; the last ones while it is down', async () => {
    const client = publish(documents, signer());
    const user = await newUser();
    const code = (await signInForCode(one, client, user)).get('code') ?? '';
    const ask = async (form: Record<string, string>, key?: TestKey) =>
      one.send('POST', '/oauth2/token', { form: { ...form, ...(await as(client, key)) } });
    const tokens = await ask(codeForm(code));
    assert.equal(tokens.status, 200, tokens.text);
    const next = (token: string) => ({ grant_type: 'refresh_token', refresh_token: token });
    documents.at.set(client.client_id, 503);
    one.services.clock.advance(300_001);
    const second = await ask(next(tokens.body.refresh_token));
    assert.equal(second.status, 200, second.text);
    const document = { client_id: client.client_id, redirect_uris: [redirectUri], ...signer({}, keys[1]) };
    documents.at.set(client.client_id, document);
    one.services.clock.advance(300_001);
    assertError(await ask(next(second.body.refresh_token)), 400, 'invalid_client');
    const third = await ask(next(second.body.refresh_token), keys[1]);
    assert.equal(third.status, 200, third.text);
    // A day later, and still down: no key is known. That of the row, which somebody once allowed, was replaced.
    documents.at.set(client.client_id, 503);
    one.services.clock.advance(2 * 86_400_000);
    for (const key of keys) {
      const refused = await ask(next(third.body.refresh_token), key);
      assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '60'], refused.text);
    }
    documents.at.set(client.client_id, document);
    one.services.clock.advance(60_001);
    assert.equal((await ask(next(third.body.refresh_token), keys[1])).status, 200);
  });

  it('private_key_jwt: all but the keys is as its users agreed to', async () => {
    const uris = { redirect_uris: [redirectUri], client_name: 'Agent Tool' };
    const client = publish(documents, signer({ ...uris, subject_type: 'pairwise' }));
    const code = (await signInForCode(one, client, await newUser())).get('code') ?? '';
    const ask = async (form: Record<string, string>, proof: object) =>
      one.send('POST', '/oauth2/token', { form: { ...form, ...proof } });
    const tokens = await ask(codeForm(code), await as(client));
    const next = { grant_type: 'refresh_token', refresh_token: tokens.body.refresh_token };
    documents.at.set(client.client_id, { client_id: client.client_id, ...uris, token_endpoint_auth_method: 'none' });
    one.services.clock.advance(300_001);
    assertError(await ask(next, { client_id: client.client_id }), 400, 'invalid_client');
    documents.at.set(client.client_id, { client_id: client.client_id, ...signer({ ...uris, subject_type: 'public' }) });
    one.services.clock.advance(300_001);
    const again = await ask(next, await as(client));
    assert.equal(again.status, 200, again.text);
    assert.equal(decodeJwt(again.body.id_token).sub, decodeJwt(tokens.body.id_token).sub);
  });

  it('an assertion that names nobody, or no text, is an unknown client', async () => {
    const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    for (const sub of [5, null, ['x'], {}]) {
      const assertion = `${encoded({ alg: 'ES256' })}.${encoded({ sub })}.AAAA`;
      for (const door of ['token', 'par', 'introspect', 'revoke', 'device_authorization']) {
        const answer = await one.send('POST', `/oauth2/${door}`, { form: shown(assertion) });
        assert.ok(answer.status === 400 || answer.status === 401, `${door}: ${answer.status} ${answer.text}`);
      }
    }
  });

  it('begins a device once somebody has allowed it, and not before', async () => {
    const client = publish(documents, { grant_types: ['authorization_code', 'refresh_token', deviceGrant] });
    const user = await newUser();
    assertError(await askForCodes(one, client), 400, 'unauthorized_client');
    await signInForCode(one, client, user);
    const codes = await codesOf(one, client);
    await decideDevice(one, codes.user_code, user);
    const tokens = await poll(one, client, codes);
    assert.equal(tokens.status, 200, tokens.text);
    assert.equal((await refresh(one, client, tokens.body.refresh_token)).status, 200);
  });

  it('a user who refused often is not asked again by any document of the same host', async () => {
    const few = await accountForDocuments(app, { ...unlimited, 'limit.consent': '2/h' });
    const user = await makeUser(few, undefined, { roles: ['Everyone'] });
    const jar = new CookieJar();
    const start = (client: RegisteredClient) => walk(few, jar, authorizePath(client));
    await submit(few, await start(publish(documents)), { username: user.email ?? '', password });
    for (let refusals = 0; refusals < 2; refusals += 1) {
      await submit(few, await start(publish(documents)), { decision: 'deny' });
    }
    const { status, text } = (await start(publish(documents))).answer;
    assert.equal(status, 200, 'it waits on a page');
    assert.match(text, /error=access_denied/);
    const elsewhere = 'https://other.example.com/client';
    const redirect_uri = 'https://other.example.com/callback';
    documents.at.set(elsewhere, { client_id: elsewhere, redirect_uris: [redirect_uri] });
    const asked = await walk(few, jar, authorizePath({ client_id: elsewhere }, { redirect_uri }));
    assert.match(asked.answer.text, /value="allow"/);
  });

  it('hooks at each app run once there is an app', async () => {
    await setAccount(one.services, one.account.subdomain, { hook_on_sso: 'each_app' });
    const user = await newUser();
    const jar = new CookieJar();
    assert.ok((await signInForCode(one, publish(documents), user, {}, jar)).get('code'));
    assert.ok((await signInForCode(one, publish(documents), user, {}, jar)).get('code'));
    await setAccount(one.services, one.account.subdomain, { hook_on_sso: 'never' });
  });

  it('unused, its app expires as that of a client of open registration', async () => {
    const client = publish(documents);
    await signInForCode(one, client, await newUser());
    const find = () => one.services.store.clients.find(one.account.id, client.client_id, 'fresh');
    assert.ok(await find());
    one.services.clock.advance(31 * 86_400_000);
    await expireClients(one.services, [one.account], null, 100);
    assert.equal(await find(), null);
    assert.ok((await signInForCode(one, client, await newUser())).get('code'));
  });

  it('a sign-out that names it leads to the address of its document alone', async () => {
    const after = 'https://app.example.com/bye';
    const client = publish(documents, { post_logout_redirect_uris: [after, 'https://evil.example.net/'] });
    await signInForCode(one, client, await newUser());
    const end = (uri: string) =>
      one.send(
        'GET',
        `/oauth2/logout?${new URLSearchParams({ client_id: client.client_id, post_logout_redirect_uri: uri })}`,
      );
    assert.notEqual((await end(after)).status, 400);
    assertErrorPage(await end('https://evil.example.net/'));
  });
}
