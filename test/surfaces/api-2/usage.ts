import assert from 'node:assert/strict';
import { it } from 'node:test';
import { revokeApiKey } from '../../../src/domain/callers/api-keys.ts';
import { basic, type TestApp } from '../../support/app.ts';
import { newApiKey } from '../../support/legacy.ts';
import { clientAuthentication, refresh, registerClient, signedIn } from '../../support/sign-in.ts';
import { assertRefused, managing } from './managing.ts';

interface Count {
  readonly day: string;
  readonly kind: string;
  readonly count: number;
}

const day = 24 * 60 * 60_000;
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

export function usage(app: () => TestApp): void {
  const today = () => dayOf(app().services.clock.now());
  const kindsOf = (counts: readonly Count[]) => Object.fromEntries(counts.map(({ kind, count }) => [kind, count]));

  /** An account in which a user signed in and refreshed tokens, with the counts stored. */
  async function used() {
    const one = await app().another();
    const { client, user, tokens } = await signedIn(one);
    const next = await refresh(one, client, tokens.refresh_token);
    await refresh(one, client, next.body.refresh_token);
    await refresh(one, client, 'rt_1_unknown');
    await one.services.counts.flush();
    return { one, client, user };
  }

  it('counts sign-ins by outcome, refreshes and grants of an account by day', async () => {
    const { one } = await used();
    const reader = await managing(one, 'read_all');
    const counts: Count[] = await reader.done(200, 'GET', '/usage/daily?limit=1000');
    assert.ok(counts.every((count) => count.day === today()));
    const { refresh: refreshes, authorization_code: codes, 'sign_in.succeeded': signIns } = kindsOf(counts);
    assert.deepEqual([refreshes, codes, signIns], [2, 1, 1]);
    // The token that asks is counted, too; what was stored is not stored again.
    await one.services.counts.flush();
    const again: Count[] = await reader.done(200, 'GET', '/usage/daily?limit=1000&kind=*');
    const { credential_token: _, ...before } = kindsOf(counts);
    const { credential_token: __, ...after } = kindsOf(again);
    assert.deepEqual(after, before);
    const refreshed: Count[] = await reader.done(200, 'GET', '/usage/daily?kind=refresh*');
    assert.ok(refreshed.length > 0 && refreshed.every(({ kind }) => kind.startsWith('refresh')));
    const signedInOnly: Count[] = await reader.done(200, 'GET', '/usage/daily?kind=sign_in.*&fields=kind');
    assert.deepEqual(signedInOnly, [{ kind: 'sign_in.succeeded' }]);
  });

  it('shows a span of days, the latest first, in pages', async () => {
    using _ = app().services.clock.hold();
    const one = await app().another();
    const first = one.services.clock.now();
    for (let turn = 0; turn < 3; turn += 1) {
      one.services.counts.addToAccount(one.account.id, 'sign_in.succeeded');
      one.services.counts.addToAccount(one.account.id, 'sign_in.wrong_password');
      if (turn < 2) one.services.clock.advance(day);
    }
    await one.services.counts.flush();
    const reader = await managing(one, 'read_all');
    const asked = `from=${dayOf(first)}&to=${dayOf(first + 2 * day)}`;
    const page = await reader.call('GET', `/usage/daily?${asked}&kind=sign_in.*&limit=4`);
    const rest = await reader.done(200, 'GET', `/usage/daily?cursor=${page.headers['after-cursor']}`);
    const days = [...page.body, ...rest].map((count: Count) => count.day);
    const expected = [2, 1, 0].flatMap((turn) => [dayOf(first + turn * day), dayOf(first + turn * day)]);
    assert.deepEqual([page.headers['total-count'], days], ['6', expected]);
    const middle = dayOf(first + day);
    const alone: Count[] = await reader.done(200, 'GET', `/usage/daily?from=${middle}&to=${middle}&kind=sign_in.*`);
    assert.deepEqual(kindsOf(alone), { 'sign_in.succeeded': 1, 'sign_in.wrong_password': 1 });
    for (const wrong of ['from=2026-02-31', 'to=2026-13-01', 'from=today', 'from=2026-1-1', 'nothing=1']) {
      assertRefused(await reader.call('GET', `/usage/daily?${wrong}`), 400, /./, wrong);
    }
  });

  it('apps say when they were used last, and unused ones are found', async () => {
    using _ = app().services.clock.hold();
    const { one, client } = await used();
    const unused = await registerClient(one);
    const api = await managing(one, 'read_all');
    const before = today();
    const [first, ...others] = await api.done(200, 'GET', '/usage/apps');
    const own = [first, ...others].find(({ id }) => id === client.app_id);
    assert.deepEqual([own.last_used_on, own.uses, own.by_day], [before, 3, [{ day: before, count: 3 }]]);
    assert.deepEqual([own.expires_at, own.expired, own.registered_by], [null, false, 'token']);
    const idle = [first, ...others].find(({ id }) => id === unused.app_id);
    assert.deepEqual([idle.last_used_on, idle.uses, idle.by_day], [null, 0, []]);
    assert.deepEqual(await api.done(200, 'GET', `/usage/apps?unused_since=${before}`), []);
    one.services.clock.advance(2 * day);
    const later = await managing(one, 'read_all');
    const idsOf = (found: readonly { id: number }[]) => found.map(({ id }) => id);
    const since = dayOf(one.services.clock.now() - day);
    const all = idsOf(await later.done(200, 'GET', '/usage/apps'));
    assert.deepEqual(idsOf(await later.done(200, 'GET', `/usage/apps?unused_since=${since}`)), all);
    const { headers, form } = clientAuthentication(client);
    const sent = { headers, form: { ...form, grant_type: 'client_credentials' } };
    assert.equal((await one.send('POST', '/oauth2/token', sent)).status, 200);
    await one.services.counts.flush();
    const left = idsOf(await later.done(200, 'GET', `/usage/apps?unused_since=${since}&sort=-name`));
    assert.deepEqual(left.toSorted(), all.filter((id) => id !== client.app_id).toSorted());
    const first1 = await later.call('GET', '/usage/apps?limit=1&days=1');
    assert.deepEqual([first1.body.length, first1.headers['total-count']], [1, String(all.length)]);
    for (const wrong of ['unused_since=2026-02-31', 'days=0', 'days=91', 'limit=101', 'sort=uses', 'nothing=1']) {
      assertRefused(await later.call('GET', `/usage/apps?${wrong}`), 400, /./, wrong);
    }
  });

  it('an app of open registration says when it expires, and that it has', async () => {
    using _ = app().services.clock.hold();
    const one = await app().another({ registration: 'open', 'open_registration.unused_days': '5' });
    const answer = await one.send('POST', '/oauth2/register', {
      json: { client_name: 'Opener', redirect_uris: ['https://app.example.com/cb'] },
    });
    assert.equal(answer.status, 201, answer.text);
    const made = one.services.clock.now();
    const [shown] = await (await managing(one, 'read_all')).done(200, 'GET', '/usage/apps?name=Opener');
    assert.deepEqual(
      [shown.registered_by, shown.expires_at, shown.expired],
      ['open', new Date(made + 5 * day).toISOString(), false],
    );
    one.services.clock.advance(5 * day);
    const [expired] = await (await managing(one, 'read_all')).done(200, 'GET', '/usage/apps?name=Opener');
    assert.equal(expired.expired, true);
  });

  it('callers of deprecated surfaces are listed with what replaces their calls, also when their key is gone', async () => {
    const one = await app().another();
    const key = await newApiKey(one, 'Payroll export');
    for (let turn = 0; turn < 3; turn += 1) {
      const answer = await one.send('GET', '/users.xml', { headers: basic(key.key, 'x') });
      assert.equal(answer.status, 200, answer.text);
    }
    await one.services.counts.flush();
    const reader = await managing(one, 'read_all');
    const [calls, ...others] = await reader.done(200, 'GET', '/usage/deprecated-calls?surface=xml');
    const { last_called_at: lastAt, ...rest } = calls;
    assert.deepEqual(rest, {
      api_key: { id: key.id, name: 'Payroll export' },
      surface: 'xml',
      call: 'GET /users.xml',
      successor: 'GET /api/2/users',
      calls: 3,
      by_day: [{ day: lastAt.slice(0, 10), count: 3 }],
    });
    assert.deepEqual(others, []);
    assert.deepEqual(await reader.done(200, 'GET', '/usage/deprecated-calls?surface=api-v1'), []);
    await revokeApiKey(one.services, one.account, key.id);
    assert.equal((await reader.done(200, 'GET', `/usage/deprecated-calls?api_key_id=${key.id}`)).length, 1);
    const counts: Count[] = await reader.done(200, 'GET', '/usage/daily?kind=deprecated_call');
    assert.equal(counts[0]?.count, 3);
    for (const wrong of ['days=0', 'days=91', 'sort=surface', 'nothing=1']) {
      assertRefused(await reader.call('GET', `/usage/deprecated-calls?${wrong}`), 400, /./, wrong);
    }
  });

  it('is of the account of the caller alone', async () => {
    await used();
    const other = await managing(await app().another(), 'read_all');
    assert.deepEqual(await other.done(200, 'GET', '/usage/daily?kind=sign_in.*'), []);
    assert.deepEqual(await other.done(200, 'GET', '/usage/apps'), []);
    assert.deepEqual(await other.done(200, 'GET', '/usage/deprecated-calls'), []);
  });
}
