import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { AppOf } from './asking.ts';

/** What is outside every operation (docs/document-gaps.md#hosts): still this surface's error form. */
export function routing(app: AppOf): void {
  it('an unknown path is 404 in JSON', async () => {
    for (const path of ['/oauth2', '/oauth2/nothing', '/oauth2/token/more', '/.well-known/nothing', '/oauth2/TOKEN']) {
      const answer = await app().send('GET', path);
      assert.equal(answer.status, 404, path);
      assert.deepEqual(answer.body, { error: 'not_found', error_description: 'Not found' });
    }
  });

  it('another method is 405 with Allow', async () => {
    for (const [method, path, allow] of [
      ['GET', '/oauth2/token', 'POST'],
      ['DELETE', '/oauth2/authorize', 'GET, POST'],
      ['POST', '/oauth2/jwks', 'GET'],
      ['PUT', '/oauth2/register', 'POST'],
    ] as const) {
      const answer = await app().send(method, path);
      assert.equal(answer.status, 405, path);
      assert.equal(answer.headers['allow'], allow);
      assert.deepEqual(answer.body, {
        error: 'method_not_allowed',
        error_description: 'Method not allowed; the Allow header lists the allowed methods',
      });
    }
  });

  it('a trailing slash leads to the same operation', async () => {
    assert.equal((await app().send('GET', '/oauth2/jwks/')).status, 200);
    assert.equal((await app().send('POST', '/oauth2/token/', { form: {} })).body.error, 'invalid_request');
  });

  it('every answer forbids storing, sniffing, framing and referrers, and carries no trace of the framework', async () => {
    const answers = [
      await app().send('POST', '/oauth2/token', { form: {} }),
      await app().send('GET', '/oauth2/userinfo'),
      await app().send('GET', '/oauth2/nothing'),
      await app().send('GET', '/oauth2/token'),
    ];
    for (const { headers } of answers) {
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.equal(headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'");
      assert.equal(headers['x-powered-by'], undefined);
      assert.match(String(headers['strict-transport-security']), /^max-age=63072000/);
    }
  });
}
