/** Calls that wait while their caller loses the right to them. */

import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import { setAccount } from '../../../src/domain/accounts/accounts.ts';
import type { TestApp } from '../../support/app.ts';
import { atConsole, makeAdministrator } from '../../support/console.ts';
import { least } from './hooks.ts';
import { assertRefused, type Management, managing } from './managing.ts';

/** Does `work` while a function of this app waits for its verdict. */
function whileLoading({ services }: TestApp, work: () => Promise<unknown>): Disposable {
  const { mock: loading } = mock.method(services.hooks, 'load', async () => {
    await work();
    return { says: 'handler' };
  });
  return { [Symbol.dispose]: () => loading.restore() };
}

export function takenRights(app: () => TestApp): void {
  const ways: Readonly<Record<string, (one: TestApp, api: Management, userId: number) => Promise<unknown>>> = {
    'the right is taken': (_, api, id) => api.done(204, 'DELETE', `/administrators/${id}`),
    'the right becomes less': (_, api, id) => api.done(200, 'PUT', `/administrators/${id}`, { scopes: ['read_all'] }),
    'the session ends': (_, api, id) => api.done(204, 'DELETE', `/users/${id}/sessions`),
    'the user is suspended': (_, api, id) => api.done(200, 'PUT', `/users/${id}`, { status: 2 }),
    'the user is deleted': (_, api, id) => api.done(204, 'DELETE', `/users/${id}`),
    'the console is turned off': ({ services, account }) => setAccount(services, account.subdomain, { console: 'off' }),
    'a second factor is demanded': ({ services, account }) =>
      setAccount(services, account.subdomain, { 'administrators.second_factor': 'on' }),
  };
  for (const [way, take] of Object.entries(ways)) {
    it(`an administrator's write that waits is refused when ${way} meanwhile`, async () => {
      const one = await app().another();
      const api = await managing(one);
      const user = await makeAdministrator(one);
      const own = await atConsole(one, user);
      using _ = whileLoading(one, () => take(one, api, user.id));
      assertRefused(await own.call('POST', '/hooks', least), 401);
      assert.deepEqual(await api.done(200, 'GET', '/hooks'), []);
    });
  }

  it('so are conditional writes, and those with a key', async () => {
    const one = await app().another();
    const api = await managing(one);
    const { id } = await api.done(201, 'POST', '/hooks', least);
    const before = await api.done(200, 'GET', '/hooks');
    for (const [method, path, headers] of [
      ['PUT', `/hooks/${id}`, {}],
      ['PUT', `/hooks/${id}`, { 'if-match': '*' }],
      ['POST', '/hooks', { 'idempotency-key': 'the-key-of-this-write' }],
    ] as const) {
      const user = await makeAdministrator(one);
      const own = await atConsole(one, user);
      using _ = whileLoading(one, () => api.done(204, 'DELETE', `/administrators/${user.id}`));
      assertRefused(await own.call(method, path, { ...least, retries: 3 }, headers), 401);
    }
    assert.deepEqual(await api.done(200, 'GET', '/hooks'), before);
  });

  it('a write of a credential that is removed meanwhile is refused, one of another goes on', async () => {
    const one = await app().another();
    const [api, other] = [await managing(one), await managing(one)];
    const [first] = await api.done(200, 'GET', '/credentials');
    {
      using _ = whileLoading(one, () => other.done(204, 'DELETE', `/credentials/${first.id}`));
      assertRefused(await api.call('POST', '/hooks', least), 401);
    }
    assert.deepEqual(await other.done(200, 'GET', '/hooks'), []);
    await other.done(201, 'POST', '/hooks', least);
  });
}
