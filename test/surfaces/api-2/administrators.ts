/** Users who manage the account at its console: their scopes, their sign-in, and their tokens. */

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

export function administrators(app: () => TestApp): void {
  it('scopes are given to a user, replaced, listed and taken', async () => {
    const one = await app().another();
    using _ = one.services.clock.hold();
    const api = await managing(one);
    const [first, second] = [await makeUser(one), await makeUser(one)];
    assert.deepEqual(await api.done(200, 'GET', '/administrators'), []);
    assertRefused(await api.call('GET', `/administrators/${first.id}`), 404);
    const createdAt = new Date(one.services.clock.now()).toISOString();
    const given = { user_id: first.id, scopes: ['manage_users', 'read_all'], created_at: createdAt };
    const scopes = ['manage_users', 'read_all', 'manage_users'];
    assert.deepEqual(await api.done(200, 'PUT', `/administrators/${first.id}`, { scopes }), given);
    assert.deepEqual(await api.done(200, 'GET', `/administrators/${first.id}`), given);
    one.services.clock.advance(1000);
    const replaced = { ...given, scopes: ['manage_all'] };
    assert.deepEqual(await api.done(200, 'PUT', `/administrators/${first.id}`, { scopes: ['manage_all'] }), replaced);
    await api.done(200, 'PUT', `/administrators/${second.id}`, { scopes: ['read_users'] });
    const listed = await api.done(200, 'GET', '/administrators?sort=-user_id&fields=user_id');
    assert.deepEqual(listed, [{ user_id: second.id }, { user_id: first.id }]);
    const events = await api.done(200, 'GET', `/events?target=user:${first.id}&action=user.changed`);
    assert.deepEqual(
      events.map((event: { detail: object }) => event.detail).slice(0, 2),
      [['manage_all'], ['manage_users', 'read_all']].map((now) => ({
        fields: ['administrator_scopes'],
        administrator_scopes: now,
      })),
    );
    await api.done(204, 'DELETE', `/administrators/${first.id}`);
    assertRefused(await api.call('DELETE', `/administrators/${first.id}`), 404);
    assert.equal((await api.done(200, 'GET', '/administrators')).length, 1);
    await api.done(204, 'DELETE', `/users/${second.id}`);
    assert.deepEqual(await api.done(200, 'GET', '/administrators'), []);
    assertRefused(await api.call('PUT', `/administrators/${second.id}`, { scopes: ['read_all'] }), 404);
  });

  it('scopes of programs alone, unknown ones, and none are 422', async () => {
    const api = await managing(app());
    const { id } = await makeUser(app());
    for (const scopes of [[], ['everything'], ['register_clients'], ['authentication_only'], 'manage_all']) {
      assertRefused(await api.call('PUT', `/administrators/${id}`, { scopes }), 422, /scopes/);
    }
    assertRefused(await api.call('GET', `/administrators/${id}`), 404);
  });

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

  it('a right that is taken ends the next call, and one that is given begins with it', async () => {
    const api = await managing(app());
    const user = await makeAdministrator(app(), ['read_users']);
    const console = await atConsole(app(), user);
    assert.equal(console.answered.scope, 'read_users');
    await console.done(200, 'GET', '/users?limit=1');
    assertRefused(await console.call('GET', '/roles'), 403, /read_all, manage_all$/);
    await api.done(200, 'PUT', `/administrators/${user.id}`, { scopes: ['read_all'] });
    await console.done(200, 'GET', '/roles');
    await api.done(204, 'DELETE', `/administrators/${user.id}`);
    const refused = await console.call('GET', '/users?limit=1');
    assertRefused(refused, 401);
    assert.match(String(refused.headers['www-authenticate']), /^DPoP .*error="invalid_token"/);
    await api.done(200, 'PUT', `/administrators/${user.id}`, { scopes: ['read_all'] });
    // A lock keeps the session, a suspension ends it.
    await api.done(200, 'PUT', `/users/${user.id}`, { status: 3 });
    assertRefused(await console.call('GET', '/users?limit=1'), 401);
    await api.done(200, 'PUT', `/users/${user.id}`, { status: 1 });
    await console.done(200, 'GET', '/users?limit=1');
    await api.done(200, 'PUT', `/users/${user.id}`, { status: 2 });
    assertRefused(await console.call('GET', '/users?limit=1'), 401);
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
    const head = (claims: Readonly<Record<string, unknown>>) => callWithProof(app(), token, key, 'HEAD', '/users?limit=1', { claims });
    const answer = await head({});
    assert.deepEqual([answer.status, answer.text || ''], [200, '']);
    assert.equal((await head({ htm: 'GET' })).status, 401);
    const get = await callWithProof(app(), token, key, 'GET', '/users?limit=1', { claims: { htm: 'HEAD' } });
    assertRefused(get, 401, /htm/);
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

  it('the last administrator with manage_all cannot give it up, in any way', async () => {
    const one = await app().another();
    const [user, other] = [await makeAdministrator(one), await makeAdministrator(one, ['read_all'])];
    const console = await atConsole(one, user);
    const own = `/administrators/${user.id}`;
    const attempts = async () => [
      await console.call('PUT', own, { scopes: ['read_all'] }),
      await console.call('DELETE', own),
      await console.call('DELETE', `/users/${user.id}`),
      await console.call('PUT', `/users/${user.id}`, { status: 2 }),
      await console.call('PUT', `/users/${user.id}`, { status: 3 }),
    ];
    for (const refused of await attempts()) assertRefused(refused, 409, /last administrator/);
    // Another who cannot sign in is no successor.
    await console.done(200, 'PUT', `/administrators/${other.id}`, { scopes: ['manage_all'] });
    await console.done(200, 'PUT', `/users/${other.id}`, { status: 2 });
    for (const refused of await attempts()) assertRefused(refused, 409, /last administrator/);
    await console.done(200, 'PUT', `/users/${other.id}`, { status: 1 });
    await console.done(204, 'DELETE', own);
    assertRefused(await console.call('GET', '/caller'), 401);
  });

  it('who does not have manage_all is no last administrator, and with a successor one may suspend themselves', async () => {
    const one = await app().another();
    const manager = await makeAdministrator(one, ['manage_users']);
    const console = await atConsole(one, manager);
    await console.done(200, 'PUT', `/users/${manager.id}`, { status: 2 });
    const [first] = [await makeAdministrator(one), await makeAdministrator(one)];
    const full = await atConsole(one, first);
    await full.done(200, 'PUT', `/users/${first.id}`, { status: 2 });
    assertRefused(await full.call('GET', '/caller'), 401);
  });

  it('of two who suspend themselves at once one stays', async () => {
    const one = await app().another();
    const both = [await makeAdministrator(one), await makeAdministrator(one)];
    const consoles = await Promise.all(both.map((user) => atConsole(one, user)));
    const answers = await Promise.all(
      consoles.map((console) => console.call('PUT', `/users/${console.user.id}`, { status: 2 })),
    );
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409]);
  });

  it('of two who remove, or suspend, each other at once one stays', async () => {
    for (const act of ['remove', 'suspend'] as const) {
      const one = await app().another();
      const both = [await makeAdministrator(one), await makeAdministrator(one)] as const;
      const [first, second] = [await atConsole(one, both[0]), await atConsole(one, both[1])];
      const end = (by: typeof first, id: number) =>
        act === 'remove' ? by.call('DELETE', `/administrators/${id}`) : by.call('PUT', `/users/${id}`, { status: 2 });
      const answers = await Promise.all([end(first, both[1].id), end(second, both[0].id)]);
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [act === 'remove' ? 204 : 200, 401]);
    }
  });

  it('a right that was taken is not given back by a call under way', async () => {
    const one = await app().another();
    const [keeper, other] = [await makeAdministrator(one), await makeAdministrator(one)];
    const [full, own] = [await atConsole(one, keeper), await atConsole(one, other)];
    const path = `/administrators/${other.id}`;
    const giving = Array.from({ length: 5 }, () => own.call('PUT', path, { scopes: ['manage_all'] }));
    assert.equal((await full.call('DELETE', path)).status, 204);
    for (const { status } of await Promise.all(giving)) assert.ok(status === 200 || status === 401, `${status}`);
    assert.equal(await one.services.store.administrators.find(one.account.id, other.id), null);
  });

  it('no member of a user gives or takes scopes', async () => {
    const user = await makeAdministrator(app(), ['manage_users']);
    const console = await atConsole(app(), user);
    const scopes = ['manage_all'];
    const sent = { administrator_scopes: scopes, scopes, administrator: { scopes }, admin: true };
    await console.done(200, 'PUT', `/users/${user.id}`, sent);
    const made = await console.done(201, 'POST', '/users', { username: `u${user.id}`, ...sent });
    assert.deepEqual((await console.done(200, 'GET', '/caller')).scopes, ['manage_users']);
    const { administrators: stored } = app().services.store;
    assert.equal(await stored.find(app().account.id, made.id), null);
    assertRefused(await console.call('PUT', `/administrators/${user.id}`, { scopes }), 403, /manage_all$/);
  });

  it('manage_users changes, unlocks and deletes no administrator who may do more', async () => {
    const [full, reader, equal] = [
      await makeAdministrator(app()),
      await makeAdministrator(app(), ['read_all']),
      await makeAdministrator(app(), ['manage_users']),
    ];
    const api = await managing(app(), 'manage_users');
    for (const { id } of [full, reader]) {
      assertRefused(await api.call('PUT', `/users/${id}`, { email: 'mine@example.com' }), 403, /manage_all/);
      assertRefused(await api.call('PUT', `/users/${id}`, { status: 2 }), 403, /manage_all/);
      assertRefused(await api.call('POST', `/users/${id}/unlock`, {}), 403, /manage_all/);
      assertRefused(await api.call('DELETE', `/users/${id}`), 403, /manage_all/);
    }
    await api.done(200, 'PUT', `/users/${equal.id}`, { firstname: 'Grace' });
    const all = await managing(app());
    await all.done(200, 'PUT', `/users/${full.id}`, { firstname: 'Grace' });
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
