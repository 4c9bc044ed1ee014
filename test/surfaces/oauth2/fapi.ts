import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { decodeProtectedHeader, type JWTPayload } from 'jose';
import { setAccount } from '../../../src/domain/accounts/accounts.ts';
import type { TestApp } from '../../support/app.ts';
import { registerSigner, type Signing, shown, sign, type TestKey, testKey } from '../../support/assertions.ts';
import type { Answer } from '../../support/conforms.ts';
import { newProofKey, type ProofKey, proofFor } from '../../support/dpop.ts';
import {
  authorizePath,
  CookieJar,
  makeUser,
  password,
  type RegisteredClient,
  redirectUri,
  registerClient,
  submit,
  walk,
} from '../../support/sign-in.ts';
import {
  type AppOf,
  assertClientError,
  assertError,
  assertErrorPage,
  codeForm,
  toClient,
  unlimited,
} from './asking.ts';

/** FAPI 2.0 Security Profile, by the account's setting or the client's member. */
export function fapi(app: AppOf): void {
  const keys = new Map<string, TestKey>();
  let proofKey: ProofKey;
  before(async () => {
    for (const alg of ['ES256', 'PS256', 'RS256']) keys.set(alg, await testKey(alg, `key of ${alg}`));
    proofKey = await newProofKey();
  });
  const keyOf = (alg: string): TestKey => keys.get(alg) as TestKey;
  const all = () => [...keys.values()];

  const code = { grant_types: ['authorization_code', 'refresh_token'] };
  const profiled = () => app().another({ ...unlimited, security_profile: 'fapi2' });

  /** The members that authenticate the client once. */
  const assertion = async (at: TestApp, { client_id }: RegisteredClient, alg = 'PS256', signing: Signing = {}) => ({
    client_id,
    ...shown(await sign(at, client_id, keyOf(alg), signing)),
  });

  async function push(at: TestApp, client: RegisteredClient, changes: Record<string, string | undefined> = {}) {
    const query = Object.fromEntries(new URL(authorizePath(client), redirectUri).searchParams);
    const form = { ...query, ...(await assertion(at, client)), ...changes };
    const sent = Object.entries(form).filter((pair): pair is [string, string] => pair[1] !== undefined);
    return at.send('POST', '/oauth2/par', { form: Object.fromEntries(sent) });
  }

  async function ask(at: TestApp, client: RegisteredClient, form: object, key = proofKey): Promise<Answer> {
    const send = async (claims: Readonly<Record<string, unknown>>) => {
      const dpop = await proofFor(at, key, 'POST', '/oauth2/token', { claims });
      const sent = { ...(await assertion(at, client)), ...form };
      return at.send('POST', '/oauth2/token', { headers: { dpop }, form: sent });
    };
    const first = await send({});
    assert.equal(first.body.error, 'use_dpop_nonce', first.text);
    return send({ nonce: first.headers['dpop-nonce'] });
  }

  async function signIn(at: TestApp, client: RegisteredClient): Promise<Answer> {
    const user = await makeUser(at, client.app_id);
    const pushed = await push(at, client);
    assert.equal(pushed.status, 201, pushed.text);
    const { request_uri } = pushed.body;
    const address = `/oauth2/authorize?${new URLSearchParams({ client_id: client.client_id, request_uri })}`;
    const form = await walk(at, new CookieJar(), address);
    const consent = await submit(at, form, { username: user.email ?? '', password });
    const query = toClient((await submit(at, consent, { decision: 'allow' })).answer);
    assert.equal(query.get('iss'), at.account.baseUrl);
    const tokens = await ask(at, client, codeForm(query.get('code') ?? ''));
    assert.equal(tokens.status, 200, tokens.text);
    return tokens;
  }

  it('a client that registers nothing but its keys follows the profile, from discovery to a lost answer', async () => {
    const at = await profiled();
    const { body: metadata } = await at.send('GET', '/.well-known/openid-configuration');
    assert.equal(metadata.require_pushed_authorization_requests, true);
    assert.deepEqual(metadata.token_endpoint_auth_methods_supported, ['private_key_jwt']);
    assert.deepEqual(metadata.response_types_supported, ['code']);
    for (const [name, value] of Object.entries(metadata)) {
      if (/_alg_values_supported$/.test(name)) assert.ok(!(value as string[]).includes('RS256'), name);
    }
    const client = await registerSigner(at, all(), code);
    const registered = client as RegisteredClient & Readonly<Record<string, unknown>>;
    assert.equal(registered['dpop_bound_access_tokens'], true);
    assert.equal(registered['require_pushed_authorization_requests'], true);
    assert.equal(registered['id_token_signed_response_alg'], 'PS256');
    const { body: first } = await signIn(at, client);
    assert.equal(first.token_type, 'DPoP');
    assert.equal(decodeProtectedHeader(first.id_token).alg, 'PS256');
    const again = { grant_type: 'refresh_token', refresh_token: first.refresh_token };
    const next = await ask(at, client, again);
    assert.equal(next.status, 200, next.text);
    // The answer was lost: the same refresh token is answered for a minute, and then ends the grant.
    at.services.clock.advance(58_000);
    assert.equal((await ask(at, client, again)).body.refresh_token, next.body.refresh_token);
    at.services.clock.advance(10_000);
    assertError(await ask(at, client, again), 400, 'invalid_grant');
  });

  it('refuses in words what the profile excludes', async () => {
    const at = await profiled();
    const client = await registerSigner(at, all(), code);
    const told = async (answer: Answer, error: string, words: RegExp) => assertError(answer, 400, error, words);
    await told(
      await push(at, client, { code_challenge: undefined, code_challenge_method: undefined }),
      'invalid_request',
      /code_challenge is required by FAPI/,
    );
    await told(await push(at, client, { response_type: 'id_token' }), 'unsupported_response_type', /must be code$/);
    const plain = await at.send('GET', authorizePath(client));
    assertClientError(at, plain, 'invalid_request');
    assert.match(toClient(plain).get('error_description') ?? '', /must push/);
    const refreshing = { grant_type: 'refresh_token', refresh_token: 'x' };
    const unproven = await at.send('POST', '/oauth2/token', {
      form: { ...(await assertion(at, client)), ...refreshing },
    });
    await told(unproven, 'invalid_request', /without the DPoP proof/);
    const weak = await newProofKey('RS256');
    const dpop = await proofFor(at, weak, 'POST', '/oauth2/token');
    const proven = { headers: { dpop }, form: { ...(await assertion(at, client)), ...refreshing } };
    await told(await at.send('POST', '/oauth2/token', proven), 'invalid_dpop_proof', /alg must be one of PS256, ES256/);
    const { account } = at;
    const refused: readonly [string, string, Signing][] = [
      ['RS256', 'RS256', {}],
      ['the token endpoint as audience', 'PS256', { claims: { aud: `${account.baseUrl}/oauth2/token` } }],
      ['a list as audience', 'PS256', { claims: { aud: [account.baseUrl] } }],
    ];
    for (const [title, alg, signing] of refused) {
      const answer = await push(at, client, await assertion(at, client, alg, signing));
      assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_client'], title);
    }
    const redirects = await registerClient(at, {
      ...code,
      ...signer(),
      application_type: 'native',
      redirect_uris: [loopback],
    });
    assert.equal((await push(at, redirects, { redirect_uri: loopback })).status, 201);
    assert.equal((await push(at, redirects, { redirect_uri: undefined, scope: 'email' })).status, 400);
  });

  const loopback = 'http://127.0.0.1/callback';
  const signer = () => ({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: all().map(({ jwk }) => jwk) } });

  it('registers nothing that the profile excludes, and says what it is', async () => {
    const at = await profiled();
    const authorization = `Bearer ${await at.bearer('register_clients')}`;
    const register = (path: string, json: object) => at.send('POST', path, { headers: { authorization }, json });
    const own = { redirect_uris: [redirectUri], ...signer() };
    const refused: readonly [object, string, RegExp][] = [
      [
        { token_endpoint_auth_method: 'client_secret_basic' },
        'invalid_client_metadata',
        /^token_endpoint_auth_method must be private_key_jwt \(FAPI 2\.0\)$/,
      ],
      [{ token_endpoint_auth_method: 'none' }, 'invalid_client_metadata', /^token_endpoint_auth_method/],
      [{ response_types: ['code', 'id_token'] }, 'invalid_client_metadata', /^response_types must be code/],
      [{ grant_types: ['password'] }, 'invalid_client_metadata', /^grant_types must not contain password/],
      [
        { id_token_signed_response_alg: 'RS256' },
        'invalid_client_metadata',
        /^id_token_signed_response_alg must not be RS256/,
      ],
      [{ userinfo_signed_response_alg: 'RS256' }, 'invalid_client_metadata', /^userinfo_signed_response_alg/],
      [{ token_endpoint_auth_signing_alg: 'RS256' }, 'invalid_client_metadata', /^token_endpoint_auth_signing_alg/],
      [{ request_object_signing_alg: 'RS256' }, 'invalid_client_metadata', /^request_object_signing_alg/],
      [{ dpop_bound_access_tokens: false }, 'invalid_client_metadata', /^dpop_bound_access_tokens must be true/],
      [{ require_pushed_authorization_requests: false }, 'invalid_client_metadata', /^require_pushed/],
      [{ security_profile: 'fapi1' }, 'invalid_client_metadata', /^security_profile must be fapi2/],
      [
        { application_type: 'native', redirect_uris: ['com.example.app:/callback'] },
        'invalid_redirect_uri',
        /^redirect_uris\[0\] must be https/,
      ],
    ];
    for (const [members, error, words] of refused)
      assertError(await register('/oauth2/register', { ...own, ...members }), 400, error, words);
    const documented = await register('/oidc/2/register', { client_name: 'A', redirect_uris: [redirectUri] });
    assert.equal(documented.status, 400, documented.text);
    assert.match(documented.text, /private_key_jwt/);
  });

  it('a signed request is for this issuer, and for an hour at most', async () => {
    const at = await profiled();
    const client = await registerSigner(at, all(), code);
    const now = Math.floor(at.services.clock.now() / 1000);
    const query = Object.fromEntries(new URL(authorizePath(client), redirectUri).searchParams);
    const pushed = async (changes: Readonly<Record<string, unknown>>, alg = 'ES256') => {
      const aud = at.account.baseUrl;
      const claims = { ...query, aud, nbf: now, exp: now + 3600, sub: undefined, ...changes };
      const request = await sign(at, client.client_id, keyOf(alg), { claims: claims as unknown as JWTPayload });
      return at.send('POST', '/oauth2/par', { form: { ...(await assertion(at, client)), request } });
    };
    const good = await pushed({});
    assert.equal(good.status, 201, good.text);
    const refused: readonly [Readonly<Record<string, unknown>>, RegExp][] = [
      [{ aud: undefined }, /aud of the request object is missing/],
      [{ nbf: undefined }, /nbf or exp of the request object is missing/],
      [{ exp: undefined }, /nbf or exp of the request object is missing/],
      [{ exp: now + 3601 }, /exp of the request object is more than an hour after nbf/],
      [{ nbf: now - 3700, exp: now + 60 }, /nbf of the request object is more than an hour ago/],
    ];
    for (const [changes, words] of refused) assertError(await pushed(changes), 400, 'invalid_request_object', words);
    assertError(await pushed({}, 'RS256'), 400, 'invalid_request_object', /not signed with a key of the client/);
  });

  it('applies to one client by its own member, and leaves the others as they were', async () => {
    const at = await app().another(unlimited);
    const client = await registerSigner(at, all(), { ...code, security_profile: 'fapi2' });
    assert.equal((client as never as { security_profile: string }).security_profile, 'fapi2');
    assert.equal((await signIn(at, client)).body.token_type, 'DPoP');
    assertClientError(at, await at.send('GET', authorizePath(client)), 'invalid_request');
    const other = await registerClient(at);
    assert.equal((await at.send('GET', authorizePath(other))).status, 303);
    const { body } = await at.send('GET', '/.well-known/openid-configuration');
    assert.equal(body.require_pushed_authorization_requests, false);
  });

  it('applies from the next request on, when the account turns it on, and ends with it', async () => {
    const at = await app().another(unlimited);
    const client = await registerClient(at);
    const introspect = async () => {
      const { client_id, client_secret = '' } = client;
      const authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
      return at.send('POST', '/oauth2/introspect', { headers: { authorization }, form: { token: 'x' } });
    };
    const set = (security_profile: string) => setAccount(at.services, at.account.subdomain, { security_profile });
    assert.equal((await introspect()).status, 200);
    await set('fapi2');
    assertError(await introspect(), 401, 'invalid_client', /FAPI 2\.0 .* private_key_jwt/);
    const native = await registerSigner(at, all(), code);
    assertErrorPage(await at.send('GET', authorizePath(native, { redirect_uri: 'http://127.0.0.1/x' })));
    await set('');
    assert.equal((await introspect()).status, 200);
  });
}
