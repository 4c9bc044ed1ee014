import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createPolicy } from '../../../src/domain/policies/policies.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { assignPolicy } from '../../support/policies.ts';
import { giveDevice } from '../../support/second-factor.ts';
import {
  authorizePath,
  CookieJar,
  makeUser,
  password,
  type RegisteredClient,
  refresh,
  registerClient,
  submit,
  walk,
} from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, askTokens, assertError, unlimited } from './asking.ts';

const minutes = 60_000;
const offered = '; grant_types_supported in the metadata lists what is offered';

function byPassword(
  app: TestApp,
  client: RegisteredClient,
  username: string,
  secret = password,
  more = {},
): Promise<Answer> {
  return askTokens(app, client, { grant_type: 'password', username, password: secret, ...more });
}

/** `client_credentials` (RFC 6749 §4.4), `password` (§4.3) and unknown grant types. */
export function otherGrants(app: AppOf): void {
  it('grant_type is required; an unknown one is named in the error; implicit is not a grant type here', async () => {
    const client = await registerClient(app());
    assertError(await askTokens(app(), client, {}), 400, 'invalid_request', /^grant_type is missing$/);
    assertError(await askTokens(app(), client, { grant_type: '' }), 400, 'invalid_request');
    for (const type of ['device_code', 'implicit', 'Authorization_Code', 'constructor', '__proto__', 'toString']) {
      const answer = await askTokens(app(), client, { grant_type: type });
      assertError(answer, 400, 'unsupported_grant_type');
      assert.equal(answer.body.error_description, `unsupported grant_type requested (${type})${offered}`);
    }
    const odd = await askTokens(app(), client, { grant_type: 'a"b\\ü' });
    assert.equal(odd.body.error_description, `unsupported grant_type requested (a'b??)${offered}`);
  });

  it('client_credentials: an access token for the client itself, without scope, refresh token or id token', async () => {
    const client = await registerClient(app());
    const answer = await askTokens(app(), client, { grant_type: 'client_credentials' });
    const { access_token: token, ...rest } = answer.body;
    assert.match(token, /^at_/);
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600 });
    const seen = await app().send('POST', '/oauth2/introspect', {
      headers: { authorization: `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}` },
      form: { token },
    });
    assert.equal(seen.body.active, true);
    assert.equal(seen.body.sub, client.client_id);
    assert.ok(!('username' in seen.body) && !('scope' in seen.body));
  });

  it('client_credentials: refused for clients without a secret or without the grant type, and with a scope about users', async () => {
    const open = await registerClient(app(), { token_endpoint_auth_method: 'none' });
    assertError(await askTokens(app(), open, { grant_type: 'client_credentials' }), 400, 'unauthorized_client');
    const without = await registerClient(app(), { grant_types: ['authorization_code'] });
    assertError(await askTokens(app(), without, { grant_type: 'client_credentials' }), 400, 'unauthorized_client');
    const client = await registerClient(app());
    const scoped = await askTokens(app(), client, { grant_type: 'client_credentials', scope: 'openid' });
    assertError(scoped, 400, 'invalid_scope');
  });

  it('password: unauthorized_client unless the account turned it on and the client registered it', async () => {
    const client = await registerClient(app());
    const user = await makeUser(app(), client.app_id);
    assertError(await byPassword(app(), client, user.email ?? ''), 400, 'unauthorized_client');
    const on = await app().another({ ...unlimited, 'grant.password': 'on' });
    const without = await registerClient(on, { grant_types: ['authorization_code'] });
    const known = await makeUser(on, without.app_id);
    assertError(await byPassword(on, without, known.email ?? ''), 400, 'unauthorized_client');
  });

  it('password: tokens for the right name and password, refreshed like any other; scopes as at authorization', async () => {
    const on = await app().another({ ...unlimited, 'grant.password': 'on' });
    const client = await registerClient(on);
    const user = await makeUser(on, client.app_id, { username: 'ada' });
    for (const name of [user.email ?? '', 'ada', 'ADA', user.email?.toUpperCase() ?? '']) {
      const answer = await byPassword(on, client, name, password, { scope: 'openid email admin' });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.body.scope, 'openid email');
      assert.ok(answer.body.id_token);
      assert.equal((await refresh(on, client, answer.body.refresh_token)).status, 200);
    }
    assertError(await byPassword(on, client, 'ada', password, { scope: 'admin' }), 400, 'invalid_scope');
    assertError(await byPassword(on, client, ''), 400, 'invalid_request', /^username is missing$/);
    assertError(await byPassword(on, client, 'ada', ''), 400, 'invalid_request', /^password is missing$/);
  });

  it('password: one answer for an unknown name, a wrong password, a blocked user and one without access (L5)', async () => {
    const on = await app().another({ ...unlimited, 'grant.password': 'on' });
    const client = await registerClient(on);
    const user = await makeUser(on, client.app_id);
    const without = await makeUser(on);
    const answers = [
      await byPassword(on, client, 'nobody@example.com'),
      await byPassword(on, client, user.email ?? '', 'wrong password'),
      await byPassword(on, client, without.email ?? ''),
    ];
    for (const status of ['locked', 'suspended'] as const) {
      await setUser(on.services, on.account, user.id, { status });
      answers.push(await byPassword(on, client, user.email ?? ''));
    }
    for (const answer of answers) {
      assertError(answer, 400, 'invalid_grant');
      assert.equal(answer.text, answers[0]?.text);
    }
  });

  it('password: a user with a second factor, or whose policy demands one, is answered like a wrong password', async () => {
    const on = await app().another({ ...unlimited, 'grant.password': 'on' });
    const client = await registerClient(on);
    const enrolled = await makeUser(on, client.app_id);
    await giveDevice(on, enrolled);
    const demanded = await makeUser(on, client.app_id);
    const policy = await createPolicy(on.services, on.account, { name: 'Strict', otpRequired: true });
    await assignPolicy(on.services, on.account, { userId: demanded.id }, policy.id);
    const wrong = await byPassword(on, client, enrolled.email ?? '', 'wrong password');
    for (const { email } of [enrolled, demanded]) {
      const answer = await byPassword(on, client, email ?? '', password);
      assertError(answer, 400, 'invalid_grant');
      assert.equal(answer.text, wrong.text);
    }
    const [event] = await on.services.store.events.listBefore(on.account.id, null, 1);
    assert.deepEqual(JSON.parse(event?.detail ?? ''), {
      reason: 'second_factor_required',
      app_id: client.app_id,
      methods: ['pwd'],
    });
  });

  it('password: ten wrong ones lock it for 15 minutes here and on the pages, even for the right one', async () => {
    const on = await app().another({ ...unlimited, 'grant.password': 'on' });
    const client = await registerClient(on);
    const user = await makeUser(on, client.app_id);
    const name = user.email ?? '';
    const before = await byPassword(on, client, name);
    // Five at each door: the counter is one.
    for (let guess = 0; guess < 5; guess += 1) {
      assertError(await byPassword(on, client, name, 'wrong password'), 400, 'invalid_grant');
      const at = await walk(on, new CookieJar(), authorizePath(client));
      assert.equal((await submit(on, at, { username: name, password: 'wrong password' })).answer.status, 401);
    }
    const paused = await byPassword(on, client, name);
    assertError(paused, 400, 'invalid_grant');
    assert.equal(paused.text, (await byPassword(on, client, name, 'wrong password')).text);
    const page = await walk(on, new CookieJar(), authorizePath(client));
    assert.equal((await submit(on, page, { username: name, password })).answer.status, 401);
    assert.equal((await refresh(on, client, before.body.refresh_token)).status, 200, 'refresh is untouched');
    on.services.clock.advance(15 * minutes);
    assert.equal((await byPassword(on, client, name)).status, 200);
  });

  it('password: failed sign-ins of a source address are limited, in the form of this door', async () => {
    const on = await app().another({ 'grant.password': 'on', 'limit.sign-in': '3/h' });
    const client = await registerClient(on);
    const user = await makeUser(on, client.app_id);
    for (let round = 0; round < 5; round += 1)
      assert.equal((await byPassword(on, client, user.email ?? '')).status, 200);
    for (let guess = 0; guess < 3; guess += 1) {
      assertError(await byPassword(on, client, `nobody${guess}@example.com`), 400, 'invalid_grant');
    }
    const refused = await byPassword(on, client, user.email ?? '');
    assertError(refused, 429, 'rate_limited');
    assert.ok(Number(refused.headers['retry-after']) > 0);
  });
}
