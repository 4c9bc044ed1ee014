import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Answer } from '../../support/conforms.ts';
import { authorizePath, registerClient } from '../../support/sign-in.ts';
import type { AppOf } from './asking.ts';

const crossing = {
  '/.well-known/openid-configuration': ['GET'],
  '/.well-known/oauth-authorization-server': ['GET'],
  '/oauth2/jwks': ['GET'],
  '/oauth2/resource_metadata/1': ['GET'],
  '/oauth2/register': ['POST'],
  '/oauth2/register/some-client': ['GET', 'PUT', 'DELETE'],
  '/oauth2/token': ['POST'],
  '/oauth2/device_authorization': ['POST'],
  '/oauth2/userinfo': ['GET', 'POST'],
  '/oauth2/revoke': ['POST'],
} as const;
const staying = {
  '/oauth2/authorize': ['GET', 'POST'],
  '/oauth2/logout': ['GET', 'POST'],
  '/oauth2/introspect': ['POST'],
} as const;
const fromElsewhere = { origin: 'https://spa.example' };

function corsHeaders(answer: Answer): string[] {
  return Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));
}

/** Fetch standard, CORS protocol; never on authorize (docs/document-gaps.md#the-standard-door). */
export function cors(app: AppOf): void {
  for (const [path, methods] of Object.entries(crossing)) {
    it(`${path} allows scripts of any origin, without credentials`, async () => {
      const preflight = await app().send('OPTIONS', path, {
        headers: { ...fromElsewhere, 'access-control-request-method': methods[0] },
      });
      assert.equal(preflight.status, 204);
      assert.equal(preflight.text, '');
      assert.equal(preflight.headers['access-control-allow-origin'], '*');
      assert.equal(preflight.headers['access-control-allow-methods'], methods.join(', '));
      assert.equal(
        preflight.headers['access-control-allow-headers'],
        'authorization, content-type, dpop, idempotency-key, mcp-protocol-version',
      );
      assert.equal(preflight.headers['access-control-allow-credentials'], undefined);
      for (const method of methods) {
        // Refusals too: a script must be able to read why.
        const answer = await app().send(method, path, { headers: fromElsewhere });
        assert.equal(answer.headers['access-control-allow-origin'], '*', `${method} ${answer.status}`);
        assert.equal(answer.headers['access-control-allow-credentials'], undefined);
        assert.match(String(answer.headers['access-control-expose-headers']), /\bx-request-id\b/);
      }
    });
  }

  for (const [path, methods] of Object.entries(staying)) {
    it(`${path} never sends CORS headers`, async () => {
      const preflight = await app().send('OPTIONS', path, {
        headers: { ...fromElsewhere, 'access-control-request-method': methods[0] },
      });
      assert.equal(preflight.status, 405);
      assert.deepEqual(corsHeaders(preflight), []);
      for (const method of methods) {
        assert.deepEqual(corsHeaders(await app().send(method, path, { headers: fromElsewhere })), []);
      }
    });
  }

  it('a preflight that is refused tells the same with and without a token', async () => {
    const headers = { ...fromElsewhere, 'access-control-request-headers': 'mcp-protocol-version' };
    for (const [path, status] of [
      ['/oauth2/introspect', 405],
      ['/oauth2/nothing', 404],
    ] as const) {
      const [preflight, again] = [
        await app().send('OPTIONS', path, { headers }),
        await app().send('OPTIONS', path, { headers: { ...headers, authorization: 'Bearer nobody' } }),
      ];
      assert.deepEqual([preflight.status, again.status], [status, status]);
      assert.deepEqual([corsHeaders(preflight), corsHeaders(again)], [[], []]);
      assert.deepEqual(Object.keys(preflight.body), Object.keys(again.body));
    }
  });

  it('a valid authorization request sends none either', async () => {
    const client = await registerClient(app());
    const answer = await app().send('GET', authorizePath(client), { headers: fromElsewhere });
    assert.equal(answer.status, 303);
    assert.deepEqual(corsHeaders(answer), []);
  });
}
