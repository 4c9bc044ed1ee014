/** POST /auth/oauth2/v2/token (docs/document-gaps.md#tokens-for-api-credentials). */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { basic, type Sent, type TestApp } from '../../support/app.ts';
import { dump } from '../../support/rows.ts';
import { assertPrivate, assertUnauthorized, bodies, isActive, issue, makePair, tokenPath, ways } from './pairs.ts';

const grant = { grant_type: 'client_credentials' };

export function issueCredentialToken(app: () => TestApp): void {
  const withHeader = (headers: Record<string, string>, more: Sent = { json: grant }) =>
    app().send('POST', tokenPath, { ...more, headers });
  const withMembers = (clientId: unknown, clientSecret: unknown) =>
    app().send('POST', tokenPath, { json: { ...grant, client_id: clientId, client_secret: clientSecret } });

  for (const [way, present] of Object.entries(ways)) {
    for (const [kind, body] of Object.entries(bodies)) {
      it(`issues a token for a pair sent by ${way}, the body as ${kind}`, async () => {
        using _ = app().services.clock.hold();
        const { headers = {}, members = {} } = present(await makePair(app()));
        const answer = await withHeader(headers, body({ ...grant, ...members }));
        assert.equal(answer.status, 200, answer.text);
        const { access_token: token, ...rest } = answer.body;
        assert.deepEqual(rest, {
          token_type: 'bearer',
          expires_in: 36_000,
          created_at: new Date(app().services.clock.now()).toISOString(),
          account_id: app().account.id,
        });
        assert.match(token, /^[A-Za-z0-9_-]{43,}$/);
        assert.ok(await isActive(app(), token));
        assertPrivate(answer);
      });
    }
  }

  it('returns no refresh_token, not even an empty one, and no null', async () => {
    const { clientId, clientSecret } = await makePair(app());
    const answer = await withMembers(clientId, clientSecret);
    assert.equal('refresh_token' in answer.body, false);
    assert.doesNotMatch(answer.text, /null|refresh/);
  });

  it('accepts a trailing slash', async () => {
    const { clientId, clientSecret } = await makePair(app());
    const answer = await app().send('POST', `${tokenPath}/`, { form: grant, headers: basic(clientId, clientSecret) });
    assert.equal(answer.status, 200, answer.text);
  });

  it('keeps earlier tokens of the pair valid, each for 36,000 seconds', async () => {
    using _ = app().services.clock.hold();
    const pair = await makePair(app());
    const first = await issue(app(), pair);
    app().services.clock.advance(1_000_000);
    const second = await issue(app(), pair);
    assert.notEqual(first, second);
    app().services.clock.advance(35_000_000 - 1);
    assert.deepEqual([await isActive(app(), first), await isActive(app(), second)], [true, true]);
    app().services.clock.advance(1);
    assert.deepEqual([await isActive(app(), first), await isActive(app(), second)], [false, true]);
  });

  it('ignores unlisted members, including a scope', async () => {
    const { clientId, clientSecret } = await makePair(app(), 'read_users');
    const more = { scope: 'manage_all', account_id: 1, expires_in: 9e9, access_token: 'x', constructor: {} };
    const json = { ...grant, client_id: clientId, client_secret: clientSecret, ...more };
    const answer = await app().send('POST', tokenPath, { json });
    assert.deepEqual([answer.status, answer.body.expires_in, answer.body.account_id], [200, 36_000, app().account.id]);
    const headers = { authorization: `Bearer ${answer.body.access_token}` };
    assert.equal((await app().send('POST', '/oidc/2/register', { headers, json: {} })).status, 401);
  });

  it('generates ids and secrets from A–Z a–z 0–9 - _', async () => {
    const { clientId, clientSecret } = await makePair(app());
    for (const text of [clientId, clientSecret]) assert.match(text, /^[A-Za-z0-9_-]{43,255}$/);
  });

  it('stores only digests: no table and no log line contains a secret or a token', async () => {
    const pair = await makePair(app());
    const secrets = [pair.clientSecret, await issue(app(), pair), await issue(app(), pair)];
    const kept = (await dump(app().url)) + JSON.stringify(app().services.lines);
    assert.ok(kept.includes(pair.clientId));
    for (const secret of secrets) assert.ok(!kept.includes(secret.slice(-43)));
  });

  it('answers 429 with Retry-After after too many failures of one pair; success resets the count; others are unaffected', async () => {
    const limited = await app().another({ 'limit.client-auth': '3/h' });
    const [first, second] = [await makePair(limited), await makePair(limited)];
    const fail = () => limited.send('POST', tokenPath, { json: grant, headers: basic(first.clientId, 'wrong') });
    for (let round = 0; round < 3; round += 1) {
      assertUnauthorized(await fail(), 'Basic', 'first failures');
      assertUnauthorized(await fail(), 'Basic', 'first failures');
      await issue(limited, first);
    }
    for (let count = 0; count < 3; count += 1) assertUnauthorized(await fail(), 'Basic', 'failures in a row');
    for (const secret of ['wrong', first.clientSecret]) {
      const answer = await limited.send('POST', tokenPath, { json: grant, headers: basic(first.clientId, secret) });
      assert.equal(answer.status, 429);
      assert.deepEqual([answer.body.status.code, answer.body.status.type], [429, 'rate limit exceeded']);
      assert.match(String(answer.headers['retry-after']), /^[1-9]\d{0,3}$/);
    }
    assert.ok(await issue(limited, second));
  });
}
