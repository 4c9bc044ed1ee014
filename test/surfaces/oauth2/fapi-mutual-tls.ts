import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setAccount } from '../../../src/domain/accounts/accounts.ts';
import type { TestApp } from '../../support/app.ts';
import { registerSigner, shown, sign, testKey } from '../../support/assertions.ts';
import { newCertificate } from '../../support/client-certificates.ts';
import { askWithProof, newProofKey } from '../../support/dpop.ts';
import {
  authorizePath,
  CookieJar,
  makeUser,
  password,
  type RegisteredClient,
  redirectUri,
  submit,
  walk,
} from '../../support/sign-in.ts';
import { askTokens, assertError, codeForm, toClient, unlimited } from './asking.ts';
import { bound, openProxied, registerSelfSigned, showing } from './certified.ts';

/** FAPI 2.0 Security Profile with mutual TLS: for authentication, for tokens, or for both. */
export function fapiMutualTls(kind: 'sqlite' | 'postgres'): void {
  const { app } = openProxied(kind);
  const profiled = () => app().another({ ...unlimited, security_profile: 'fapi2', mutual_tls: 'verified' });
  const code = { grant_types: ['authorization_code', 'refresh_token'] };

  /** A code of a new user; `at` shows the client's certificate, and `more` what else authenticates it. */
  async function codeFor(at: TestApp, client: RegisteredClient, more: Record<string, string> = {}): Promise<string> {
    const user = await makeUser(at, client.app_id);
    const query = Object.fromEntries(new URL(authorizePath(client), redirectUri).searchParams);
    const pushed = await at.send('POST', '/oauth2/par', { form: { ...query, ...more } });
    assert.equal(pushed.status, 201, pushed.text);
    const { request_uri } = pushed.body;
    const address = `/oauth2/authorize?${new URLSearchParams({ client_id: client.client_id, request_uri })}`;
    const form = await walk(at, new CookieJar(), address);
    const consent = await submit(at, form, { username: user.email ?? '', password });
    return toClient((await submit(at, consent, { decision: 'allow' })).answer).get('code') ?? '';
  }

  it('a client that registers its certificate follows the profile: method, bound tokens, a lost answer', async () => {
    const [mine, other] = [newCertificate(), newCertificate()];
    const at = await profiled();
    const { body: metadata } = await at.send('GET', '/.well-known/openid-configuration');
    assert.deepEqual(metadata.token_endpoint_auth_methods_supported, [
      'private_key_jwt',
      'tls_client_auth',
      'self_signed_tls_client_auth',
    ]);
    assert.equal(metadata.tls_client_certificate_bound_access_tokens, true);
    const client = await registerSelfSigned(at, [mine], code);
    const registered = client as unknown as Record<string, unknown>;
    assert.equal(registered['tls_client_certificate_bound_access_tokens'], true);
    assert.equal('dpop_bound_access_tokens' in registered, false);
    const itself = showing(at, mine);
    const first = await askTokens(itself, client, codeForm(await codeFor(itself, client)));
    assert.equal(first.body.token_type, 'Bearer', first.text);
    const headers = { authorization: `Bearer ${first.body.access_token}` };
    assert.equal((await itself.send('GET', '/oauth2/userinfo', { headers })).status, 200);
    assertError(await showing(at, other).send('GET', '/oauth2/userinfo', { headers }), 401, 'invalid_token');
    const again = { grant_type: 'refresh_token', refresh_token: first.body.refresh_token };
    const next = await askTokens(itself, client, again);
    at.services.clock.advance(58_000);
    assert.equal((await askTokens(itself, client, again)).body.refresh_token, next.body.refresh_token);
  });

  it('a certificate authenticates a client whose tokens are bound to a key', async () => {
    const mine = newCertificate();
    const key = await newProofKey();
    const at = await profiled();
    const client = await registerSelfSigned(at, [mine], { ...code, dpop_bound_access_tokens: true });
    const itself = showing(at, mine);
    const form = codeForm(await codeFor(itself, client));
    assertError(await askTokens(itself, client, form), 400, 'invalid_request', /without the DPoP proof/);
    const tokens = await askWithProof(itself, client, key, form);
    assert.equal(tokens.body.token_type, 'DPoP', tokens.text);
  });

  it('where the proxy asks for certificates at an address of its own, discovery, proofs and assertions name it', async () => {
    const origin = 'https://mtls.example.com:8443';
    const at = await profiled();
    const set = (mutual_tls_origin: string) => setAccount(at.services, at.account.subdomain, { mutual_tls_origin });
    await set(origin);
    const { body: metadata } = await at.send('GET', '/.well-known/openid-configuration');
    const { mtls_endpoint_aliases: aliases } = metadata;
    assert.equal(aliases.token_endpoint, `${origin}/oauth2/token`);
    for (const [name, address] of Object.entries<string>(aliases)) {
      assert.equal(address, metadata[name].replace(at.account.baseUrl, origin));
    }
    const [mine, key] = [newCertificate(), await newProofKey()];
    const itself = showing(at, mine);
    const client = await registerSelfSigned(at, [mine], { ...code, dpop_bound_access_tokens: true });
    const form = codeForm(await codeFor(itself, client));
    const claims = { htu: aliases.token_endpoint };
    const elsewhere = { htu: 'https://mtls.example.com/oauth2/token' };
    assertError(await askWithProof(itself, client, key, form, { claims: elsewhere }), 400, 'invalid_dpop_proof', /htu/);
    const tokens = await askWithProof(itself, client, key, form, { claims });
    assert.equal(tokens.body.token_type, 'DPoP', tokens.text);
    const signer = await testKey('PS256', 'one');
    const other = await app().another({ ...unlimited, mutual_tls: 'any', mutual_tls_origin: origin });
    const signing = await registerSigner(other, [signer], code);
    const ask = async (aud: string) => {
      const assertion = await sign(other, signing.client_id, signer, { claims: { aud } });
      return other.send('POST', '/oauth2/introspect', { form: { ...shown(assertion), token: 'x' } });
    };
    assert.equal((await ask(aliases.token_endpoint)).status, 200);
    assertError(await ask(`${origin}/oauth2/par`), 400, 'invalid_client');
    await setAccount(other.services, other.account.subdomain, { mutual_tls: 'off' });
    assertError(await ask(aliases.token_endpoint), 400, 'invalid_client');
    const { body: now } = await other.send('GET', '/.well-known/openid-configuration');
    assert.equal('mtls_endpoint_aliases' in now, false);
    for (const wrong of [
      'http://mtls.example.com',
      `${origin}/`,
      `${origin}/x`,
      'https://a@mtls.example.com',
      'mtls',
    ]) {
      await assert.rejects(set(wrong), /mutual_tls_origin must be an https address without a path/);
    }
  });

  it('a key authenticates a client whose tokens are bound to a certificate', async () => {
    const [mine, key] = [newCertificate(), await testKey('PS256', 'one')];
    const at = await profiled();
    const client = await registerSigner(at, [key], { ...code, ...bound });
    const assertion = async () => shown(await sign(at, client.client_id, key));
    const form = codeForm(await codeFor(at, client, await assertion()));
    const missing = await at.send('POST', '/oauth2/token', { form: { ...form, ...(await assertion()) } });
    assertError(missing, 400, 'invalid_request', /client certificate/);
    const sent = { form: { ...form, ...(await assertion()) } };
    const tokens = await showing(at, mine).send('POST', '/oauth2/token', sent);
    assert.match(tokens.body.access_token, /^ct_/, tokens.text);
  });

  it('a client that said nothing of it before the account followed the profile shows either', async () => {
    const [mine, key] = [newCertificate(), await testKey('PS256', 'one')];
    const at = await app().another({ ...unlimited, mutual_tls: 'any', security_profile: '' });
    const client = await registerSigner(at, [key], code);
    await setAccount(at.services, at.account.subdomain, { security_profile: 'fapi2' });
    const refreshing = { grant_type: 'refresh_token', refresh_token: 'x' };
    const ask = async (on: TestApp) =>
      on.send('POST', '/oauth2/token', { form: { ...refreshing, ...shown(await sign(at, client.client_id, key)) } });
    assertError(await ask(at), 400, 'invalid_request', /without the DPoP proof/);
    assertError(await ask(showing(at, mine)), 400, 'invalid_grant');
  });

  it('says in words what it accepts', async () => {
    const at = await profiled();
    const authorization = `Bearer ${await at.bearer('register_clients')}`;
    const register = (json: object) =>
      at.send('POST', '/oauth2/register', {
        headers: { authorization },
        json: { redirect_uris: [redirectUri], ...json },
      });
    const { jwk } = newCertificate();
    const self = { token_endpoint_auth_method: 'self_signed_tls_client_auth', jwks: { keys: [jwk] } };
    const unbound = { tls_client_certificate_bound_access_tokens: false, dpop_bound_access_tokens: false };
    for (const [json, words] of [
      [
        { token_endpoint_auth_method: 'none' },
        /must be private_key_jwt or tls_client_auth or self_signed_tls_client_auth/,
      ],
      [{ ...self, ...unbound }, /must be true, or tls_client_certificate_bound_access_tokens/],
    ] as const) {
      assertError(await register(json), 400, 'invalid_client_metadata', words);
    }
  });
}
