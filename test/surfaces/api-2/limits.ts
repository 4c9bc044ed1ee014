import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import { assertRefused, managing, operationsOf } from './managing.ts';

export function limits(app: () => TestApp): void {
  it('counts every call of a credential, even a refused one, and reports what is left', async () => {
    const limited = await app().another({ 'limit.api-2': '5/h' });
    const headers = { authorization: `Bearer ${await limited.bearer('read_users')}` };
    const left = async (method: string, path: string) => {
      const answer = await limited.send(method, path, { headers });
      assert.equal(answer.headers['x-ratelimit-limit'], '5');
      return [answer.status, Number(answer.headers['x-ratelimit-remaining'])];
    };
    assert.deepEqual(await left('GET', '/api/2/users'), [200, 4]);
    assert.deepEqual(await left('GET', '/api/2/users/1'), [404, 3]);
    assert.deepEqual(await left('DELETE', '/api/2/users/1'), [403, 2]);
    assert.deepEqual(await left('GET', '/api/2/users?limit=0'), [400, 1]);
    const { body } = await limited.send('GET', '/auth/rate_limit', { headers });
    assert.deepEqual([body.data['X-RateLimit-Limit'], body.data['X-RateLimit-Remaining']], [5, 1]);
    assert.deepEqual(await left('GET', '/api/2/users'), [200, 0]);
    const other = await managing(limited, 'read_users');
    await other.done(200, 'GET', '/users');
  });

  it('answers 429 with Retry-After on every operation when the limit is used up', async () => {
    const limited = await app().another({ 'limit.api-2': '1/h' });
    const api = await managing(limited);
    await api.done(200, 'GET', '/users');
    for (const { method, path, hasBody } of operationsOf()) {
      const answer = await api.call(method, path.replaceAll(/\{\w+\}/g, '1'), hasBody ? {} : undefined);
      assertRefused(answer, 429);
      assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/);
      assert.equal(answer.headers['x-ratelimit-remaining'], '0');
    }
  });

  it('reports the largest number where the limit is off, and nothing to an unknown caller', async () => {
    const answer = await (await managing(app())).call('GET', '/users?limit=1');
    assert.equal(answer.headers['x-ratelimit-remaining'], String(2 ** 31 - 1));
    const unknown = await app().send('GET', '/api/2/users');
    assert.equal(unknown.headers['x-ratelimit-remaining'], undefined);
  });
}
