import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import { unique } from '../../store/samples.ts';
import type { TestApp } from '../../support/app.ts';
import { dump } from '../../support/rows.ts';
import { redirectUri } from '../../support/sign-in.ts';
import { type AppOf, assertError, unlimited } from './asking.ts';

const json = { client_name: 'Repeated', redirect_uris: [redirectUri] };

function register(app: TestApp, token: string | null, key: string, more: object = {}) {
  const headers = { ...(token !== null && { authorization: `Bearer ${token}` }), 'idempotency-key': key };
  return app.send('POST', '/oauth2/register', { headers, json: { ...json, ...more } });
}

/** `Idempotency-Key` at registration. */
export function repeatableRegistrations(app: AppOf): void {
  it('a repeated registration has the first one’s client, secret and token, which are not stored', async () => {
    const one = await app().another(unlimited);
    const [token, key] = [await one.bearer('register_clients'), unique('key')];
    const first = await register(one, token, key);
    assert.equal(first.status, 201, first.text);
    const again = await register(one, token, key);
    assert.deepEqual([again.status, again.text], [201, first.text]);
    const stored = await dump(one.url);
    for (const secret of ['client_secret', 'registration_access_token']) {
      assert.ok(!stored.includes(first.body[secret]), secret);
    }
    const other = await register(one, await one.bearer('register_clients'), key);
    assert.notEqual(other.body.client_id, first.body.client_id);
  });

  it('another registration with the key is 422, and one whose answer was not kept is 409', async () => {
    const one = await app().another(unlimited);
    const [token, key, later] = [await one.bearer('register_clients'), unique('key'), unique('key')];
    await register(one, token, key);
    const other = await register(one, token, key, { client_name: 'Another' });
    assertError(other, 422, 'invalid_request');
    assert.match(other.body.error_description, /^Idempotency-Key was used for another request$/);
    const lost = () => Promise.reject(new Error('for the test'));
    const keeping = mock.method(one.services.store.keptAnswers, 'keep', lost);
    assert.equal((await register(one, token, later)).status, 201);
    keeping.mock.restore();
    assertError(await register(one, token, later), 409, 'invalid_request');
    assertError(await register(one, token, 'a b'), 400, 'invalid_request');
  });

  it('an open registration needs a key that nobody guesses', async () => {
    const one = await app().another({ ...unlimited, registration: 'open' });
    const short = await register(one, null, '"123456789012"'.padEnd(15, '3'));
    assertError(short, 400, 'invalid_request', /at least 16 characters/);
    assert.equal((await register(one, await one.bearer('register_clients'), 'short')).status, 201);
    assert.equal((await register(one, null, '8e03978e-40d5-43')).status, 201);
  });

  it('of eight open registrations with one key at once, one registers', async () => {
    const one = await app().another({ ...unlimited, registration: 'open' });
    for (let round = 0; round < 20; round += 1) {
      const key = unique('key');
      const answers = await Promise.all(Array.from({ length: 8 }, () => register(one, null, key)));
      const made = answers.filter(({ status }) => status === 201);
      assert.equal(new Set(made.map(({ body }) => body.client_id)).size, 1);
      for (const answer of answers) if (!made.includes(answer)) assertError(answer, 409, 'invalid_request');
    }
    const { items } = await one.services.store.clients.pageApps(one.account.id, {
      limit: 100,
      sort: { field: 'id', descending: false },
      filters: [],
      at: { page: 1 },
    });
    assert.equal(items.length, 20);
  });
}
