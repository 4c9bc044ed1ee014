import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodeJwt } from 'jose';
import { dump } from '../../support/rows.ts';
import { refresh, registerClient, signedIn } from '../../support/sign-in.ts';
import { type AppOf, assertEnded, assertError, unlimited } from './asking.ts';

const day = 86_400_000;
const documented = '/oidc/2/token';

/**
 * Refresh at the standard door: RFC 6749 §6, RFC 9700 §4.14, OpenID Connect Core §12,
 * docs/document-gaps.md#refresh-tokens.
 */
export function refreshing(app: AppOf): void {
  it('a refresh token is used once; the new tokens belong to the same grant, and the id token follows §12.2', async () => {
    using _ = app().services.clock.hold();
    const { client, tokens } = await signedIn(app());
    app().services.clock.advance(60_000);
    const { status, body } = await refresh(app(), client, tokens.refresh_token);
    assert.equal(status, 200);
    const { access_token: access, refresh_token: next, id_token: id, ...rest } = body;
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600, scope: 'openid profile email' });
    assert.notEqual(access, tokens.access_token);
    assert.notEqual(next, tokens.refresh_token);
    const [first, second] = [decodeJwt(tokens.id_token), decodeJwt(id)];
    for (const name of ['iss', 'sub', 'aud', 'auth_time', 'sid', 'amr', 'acr'])
      assert.deepEqual(second[name], first[name], name);
    assert.equal(second.iat, Number(first.iat) + 60);
    assert.equal(second['nonce'], undefined);
  });

  it('within 10 seconds the predecessor gets the same successor from both doors, until the successor is used', async () => {
    using _ = app().services.clock.hold();
    const { client, tokens } = await signedIn(app());
    const first = await refresh(app(), client, tokens.refresh_token);
    app().services.clock.advance(9_999);
    const again = await refresh(app(), client, tokens.refresh_token);
    const elsewhere = await refresh(app(), client, tokens.refresh_token, documented);
    assert.equal(again.body.refresh_token, first.body.refresh_token);
    assert.equal(elsewhere.body.refresh_token, first.body.refresh_token);
    assert.equal(again.body.scope, first.body.scope);
    assert.notEqual(again.body.access_token, first.body.access_token);
    for (const { body } of [first, again, elsewhere]) {
      const headers = { authorization: `Bearer ${body.access_token}` };
      assert.equal(
        (await app().send('GET', '/oauth2/userinfo', { headers })).status,
        200,
        'each is as valid as the first',
      );
    }
    const successor = await refresh(app(), client, first.body.refresh_token);
    assert.equal(successor.status, 200);
    assertError(await refresh(app(), client, tokens.refresh_token), 400, 'invalid_grant');
    await assertEnded(app(), client, successor.body.refresh_token, successor.body.access_token);
  });

  it('the database alone reveals no token: digests, and the successor sealed under its predecessor (R6)', async () => {
    const { client, tokens } = await signedIn(app());
    const { body } = await refresh(app(), client, tokens.refresh_token);
    const stored = await dump(app().url);
    for (const text of [tokens.access_token, tokens.refresh_token, body.access_token, body.refresh_token]) {
      assert.ok(!stored.includes(text) && !stored.includes(text.slice(-43)));
    }
    const written = JSON.stringify(app().services.lines);
    for (const text of Object.values({ ...tokens, ...body })) {
      if (String(text).length > 40) assert.ok(!written.includes(String(text)), 'nor does the log');
    }
  });

  it('after the grace period the reuse of an old token ends the grant at both doors', async () => {
    const { client, tokens } = await signedIn(app());
    const next = (await refresh(app(), client, tokens.refresh_token)).body;
    app().services.clock.advance(10_001);
    assertError(await refresh(app(), client, tokens.refresh_token), 400, 'invalid_grant');
    await assertEnded(app(), client, next.refresh_token, next.access_token);
  });

  it('the grace period is a setting: with 0 the predecessor ends the grant at once', async () => {
    const strict = await app().another({ ...unlimited, 'refresh.grace_seconds': '0' });
    const { client, tokens } = await signedIn(strict);
    const next = (await refresh(strict, client, tokens.refresh_token)).body;
    assertError(await refresh(strict, client, tokens.refresh_token), 400, 'invalid_grant');
    await assertEnded(strict, client, next.refresh_token, next.access_token);
  });

  it('lasts 14 days unused and 90 days in all, or as the account set', async () => {
    using _ = app().services.clock.hold();
    const idle = await signedIn(app());
    app().services.clock.advance(14 * day);
    assertError(await refresh(app(), idle.client, idle.tokens.refresh_token), 400, 'invalid_grant');

    const { client, tokens } = await signedIn(app());
    let current = tokens.refresh_token;
    for (let days = 13; days < 90; days += 13) {
      app().services.clock.advance(13 * day);
      const answer = await refresh(app(), client, current);
      assert.equal(answer.status, 200, `after ${days} days`);
      current = answer.body.refresh_token;
    }
    app().services.clock.advance(12 * day);
    assertError(await refresh(app(), client, current), 400, 'invalid_grant');

    const short = await app().another({ ...unlimited, 'refresh.idle_days': '1' });
    const brief = await signedIn(short);
    short.services.clock.advance(day - 1);
    assert.equal((await refresh(short, brief.client, brief.tokens.refresh_token)).status, 200);
  });

  it('scope may be narrowed and never widened; a refusal uses nothing up (T7)', async () => {
    const { client, tokens } = await signedIn(app());
    const ask = (token: string, scope: string) => refresh(app(), client, token, '/oauth2/token', { scope });
    for (const scope of ['openid groups', 'admin', 'offline_access', 'openid profile email groups']) {
      assertError(await ask(tokens.refresh_token, scope), 400, 'invalid_scope');
    }
    const narrow = await ask(tokens.refresh_token, 'openid email');
    assert.equal(narrow.body.scope, 'openid email');
    const claims = decodeJwt(narrow.body.id_token);
    assert.ok(claims['email'] && !('name' in claims), 'the id token contains no more than the scope');
    const headers = { authorization: `Bearer ${narrow.body.access_token}` };
    assert.ok(!('name' in (await app().send('GET', '/oauth2/userinfo', { headers })).body));
    const without = await ask(narrow.body.refresh_token, 'email');
    assert.ok(!('id_token' in without.body));
    const whole = await refresh(app(), client, without.body.refresh_token);
    assert.equal(whole.body.scope, 'openid profile email', 'the scope of the grant is unchanged');
  });

  it('the scope of the authorization can be sent again: what was omitted there is omitted here too', async () => {
    const scope = 'openid profile email offline_access admin';
    const { client, tokens } = await signedIn(app(), {}, { scope });
    assert.equal(tokens.scope, 'openid profile email');
    const again = await refresh(app(), client, tokens.refresh_token, '/oauth2/token', { scope });
    assert.deepEqual([again.status, again.body.scope], [200, 'openid profile email']);
    const wider = { scope: `${scope} groups` };
    const refused = await refresh(app(), client, again.body.refresh_token, '/oauth2/token', wider);
    assertError(refused, 400, 'invalid_scope');
    const next = await refresh(app(), client, again.body.refresh_token, '/oauth2/token', { scope: 'email unknown' });
    assert.deepEqual([next.status, next.body.scope], [200, 'email']);

    const registered = { scope: 'openid email' };
    const narrow = await signedIn(app(), registered, { scope: 'openid email groups' });
    const kept = await refresh(app(), narrow.client, narrow.tokens.refresh_token, '/oauth2/token', {
      scope: 'openid email groups',
    });
    assert.deepEqual([kept.status, kept.body.scope], [200, 'openid email'], 'a scope that the client cannot have');
  });

  it("another client's token and other texts are invalid_grant and change nothing (T7)", async () => {
    const { client, tokens } = await signedIn(app());
    const thief = await registerClient(app());
    assertError(await refresh(app(), thief, tokens.refresh_token), 400, 'invalid_grant');
    const altered = `${tokens.refresh_token.slice(0, -1)}${tokens.refresh_token.endsWith('A') ? 'Q' : 'A'}`;
    for (const text of ['x', 'rt_1.', tokens.access_token, tokens.id_token.slice(0, 500), `${tokens.refresh_token}A`]) {
      assertError(await refresh(app(), client, text), 400, 'invalid_grant');
    }
    assert.equal((await refresh(app(), client, tokens.refresh_token)).status, 200);
    // A secret that was never issued under an authentic family is an older token, or a guess by one who held it.
    assertError(await refresh(app(), client, altered), 400, 'invalid_grant');
  });

  it('refresh_token is required, and so is the grant type in the registration', async () => {
    const { client } = await signedIn(app());
    assertError(await refresh(app(), client, ''), 400, 'invalid_request', /^refresh_token is missing$/);
    const without = await registerClient(app(), { grant_types: ['authorization_code'] });
    assertError(await refresh(app(), without, 'rt_1.x'), 400, 'unauthorized_client');
  });
}
