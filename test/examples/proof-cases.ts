/** What every example of a resource server does with tokens that are bound to a key (RFC 9449). */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { exportJWK, SignJWT } from 'jose';
import { athOf, newProofKey, type ProofKey } from '../support/dpop.ts';
import type { Issuer } from './issuer.ts';
import { nested, type RunningApi, refusalOf } from './resource-cases.ts';

/** Checks of proofs for JWTs: RFC 9449 §4.3, §7.1, §7.2. */
export async function checkProofs({ base }: RunningApi, issuer: Issuer): Promise<void> {
  const [key, other, rsa, strong] = await Promise.all(['ES256', 'ES256', 'PS256', 'ES384'].map(newProofKey));
  assert.ok(key && other && rsa && strong);
  const orders = `${base}/orders`;
  const boundTo = ({ thumbprint: jkt }: ProofKey) => issuer.token({ cnf: { jkt } } as never);
  const token = await boundTo(key);
  const ask = async (proof: string | null, sent = token, scheme = 'DPoP') => {
    const headers = { authorization: `${scheme} ${sent}`, ...(proof !== null && { dpop: proof }) };
    return refusalOf(await fetch(`${orders}?page=1`, { headers }));
  };
  const right = { htm: 'GET', htu: orders, ath: athOf(token) };

  const good = await proofOf(key, right);
  assert.equal((await ask(good)).status, 200);
  const again = await ask(good);
  assert.deepEqual([again.status, again.scheme, again.parameters['error']], [401, 'DPoP', 'invalid_dpop_proof']);
  assert.equal(again.parameters['algs'], 'ES256 PS256');
  assert.equal(again.parameters['scope'], 'orders:read');
  const jti = randomUUID();
  assert.equal((await ask(await proofOf(key, { ...right, jti }))).status, 200);
  assert.equal((await ask(await proofOf(key, { ...right, jti, iat: now() - 1 }))).status, 401, 'the same id');
  assert.equal((await ask(await proofOf(key, right), token, 'dpop')).status, 200, 'names of schemes have no case');
  assert.equal(
    (await ask(await proofOf(key, { ...right, htu: `${orders}?page=1` }))).status,
    200,
    'the query is ignored',
  );
  const ofRsa = await boundTo(rsa);
  assert.equal((await ask(await proofOf(rsa, { ...right, ath: athOf(ofRsa) }), ofRsa)).status, 200);
  const ofStrong = await boundTo(strong);
  const notListed = await ask(await proofOf(strong, { ...right, ath: athOf(ofStrong) }), ofStrong);
  assert.deepEqual([notListed.status, notListed.parameters['error']], [401, 'invalid_dpop_proof'], 'ES384');

  const bad: Readonly<Record<string, string | null>> = {
    none: null,
    'no JWT': 'x',
    'a JWT that nests without end': nested,
    'of another key': await proofOf(other, right),
    'signed by another key': await proofOf({ ...other, jwk: key.jwk }, right),
    'for another method': await proofOf(key, { ...right, htm: 'POST' }),
    'for another address': await proofOf(key, { ...right, htu: `${base}/other` }),
    'for another origin': await proofOf(key, { ...right, htu: 'https://elsewhere.example/orders' }),
    'for another token': await proofOf(key, { ...right, ath: athOf('x') }),
    'without a method': await proofOf(key, { ...right, htm: undefined }),
    'without an address': await proofOf(key, { ...right, htu: undefined }),
    'without a token': await proofOf(key, { ...right, ath: undefined }),
    'without an id': await proofOf(key, { ...right, jti: undefined }),
    'with a number as id': await proofOf(key, { ...right, jti: 7 }),
    'without a time': await proofOf(key, { ...right, iat: undefined }),
    'with a text as time': await proofOf(key, { ...right, iat: String(now()) }),
    old: await proofOf(key, { ...right, iat: now() - 120 }),
    'of the future': await proofOf(key, { ...right, iat: now() + 120 }),
    'of another type': await proofOf(key, right, { typ: 'JWT' }),
    'of no type': await proofOf(key, right, { typ: undefined }),
    'without a key': await proofOf(key, right, { jwk: undefined }),
    'with a key that is none': await proofOf(key, right, { jwk: 'x' }),
    'with the private key': await proofOf(key, right, { jwk: await exportJWK(key.privateKey) }),
    'by a secret': await bySecret(right),
    unsigned: unsigned(key, right),
  };
  for (const [what, proof] of Object.entries(bad)) {
    const { status, scheme, parameters } = await ask(proof);
    assert.deepEqual([status, scheme, parameters['error']], [401, 'DPoP', 'invalid_dpop_proof'], what);
  }
  const twice = await askTwice(`${orders}?page=1`, token, [await proofOf(key, right), await proofOf(key, right)]);
  assert.equal(twice, 401, 'two proofs');

  const plain = await issuer.token();
  const ofCertificate = await issuer.token({ cnf: { 'x5t#S256': key.thumbprint } } as never);
  for (const sent of [plain, ofCertificate]) {
    const refused = await ask(await proofOf(key, { ...right, ath: athOf(sent) }), sent);
    assert.deepEqual([refused.status, refused.parameters['error']], [401, 'invalid_token']);
  }
  assert.equal((await ask(await proofOf(key, right), token, 'Bearer')).parameters['error'], 'invalid_token');

  const post = { headers: { authorization: `DPoP ${token}`, dpop: await proofOf(key, { ...right, htm: 'POST' }) } };
  const more = await refusalOf(await fetch(orders, { method: 'POST', ...post }));
  assert.deepEqual([more.status, more.scheme, more.parameters['error']], [403, 'DPoP', 'insufficient_scope']);
}

