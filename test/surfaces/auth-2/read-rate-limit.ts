/** GET /auth/rate_limit (docs/document-gaps.md#tokens-for-api-credentials). */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { revokeCredential } from '../../../src/domain/callers/credentials.ts';
import { credentialScopes } from '../../../src/domain/callers/scopes.ts';
import { basic, type TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { signedIn } from '../../support/sign-in.ts';
import { assertPrivate, assertUnauthorized, issue, limitPath, makePair } from './pairs.ts';

const status = { error: false, code: 200, type: 'success', message: 'Success' };

export function readRateLimit(app: () => TestApp): void {
  const read = (authorization: string | undefined, at: TestApp = app()): Promise<Answer> =>
    at.send('GET', limitPath, { headers: authorization === undefined ? {} : { authorization } });

  it('returns the status object and three numbers, 5,000 an hour unless the account sets another limit', async () => {
    const answer = await read(`Bearer ${await app().bearer('read_users')}`);
    const data = { 'X-RateLimit-Limit': 5000, 'X-RateLimit-Remaining': 5000, 'X-RateLimit-Reset': 3600 };
    assert.deepEqual([answer.status, answer.body], [200, { status, data }]);
    assertPrivate(answer);
  });

  it('reports what the pair has left: all its tokens share one count, other pairs have their own', async () => {
    const limited = await app().another({ 'limit.api-2': '7/h' });
    const pair = await makePair(limited);
    const tokens = [await issue(limited, pair), await issue(limited, pair)];
    await limited.services.limits.take(limited.account, 'api-2', { credential: pair.clientId });
    await limited.services.limits.take(limited.account, 'api-2', { credential: pair.clientId });
    for (const token of tokens) {
      // Asking costs nothing.
      for (let count = 0; count < 3; count += 1) {
        const { data } = (await read(`Bearer ${token}`, limited)).body;
        assert.deepEqual([data['X-RateLimit-Limit'], data['X-RateLimit-Remaining']], [7, 5]);
        assert.ok(data['X-RateLimit-Reset'] >= 1 && data['X-RateLimit-Reset'] <= 3600);
      }
    }
    const other = await read(`Bearer ${await limited.bearer('manage_all')}`, limited);
    assert.equal(other.body.data['X-RateLimit-Remaining'], 7);
  });

  it('reports 0 and never less when the limit is used up, and is not limited itself', async () => {
    const limited = await app().another({ 'limit.api-2': '1/h' });
    const pair = await makePair(limited);
    const token = await issue(limited, pair);
    await limited.services.limits.take(limited.account, 'api-2', { credential: pair.clientId });
    await assert.rejects(limited.services.limits.take(limited.account, 'api-2', { credential: pair.clientId }));
    const answer = await read(`Bearer ${token}`, limited);
    assert.deepEqual([answer.status, answer.body.data['X-RateLimit-Remaining']], [200, 0]);
  });

  it('reports the largest number when the account has switched the limit off', async () => {
    const unlimited = await app().another({ 'limit.api-2': 'off' });
    const { data } = (await read(`Bearer ${await unlimited.bearer('manage_all')}`, unlimited)).body;
    const most = 2 ** 31 - 1;
    assert.deepEqual(data, { 'X-RateLimit-Limit': most, 'X-RateLimit-Remaining': most, 'X-RateLimit-Reset': 0 });
  });

  it('accepts any valid token, whatever its scopes', async () => {
    for (const scope of credentialScopes)
      assert.equal((await read(`Bearer ${await app().bearer(scope)}`)).status, 200, scope);
  });

  it('accepts the bearer scheme in any letter case, and bearer:<token>', async () => {
    const token = await app().bearer('read_all');
    for (const form of [
      `bearer ${token}`,
      `BEARER ${token}`,
      `BeArEr ${token}`,
      `bearer:${token}`,
      `Bearer: ${token}`,
    ]) {
      assert.equal((await read(form)).status, 200, form);
    }
  });

  it('answers 401 for a missing token and for an invalid one', async () => {
    const pair = await makePair(app());
    const token = await issue(app(), pair);
    const elsewhere = await (await app().another()).bearer('manage_all');
    const { tokens } = await signedIn(app());
    const others = [
      `Bearer ${elsewhere}`,
      `Bearer ${tokens.access_token}`,
      basic(pair.clientId, pair.clientSecret).authorization,
    ];
    for (const header of [
      undefined,
      '',
      'Bearer',
      'Bearer x',
      token,
      `Token ${token}`,
      `Bearer ${token}x`,
      ...others,
    ]) {
      assertUnauthorized(await read(header), 'Bearer', String(header).slice(0, 30));
    }
    const query = await app().send('GET', `${limitPath}?access_token=${token}`);
    assertUnauthorized(query, 'Bearer', 'in the query');
    await revokeCredential(app().services, app().account, pair.clientId);
    assertUnauthorized(await read(`Bearer ${token}`), 'Bearer', 'pair revoked');
    const last = await app().bearer('manage_all');
    app().services.clock.advance(36_000_000);
    assertUnauthorized(await read(`Bearer ${last}`), 'Bearer', 'expired');
  });

  it('answers HEAD like GET without a body, and ignores parameters', async () => {
    const headers = { authorization: `Bearer ${await app().bearer('read_all')}` };
    const head = await app().send('HEAD', limitPath, { headers });
    assert.deepEqual([head.status, head.text], [200, '']);
    assert.equal((await app().send('GET', `${limitPath}?limit=1&X-RateLimit-Limit=9`, { headers })).status, 200);
  });
}
