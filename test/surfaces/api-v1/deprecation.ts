/** Switches, rehearsals, headers and counts: what all deprecated surfaces share. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setAccount } from '../../../src/domain/accounts/accounts.ts';
import { revokeApiKey } from '../../../src/domain/callers/api-keys.ts';
import { Failure } from '../../../src/domain/failure.ts';
import type { TestApp } from '../../support/app.ts';
import { apiHost, assertDeprecated, newApiKey } from '../../support/legacy.ts';
import { delegated, messageOf, newUser, password, unknownKey } from './delegated.ts';

const hour = 3_600_000;

export function deprecation(app: () => TestApp): void {
  async function statusOn(app: TestApp, host?: string): Promise<number> {
    const { ask, key } = await delegated(app);
    return (await ask({ api_key: key.key }, host)).status;
  }

  it('an account switches the surface off, now or from a date on, without affecting other accounts', async () => {
    const own = await app().another({ 'surface.api-v1': 'off' });
    assert.deepEqual([await statusOn(own), await statusOn(own, apiHost), await statusOn(app())], [404, 404, 200]);
    const now = own.services.clock.now();
    for (const [at, status] of [
      [now - hour, 404],
      [now + hour, 200],
    ] as const) {
      await setAccount(own.services, own.account.subdomain, { 'surface.api-v1': new Date(at).toISOString() });
      assert.deepEqual([await statusOn(own), await statusOn(own, apiHost)], [status, status]);
    }
    await setAccount(own.services, own.account.subdomain, { 'surface.api-v1': '' });
    assert.equal(await statusOn(own), 200);
  });

  it('a switched-off surface answers 404 to any request', async () => {
    const own = await app().another({ 'surface.api-v1': 'off' });
    const path = '/api/v1/delegated_auth';
    const answers = [
      await own.send('GET', path),
      await own.send('GET', `${path}?api_key=${unknownKey}`),
      await own.send('GET', '/api/v1/else'),
    ];
    for (const answer of answers) {
      assert.equal(answer.status, 404);
      assert.equal(answer.text, '<error><message>Not found</message><code>not_found</code></error>');
      assertDeprecated(answer, `${own.account.baseUrl}/oauth2/authorize`);
    }
  });

  it('a brownout switches it off for a time of day', async () => {
    const own = await app().another();
    // A minute may end meanwhile.
    using _ = own.services.clock.hold();
    const now = own.services.clock.now();
    const at = (milliseconds: number) => new Date(milliseconds).toISOString().slice(11, 16);
    const windows: [string, number][] = [
      [`${at(now)}-${at(now + 5 * 60_000)}`, 404],
      [`${at(now - 2 * hour)}-${at(now - hour)}`, 200],
      [`${at(now - 2 * hour)}-${at(now - hour)}, ${at(now - hour)}-${at(now + hour)}`, 404],
      // Over midnight, most of the day.
      [`${at(now + 60_000)}-${at(now)}`, 200],
    ];
    for (const [window, status] of windows) {
      await setAccount(own.services, own.account.subdomain, { 'brownout.api-v1': window });
      assert.equal(await statusOn(own), status, window);
    }
  });

  it('refuses meaningless settings', async () => {
    const { services, account } = app();
    const bad = {
      'surface.api-v1': ['maybe', '2027-02-31', '2027-6-1', 'tomorrow'],
      'sunset.xml': ['off', '2027', '2027-06-30T25:00Z'],
      'brownout.api-v3': ['10:00', '10:00-10:00', '24:00-01:00', '10:00-11:00-12:00', '10:00-11:00;12:00-13:00'],
    };
    for (const [name, values] of Object.entries(bad)) {
      for (const value of values) {
        await assert.rejects(
          setAccount(services, account.subdomain, { [name]: value }),
          (error) => error instanceof Failure && error.code === 'value_invalid' && error.detail.name === name,
          `${name}=${value}`,
        );
      }
    }
  });

  it('announces when it will end, if the account set a date (RFC 8594)', async () => {
    const own = await app().another({ 'sunset.api-v1': '2027-06-30' });
    const { ask, key } = await delegated(own);
    for (const host of [undefined, apiHost]) {
      const answer = await ask({ api_key: key.key }, host);
      assert.equal(answer.headers['sunset'], 'Wed, 30 Jun 2027 00:00:00 GMT');
      assert.equal(answer.headers['deprecation'], '@1795219200');
    }
    assert.equal((await ask({ api_key: unknownKey }, apiHost)).headers['sunset'], undefined);
    const other = await delegated(app());
    assert.equal((await other.ask({ api_key: other.key.key })).headers['sunset'], undefined);
  });

  it('a revoked key counts as missing', async () => {
    const { ask, key } = await delegated(app());
    const { email } = await newUser(app());
    const query = { api_key: key.key, email: email ?? '', password };
    assert.equal(messageOf(await ask(query)), 'Success');
    await revokeApiKey(app().services, app().account, key.id);
    assert.equal(messageOf(await ask(query)), 'Account not found');
    assert.equal(messageOf(await ask(query, apiHost)), 'Account not found');
  });

  it('a key over its limit is refused, and other keys are not affected', async () => {
    const own = await app().another({ 'limit.delegated': '2/h' });
    const { email } = await newUser(own);
    const { key, ask } = await delegated(own);
    const query = { api_key: key.key, email: email ?? '', password };
    for (const left of [1, 0]) {
      const answer = await ask(query);
      assert.equal(messageOf(answer), 'Success');
      assert.equal(answer.headers['retry-after'], undefined);
      assert.equal(answer.headers['x-ratelimit-remaining'], String(left));
    }
    for (const host of [undefined, apiHost]) {
      const answer = await ask(query, host);
      assert.equal(messageOf(answer), 'Invalid password');
      const seconds = Number(answer.headers['retry-after']);
      assert.ok(seconds >= 1 && seconds <= 3_600, `${seconds} s`);
    }
    assert.equal(await (await delegated(own)).say(email), 'Success');
  });

  it('counts calls by key, operation and day, with the time of the last', async () => {
    using _ = app().services.clock.hold();
    const own = await app().another({ 'limit.delegated': '2/h' });
    const { services, account } = own;
    const { key, ask } = await delegated(own);
    const other = await newApiKey(own);
    const day = new Date(services.clock.now()).toISOString().slice(0, 10);
    // The third is over the limit; another account's key does not count.
    for (const api_key of [key.key, key.key, key.key, other.key, unknownKey]) await ask({ api_key });
    const lastAt = services.clock.now();
    await services.counts.flush();
    const counts = await services.store.counts.list(account.id, day);
    const kind = 'call.authenticateDelegated' as const;
    assert.deepEqual(counts, [
      { accountId: account.id, day, kind, subjectId: key.id, count: 3, lastAt },
      { accountId: account.id, day, kind, subjectId: other.id, count: 1, lastAt },
    ]);
    await setAccount(services, account.subdomain, { 'surface.api-v1': 'off' });
    assert.equal((await ask({ api_key: key.key }, apiHost)).status, 404);
    assert.equal((await ask({ api_key: key.key })).status, 404);
    await services.counts.flush();
    assert.equal((await services.store.counts.list(account.id, day))[0]?.count, 5, 'calls are counted');
  });
}