/** The same where the service says what a token is bound to (RFC 9449 §6.2). */
export async function checkIntrospectedProofs({ base }: RunningApi, issuer: Issuer): Promise<void> {
  const orders = `${base}/orders`;
  const [key, other] = [await newProofKey(), await newProofKey()];
  const usual = { active: true, iss: issuer.issuer, aud: orders, sub: '7', scope: 'orders:read' };
  issuer.active.set('bound', { ...usual, token_type: 'DPoP', cnf: { jkt: key.thumbprint } });
  const right = { htm: 'GET', htu: orders, ath: athOf('bound') };
  const status = async (headers: Readonly<Record<string, string>>) => (await fetch(orders, { headers })).status;
  const authorization = 'DPoP bound';
  assert.equal(await status({ authorization, dpop: await proofOf(key, right) }), 200);
  assert.equal(await status({ authorization, dpop: await proofOf(other, right) }), 401);
  assert.equal(await status({ authorization }), 401);
  assert.equal(await status({ authorization: 'Bearer bound' }), 401);
}

const now = () => Math.floor(Date.now() / 1000);

type Members = Readonly<Record<string, unknown>>;

/** Without the members that are undefined. */
function given(members: Members): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** By default with a new id, and of now. */
function proofOf({ alg, jwk, privateKey }: ProofKey, claims: Members, header: Members = {}): Promise<string> {
  return new SignJWT(given({ jti: randomUUID(), iat: now(), ...claims }))
    .setProtectedHeader(given({ typ: 'dpop+jwt', alg, jwk, ...header }) as { alg: string })
    .sign(privateKey);
}

/** Everybody who sees the key in its header could sign it. */
function bySecret(claims: Members): Promise<string> {
  const secret = new Uint8Array(32).fill(7);
  const jwk = { kty: 'oct', k: Buffer.from(secret).toString('base64url') };
  return new SignJWT({ jti: randomUUID(), iat: now(), ...claims })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'HS256', jwk } as never)
    .sign(secret);
}

function unsigned({ jwk }: ProofKey, claims: Members): string {
  const parts = [
    { typ: 'dpop+jwt', alg: 'none', jwk },
    { jti: randomUUID(), iat: now(), ...claims },
  ];
  return [...parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')), ''].join('.');
}

/** The status of a request with the header twice, which `fetch` would join. */
async function askTwice(address: string, token: string, proofs: readonly string[]): Promise<number | undefined> {
  const sent = request(address, { headers: { authorization: `DPoP ${token}`, dpop: [...proofs] } }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}
