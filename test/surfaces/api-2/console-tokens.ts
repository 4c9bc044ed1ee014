/** Administrators at the console: their sign-in, and their tokens. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setAccount } from '../../../src/domain/accounts/accounts.ts';
import type { TestApp } from '../../support/app.ts';
import {
  atConsole,
  callWithProof,
  consoleClient,
  consolePath,
  consoleRequest,
  makeAdministrator,
  redeemAtConsole,
  sendWithProof,
} from '../../support/console.ts';
import { athOf, newProofKey, proofFor } from '../../support/dpop.ts';
import { CookieJar, makeUser, registerClient, signInForCode, submit, walk } from '../../support/sign-in.ts';
import { assertRefused, managing } from './managing.ts';

export function consoleTokens(app: () => TestApp): void {
  it('an administrator signs in at the console without consent, and calls with a token that is bound to a key', async () => {
    const user = await makeAdministrator(app());
    const console = await atConsole(app(), user);
    const { access_token: token, ...answered } = console.answered;
    assert.deepEqual(answered, { token_type: 'DPoP', expires_in: 3600, scope: 'manage_all' });
    assert.match(token, /^gt_[\w-]{43}$/);
    assert.deepEqual(await console.done(200, 'GET', '/caller'), { type: 'user', id: user.id, scopes: ['manage_all'] });
    await console.done(200, 'GET', '/users?limit=1&username=a%20b');
    const { id } = await console.done(201, 'POST', '/roles', { name: `by ${user.id}` });
    const [event] = await console.done(200, 'GET', `/events?target=role:${id}`);
    assert.deepEqual([event.action, event.actor], ['role.created', { type: 'user', id: user.id }]);
  });

  it('nobody else gets a code: a user is told so, and silently the console is', async () => {
    const user = await makeUser(app());
    const jar = new CookieJar();
    const form = await walk(app(), jar, consolePath(app()));
    const typed = { username: user.email ?? '', password: 'correct horse battery staple' };
    const { answer } = await submit(app(), form, typed);
    assert.equal(answer.status, 403);
    assert.match(answer.text, /<h1>For administrators only<\/h1>/);
    const client = await makeAdministrator(app());
    const signedIn = await atConsole(app(), client);
    const api = await managing(app());
    await api.done(204, 'DELETE', `/administrators/${client.id}`);
    const silent = await walk(app(), signedIn.jar, consolePath(app(), { prompt: 'none' }));
    const told = new URL(String(silent.answer.headers['location']));
    assert.equal(told.searchParams.get('error'), 'access_denied');
  });

  it('the token needs a new proof of its key, for this request, and is no bearer token', async () => {
    const console = await atConsole(app(), await makeAdministrator(app()));
    const headers = { authorization: `Bearer ${console.token}` };
    assertRefused(await app().send('GET', '/api/2/users', { headers }), 401);
    const call = (changes: object, key = console.key, path = '/users?limit=1') =>
      callWithProof(app(), console.token, key, 'GET', path, changes);
    assert.equal((await call({})).status, 200);
    for (const [what, refused] of Object.entries({
      'another key': await call({}, await newProofKey()),
      'another method': await call({ claims: { htm: 'POST' } }),
      'another path': await call({ claims: { htu: `${app().account.baseUrl}/api/2/roles` } }),
      'another token': await call({ claims: { ath: 'x' } }),
      'no proof': await app().send('GET', '/api/2/users', { headers: { authorization: `DPoP ${console.token}` } }),
    })) {
      assertRefused(refused, 401, /./, what);
      assert.match(String(refused.headers['www-authenticate']), /^DPoP .*error="invalid_dpop_proof"/, what);
    }
    const jti = 'the-same-one';
    assert.equal((await call({ claims: { jti } })).status, 200);
    assertRefused(await call({ claims: { jti } }), 401, /used before/);
    const elsewhere = await app().another();
    assertRefused(await callWithProof(elsewhere, console.token, console.key, 'GET', '/users'), 401);
  });

  it('the proof of a HEAD is for a HEAD', async () => {
    const { token, key } = await atConsole(app(), await makeAdministrator(app()));
    const call = (method: string, htm: string) =>
      callWithProof(app(), token, key, method, '/users?limit=1', { claims: { htm } });
    const answer = await call('HEAD', 'HEAD');
    assert.deepEqual([answer.status, answer.text || ''], [200, '']);
    assert.equal((await call('HEAD', 'GET')).status, 401);
    assertRefused(await call('GET', 'HEAD'), 401, /htm/);
  });

  it('a code of the console is redeemed once, with proof and PKCE, by the console alone', async () => {
    const user = await makeAdministrator(app());
    const code = async () => (await signInForCode(app(), consoleClient, user, consoleRequest(app()))).get('code') ?? '';
    const key = await newProofKey();
    const form = { grant_type: 'authorization_code', client_id: 'console', code: await code() };
    const bare = await app().send('POST', '/oauth2/token', { form });
    assert.deepEqual([bare.status, bare.body.error], [400, 'invalid_dpop_proof']);
    for (const changes of [
      { code_verifier: 'x'.repeat(43) },
      { redirect_uri: `${app().account.baseUrl}/console/other` },
      { code: 'unknown' },
    ]) {
      const refused = await redeemAtConsole(app(), await code(), key, changes);
      assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_grant'], JSON.stringify(changes));
    }
    const once = await code();
    const { body } = await redeemAtConsole(app(), once, key);
    const call = () => callWithProof(app(), body.access_token, key, 'GET', '/caller');
    assert.equal((await call()).status, 200);
    assert.equal((await redeemAtConsole(app(), once, key)).status, 400);
    assertRefused(await call(), 401);
  });

  it('a second factor can be demanded of administrators alone, also of those who are signed in', async () => {
    const one = await app().another();
    const user = await makeAdministrator(one);
    const console = await atConsole(one, user);
    await setAccount(one.services, one.account.subdomain, { 'administrators.second_factor': 'on' });
    assertRefused(await console.call('GET', '/caller'), 401);
    const silent = await walk(one, console.jar, consolePath(one, { prompt: 'none' }));
    const told = new URL(String(silent.answer.headers['location']));
    assert.equal(told.searchParams.get('error'), 'interaction_required');
  });

  it('a token ends after an hour, and no renewal reaches beyond eight hours after the sign-in', async () => {
    const one = await app().another();
    using _ = one.services.clock.hold();
    const user = await makeAdministrator(one);
    const console = await atConsole(one, user);
    const silently = async () => {
      const { answer } = await walk(one, console.jar, consolePath(one, { prompt: 'none' }));
      return new URL(String(answer.headers['location'])).searchParams;
    };
    for (let minutes = 0; minutes < 465; minutes += 15) {
      one.services.clock.advance(15 * 60_000);
      assert.ok((await silently()).get('code'), `after ${minutes} minutes`);
    }
    assertRefused(await console.call('GET', '/caller'), 401);
    const key = await newProofKey();
    const { body } = await redeemAtConsole(one, (await silently()).get('code') ?? '', key);
    assert.equal(body.expires_in, 15 * 60);
    one.services.clock.advance(15 * 60_000);
    assertRefused(await callWithProof(one, body.access_token, key, 'GET', '/caller'), 401);
    assert.equal((await silently()).get('error'), 'login_required');
  });

  it('the token is nothing elsewhere, and a sign-out ends it', async () => {
    const user = await makeAdministrator(app());
    const { token, key, ...console } = await atConsole(app(), user);
    const nonce = String((await callWithProof(app(), 'gt_x', key, 'GET', '/caller')).headers['dpop-nonce'] ?? 'none');
    const claims = { ath: athOf(token), nonce };
    const dpop = await proofFor(app(), key, 'GET', '/oauth2/userinfo', { claims });
    for (const authorization of [`DPoP ${token}`, `Bearer ${token}`]) {
      const answer = await app().send('GET', '/oauth2/userinfo', { headers: { authorization, dpop } });
      assert.equal(answer.status, 401);
      const limit = await app().send('GET', '/auth/rate_limit', { headers: { authorization } });
      assert.equal(limit.status, 401);
    }
    const limit = await sendWithProof(app(), { token, key }, 'GET', '/auth/rate_limit', {}, {});
    assert.equal(limit.status, 401);
    assert.equal((await console.call('GET', '/caller')).status, 200);
    const api = await managing(app());
    await api.done(204, 'DELETE', `/users/${user.id}/sessions`);
    assertRefused(await console.call('GET', '/caller'), 401);
  });

  it('the console ends its token alone, and nobody needs a proof for that', async () => {
    const user = await makeAdministrator(app());
    const [first, second] = [await atConsole(app(), user), await atConsole(app(), user)];
    const revoke = (token: string, client = 'console') =>
      app().send('POST', '/oauth2/revoke', { form: { client_id: client, token } });
    for (const token of ['gt_x', `gt_${'x'.repeat(43)}`, 'rt_1_x', first.token.toUpperCase()]) {
      assert.equal((await revoke(token)).status, 200, token);
    }
    const other = await registerClient(app(), { token_endpoint_auth_method: 'none' });
    assert.equal((await revoke(first.token, other.client_id)).status, 200);
    assert.equal((await first.call('GET', '/caller')).status, 200, "it is not the other client's");
    const { status, text } = await revoke(first.token);
    assert.deepEqual([status, text], [200, '']);
    assertRefused(await first.call('GET', '/caller'), 401);
    assert.equal((await second.call('GET', '/caller')).status, 200);
    assert.equal((await revoke(first.token)).status, 200);
    const silent = await walk(app(), first.jar, consolePath(app(), { prompt: 'none' }));
    assert.match(String(silent.answer.headers['location']), /[?&]code=/, 'the session stays');
  });

  it('a token ends with its own session, and with the time that this may be idle', async () => {
    const one = await app().another();
    using _ = one.services.clock.hold();
    const user = await makeAdministrator(one);
    const first = await atConsole(one, user);
    const [{ id }] = await first.done(200, 'GET', `/users/${user.id}/sessions`);
    const second = await atConsole(one, user);
    await second.done(204, 'DELETE', `/users/${user.id}/sessions/${id}`);
    assertRefused(await first.call('GET', '/caller'), 401);
    assert.equal((await second.call('GET', '/caller')).status, 200);
    one.services.clock.advance(29 * 60_000);
    assert.equal((await second.call('GET', '/caller')).status, 200, 'a call is use of the session');
    one.services.clock.advance(31 * 60_000 - 1);
    assertRefused(await second.call('GET', '/caller'), 401);
  });

  it('an account without its console has no client of that name', async () => {
    const one = await app().another();
    const user = await makeAdministrator(one);
    const console = await atConsole(one, user);
    const off = await app().another({ console: 'off' });
    assert.equal((await off.send('GET', consolePath(off))).status, 400);
    const form = { grant_type: 'authorization_code', client_id: 'console', code: 'x' };
    assert.equal((await off.send('POST', '/oauth2/token', { form })).body.error, 'invalid_client');
    await console.done(200, 'GET', '/caller');
    await setAccount(one.services, one.account.subdomain, { console: 'off' });
    assertRefused(await console.call('GET', '/caller'), 401);
  });
}
