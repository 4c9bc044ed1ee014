import assert from 'node:assert/strict';
import { it } from 'node:test';
import { revokeAccess } from '../../../src/domain/users/access.ts';
import type { UserRecord } from '../../../src/store/users.ts';
import { assertTold } from '../../domain/audit/told.ts';
import { day, newGrant } from '../../store/samples.ts';
import type { TestApp } from '../../support/app.ts';
import {
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
} from '../../support/sign-in.ts';
import { isSignedIn } from '../../support/sign-out.ts';
import { ownVisit } from '../../support/visits.ts';
import { assertRefused, type Management, managing } from './managing.ts';

const nobody = 2_147_483_647;
const backchannel = 'https://app.example.com/signed-out';

/** Sessions, consents and grants of users over the API. */
export function userSignIns(app: () => TestApp): void {
  interface Held {
    readonly api: Management;
    /** It calls the API. */
    readonly actor: `credential ${number}`;
    readonly client: RegisteredClient;
    readonly user: UserRecord;
    readonly jar: CookieJar;
    readonly tokens: Tokens;
    /** Where the resources of the user are. */
    readonly of: string;
  }

  async function held(scope = 'openid profile email', metadata: object = {}): Promise<Held> {
    const api = await managing(app());
    const actor = await actorOf();
    const client = await registerClient(app(), { client_name: 'Payroll', ...metadata });
    const user = await makeUser(app(), client.app_id);
    const jar = new CookieJar();
    const code = (await signInForCode(app(), client, user, { scope }, jar)).get('code') ?? '';
    return { api, actor, client, user, jar, tokens: await redeem(app(), client, code), of: `/users/${user.id}` };
  }

  /** The caller that was made last. */
  async function actorOf(): Promise<`credential ${number}`> {
    const credentials = await app().services.store.callers.listCredentials(app().account.id);
    return `credential ${credentials.findLast(({ scopes }) => scopes.includes('manage_all'))?.id ?? 0}`;
  }

  const isOpen = ({ client, user, jar, tokens }: Held) => isSignedIn(app(), { client, user, jar, tokens });
  const refreshes = async ({ client, tokens }: Held) =>
    (await refresh(app(), client, tokens.refresh_token)).status === 200;
  const time = (milliseconds: number) => new Date(milliseconds).toISOString();

  it('shows a session without anything that opens it, and the apps that it was used for', async () => {
    const { clock } = app().services;
    using _ = clock.hold();
    const { api, client, user, of } = await held();
    const now = clock.now();
    const [session, ...more] = await api.done(200, 'GET', `${of}/sessions`);
    assert.deepEqual(more, []);
    const { id, ...shown } = session;
    assert.deepEqual(shown, {
      opened_at: time(now),
      last_used_at: time(now),
      expires_at: time(now + 30 * 60_000),
      ip_address: '127.0.0.1',
      user_agent: null,
      amr: ['pwd'],
      apps: [{ app_id: client.app_id, client_id: client.client_id, name: 'Payroll' }],
    });
    const { store } = app().services;
    const [stored] = await store.sessions.listOfUser(app().account.id, user.id, 1);
    assert.equal(stored?.id, id);
    const text = JSON.stringify(session);
    assert.ok(stored && !text.includes(stored.digest) && !text.includes(stored.sid), text);
    // One that was idle for too long has ended, though its row may be there.
    await store.sessions.touch(app().account.id, id, now - 31 * 60_000);
    assert.deepEqual(await api.done(200, 'GET', `${of}/sessions`), []);
    assertRefused(await api.call('DELETE', `${of}/sessions/${id}`), 404);
  });

  /** Follows a list by its cursors, an item a page; `link` is where the first page's link leads. */
  async function follow(api: Management, path: string, key: string, count: number) {
    const seen: number[] = [];
    let next = path;
    let link: string | undefined;
    while (seen.length < count) {
      const { status, body, headers, text } = await api.call('GET', next);
      assert.equal(status, 200, text);
      assert.deepEqual(Object.keys(body[0]), [key]);
      seen.push(body[0][key]);
      link ??= /<([^>]+)>; rel="next"/.exec(String(headers['link']))?.[1];
      next = `${path.split('?')[0]}?cursor=${headers['after-cursor']}`;
    }
    return { seen, link: String(link) };
  }

  /** A user who has four sessions, five consents and two grants. */
  async function busy(): Promise<Held> {
    const one = await held();
    const { services, account } = app();
    for (let index = 0; index < 4; index += 1) {
      await ownVisit(app(), one.user);
      const other = await registerClient(app());
      await services.store.authorizations.saveConsent(account.id, one.user.id, other.app_id, ['openid'], 1);
    }
    const second = await signInForCode(app(), one.client, one.user);
    await redeem(app(), one.client, second.get('code') ?? '');
    return one;
  }

  it('lists by pages: each item once, in both orders, and links that lead there', async () => {
    const { api, client, of } = await busy();
    const ascending = (one: number, other: number) => one - other;
    for (const [part, key, count] of [
      ['sessions', 'id', 6],
      ['consents', 'app_id', 5],
      ['grants', 'id', 2],
    ] as const) {
      const whole: number[] = (await api.done(200, 'GET', `${of}/${part}`)).map(
        (item: Record<string, number>) => item[key],
      );
      assert.deepEqual([whole.length, new Set(whole).size], [count, count], part);
      for (const sort of [key, `-${key}`]) {
        const { seen, link } = await follow(api, `${of}/${part}?limit=1&sort=${sort}&fields=${key}`, key, count);
        const sorted = whole.toSorted(ascending);
        assert.deepEqual(seen, sort === key ? sorted : sorted.toReversed(), sort);
        assert.ok(link.startsWith(`${app().account.baseUrl}/api/2${of}/${part}?`), link);
      }
    }
    const { app_id: appId } = client;
    assert.equal((await api.done(200, 'GET', `${of}/grants?app_id=${appId}`)).length, 2);
    assert.deepEqual(await api.done(200, 'GET', `${of}/grants?app_id=${nobody}`), []);
    const [consent, ...more] = await api.done(200, 'GET', `${of}/consents?app_id=${appId}`);
    assert.deepEqual([consent.app_id, more], [appId, []]);
  });

  it('refuses what is not there, and parameters that the lists do not have', async () => {
    const { api, of } = await held();
    for (const part of ['sessions', 'consents', 'grants']) {
      assertRefused(await api.call('GET', `${of}/${part}?color=red`), 400, /color/);
      assertRefused(await api.call('GET', `/users/${nobody}/${part}`), 404);
      assertRefused(await api.call('DELETE', `/users/${nobody}/${part}`), 404);
      assertRefused(await api.call('DELETE', `${of}/${part}/${nobody}`), 404);
      assertRefused(await api.call('DELETE', `${of}/${part}/one`), 404);
    }
  });

  it('ends one session: its app is told, and its grant without offline_access ends', async () => {
    const first = await held('openid', { backchannel_logout_uri: backchannel });
    const { api, actor, client, user, of } = first;
    const jar = new CookieJar();
    const code = (await signInForCode(app(), client, user, { scope: 'openid' }, jar)).get('code') ?? '';
    const other = { ...first, jar, tokens: await redeem(app(), client, code) };
    const [newest, oldest] = await api.done(200, 'GET', `${of}/sessions`);
    const path = `${of}/sessions/${oldest.id}`;
    await assertTold(app(), () => api.done(204, 'DELETE', path), [
      ['session.ended', actor, `user ${user.id}`, { session_id: oldest.id, grants_revoked: 1, clients_told: 1 }],
    ]);
    assert.deepEqual([await isOpen(first), await isOpen(other)], [false, true]);
    assert.deepEqual([await refreshes(first), await refreshes(other)], [false, true]);
    const left = await api.done(200, 'GET', `${of}/sessions`);
    assert.deepEqual(
      left.map(({ id }: { id: number }) => id),
      [newest.id],
    );
    assertRefused(await api.call('DELETE', path), 404);
  });

  it('signs a user out everywhere: sessions, grants and what is in flight end, consents stay', async () => {
    const one = await held('openid offline_access', { backchannel_logout_uri: backchannel });
    const { api, actor, client, user, of } = one;
    const code = (await signInForCode(app(), client, user, { scope: 'openid' }, one.jar)).get('code') ?? '';
    await assertTold(app(), () => api.done(204, 'DELETE', `${of}/sessions`), [
      ['session.all_ended', actor, `user ${user.id}`, { kept_own: false, grants_revoked: 1, clients_told: 1 }],
    ]);
    assert.deepEqual([await isOpen(one), await refreshes(one)], [false, false]);
    const { headers, form } = clientAuthentication(client);
    const late = { ...form, grant_type: 'authorization_code', code, redirect_uri: redirectUri };
    assert.equal((await app().send('POST', '/oauth2/token', { headers, form: late })).status, 400);
    assert.equal((await api.done(200, 'GET', `${of}/consents`)).length, 1);
    assert.deepEqual(await api.done(200, 'GET', `${of}/grants`), []);
    await api.done(204, 'DELETE', `${of}/sessions`);
  });

  it('withdraws consents, one or all: the grants of the apps end, and the user is asked again', async () => {
    const { clock } = app().services;
    using _ = clock.hold();
    const one = await held('openid profile');
    const { api, actor, client, user, of } = one;
    assert.deepEqual(await api.done(200, 'GET', `${of}/consents`), [
      {
        app_id: client.app_id,
        client_id: client.client_id,
        app_name: 'Payroll',
        scopes: ['openid', 'profile'],
        allowed_at: time(clock.now()),
      },
    ]);
    const path = `${of}/consents/${client.app_id}`;
    const told = ['consent.withdrawn', actor, `app ${client.app_id}`, { user_id: user.id, grants_revoked: 1 }] as const;
    await assertTold(app(), () => api.done(204, 'DELETE', path), [told]);
    assert.equal(await refreshes(one), false);
    assert.equal((await api.done(200, 'GET', `${of}/sessions`)).length, 1, 'the session goes on');
    assertRefused(await api.call('DELETE', path), 404);
    const again = await signInForCode(app(), client, user, { scope: 'openid profile' }, one.jar);
    await redeem(app(), client, again.get('code') ?? '');
    await assertTold(app(), () => api.done(204, 'DELETE', `${of}/consents`), [told]);
    assert.deepEqual(await api.done(200, 'GET', `${of}/consents`), []);
    assert.deepEqual(await api.done(200, 'GET', `${of}/grants`), []);
    await assertTold(app(), () => api.done(204, 'DELETE', `${of}/consents`), []);
  });

  it('shows what a grant is good for, and revokes one or all of them', async () => {
    const { clock } = app().services;
    using _ = clock.hold();
    const one = await held('openid profile offline_access');
    const { api, actor, client, user, of } = one;
    const createdAt = clock.now();
    clock.advance(60_000);
    const { status, body: tokens } = await refresh(app(), client, one.tokens.refresh_token);
    assert.equal(status, 200);
    const [grant, ...more] = await api.done(200, 'GET', `${of}/grants`);
    assert.deepEqual(more, []);
    const { id, expires_at, ...shown } = grant;
    assert.deepEqual(shown, {
      app_id: client.app_id,
      client_id: client.client_id,
      app_name: 'Payroll',
      scopes: ['openid', 'profile'],
      amr: ['pwd'],
      created_at: time(createdAt),
      last_used_at: time(createdAt + 60_000),
      refreshable: true,
      sender_constraint: 'client_authentication',
    });
    assert.ok(Date.parse(expires_at) > clock.now());
    const { user: other } = await held();
    assertRefused(await api.call('DELETE', `/users/${other.id}/grants/${id}`), 404);
    await assertTold(app(), () => api.done(204, 'DELETE', `${of}/grants/${id}`), [
      ['grant.revoked', actor, `grant ${id}`, { reason: 'revoked_by_operator' }],
    ]);
    assert.equal(await refreshes({ ...one, tokens }), false);
    assertRefused(await api.call('DELETE', `${of}/grants/${id}`), 404);
    const next = await signInForCode(app(), client, user, { scope: 'openid' }, one.jar);
    await redeem(app(), client, next.get('code') ?? '');
    await assertTold(app(), () => api.done(204, 'DELETE', `${of}/grants`), [
      ['grant.revoked', actor, `user ${user.id}`, { reason: 'revoked_by_operator', grants_revoked: 1 }],
    ]);
    assert.equal(await isOpen(one), true, 'the session and the consent stay');
    await assertTold(app(), () => api.done(204, 'DELETE', `${of}/grants`), []);
  });

  it('says what has to be shown with tokens, by the registration of the app', async () => {
    const { services, account } = app();
    const api = await managing(app());
    const user = await makeUser(app());
    const seen: string[] = [];
    for (const [metadata, extra] of [
      [{ dpop_bound_access_tokens: true }],
      [{}, { tls_client_certificate_bound_access_tokens: true }],
      [{ token_endpoint_auth_method: 'none', grant_types: ['authorization_code', 'refresh_token'] }],
      [{}],
    ] as const) {
      const { app_id: appId } = await registerClient(app(), metadata);
      // To register it the account would have to take certificates.
      if (extra) await services.store.clients.update(account.id, appId, { extra });
      const times = { createdAt: services.clock.now(), idleExpiresAt: services.clock.now() + day };
      const cast = { accountId: account.id, userId: user.id, appId };
      await newGrant(services.store, cast, { ...times, absoluteExpiresAt: times.idleExpiresAt });
      const [grant] = await api.done(200, 'GET', `/users/${user.id}/grants?app_id=${appId}`);
      seen.push(grant.sender_constraint);
    }
    assert.deepEqual(seen, ['dpop', 'certificate', 'per_token', 'client_authentication']);
  });

  it('lists no grant that was lost with the access to its app', async () => {
    const { api, client, user, of } = await held('openid offline_access');
    await revokeAccess(app().services, app().account, client.app_id, { user: user.email ?? '' });
    assert.deepEqual(await api.done(200, 'GET', `${of}/grants`), []);
  });
}
