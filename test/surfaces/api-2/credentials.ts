import assert from 'node:assert/strict';
import { it } from 'node:test';
import { basic, type TestApp } from '../../support/app.ts';
import { assertRefused, managing } from './managing.ts';

export function credentials(app: () => TestApp): void {
  it('a credential pair is shown with its secret once, obtains tokens, and is invalid once deleted', async () => {
    using _ = app().services.clock.hold();
    const one = await app().another();
    const api = await managing(one);
    const [own] = await api.done(200, 'GET', '/credentials');
    const made = await api.done(201, 'POST', '/credentials', { scopes: ['read_users', 'read_users'] });
    const { client_secret: secret, ...pair } = made;
    const createdAt = new Date(one.services.clock.now()).toISOString();
    const shown = { id: made.id, client_id: made.client_id, scopes: ['read_users'], created_at: createdAt };
    assert.deepEqual(pair, shown);
    assert.deepEqual(await api.done(200, 'GET', '/credentials'), [own, shown]);
    assert.deepEqual(await api.done(200, 'GET', `/credentials?client_id=${made.client_id}&fields=id`), [
      { id: made.id },
    ]);
    const json = { grant_type: 'client_credentials' };
    const obtain = () => one.send('POST', '/auth/oauth2/v2/token', { headers: basic(made.client_id, secret), json });
    const token = await obtain();
    assert.equal(token.status, 200, token.text);
    const headers = { authorization: `Bearer ${token.body.access_token}` };
    assert.equal((await one.send('GET', '/api/2/users', { headers })).status, 200);
    await api.done(204, 'DELETE', `/credentials/${made.id}`);
    assert.equal((await one.send('GET', '/api/2/users', { headers })).status, 401);
    assert.equal((await obtain()).status, 401);
    assert.deepEqual(await api.done(200, 'GET', '/credentials'), [own]);
    assertRefused(await api.call('DELETE', `/credentials/${made.id}`), 404);
    await api.done(204, 'DELETE', `/credentials/${own.id}`);
    assertRefused(await api.call('GET', '/credentials'), 401);
  });

  it('a key is shown once, and is invalid once deleted', async () => {
    using _ = app().services.clock.hold();
    const one = await app().another();
    const api = await managing(one);
    const { api_key: key, ...rest } = await api.done(201, 'POST', '/api_keys', { name: 'Payroll export' });
    const createdAt = new Date(one.services.clock.now()).toISOString();
    assert.match(key, /^ak_/);
    assert.deepEqual(rest, { id: rest.id, name: 'Payroll export', created_at: createdAt });
    const second = await api.done(201, 'POST', '/api_keys', { name: 'Other' });
    assert.deepEqual(await api.done(200, 'GET', '/api_keys?name=Pay*'), [rest]);
    assert.equal((await api.done(200, 'GET', '/api_keys?sort=-id'))[0].id, second.id);
    await api.done(204, 'DELETE', `/api_keys/${rest.id}`);
    assert.deepEqual(await api.done(200, 'GET', '/api_keys?fields=name'), [{ name: 'Other' }]);
    assertRefused(await api.call('DELETE', `/api_keys/${rest.id}`), 404);
  });

  it('another account’s pairs and keys are answered as unknown', async () => {
    const theirs = await app().another();
    const them = await managing(theirs);
    const pair = await them.done(201, 'POST', '/credentials', { scopes: ['read_all'] });
    const key = await them.done(201, 'POST', '/api_keys', { name: 'Theirs' });
    const api = await managing(app());
    assertRefused(await api.call('DELETE', `/credentials/${pair.id}`), 404);
    assertRefused(await api.call('DELETE', `/api_keys/${key.id}`), 404);
    assert.deepEqual(await api.done(200, 'GET', `/credentials?client_id=${pair.client_id}`), []);
    assert.equal((await them.done(200, 'GET', '/api_keys')).length, 1);
    assert.equal((await them.done(200, 'GET', '/credentials')).length, 2);
  });

  it('an invalid member is 422 with its name', async () => {
    const api = await managing(app());
    for (const [body, name] of [
      [{}, 'scopes'],
      [{ scopes: [] }, 'scopes'],
      [{ scopes: ['everything'] }, 'scopes'],
      [{ scopes: 'read_all' }, 'scopes'],
      [{ scopes: ['read_all'], unknown: 1 }, 'unknown'],
    ] as const) {
      assertRefused(await api.call('POST', '/credentials', body), 422, new RegExp(name), JSON.stringify(body));
    }
    for (const [body, name] of [
      [{}, 'name'],
      [{ name: '' }, 'name'],
      [{ name: ' x' }, 'name'],
      [{ name: 'x'.repeat(101) }, 'name'],
      [{ name: 'x', unknown: 1 }, 'unknown'],
    ] as const) {
      assertRefused(await api.call('POST', '/api_keys', body), 422, new RegExp(name), JSON.stringify(body));
    }
  });
}
