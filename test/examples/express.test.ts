/** The middleware for Express in `examples/express`, in a process of its own. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SignJWT } from 'jose';
import { athOf, newProofKey, type ProofKey } from '../support/dpop.ts';
import { checkIntrospection, checkJwts, refusalOf, withExample } from './resource-cases.ts';

const cwd = fileURLToPath(new URL('../../examples/express', import.meta.url));
const program = { command: [process.execPath, 'api.js'], cwd };

it('JWTs are checked, challenges say what is needed, and metadata is answered', () =>
  withExample(program, () => ({}), checkJwts));

it('with a client it asks the service about each token', () =>
  withExample(
    program,
    () => ({ GATEHOUSE_CLIENT_ID: 'an id', GATEHOUSE_CLIENT_SECRET: 'a:secret' }),
    checkIntrospection,
  ));

it('a token that is bound to a key needs a proof for this request (RFC 9449)', () =>
  withExample(
    program,
    () => ({}),
    async ({ base }, issuer) => {
      const [key, other] = [await newProofKey(), await newProofKey()];
      const token = await issuer.token({ cnf: { jkt: key.thumbprint } } as never);
      const orders = `${base}/orders`;
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
      const past = Math.floor(Date.now() / 1000) - 120;
      const bad: Readonly<Record<string, string | null>> = {
        none: null,
        'no JWT': 'x',
        'of another key': await proofOf(other, right),
        'for another method': await proofOf(key, { ...right, htm: 'POST' }),
        'for another address': await proofOf(key, { ...right, htu: `${base}/other` }),
        'for another token': await proofOf(key, { ...right, ath: athOf('x') }),
        'without a token': await proofOf(key, { ...right, ath: undefined }),
        'without an id': await proofOf(key, { ...right, jti: undefined }),
        old: await proofOf(key, { ...right, iat: past }),
        'of another type': await proofOf(key, right, { typ: 'JWT' }),
      };
      for (const [what, proof] of Object.entries(bad)) {
        const { status, parameters } = await ask(proof);
        assert.deepEqual([status, parameters['error']], [401, 'invalid_dpop_proof'], what);
      }
      const plain = await issuer.token();
      const unbound = await ask(await proofOf(key, { ...right, ath: athOf(plain) }), plain);
      assert.deepEqual([unbound.status, unbound.parameters['error']], [401, 'invalid_token']);
    },
  ));

function proofOf(
  { alg, jwk, privateKey }: ProofKey,
  claims: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const given = { jti: randomUUID(), iat: Math.floor(Date.now() / 1000), ...claims };
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return new SignJWT(known).setProtectedHeader({ typ: 'dpop+jwt', alg, jwk, ...header }).sign(privateKey);
}
