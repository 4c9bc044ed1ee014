import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readTable } from '../../support/rows.ts';
import { authorizePath, redirectUri, registerClient } from '../../support/sign-in.ts';
import { type AppOf, assertClientError, assertErrorPage } from './asking.ts';

const uri = { redirect_uri: redirectUri };

/** Refusals of an authorization request: RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6, RFC 9207. */
export function authorizeErrors(app: AppOf): void {
  async function refusedAtPage(client: { client_id: string }, parameters: Record<string, string>, said?: RegExp) {
    assertErrorPage(await app().send('GET', authorizePath(client, parameters)), said);
    const form = Object.fromEntries(new URL(authorizePath(client, parameters), redirectUri).searchParams);
    assertErrorPage(await app().send('POST', '/oauth2/authorize', { form }), said);
  }

  it('an unknown or missing client is reported on a page, and so is one of another account (I1)', async () => {
    const client = await registerClient(app());
    await refusedAtPage({ client_id: 'unknown' }, {}, /not registered/);
    await refusedAtPage({ client_id: '' }, {}, /not registered/);
    assertErrorPage(await app().send('GET', '/oauth2/authorize'), /not registered/);
    assertErrorPage(await app().send('POST', '/oauth2/authorize', { form: {} }), /not registered/);
    const other = await app().another();
    assertErrorPage(await other.send('GET', authorizePath(client)), /not registered/);
  });

  it('a missing or unregistered redirect_uri is reported on a page', async () => {
    const client = await registerClient(app());
    await refusedAtPage(
      client,
      { redirect_uri: 'https://evil.example/callback' },
      /not registered for this application/,
    );
    await refusedAtPage(client, { redirect_uri: '' }, /did not say where to return/);
    const two = await registerClient(app(), { redirect_uris: [redirectUri, `${redirectUri}/2`] });
    // RFC 6749 §3.1.2.3: needed when more than one is registered; OpenID Connect Core §3.1.2.1: always with openid.
    await refusedAtPage(two, { redirect_uri: '', scope: 'profile' }, /did not say where to return/);
    const none = await registerClient(app(), { grant_types: ['client_credentials'], redirect_uris: undefined });
    await refusedAtPage(none, {}, /not registered for this application/);
  });

  const toClient: readonly [title: string, parameters: Record<string, string>, error: string, metadata?: object][] = [
    ['response_type is missing', { response_type: '' }, 'invalid_request'],
    ['response_type of words that are not known', { response_type: 'code none' }, 'unsupported_response_type'],
    ['a client without authorization_code', {}, 'unauthorized_client', { ...uri, grant_types: ['client_credentials'] }],
    ['a client without code', {}, 'unauthorized_client', { response_types: ['id_token'] }],
    ['a response_mode that is not known', { response_mode: 'web_message' }, 'invalid_request'],
    ['only unknown scopes', { scope: 'admin offline_access' }, 'invalid_scope'],
    ['only scopes the client did not register', { scope: 'openid' }, 'invalid_scope', { scope: 'email' }],
    ['an unknown prompt', { prompt: 'create' }, 'invalid_request'],
    ['prompt none with another', { prompt: 'none login' }, 'invalid_request'],
    ['max_age of letters', { max_age: 'abc' }, 'invalid_request'],
    ['a negative max_age', { max_age: '-1' }, 'invalid_request'],
    ['a max_age out of range', { max_age: '2147483648' }, 'invalid_request'],
    ['request of a client without keys', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    ['request_uri', { request_uri: 'https://app.example.com/r.jwt' }, 'invalid_request_uri'],
    ['PKCE plain (T8)', { code_challenge_method: 'plain' }, 'invalid_request'],
    [
      'a challenge without its method, which means plain (RFC 7636 §4.3)',
      { code_challenge_method: '' },
      'invalid_request',
    ],
    ['an unknown PKCE method', { code_challenge_method: 's256' }, 'invalid_request'],
    ['a method without challenge', { code_challenge: '' }, 'invalid_request'],
    ['a challenge that is not a SHA-256 hash', { code_challenge: 'a'.repeat(42) }, 'invalid_request'],
    ['a challenge of other characters', { code_challenge: '='.repeat(43) }, 'invalid_request'],
    [
      'a public client without challenge',
      { code_challenge: '', code_challenge_method: '' },
      'invalid_request',
      { token_endpoint_auth_method: 'none' },
    ],
  ];
  for (const [title, parameters, error, metadata] of toClient) {
    it(`the client gets ${error} for ${title}, with state and iss, by GET and by POST`, async () => {
      const client = await registerClient(app(), { ...metadata, redirect_uris: [redirectUri] });
      const before = (await readTable(app().url, 'authorization_requests')).length;
      const path = authorizePath(client, parameters);
      assertClientError(app(), await app().send('GET', path), error);
      const form = Object.fromEntries(new URL(path, redirectUri).searchParams);
      assertClientError(app(), await app().send('POST', '/oauth2/authorize', { form }), error);
      assert.equal((await readTable(app().url, 'authorization_requests')).length, before, 'nothing was started');
    });
  }

  it('an error has no state when none was sent, and a registered query is kept', async () => {
    const registered = 'https://app.example.com/callback?tenant=a%2Fb';
    const client = await registerClient(app(), { redirect_uris: [registered] });
    const asked = { redirect_uri: registered, prompt: 'create', state: '' };
    const answer = await app().send('GET', authorizePath(client, asked));
    const location = String(answer.headers['location']);
    assert.ok(location.startsWith(`${registered}&error=invalid_request&`), location);
    assert.ok(!new URL(location).searchParams.has('state'));
  });

  it('a state is returned character for character, whatever it contains', async () => {
    const client = await registerClient(app());
    for (const state of ['a b+c&d=e#f', '{"a":"ü😀"}', '%00%zz', 'x'.repeat(2048), '"><script>alert(1)</script>']) {
      const answer = await app().send('GET', authorizePath(client, { state, prompt: 'create' }));
      assertClientError(app(), answer, 'invalid_request', state);
    }
  });

  it('a parameter that is too long, repeated or not text is reported on a page (T9)', async () => {
    const client = await registerClient(app());
    const path = authorizePath(client);
    const query = path.split('?')[1] ?? '';
    await refusedAtPage(client, { state: 'x'.repeat(2049) });
    await refusedAtPage(client, { nonce: 'x'.repeat(513) });
    await refusedAtPage(client, { code_challenge: 'x'.repeat(129) });
    await refusedAtPage(client, { state: 'a\u0000b' });
    for (const name of new URLSearchParams(query).keys()) {
      assertErrorPage(await app().send('GET', `${path}&${name}=again`), new RegExp(`${name} is given twice`));
      const form = `${query}&${name}=again`;
      assertErrorPage(await app().send('POST', '/oauth2/authorize', { form }), new RegExp(`${name} is given twice`));
    }
  });

  it('POST accepts only a form', async () => {
    const client = await registerClient(app());
    const raw = authorizePath(client).split('?')[1] ?? '';
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
      assertErrorPage(await app().send('POST', '/oauth2/authorize', { raw, headers: { 'content-type': type } }));
    }
    // Parameters in the query of a POST are not read: a form and a query could say two things (T9).
    assertErrorPage(await app().send('POST', `/oauth2/authorize?${raw}`, { form: {} }), /not registered/);
  });

  it('a page repeats nothing that was sent', async () => {
    const script = '<script>alert(1)</script>';
    const client = await registerClient(app());
    for (const parameters of [
      { client_id: script },
      { redirect_uri: `https://x.example/${script}` },
      { state: script },
    ]) {
      const answer = await app().send('GET', `${authorizePath(client, parameters)}&state=2`);
      assertErrorPage(answer);
      assert.ok(!answer.text.includes('alert(1)'));
      assert.match(String(answer.headers['content-security-policy']), /default-src 'none'/);
    }
  });
}
