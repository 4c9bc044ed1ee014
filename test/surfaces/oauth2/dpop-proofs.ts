import assert from 'node:assert/strict';
import { it } from 'node:test';
import { exportJWK } from 'jose';
import { askWithProof, newProofKey, nonceOf, type ProofChanges, proofFor } from '../../support/dpop.ts';
import { purgeAll } from '../../support/purge.ts';
import { byTurns } from '../../support/sample.ts';
import { registerClient } from '../../support/sign-in.ts';
import { type AppOf, assertError } from './asking.ts';
import { boundTokens, publicClient } from './bound-tokens.ts';

const minute = 60_000;
const doors = ['/oauth2/token', '/oidc/2/token'] as const;

/** Which proofs are accepted (RFC 9449 §4.3). */
export function dpopProofs(app: AppOf): void {
  for (const [row, door] of doors.entries()) {
    const atTurn = byTurns(it, row, doors.length);
    atTurn(`${door}: a used proof is refused (replay)`, async () => {
      const key = await newProofKey();
      const { client, tokens } = await boundTokens(app(), key);
      const form = { client_id: client.client_id, grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
      const nonce = await nonceOf(app(), client, key, door);
      const proof = await proofFor(app(), key, 'POST', door, { claims: { nonce } });
      const send = () => app().send('POST', door, { headers: { dpop: proof }, form });
      const answers = await Promise.all(Array.from({ length: 5 }, send));
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        assertError(answer, 400, 'invalid_dpop_proof', /jti has been used before/);
      }
    });

    const wrong: Readonly<Record<string, ProofChanges>> = {
      'another address (htu)': { claims: { htu: 'https://elsewhere.example.com/oauth2/token' } },
      'another path (htu)': { claims: { htu: 'https://x.example.com/' } },
      'no address': { claims: { htu: undefined } },
      'another method (htm)': { claims: { htm: 'GET' } },
      'no method': { claims: { htm: undefined } },
      'no jti': { claims: { jti: undefined } },
      'a jti that is too long': { claims: { jti: 'x'.repeat(256) } },
      'no time': { claims: { iat: undefined } },
      'a time that is not a number': { claims: { iat: '1' } },
      'another type': { header: { typ: 'JWT' } },
      'no key': { header: { jwk: undefined } },
    };
    atTurn(`${door}: a proof for another request is refused with the reason`, async () => {
      const key = await newProofKey();
      const { client, tokens } = await boundTokens(app(), key);
      const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
      for (const [what, changes] of Object.entries(wrong)) {
        const answer = await askWithProof(app(), client, key, form, { door, ...changes });
        assertError(answer, 400, 'invalid_dpop_proof', /^the DPoP proof is invalid: /);
        assert.equal(answer.headers['dpop-nonce'], undefined, what);
      }
      using _ = app().services.clock.hold();
      for (const iat of [-301, 61]) {
        const seconds = Math.floor(app().services.clock.now() / 1000) + iat;
        const answer = await askWithProof(app(), client, key, form, { door, claims: { iat: seconds } });
        assertError(answer, 400, 'invalid_dpop_proof', /iat is too old or in the future/);
      }
      for (const proof of ['', 'x', 'a.b.c', `${'a'.repeat(9000)}`]) {
        const headers = { dpop: proof };
        const body = { client_id: client.client_id, ...form };
        assertError(await app().send('POST', door, { headers, form: body }), 400, 'invalid_dpop_proof');
      }
      assert.equal((await askWithProof(app(), client, key, form, { door })).status, 200, 'something was used up');
    });

    atTurn(`${door}: a nonce of this account, at most five minutes old, is required`, async () => {
      const key = await newProofKey();
      const { client, tokens } = await boundTokens(app(), key);
      const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
      const elsewhere = await app().another();
      const foreign = await nonceOf(elsewhere, await registerClient(elsewhere, publicClient), key);
      const old = await nonceOf(app(), client, key, door);
      app().services.clock.advance(4 * minute);
      const late = await askWithProof(app(), client, key, form, { door, claims: { nonce: old } });
      assert.equal(late.status, 200, late.text);
      app().services.clock.advance(minute);
      const next = { ...form, refresh_token: late.body.refresh_token };
      for (const nonce of [undefined, '', 'x', 7, foreign, old, `${old.slice(0, -1)}!`]) {
        const answer = await askWithProof(app(), client, key, next, { door, claims: { nonce } });
        assertError(answer, 400, 'use_dpop_nonce');
        assert.ok(answer.headers['dpop-nonce']);
      }
    });
  }

  it('a private, shared or foreign key, or an unsupported algorithm, is refused', async () => {
    const [key, other, rsa] = [await newProofKey(), await newProofKey(), await newProofKey('RS256')];
    const { client, tokens } = await boundTokens(app(), key);
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
    const secret = { kty: 'oct', k: 'c2VjcmV0' };
    for (const header of [
      { jwk: other.jwk },
      { jwk: await exportJWK(key.privateKey) },
      { jwk: secret },
      { jwk: { ...key.jwk, x: 'AA' } },
      { jwk: rsa.jwk },
      { jwk: 'text' },
    ]) {
      const answer = await askWithProof(app(), client, key, form, { header });
      assertError(answer, 400, 'invalid_dpop_proof');
    }
    const es512 = await newProofKey('ES512');
    const nonce = await nonceOf(app(), client, key);
    for (const proof of [
      await proofFor(app(), es512, 'POST', '/oauth2/token', { claims: { nonce } }),
      `${Buffer.from('{"typ":"dpop+jwt","alg":"none"}').toString('base64url')}.e30.`,
    ]) {
      const body = { client_id: client.client_id, ...form };
      const answer = await app().send('POST', '/oauth2/token', { headers: { dpop: proof }, form: body });
      assertError(answer, 400, 'invalid_dpop_proof');
    }
  });

  it('a key that names another algorithm than the proof is refused; one that names the same is not', async () => {
    const [key, ed] = [await newProofKey(), await newProofKey('EdDSA')];
    for (const [proven, alg, accepted] of [
      [key, 'RS256', false],
      [key, 7, false],
      [key, 'ES256', true],
      [ed, 'Ed25519', true],
    ] as const) {
      const { client, tokens } = await boundTokens(app(), proven);
      const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
      const answer = await askWithProof(app(), client, proven, form, { header: { jwk: { ...proven.jwk, alg } } });
      if (accepted) assert.equal(answer.status, 200, answer.text);
      else assertError(answer, 400, 'invalid_dpop_proof', /jwk does not match alg/);
    }
  });

  it('the nonce is checked before the signature, which costs more', async () => {
    const [key, other] = [await newProofKey(), await newProofKey()];
    const { client, tokens } = await boundTokens(app(), key);
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
    const forged = { header: { jwk: other.jwk } };
    const without = await askWithProof(app(), client, key, form, { ...forged, claims: { nonce: undefined } });
    assertError(without, 400, 'use_dpop_nonce');
    assertError(await askWithProof(app(), client, key, form, forged), 400, 'invalid_dpop_proof', /signature/);
  });

  it('an RSA key of an uncommon size is refused before anything is checked with it', async () => {
    const rsa = await newProofKey('RS256');
    const client = await registerClient(app(), publicClient);
    const form = { grant_type: 'refresh_token', refresh_token: 'x' };
    const large = Buffer.alloc(256, 0x7f).toString('base64url');
    for (const jwk of [
      { ...rsa.jwk, e: large },
      { ...rsa.jwk, e: 'AQAAAAE' },
      { ...rsa.jwk, n: `${rsa.jwk.n}${large}${large}` },
    ]) {
      const answer = await askWithProof(app(), client, rsa, form, { header: { jwk } });
      assertError(answer, 400, 'invalid_dpop_proof', /jwk does not match alg/);
    }
  });

  it('a used proof is forgotten when it is too old to be accepted', async () => {
    const key = await newProofKey();
    const { client } = await boundTokens(app(), key);
    const { clients } = app().services.store;
    const used = { accountId: app().account.id, appId: client.app_id, isProof: true, digest: 'x', expiresAt: 0 };
    assert.equal(await clients.useAssertion({ ...used, expiresAt: app().services.clock.now() + 1 }), true);
    app().services.clock.advance(6 * minute);
    assert.ok((await purgeAll(app().services.store, app().services.clock.now())) > 0);
    assert.equal(await clients.useAssertion({ ...used, expiresAt: app().services.clock.now() + 1 }), true);
  });
}
