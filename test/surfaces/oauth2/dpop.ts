import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodeJwt } from 'jose';
import type { Answer } from '../../support/conforms.ts';
import { codesOf, decideDevice, deviceGrant, deviceMetadata } from '../../support/devices.ts';
import { askUserinfo, askWithProof, athOf, newProofKey, nonceOf, proofFor } from '../../support/dpop.ts';
import { byTurns } from '../../support/sample.ts';
import { makeUser, password, refresh, registerClient, signedIn, signInForCode } from '../../support/sign-in.ts';
import { type AppOf, askTokens, assertError, codeForm } from './asking.ts';
import { boundTokens, publicClient } from './bound-tokens.ts';

/** RFC 9449: tokens that work only with a key. */
export function dpop(app: AppOf): void {
  const introspect = async (token: string) => {
    const client = await registerClient(app(), { token_endpoint_auth_method: 'client_secret_post' });
    const form = { client_id: client.client_id, client_secret: client.client_secret ?? '', token };
    return (await app().send('POST', '/oauth2/introspect', { form })).body;
  };

  for (const alg of ['ES256', 'EdDSA', 'RS256', 'PS256']) {
    it(`${alg}: token_type DPoP, bound, with the next nonce; introspection says to which key`, async () => {
      const key = await newProofKey(alg);
      const { answer, tokens, user, client } = await boundTokens(app(), key);
      assert.equal(tokens.token_type, 'DPoP');
      assert.match(String(answer.headers['dpop-nonce']), /^[0-9a-z]+\.[\w-]{22}$/);
      const seen = await introspect(tokens.access_token);
      assert.deepEqual([seen.token_type, seen.cnf], ['DPoP', { jkt: key.thumbprint }]);
      const about = await askUserinfo(app(), tokens.access_token, key, String(answer.headers['dpop-nonce']));
      assert.deepEqual([about.status, about.body.email], [200, user.email], about.text);
      assert.ok(about.headers['dpop-nonce']);
      const form = { client_id: client.client_id, token: tokens.refresh_token };
      const own = await app().send('POST', '/oauth2/introspect', { form });
      assert.deepEqual([own.body.active, own.body.cnf], [true, { jkt: key.thumbprint }]);
    });
  }

  it('without a proof nothing changes: Bearer, no nonce', async () => {
    const { tokens, client } = await signedIn(app(), publicClient);
    const answer = await refresh(app(), client, tokens.refresh_token);
    assert.equal(answer.body.token_type, 'Bearer');
    assert.equal(answer.headers['dpop-nonce'], undefined);
    assert.equal('cnf' in (await introspect(answer.body.access_token)), false);
  });

  it('a JWT access token contains cnf.jkt', async () => {
    const key = await newProofKey();
    const client = await registerClient(app());
    const { authorizationServers: servers } = app().services.store;
    const { account } = app();
    const at = app().services.clock.now();
    const server = await servers.create({
      accountId: account.id,
      name: 'Bound',
      description: null,
      resourceIdentifier: `https://bound-${client.app_id}.example.com`,
      audiences: [],
      accessTokenMinutes: null,
      refreshTokenMinutes: null,
      clientAccess: 'linked',
      resourceMetadata: false,
      createdAt: at,
      updatedAt: at,
    });
    await servers.link({
      accountId: account.id,
      serverId: server.id,
      appId: client.app_id,
      scopeIds: [],
      linkedAt: at,
    });
    const answer = await askWithProof(app(), client, key, { grant_type: 'client_credentials' });
    assert.equal(answer.body.token_type, 'DPoP', answer.text);
    assert.deepEqual(decodeJwt(answer.body.access_token)['cnf'], { jkt: key.thumbprint });
    const seen = await introspect(answer.body.access_token);
    assert.deepEqual([seen.active, seen.token_type, seen.cnf], [true, 'DPoP', { jkt: key.thumbprint }]);
  });

  it('every grant: a password, a device', async () => {
    const key = await newProofKey();
    const one = await app().another({ 'grant.password': 'on' });
    const client = await registerClient(one);
    const user = await makeUser(one, client.app_id);
    const form = { grant_type: 'password', username: user.email ?? '', password };
    assert.equal((await askWithProof(one, client, key, form)).body.token_type, 'DPoP');
    const device = await registerClient(app(), deviceMetadata);
    const viewer = await makeUser(app(), device.app_id);
    const codes = await codesOf(app(), device);
    await decideDevice(app(), codes.user_code, viewer);
    const asked = { grant_type: deviceGrant, device_code: codes.device_code };
    assert.equal((await askWithProof(app(), device, key, asked)).body.token_type, 'DPoP');
  });

  for (const [row, door] of (['/oauth2/token', '/oidc/2/token'] as const).entries()) {
    const atTurn = byTurns(it, row, 2);
    const refused = (answer: Answer) => {
      const [status, error] = door === '/oauth2/token' ? [400, 'invalid_grant'] : [401, 'invalid_request'];
      assertError(answer, status, error);
    };

    atTurn(
      `${door}: a public client's refresh token works only with its key, also later; nothing is used up`,
      async () => {
        const [key, other] = [await newProofKey(), await newProofKey()];
        const { client, tokens } = await boundTokens(app(), key);
        const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
        refused(await refresh(app(), client, tokens.refresh_token, door));
        refused(await askWithProof(app(), client, other, form, { door }));
        const second = await askWithProof(app(), client, key, form, { door });
        assert.equal(second.status, 200, second.text);
        assert.equal(second.body.token_type, 'DPoP');
        assert.ok(second.headers['dpop-nonce']);
        // The retry rule holds for it too, with the key alone.
        refused(await askWithProof(app(), client, other, form, { door }));
        const again = await askWithProof(app(), client, key, form, { door });
        assert.equal(again.body.refresh_token, second.body.refresh_token);
        const next = { ...form, refresh_token: second.body.refresh_token };
        refused(await askWithProof(app(), client, other, next, { door }));
        assert.equal((await askWithProof(app(), client, key, next, { door })).status, 200);
      },
    );

    atTurn(
      `${door}: a confidential client's refresh token is bound to the client, its access token to the current key`,
      async () => {
        const [key, other] = [await newProofKey(), await newProofKey()];
        const { client, tokens } = await boundTokens(app(), key, {});
        const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
        const second = await askWithProof(app(), client, other, form, { door });
        assert.equal(second.status, 200, second.text);
        assert.deepEqual((await introspect(second.body.access_token)).cnf, { jkt: other.thumbprint });
      },
    );
  }

  it('userinfo refuses the token as a bearer, without ath, with another key’s proof, or with a used one', async () => {
    const [key, other] = [await newProofKey(), await newProofKey()];
    const { tokens, client } = await boundTokens(app(), key);
    const token: string = tokens.access_token;
    const nonce = await nonceOf(app(), client, key);
    const asBearer = await app().send('GET', '/oauth2/userinfo', { headers: { authorization: `Bearer ${token}` } });
    assertError(asBearer, 401, 'invalid_token');
    const inForm = await app().send('POST', '/oauth2/userinfo', { form: { access_token: token } });
    assertError(inForm, 401, 'invalid_token');
    const refusals: readonly [Answer, string][] = [
      [await askUserinfo(app(), token, key, nonce, { claims: { ath: undefined } }), 'invalid_dpop_proof'],
      [await askUserinfo(app(), token, key, nonce, { claims: { ath: athOf('another') } }), 'invalid_dpop_proof'],
      [await askUserinfo(app(), token, key, nonce, { claims: { htm: 'POST' } }), 'invalid_dpop_proof'],
      [await askUserinfo(app(), token, key, nonce, { claims: { htu: app().account.baseUrl } }), 'invalid_dpop_proof'],
      [await askUserinfo(app(), token, other, nonce), 'invalid_dpop_proof'],
      [await askUserinfo(app(), token, key, 'old'), 'use_dpop_nonce'],
      [await askUserinfo(app(), 'dt_1_x', key, nonce), 'invalid_token'],
      [
        await app().send('GET', '/oauth2/userinfo', { headers: { authorization: `DPoP ${token}` } }),
        'invalid_dpop_proof',
      ],
    ];
    for (const [answer, error] of refusals) {
      assertError(answer, 401, error);
      assert.match(String(answer.headers['www-authenticate']), new RegExp(`^DPoP .*error="${error}", algs="RS256 `));
      assert.equal('dpop-nonce' in answer.headers, error === 'use_dpop_nonce');
    }
    const dpopHeader = await proofFor(app(), key, 'GET', '/oauth2/userinfo', { claims: { nonce, ath: athOf(token) } });
    const headers = { authorization: `DPoP ${token}`, dpop: dpopHeader };
    assert.equal((await app().send('GET', '/oauth2/userinfo', { headers })).status, 200);
    assertError(await app().send('GET', '/oauth2/userinfo', { headers }), 401, 'invalid_dpop_proof', /used before/);
    assert.equal((await askUserinfo(app(), token, key, nonce, { method: 'POST' })).status, 200);
    // The binding cannot be taken off or changed in the text, and a bearer token is not a bound one.
    const [, id = '', , secret = ''] = /^dt_(\w+?)_(.{43})_(.{43})$/.exec(token) ?? [];
    for (const forged of [`at_${id}_${secret}`, `dt_${id}_${other.thumbprint}_${secret}`]) {
      assert.equal((await introspect(forged)).active, false, forged);
    }
    const { tokens: bearer } = await signedIn(app(), publicClient);
    assertError(await askUserinfo(app(), bearer.access_token, key, nonce), 401, 'invalid_token');
  });

  it('dpop_jkt at authorization: the code works only with this key, and nothing is used up', async () => {
    const [key, other] = [await newProofKey(), await newProofKey()];
    const client = await registerClient(app(), publicClient);
    const user = await makeUser(app(), client.app_id);
    const code = (await signInForCode(app(), client, user, { dpop_jkt: key.thumbprint })).get('code') ?? '';
    assertError(await askTokens(app(), client, codeForm(code)), 400, 'invalid_grant');
    assertError(await askWithProof(app(), client, other, codeForm(code)), 400, 'invalid_grant');
    assert.equal((await askWithProof(app(), client, key, codeForm(code))).status, 200);
    const bad = await signInForCode(app(), client, user, { dpop_jkt: 'short' });
    assert.equal(bad.get('error'), 'invalid_request');
  });

  it('dpop_bound_access_tokens: the client is refused without a proof, at both doors', async () => {
    const key = await newProofKey();
    const { client, tokens } = await boundTokens(app(), key, { ...publicClient, dpop_bound_access_tokens: true });
    for (const door of ['/oauth2/token', '/oidc/2/token'] as const) {
      assertError(await refresh(app(), client, tokens.refresh_token, door), 400, 'invalid_dpop_proof', /must send one/);
    }
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
    assert.equal((await askWithProof(app(), client, key, form)).status, 200);
  });

  it('revocation with a bound refresh token needs no proof, and ends the grant', async () => {
    const key = await newProofKey();
    const { client, tokens } = await boundTokens(app(), key);
    const form = { client_id: client.client_id, token: tokens.refresh_token };
    assert.equal((await app().send('POST', '/oauth2/revoke', { form })).status, 200);
    assert.equal((await introspect(tokens.access_token)).active, false);
    const next = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
    assertError(await askWithProof(app(), client, key, next), 400, 'invalid_grant');
  });
}
