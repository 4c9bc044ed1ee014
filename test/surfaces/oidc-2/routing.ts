/** What surrounds the two operations: scripts of other origins, other methods and paths, headers of all answers. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import { registerPath, tokenPath } from './door.ts';

export function routing(app: () => TestApp): void {
  for (const path of [registerPath, tokenPath]) {
    it(`${path} allows scripts of any origin, without credentials (Fetch standard)`, async () => {
      const headers = { origin: 'https://spa.example', 'access-control-request-method': 'POST' };
      const preflight = await app().send('OPTIONS', path, { headers });
      assert.deepEqual([preflight.status, preflight.text], [204, '']);
      // A refusal too: a script must be able to read why.
      for (const answer of [preflight, await app().send('POST', path, { headers })]) {
        assert.equal(answer.headers['access-control-allow-origin'], '*');
        assert.equal(answer.headers['access-control-allow-credentials'], undefined);
      }
      assert.equal(preflight.headers['access-control-allow-methods'], 'POST');
      assert.equal(
        preflight.headers['access-control-allow-headers'],
        'authorization, content-type, dpop, idempotency-key, mcp-protocol-version',
      );
    });

    it(`${path} answers 405 with Allow to another method, and its trailing slash is the same operation`, async () => {
      for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
        const answer = await app().send(method, path);
        assert.deepEqual([answer.status, answer.headers['allow']], [405, 'POST'], method);
      }
      const [bare, slashed] = [await app().send('POST', path), await app().send('POST', `${path}/`)];
      assert.deepEqual([slashed.status, slashed.body], [bare.status, bare.body]);
    });
  }

  it('answers 404 in JSON to any other path below /oidc/2', async () => {
    for (const path of [
      '/oidc/2',
      '/oidc/2/',
      '/oidc/2/authorize',
      '/oidc/2/TOKEN',
      '/oidc/2/token/x',
      '/oidc/2/register/id',
    ]) {
      for (const method of ['GET', 'POST']) {
        const answer = await app().send(method, path);
        assert.deepEqual([answer.status, answer.body.error], [404, 'not_found'], `${method} ${path}`);
      }
    }
  });

  it('forbids storing, sniffing, framing and referrers in every answer, and names no framework', async () => {
    const answers = [
      await app().send('POST', tokenPath, { form: {} }),
      await app().send('POST', registerPath, { json: {} }),
      await app().send('GET', '/oidc/2/nothing'),
      await app().send('GET', tokenPath),
    ];
    for (const { headers } of answers) {
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.equal(headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'");
      assert.equal(headers['x-powered-by'], undefined);
      assert.match(String(headers['x-request-id']), /^[\w.-]{1,64}$/);
    }
  });
}
