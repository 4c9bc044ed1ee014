import assert from 'node:assert/strict';
import { it } from 'node:test';
import { grantAccess } from '../../../src/domain/users/access.ts';
import { basic } from '../../support/app.ts';
import { redirectUri, refresh, signInForCode } from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, askTokens, assertError, codeForm, settle } from './asking.ts';

/** The code's redemption: RFC 6749 §4.1.3, §5.1, RFC 7636 §4.6. */
export function redemption(app: AppOf): void {
  it('returns access, refresh and id token once, for 3,600 seconds, with no-store', async () => {
    const setting = await settle(app());
    const answer = await askTokens(app(), setting.client, codeForm(await setting.code()));
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers['cache-control'], 'no-store');
    const { access_token: access, refresh_token: renewal, id_token: id, ...rest } = answer.body;
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600, scope: 'openid profile email' });
    assert.match(access, /^at_/);
    assert.match(renewal, /^rt_/);
    assert.equal(id.split('.').length, 3);
  });

  it('a client without the grant type refresh_token gets no refresh token', async () => {
    const setting = await settle(app(), { grant_types: ['authorization_code'] });
    const answer = await askTokens(app(), setting.client, codeForm(await setting.code()));
    assert.equal(answer.status, 200);
    assert.ok(!('refresh_token' in answer.body));
  });

  it('a replayed code is refused and ends its grant, at both doors (T4, RFC 6749 §4.1.2)', async () => {
    const setting = await settle(app());
    const code = await setting.code();
    const { body } = await askTokens(app(), setting.client, codeForm(code));
    assertError(await askTokens(app(), setting.client, codeForm(code)), 400, 'invalid_grant');
    assertError(await refresh(app(), setting.client, body.refresh_token), 400, 'invalid_grant');
    assert.equal((await refresh(app(), setting.client, body.refresh_token, '/oidc/2/token')).status, 401);
    const headers = { authorization: `Bearer ${body.access_token}` };
    assert.equal((await app().send('GET', '/oauth2/userinfo', { headers })).status, 401);
  });

  it('a code presented many times at once succeeds exactly once, and the replay ends the grant (T4)', async () => {
    const setting = await settle(app());
    for (const times of [2, 20]) {
      const code = await setting.code();
      const one = () => askTokens(app(), setting.client, codeForm(code));
      const answers = await Promise.all(Array.from({ length: times }, one));
      const winners = answers.filter(({ status }) => status === 200);
      assert.equal(winners.length, 1, answers.map(({ status }) => status).join(' '));
      for (const answer of answers) if (answer.status !== 200) assertError(answer, 400, 'invalid_grant');
      assertError(await refresh(app(), setting.client, winners[0]?.body.refresh_token), 400, 'invalid_grant');
    }
  });

  it('a code used a second time ends its grant even while its user is refused (T4)', async () => {
    for (const status of ['locked', 'suspended'] as const) {
      const setting = await settle(app());
      const code = await setting.code();
      const { body } = await askTokens(app(), setting.client, codeForm(code));
      await setUser(app().services, app().account, setting.user.id, { status });
      assertError(await askTokens(app(), setting.client, codeForm(code)), 400, 'invalid_grant');
      await setUser(app().services, app().account, setting.user.id, { status: 'active' });
      assertError(await refresh(app(), setting.client, body.refresh_token), 400, 'invalid_grant');
    }
  });

  it('another client cannot redeem the code, and does not use it up', async () => {
    const setting = await settle(app());
    const thief = await settle(app());
    // The user allowed the other as much: nothing but the code's own client is in the way.
    await grantAccess(app().services, app().account, thief.client.app_id, { user: setting.user.email ?? '' });
    await signInForCode(app(), thief.client, setting.user);
    const code = await setting.code();
    assertError(await askTokens(app(), thief.client, codeForm(code)), 400, 'invalid_grant');
    assert.equal((await askTokens(app(), setting.client, codeForm(code))).status, 200);
  });

  it('redirect_uri must match the request; a wrong or missing one does not use the code up', async () => {
    const setting = await settle(app(), { redirect_uris: [redirectUri, `${redirectUri}/2`] });
    const code = await setting.code();
    for (const uri of [`${redirectUri}/2`, `${redirectUri}/`, redirectUri.toUpperCase(), undefined]) {
      assertError(await askTokens(app(), setting.client, codeForm(code, { redirect_uri: uri })), 400, 'invalid_grant');
    }
    assert.equal((await askTokens(app(), setting.client, codeForm(code))).status, 200);
  });

  it('a code lasts 60 seconds', async () => {
    using _ = app().services.clock.hold();
    const setting = await settle(app());
    const [early, late] = [await setting.code(), await setting.code()];
    app().services.clock.advance(59_999);
    assert.equal((await askTokens(app(), setting.client, codeForm(early))).status, 200);
    app().services.clock.advance(1);
    assertError(await askTokens(app(), setting.client, codeForm(late)), 400, 'invalid_grant');
  });

  it('a failed client authentication uses up neither code nor refresh token', async () => {
    const setting = await settle(app());
    const { client } = setting;
    const code = await setting.code();
    const wrong = { headers: basic(client.client_id, 'wrong') };
    assertError(await app().send('POST', '/oauth2/token', { ...wrong, form: codeForm(code) }), 401, 'invalid_client');
    const form = { ...codeForm(code), client_id: client.client_id, client_secret: 'wrong' };
    assertError(await app().send('POST', '/oauth2/token', { form }), 400, 'invalid_client');
    const { body, status } = await askTokens(app(), client, codeForm(code));
    assert.equal(status, 200);
    const renewal = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
    assertError(await app().send('POST', '/oauth2/token', { ...wrong, form: renewal }), 401, 'invalid_client');
    const renewed = await refresh(app(), client, body.refresh_token);
    assert.equal(renewed.status, 200);
    assert.notEqual(renewed.body.refresh_token, body.refresh_token);
  });

  it('access is checked at redemption: a user locked in between gets nothing, and the code is not used up', async () => {
    const setting = await settle(app());
    const { client, user } = setting;
    const code = await setting.code();
    await setUser(app().services, app().account, user.id, { status: 'locked' });
    assertError(await askTokens(app(), client, codeForm(code)), 400, 'invalid_grant');
    await setUser(app().services, app().account, user.id, { status: 'active' });
    assert.equal((await askTokens(app(), client, codeForm(code))).status, 200);
  });

  it('code is required, and a malformed code is not found', async () => {
    const { client } = await settle(app());
    const form = (code: string) => askTokens(app(), client, codeForm(code));
    assertError(await form(''), 400, 'invalid_request', /^code is missing$/);
    for (const code of ['x', 'A'.repeat(43), 'A'.repeat(512), '%00', "' or 1=1 --"]) {
      assertError(await form(code), 400, 'invalid_grant');
    }
  });

  it('a client without authorization_code is unauthorized_client', async () => {
    const { client } = await settle(app(), { grant_types: ['client_credentials'] });
    assertError(await askTokens(app(), client, codeForm('A'.repeat(43))), 400, 'unauthorized_client');
  });
}
