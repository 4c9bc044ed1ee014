import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Answer } from '../../support/conforms.ts';
import { assertCharacters, patternedTexts } from '../../support/patterned-texts.ts';
import { readTable } from '../../support/rows.ts';
import { redirectUri } from '../../support/sign-in.ts';
import { type AppOf, assertError } from './asking.ts';

/** Metadata that is refused (RFC 7591 §3.2.2), bodies that are none, and R3. */
export function registrationFaults(app: AppOf): void {
  async function register(json: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const authorization = `Bearer ${await app().bearer('register_clients')}`;
    return app().send('POST', '/oauth2/register', { headers: { authorization, ...headers }, json });
  }

  /** 2048 bits. */
  const rsa = { kty: 'RSA', n: 'q'.repeat(342), e: 'AQAB' };
  const faults: readonly [title: string, metadata: object, error: string, described: RegExp][] = [
    ['no redirect_uris', {}, 'invalid_redirect_uri', /^redirect_uris is a mandatory property$/],
    ['empty redirect_uris', { redirect_uris: [] }, 'invalid_redirect_uri', /^redirect_uris /],
    ['redirect_uris that are no array', { redirect_uris: redirectUri }, 'invalid_redirect_uri', /^redirect_uris /],
    ['a redirect URI that is not a string', { redirect_uris: [7] }, 'invalid_redirect_uri', /^redirect_uris\.0 /],
    ['a redirect URI of null', { redirect_uris: null }, 'invalid_redirect_uri', /^redirect_uris /],
    [
      'one twice',
      { redirect_uris: [redirectUri, redirectUri] },
      'invalid_redirect_uri',
      /^redirect_uris\[1\] must not be repeated$/,
    ],
    ['21 of them', { redirect_uris: manyUris(21) }, 'invalid_redirect_uri', /^redirect_uris /],
    [
      'one too long',
      { redirect_uris: [`https://a.example/${'a'.repeat(2049)}`] },
      'invalid_redirect_uri',
      /^redirect_uris/,
    ],
    [
      'a name with a control of direction',
      { redirect_uris: [redirectUri], client_name: 'gnp\u202eexe' },
      'invalid_client_metadata',
      /^client_name /,
    ],
    [
      'a logo whose host is another directive',
      { redirect_uris: [redirectUri], logo_uri: 'https://x;sandbox' },
      'invalid_client_metadata',
      /^logo_uri /,
    ],
    [
      'a logo of every host',
      { redirect_uris: [redirectUri], logo_uri: 'https://*' },
      'invalid_client_metadata',
      /^logo_uri /,
    ],
    ['plain http', { redirect_uris: ['http://app.example.com/'] }, 'invalid_redirect_uri', /^redirect_uris\[0\] /],
    [
      'another auth method',
      { token_endpoint_auth_method: 'private_key_jwt' },
      'invalid_client_metadata',
      /^token_endpoint/,
    ],
    ['application_type', { application_type: 'desktop' }, 'invalid_client_metadata', /^application_type /],
    ['subject_type', { subject_type: 'ephemeral' }, 'invalid_client_metadata', /^subject_type /],
    [
      'alg none (T10)',
      { id_token_signed_response_alg: 'none' },
      'invalid_client_metadata',
      /^id_token_signed_response_alg /,
    ],
    [
      'alg HS256 (T10)',
      { id_token_signed_response_alg: 'HS256' },
      'invalid_client_metadata',
      /^id_token_signed_response_/,
    ],
    ['client_name of a number', { client_name: 5 }, 'invalid_client_metadata', /^client_name /],
    ['client_name of white space', { client_name: '  ' }, 'invalid_client_metadata', /^client_name /],
    ['client_name of 10 KB (R7)', { client_name: 'n'.repeat(10_240) }, 'invalid_client_metadata', /^client_name /],
    [
      'initiate_login_uri on http',
      { initiate_login_uri: 'http://a.example/' },
      'invalid_client_metadata',
      /^initiate_login/,
    ],
    ['a script as client_uri', { client_uri: 'javascript:alert(1)' }, 'invalid_client_metadata', /^client_uri /],
    ['a user part in tos_uri', { tos_uri: 'https://u:p@a.example/' }, 'invalid_client_metadata', /^tos_uri /],
    ['a private key', { jwks: { keys: [{ kty: 'EC', d: 'eA' }] } }, 'invalid_client_metadata', /^jwks /],
    [
      'an RSA key with a large exponent',
      { jwks: { keys: [{ ...rsa, e: 'AQAAAAE' }] } },
      'invalid_client_metadata',
      /^jwks /,
    ],
    ['a large RSA key', { jwks: { keys: [{ ...rsa, n: 'q'.repeat(690) }] } }, 'invalid_client_metadata', /^jwks /],
    ['a short RSA key', { jwks: { keys: [{ ...rsa, n: 'q'.repeat(171) }] } }, 'invalid_client_metadata', /^jwks /],
    [
      'a key whose kid is too long',
      { jwks: { keys: [{ ...rsa, kid: 'k'.repeat(256) }] } },
      'invalid_client_metadata',
      /kid/,
    ],
    [
      'jwks and jwks_uri',
      { jwks: { keys: [{ kty: 'EC' }] }, jwks_uri: 'https://a.example/' },
      'invalid_client_metadata',
      /^jwks/,
    ],
    ['signed requests without keys', { require_signed_request_object: true }, 'invalid_client_metadata', /jwks_uri$/],
    [
      'signed requests with keys that cannot sign',
      {
        require_signed_request_object: true,
        jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'eA', y: 'eQ', use: 'enc' }] },
      },
      'invalid_client_metadata',
      /^jwks has no key/,
    ],
    [
      'post_logout_redirect_uris',
      { post_logout_redirect_uris: ['data:,x'] },
      'invalid_client_metadata',
      /^post_logout/,
    ],
    ['grant_types of a text', { grant_types: 'authorization_code' }, 'invalid_client_metadata', /^grant_types /],
    ['contacts of numbers', { contacts: [1] }, 'invalid_client_metadata', /^contacts\.0 /],
  ];
  for (const [title, metadata, error, described] of faults) {
    it(`refuses ${title} with ${error}, naming the member`, async () => {
      const rest = error === 'invalid_client_metadata' ? { redirect_uris: [redirectUri] } : {};
      assertError(await register({ ...rest, ...metadata }), 400, error, described);
    });
  }

  it('texts have the characters that their patterns allow', async () => {
    const texts = patternedTexts('oauth2').filter(({ operation }) => operation.operationId === 'registerClient');
    for (const text of texts) await assertCharacters(text, { redirect_uris: [redirectUri] }, register);
  });

  it('refuses bodies that are not JSON objects, and registers nothing when it refuses', async () => {
    const before = (await readTable(app().url, 'clients')).length;
    const authorization = `Bearer ${await app().bearer('register_clients')}`;
    const send = (raw: string, type: string) =>
      app().send('POST', '/oauth2/register', { headers: { authorization, 'content-type': type }, raw });
    const good = JSON.stringify({ redirect_uris: [redirectUri] });
    assertError(await send(good, 'text/plain'), 400, 'invalid_request', /^Content-Type must be application\/json$/);
    assertError(await send(good, 'application/x-www-form-urlencoded'), 400, 'invalid_request', /^Content-Type must be/);
    assertError(await send('{"redirect_uris":', 'application/json'), 400, 'invalid_request', /not valid JSON/);
    assertError(await send('', 'application/json'), 400, 'invalid_redirect_uri');
    assertError(await send('[]', 'application/json'), 400, 'invalid_client_metadata', /object/);
    assertError(await send(`${'['.repeat(40)}${']'.repeat(40)}`, 'application/json'), 400, 'invalid_request', /nested/);
    assertError(
      await send(good.replace('}', ',"client_name":"a\\u0000b"}'), 'application/json'),
      400,
      'invalid_request',
    );
    assertError(
      await send(good.replace('}', ',"client_name":"a\\ud800"}'), 'application/json'),
      400,
      'invalid_request',
    );
    assert.equal((await readTable(app().url, 'clients')).length, before);
  });

  for (const scheme of [
    'javascript:',
    'data:',
    'vbscript:',
    'blob:',
    'file:',
    'about:',
    'JavaScript:',
    'java\tscript:',
  ]) {
    it(`refuses a redirect URI of the scheme ${JSON.stringify(scheme)} in both application types (R3)`, async () => {
      for (const type of ['web', 'native']) {
        const answer = await register({ application_type: type, redirect_uris: [`${scheme}//x/%0aalert(1)`] });
        assertError(answer, 400, 'invalid_redirect_uri', /^redirect_uris\[0\] /);
      }
    });
  }
}

function manyUris(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `https://app.example.com/${index}`);
}
