/**
 * Which redirect URIs can be registered (docs/document-gaps.md#registration-at-the-documented-door; R3), and in
 * what order registration refuses.
 */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import { sampled } from '../../support/sample.ts';
import { assertRefused, minimal, redirectUri, register, registered, registerPath } from './door.ts';
import { native, never, web } from './redirect-uris.ts';

const missing = /^redirect_uris is a mandatory property$/;

export function registerClientRedirectUris(app: () => TestApp): void {
  it('states that redirect_uris is a mandatory property when it is missing or empty (§7)', async () => {
    assertRefused(await register(app(), { client_name: 'x' }), 'invalid_redirect_uri', missing, 'none');
    assertRefused(await register(app(), { ...minimal, redirect_uris: [] }), 'invalid_redirect_uri', missing, '[]');
  });

  it('reports this before anything else: the document has no other error', async () => {
    assertRefused(await register(app(), {}), 'invalid_redirect_uri', missing, '{}');
    const bad = {
      application_type: 'desktop',
      subject_type: 'x',
      grant_types: [],
      initiate_login_uri: 'http://a.example',
    };
    assertRefused(await register(app(), bad), 'invalid_redirect_uri', missing, bad);
  });

  it('refuses redirect_uris that is not an array of strings, and repeated, too many or too long ones', async () => {
    const twenty = Array.from({ length: 20 }, (_, index) => `https://app.example.com/${index}`);
    assert.deepEqual((await registered(app(), { redirect_uris: twenty }))['redirect_uris'], twenty);
    const bad = [
      null,
      redirectUri,
      7,
      {},
      { 0: redirectUri },
      [7],
      [null],
      [[redirectUri]],
      [redirectUri, redirectUri],
      [...twenty, redirectUri],
    ];
    for (const uris of bad) {
      assertRefused(
        await register(app(), { ...minimal, redirect_uris: uris }),
        'invalid_redirect_uri',
        'redirect_uris',
        uris,
      );
    }
  });

  it('accepts https, and http on a loopback host, for a web application', async () => {
    for (const uri of web) {
      assert.deepEqual((await registered(app(), { redirect_uris: [uri] }))['redirect_uris'], [uri]);
    }
  });

  it('accepts private-use schemes too for a native application, in any mix', async () => {
    for (const uri of native) {
      const client = await registered(app(), { application_type: 'native', redirect_uris: [uri] });
      assert.deepEqual(client['redirect_uris'], [uri]);
    }
    const mixed = await registered(app(), { application_type: 'native', redirect_uris: native });
    assert.deepEqual(mixed['redirect_uris'], native);
  });

  it('refuses private-use schemes for a web application', async () => {
    for (const uri of ['com.example.app:/callback', 'com.example.app://callback', 'urn:x:y']) {
      assertRefused(
        await register(app(), { ...minimal, redirect_uris: [uri] }),
        'invalid_redirect_uri',
        'redirect_uris',
        uri,
      );
    }
  });

  for (const [index, applicationType] of ['web', 'native'].entries()) {
    it(`R3: registers no script scheme, user part, fragment, wildcard or twin for a ${applicationType} application`, async () => {
      for (const uri of sampled(never, 2, index)) {
        const metadata = { ...minimal, application_type: applicationType };
        for (const uris of [[uri], [redirectUri, uri]]) {
          const answer = await register(app(), { ...metadata, redirect_uris: uris });
          assert.equal(answer.status, 400, `${JSON.stringify(uri)} was registered`);
          // A control character anywhere in a body is a fault of the request itself.
          // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
          const expected = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(uri)
            ? 'invalid_request'
            : 'invalid_redirect_uri';
          assertRefused(answer, expected, 'redirect_uris', uri);
        }
      }
    });
  }

  it('answers 401 before it looks at the metadata', async () => {
    const answer = await app().send('POST', registerPath, { json: {} });
    assert.deepEqual(answer.body, { error: 'UnauthorizedError', error_description: 'Unauthorized' });
    assert.equal(answer.status, 401);
  });
}
