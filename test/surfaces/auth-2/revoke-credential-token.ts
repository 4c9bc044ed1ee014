/** POST /auth/oauth2/revoke (docs/document-gaps.md#tokens-for-api-credentials). */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { basic, type TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { signedIn } from '../../support/sign-in.ts';
import {
  assertBadRequest,
  assertPrivate,
  assertUnauthorized,
  bodies,
  isActive,
  issue,
  makePair,
  type Pair,
  revokePath,
  ways,
} from './pairs.ts';

const result = { error: false, code: 200, type: 'success', message: 'Success' };

export function revokeCredentialToken(app: () => TestApp): void {
  const revoke = ({ clientId, clientSecret }: Pair, token: unknown): Promise<Answer> =>
    app().send('POST', revokePath, { headers: basic(clientId, clientSecret), json: { access_token: token } });

  for (const [way, present] of Object.entries(ways)) {
    for (const [kind, body] of Object.entries(bodies)) {
      it(`ends a token at once for a pair sent by ${way}, the body as ${kind}; the result is repeated`, async () => {
        const pair = await makePair(app());
        const [token, other] = [await issue(app(), pair), await issue(app(), pair)];
        const { headers = {}, members = {} } = present(pair);
        const answer = await app().send('POST', revokePath, { ...body({ ...members, access_token: token }), headers });
        assert.equal(answer.status, 200, answer.text);
        assert.deepEqual(answer.body, { status: result, ...result });
        assertPrivate(answer);
        assert.deepEqual([await isActive(app(), token), await isActive(app(), other)], [false, true]);
      });
    }
  }

  it('gives the same answer for a revoked, expired, unknown or malformed token', async () => {
    const pair = await makePair(app());
    const token = await issue(app(), pair);
    const old = await issue(app(), pair);
    await revoke(pair, token);
    app().services.clock.advance(36_000_000);
    for (const text of [
      token,
      old,
      `${token}x`,
      token.slice(0, -1),
      'unknown',
      `ct_1_${'A'.repeat(43)}`,
      '%00',
      '*',
      "' or 1=1--",
    ]) {
      const answer = await revoke(pair, text);
      assert.deepEqual([answer.status, answer.body], [200, { status: result, ...result }], text);
    }
  });

  it("gives the same answer for another pair's, account's or user's token, and does not end it (RFC 7009 §2.2)", async () => {
    const pair = await makePair(app());
    const mine = await issue(app(), await makePair(app()));
    const elsewhere = await app().another();
    const theirs = await issue(elsewhere, await makePair(elsewhere));
    const { tokens } = await signedIn(app());
    for (const token of [mine, theirs, tokens.access_token, tokens.refresh_token]) {
      assert.equal((await revoke(pair, token)).status, 200);
    }
    assert.deepEqual([await isActive(app(), mine), await isActive(elsewhere, theirs)], [true, true]);
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    assert.equal((await app().send('GET', '/oauth2/userinfo', { headers })).status, 200);
  });

  it('answers 401 for a wrong pair or the token alone, and the token stays', async () => {
    const pair = await makePair(app());
    const token = await issue(app(), pair);
    assertUnauthorized(await revoke({ ...pair, clientSecret: 'wrong' }, token), 'Basic', 'wrong secret');
    assertUnauthorized(await revoke({ ...pair, clientId: 'unknown' }, token), 'Basic', 'unknown id');
    const json = { access_token: token };
    assertUnauthorized(await app().send('POST', revokePath, { json }), 'Basic', 'no pair');
    const headers = { authorization: `Bearer ${token}` };
    assertUnauthorized(await app().send('POST', revokePath, { json, headers }), 'Basic', 'the token as bearer');
    const twice = { ...basic(pair.clientId, pair.clientSecret) };
    const both = { ...json, client_id: pair.clientId, client_secret: pair.clientSecret };
    assertUnauthorized(await app().send('POST', revokePath, { json: both, headers: twice }), 'Basic', 'pair twice');
    assert.equal(await isActive(app(), token), true);
  });

  it('answers 400 naming access_token when it is missing or not a string', async () => {
    const pair = await makePair(app());
    for (const token of [undefined, ''])
      assertBadRequest(await revoke(pair, token), 'access_token is missing', String(token));
    for (const token of [1, null, ['x'], {}, 'x'.repeat(8193)]) {
      assertBadRequest(await revoke(pair, token), /^access_token /, JSON.stringify(token).slice(0, 20));
    }
  });

  it('answers 400 for malformed JSON, another media type and a repeated member', async () => {
    const { clientId, clientSecret } = await makePair(app());
    const headers = basic(clientId, clientSecret);
    const json = { ...headers, 'content-type': 'application/json' };
    assertBadRequest(
      await app().send('POST', revokePath, { headers: json, raw: '{' }),
      'the body is not valid JSON',
      'bad JSON',
    );
    const plain = { ...headers, 'content-type': 'text/plain' };
    assertBadRequest(
      await app().send('POST', revokePath, { headers: plain, raw: 'access_token=x' }),
      /^Content-Type must be/,
      'text',
    );
    const twice = await app().send('POST', revokePath, { headers, form: 'access_token=a&access_token=b' });
    assertBadRequest(twice, 'access_token is given twice', 'twice');
  });

  it('answers 429 with Retry-After after too many failures of one pair', async () => {
    const limited = await app().another({ 'limit.client-auth': '1/h' });
    const { clientId } = await makePair(limited);
    const fail = () =>
      limited.send('POST', revokePath, { headers: basic(clientId, 'wrong'), json: { access_token: 'x' } });
    assertUnauthorized(await fail(), 'Basic', 'first');
    const answer = await fail();
    assert.equal(answer.status, 429);
    assert.match(String(answer.headers['retry-after']), /^[1-9]\d{0,3}$/);
  });
}
