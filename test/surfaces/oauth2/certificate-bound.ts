import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodeJwt } from 'jose';
import { setAccount } from '../../../src/domain/accounts/accounts.ts';
import { linkApi, makeApi } from '../../support/api.ts';
import type { TestApp } from '../../support/app.ts';
import { newCertificate, type TestCertificate } from '../../support/client-certificates.ts';
import type { Answer } from '../../support/conforms.ts';
import { codesOf, decideDevice, deviceGrant, deviceMetadata } from '../../support/devices.ts';
import { askUserinfo, askWithProof, newProofKey, nonceOf } from '../../support/dpop.ts';
import { byTurns } from '../../support/sample.ts';
import {
  authorizePath,
  implicitClient,
  makeUser,
  password,
  refresh,
  registerClient,
  signInForCode,
} from '../../support/sign-in.ts';
import { askTokens, assertError, codeForm } from './asking.ts';
import { bound, openProxied, registerSelfSigned, showing } from './certified.ts';
import { accessToken, exchangeGrant } from './exchanging.ts';

const publicClient = { token_endpoint_auth_method: 'none', ...bound };

/** RFC 8705 §3 and §4: tokens that work only together with a certificate. */
export function certificateBound(kind: 'sqlite' | 'postgres'): void {
  const { app } = openProxied(kind);
  const introspect = async (token: string, headers: Record<string, string> = {}) => {
    const client = await registerClient(app(), { token_endpoint_auth_method: 'client_secret_post' });
    const form = { client_id: client.client_id, client_secret: client.client_secret ?? '', token };
    return app().send('POST', '/oauth2/introspect', { headers, form });
  };
  const confirmed = async (token: string) => (await introspect(token)).body.cnf;
  const userinfo = (at: TestApp, token: string, scheme = 'Bearer') =>
    at.send('GET', '/oauth2/userinfo', { headers: { authorization: `${scheme} ${token}` } });

  /** A client and the tokens of a new user, bound to the certificate. */
  async function boundTokens(mine: TestCertificate, metadata: object = publicClient) {
    const client = await registerClient(app(), metadata);
    const user = await makeUser(app(), client.app_id);
    const code = (await signInForCode(app(), client, user)).get('code') ?? '';
    const answer = await askTokens(showing(app(), mine), client, codeForm(code));
    assert.equal(answer.status, 200, answer.text);
    return { client, user, tokens: answer.body };
  }

  it('a bearer token for this certificate: introspection says so, and userinfo wants the same one', async () => {
    const [mine, other] = [newCertificate(), newCertificate()];
    const { user, tokens, client } = await boundTokens(mine);
    assert.equal(tokens.token_type, 'Bearer');
    const seen = await introspect(tokens.access_token);
    const cnf = { 'x5t#S256': mine.thumbprint };
    assert.deepEqual([seen.body.active, seen.body.token_type, seen.body.cnf], [true, 'Bearer', cnf]);
    const signed = await introspect(tokens.access_token, { accept: 'application/token-introspection+jwt' });
    const { token_introspection: told } = decodeJwt<{ token_introspection: { cnf: unknown } }>(signed.text);
    assert.deepEqual(told.cnf, cnf);
    const form = { client_id: client.client_id, token: tokens.refresh_token };
    const own = await app().send('POST', '/oauth2/introspect', { form });
    assert.deepEqual([own.body.active, own.body.cnf], [true, cnf]);
    const about = await userinfo(showing(app(), mine), tokens.access_token);
    assert.deepEqual([about.status, about.body.email], [200, user.email], about.text);
    const inForm = { form: { access_token: tokens.access_token } };
    assert.equal((await showing(app(), mine).send('POST', '/oauth2/userinfo', inForm)).status, 200);
    for (const refused of [
      await userinfo(app(), tokens.access_token),
      await userinfo(showing(app(), other), tokens.access_token),
      await userinfo(showing(app(), mine), tokens.access_token, 'DPoP'),
      await app().send('POST', '/oauth2/userinfo', inForm),
      await showing(app(), other).send('POST', '/oauth2/userinfo', inForm),
    ]) {
      assertError(refused, 401, 'invalid_token');
    }
  });

  it('the text of the token holds the certificate: it cannot be taken off, changed, or made a key', async () => {
    const [mine, other] = [newCertificate(), newCertificate()];
    const { tokens, client } = await boundTokens(mine);
    const [, id = '', , secret = ''] = /^ct_(\w+?)_(.{43})_(.{43})$/.exec(tokens.access_token) ?? [];
    const key = await newProofKey();
    for (const forged of [
      `at_${id}_${secret}`,
      `ct_${id}_${other.thumbprint}_${secret}`,
      `dt_${id}_${mine.thumbprint}_${secret}`,
      `dt_${id}_${key.thumbprint}_${secret}`,
    ]) {
      assert.equal((await introspect(forged)).body.active, false, forged);
    }
    const nonce = await nonceOf(app(), await registerClient(app()), key);
    assertError(await askUserinfo(app(), tokens.access_token, key, nonce), 401, 'invalid_token');
    assert.ok(tokens.refresh_token.startsWith('rc_'), client.client_id);
  });

  it('a JWT access token contains cnf.x5t#S256', async () => {
    const mine = newCertificate();
    const client = await registerSelfSigned(app(), [mine], bound);
    await linkApi(app(), client, await makeApi(app()));
    const answer = await askTokens(showing(app(), mine), client, { grant_type: 'client_credentials' });
    assert.equal(answer.body.token_type, 'Bearer', answer.text);
    const cnf = { 'x5t#S256': mine.thumbprint };
    assert.deepEqual(decodeJwt(answer.body.access_token)['cnf'], cnf);
    assert.deepEqual(await confirmed(answer.body.access_token), cnf);
  });

  for (const [row, door] of (['/oauth2/token', '/oidc/2/token'] as const).entries()) {
    const atTurn = byTurns(it, row, 2);
    const isRefused = (answer: Answer) => {
      const [status, error] = door === '/oauth2/token' ? [400, 'invalid_grant'] : [401, 'invalid_request'];
      assertError(answer, status, error);
    };

    atTurn(`${door}: a public client's refresh token works only with its certificate; nothing is used up`, async () => {
      const [mine, other] = [newCertificate(), newCertificate()];
      const { client, tokens } = await boundTokens(mine);
      assertError(
        await refresh(app(), client, tokens.refresh_token, door),
        400,
        'invalid_request',
        /client certificate/,
      );
      isRefused(await refresh(showing(app(), other), client, tokens.refresh_token, door));
      const next = await refresh(showing(app(), mine), client, tokens.refresh_token, door);
      assert.equal(next.status, 200, next.text);
      assert.deepEqual(await confirmed(next.body.access_token), { 'x5t#S256': mine.thumbprint });
      isRefused(await refresh(showing(app(), other), client, next.body.refresh_token, door));
      const last = await refresh(showing(app(), mine), client, next.body.refresh_token, door);
      assert.equal(last.status, 200, last.text);
    });

    atTurn(`${door}: a confidential client's refresh token lives on with its next certificate`, async () => {
      const [mine, next] = [newCertificate(), newCertificate()];
      const metadata = { token_endpoint_auth_method: 'client_secret_post', ...bound };
      const { client, tokens } = await boundTokens(mine, metadata);
      const answer = await refresh(showing(app(), next), client, tokens.refresh_token, door);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(await confirmed(answer.body.access_token), { 'x5t#S256': next.thumbprint });
    });
  }

  it('a client that registered for it gets no tokens without a certificate, and none for a proof', async () => {
    const key = await newProofKey();
    const client = await registerClient(app(), bound);
    const asked = { grant_type: 'client_credentials' };
    const missing = await askTokens(app(), client, asked);
    assertError(missing, 400, 'invalid_request', /without the client certificate/);
    const mine = showing(app(), newCertificate());
    for (const at of [mine, app()]) {
      const answer = await askWithProof(at, client, key, asked, { nonce: 'any' });
      assertError(answer, 400, 'invalid_dpop_proof', /bound to its client certificate/);
    }
    assert.equal((await askTokens(mine, client, asked)).status, 200);
    const other = await registerClient(app(), implicitClient);
    const plain = await askTokens(mine, other, asked);
    assert.equal(await confirmed(plain.body.access_token), undefined);
  });

  it('tokens at once cannot be bound, so such a client gets none', async () => {
    const one = await app().another({ mutual_tls: 'any', 'grant.implicit': 'on' });
    const client = await registerClient(one, { ...implicitClient, ...bound });
    const asked = { response_type: 'id_token token', nonce: 'n', scope: 'openid' };
    const { headers } = await one.send('GET', authorizePath(client, asked));
    assert.match(String(headers['location']), /#error=unauthorized_client&error_description=.*bound/);
  });

  it('every grant: a password, a device, an exchange with the certificate of the subject token', async () => {
    const [mine, other] = [newCertificate(), newCertificate()];
    const one = await app().another({ 'grant.password': 'on', mutual_tls: 'any' });
    const client = await registerClient(one, bound);
    const user = await makeUser(one, client.app_id);
    const form = { grant_type: 'password', username: user.email ?? '', password };
    assert.match((await askTokens(showing(one, mine), client, form)).body.access_token, /^ct_/);
    const device = await registerClient(app(), { ...deviceMetadata, ...bound });
    const viewer = await makeUser(app(), device.app_id);
    const codes = await codesOf(app(), device);
    await decideDevice(app(), codes.user_code, viewer);
    const polled = { grant_type: deviceGrant, device_code: codes.device_code };
    assertError(await askTokens(app(), device, polled), 400, 'invalid_request');
    assert.match((await askTokens(showing(app(), mine), device, polled)).body.access_token, /^ct_/);
    const types = { grant_types: ['authorization_code', 'refresh_token', exchangeGrant] };
    const { client: exchanging, tokens } = await boundTokens(mine, { ...bound, ...types });
    const subject = { subject_token: tokens.access_token, subject_token_type: accessToken };
    const asked = { grant_type: exchangeGrant, ...subject };
    assertError(
      await askTokens(showing(app(), other), exchanging, asked),
      400,
      'invalid_request',
      /and this request is not bound to it/,
    );
    const exchanged = await askTokens(showing(app(), mine), exchanging, asked);
    assert.equal(exchanged.status, 200, exchanged.text);
    assert.deepEqual(await confirmed(exchanged.body.access_token), { 'x5t#S256': mine.thumbprint });
  });

  it('when the account turns mutual TLS off, bound tokens are good for nothing here, and nothing becomes unbound', async () => {
    const mine = newCertificate();
    const one = await app().another({ mutual_tls: 'any' });
    const client = await registerClient(one, publicClient);
    const user = await makeUser(one, client.app_id);
    const code = (await signInForCode(one, client, user)).get('code') ?? '';
    const { body } = await askTokens(showing(one, mine), client, codeForm(code));
    await setAccount(one.services, one.account.subdomain, { mutual_tls: '' });
    assertError(await userinfo(showing(one, mine), body.access_token), 401, 'invalid_token');
    assertError(await refresh(showing(one, mine), client, body.refresh_token), 400, 'invalid_request');
    await setAccount(one.services, one.account.subdomain, { mutual_tls: 'any' });
    assert.equal((await refresh(showing(one, mine), client, body.refresh_token)).status, 200);
  });

  it('revocation with a bound refresh token needs no certificate, and ends the grant', async () => {
    const mine = newCertificate();
    const { client, tokens } = await boundTokens(mine);
    const form = { client_id: client.client_id, token: tokens.refresh_token };
    assert.equal((await app().send('POST', '/oauth2/revoke', { form })).status, 200);
    assertError(await userinfo(showing(app(), mine), tokens.access_token), 401, 'invalid_token');
  });
}
