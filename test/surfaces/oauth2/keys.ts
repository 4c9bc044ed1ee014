import assert from 'node:assert/strict';
import { it } from 'node:test';
import { calculateJwkThumbprint, decodeProtectedHeader, importJWK, jwtVerify } from 'jose';
import { generateKeyPair } from '../../../src/domain/keys/key-pairs.ts';
import { rotateKeys } from '../../../src/domain/keys/rotate-keys.ts';
import type { TestApp } from '../../support/app.ts';
import { redeem } from '../../support/sign-in.ts';
import { type AppOf, type Setting, settle, unlimited } from './asking.ts';

const hour = 3_600_000;

interface Key {
  readonly kid: string;
  readonly kty: string;
  readonly alg: string;
}

async function published(app: TestApp): Promise<Key[]> {
  const answer = await app.send('GET', '/oauth2/jwks');
  assert.equal(answer.status, 200);
  return answer.body.keys;
}

/** The kid that signs id tokens now, after a check with the published key. */
async function signingKid(app: TestApp, { client, code }: Setting): Promise<string> {
  const { id_token: token } = await redeem(app, client, await code());
  const { kid } = decodeProtectedHeader(token);
  const key = (await published(app)).find((one) => one.kid === kid);
  assert.ok(key, 'signed with a key that is not published');
  await jwtVerify(token, await importJWK(key), { currentDate: new Date(app.services.clock.now()) });
  return key.kid;
}

/** RFC 7517 §4, §5. */
export function keys(app: AppOf): void {
  it('publishes one key of each algorithm with its public members only, named by its thumbprint (RFC 7638)', async () => {
    const answer = await app().send('GET', '/oauth2/jwks');
    assert.equal(answer.headers['cache-control'], 'public, max-age=300');
    const published = answer.body.keys as Key[];
    assert.equal(published.length, 3);
    const [rsa, pss, ec] = ['RS256', 'PS256', 'ES256'].map((alg) => published.find((key) => key.alg === alg));
    assert.ok(rsa && pss && ec);
    // The same key under another name: clients refuse a key for another algorithm than its own.
    assert.deepEqual({ ...pss, kid: rsa.kid, alg: 'RS256' }, rsa);
    assert.notEqual(pss.kid, rsa.kid);
    assert.deepEqual(Object.keys(rsa).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use']);
    assert.deepEqual(Object.keys(ec).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    for (const key of [rsa, ec]) assert.equal(await calculateJwkThumbprint(key as never), key.kid);
  });

  it('keeps each account to its own keys (I5)', async () => {
    // Both algorithms: tests share one RSA pair between accounts, so only the elliptic keys can tell.
    const kids = async (one: TestApp) =>
      (await published(one)).filter(({ alg }) => alg === 'ES256').map(({ kid }) => kid);
    const [mine, other] = await Promise.all([kids(app()), kids(await app().another())]);
    assert.notDeepEqual(mine, other);
  });

  it('rotation publishes the next key a day before it signs and keeps the old one while its tokens live', async () => {
    const one = await app().another(unlimited);
    const setting = await settle(one, { id_token_signed_response_alg: 'RS256' });
    const first = await signingKid(one, setting);
    await rotateKeys({ ...one.services, generateKeyPair }, one.account, { emergency: false });
    const next = (await published(one)).filter(({ alg, kid }) => alg === 'RS256' && kid !== first);
    assert.equal(next.length, 1, 'the next key is listed beside the signing one');
    assert.equal(await signingKid(one, setting), first);

    one.services.clock.advance(24 * hour);
    assert.equal(await signingKid(one, setting), next[0]?.kid);
    assert.ok(
      (await published(one)).some(({ kid }) => kid === first),
      'signatures of the old key can still be verified',
    );

    one.services.clock.advance(24 * hour + 30_001);
    assert.ok(!(await published(one)).some(({ kid }) => kid === first));
  });

  it('an emergency rotation signs with new keys at once and withdraws the old ones', async () => {
    const one = await app().another(unlimited);
    const setting = await settle(one, { id_token_signed_response_alg: 'ES256' });
    const first = await signingKid(one, setting);
    await rotateKeys({ ...one.services, generateKeyPair }, one.account, { emergency: true });
    assert.ok(!(await published(one)).some(({ kid }) => kid === first));
    assert.notEqual(await signingKid(one, setting), first);
  });
}
