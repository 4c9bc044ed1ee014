import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodeJwt } from 'jose';
import {
  authorizePath,
  CookieJar,
  makeUser,
  password,
  readForm,
  redeem,
  redirectUri,
  registerClient,
  signInForCode,
  submit,
  walk,
} from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, askTokens, assertClientError, codeForm, settle, toClient } from './asking.ts';

/** The authorization code flow: OpenID Connect Core §3.1, RFC 6749 §4.1, RFC 9207. */
export function authorize(app: AppOf): void {
  it('sends the browser to the sign-in page, bound by a cookie, and then to the client with code, state and iss', async () => {
    const { client, user } = await settle(app());
    const jar = new CookieJar();
    const begun = await app().send('GET', authorizePath(client));
    assert.equal(begun.status, 303);
    assert.match(String(begun.headers['location']), /^\/continue\?request=[\w.-]{43,3072}$/);
    assert.match(String(begun.headers['set-cookie']), /^__Host-tx=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
    assert.equal(begun.headers['cache-control'], 'no-store');
    const query = await signInForCode(app(), client, user, { state: 'a b&c' }, jar);
    assert.deepEqual([...query.keys()].sort(), ['code', 'iss', 'state']);
    assert.match(query.get('code') ?? '', /^[\w-]{43}$/);
    assert.equal(query.get('state'), 'a b&c');
    assert.equal(query.get('iss'), app().account.baseUrl);
  });

  it('POST with a form does the same', async () => {
    const { client, user, jar } = await settle(app());
    const form = Object.fromEntries(new URL(authorizePath(client), redirectUri).searchParams);
    const begun = await app().send('POST', '/oauth2/authorize', { form });
    assert.equal(begun.status, 303);
    jar.keep(begun);
    let at = await walk(app(), jar, String(begun.headers['location']));
    at = await submit(app(), at, { username: user.email ?? '', password });
    at = await submit(app(), at, { decision: 'allow' });
    await redeem(app(), client, toClient(at.answer).get('code') ?? '');
  });

  it('POST with a form accepts what a query may contain', async () => {
    const { client } = await settle(app());
    const form = {
      ...Object.fromEntries(new URL(authorizePath(client), redirectUri).searchParams),
      acr_values: 'urn:mace:incommon:iap:silver',
      claims: '{"userinfo":{}}',
      dpop_jkt: 'x'.repeat(43),
      id_token_hint: 'x',
      login_hint: 'ada',
      resource: 'https://nowhere.example',
    };
    assertClientError(app(), await app().send('POST', '/oauth2/authorize', { form }), 'invalid_target');
  });

  it('ignores unknown parameters (RFC 6749 §3.1)', async () => {
    const setting = await settle(app());
    const code = await setting.code({
      'client_id[]': 'other',
      CLIENT_ID: 'other',
      acr_values: 'urn:mace:incommon:iap:silver',
      claims: '{"userinfo":{}}',
      ui_locales: 'de',
      display: 'page',
    });
    await redeem(app(), setting.client, code);
  });

  it('goes straight to the client when the browser is signed in and the user has consented', async () => {
    const setting = await settle(app());
    await setting.code();
    const at = await walk(app(), setting.jar, authorizePath(setting.client));
    assert.ok(toClient(at.answer).get('code'));
  });

  it('scopes are narrowed to known and registered ones, and listed in the token answer', async () => {
    const open = await settle(app());
    const narrow = await settle(app(), { scope: 'openid email' });
    const granted = async (setting: typeof open, scope: string) =>
      (await askTokens(app(), setting.client, codeForm(await setting.code({ scope })))).body.scope;
    assert.equal(await granted(open, 'groups openid admin openid'), 'openid groups');
    assert.equal(await granted(open, ''), 'openid', 'unsaid: openid');
    assert.equal(await granted(open, 'profile'), 'profile');
    assert.equal(await granted(narrow, 'openid profile email groups'), 'openid email');
    assert.equal(await granted(narrow, ''), 'openid email', 'omitted: everything registered');
  });

  it('without openid there is no id token, and redirect_uri may be omitted if one is registered', async () => {
    const setting = await settle(app());
    const code = await setting.code({ scope: 'profile', redirect_uri: '' });
    const answer = await askTokens(app(), setting.client, codeForm(code, { redirect_uri: undefined }));
    assert.equal(answer.status, 200, answer.text);
    assert.ok(!('id_token' in answer.body));
  });

  it('a nonce is returned in the id token and is absent when none was sent', async () => {
    const setting = await settle(app());
    const nonceOf = async (nonce: string) =>
      decodeJwt((await redeem(app(), setting.client, await setting.code({ nonce }))).id_token)['nonce'];
    assert.equal(await nonceOf('n-0S6_WzA2Mj"<'), 'n-0S6_WzA2Mj"<');
    assert.equal(await nonceOf(''), undefined);
  });

  it('login_hint prefills the form, escaped, and signs nobody in', async () => {
    const client = await registerClient(app());
    const at = await walk(app(), new CookieJar(), authorizePath(client, { login_hint: 'ada"><b>@example.com' }));
    assert.equal(at.answer.status, 200);
    assert.match(at.answer.text, /name="username"[^>]*value="ada&quot;&gt;&lt;b&gt;@example\.com"/);
    assert.ok(!at.answer.text.includes('<b>@'));
  });

  it('access is checked at authorization: without it a page says so and the client gets nothing', async () => {
    const client = await registerClient(app());
    const user = await makeUser(app());
    const at = await submit(app(), await walk(app(), new CookieJar(), authorizePath(client)), {
      username: user.email ?? '',
      password,
    });
    assert.equal(at.answer.status, 403);
    assert.match(at.answer.text, /You do not have access/);
  });

  it('prompt=none answers login_required, consent_required, access_denied or a code, and never shows a page', async () => {
    const setting = await settle(app());
    const other = await settle(app());
    const silent = async (client = setting.client, more = {}) =>
      (await walk(app(), setting.jar, authorizePath(client, { prompt: 'none', ...more }))).answer;
    assertClientError(app(), await silent(), 'login_required');
    await setting.code({ scope: 'openid' });
    assert.ok(toClient(await silent(setting.client, { scope: 'openid' })).get('code'));
    assertClientError(app(), await silent(setting.client, { scope: 'openid email' }), 'consent_required');
    assertClientError(app(), await silent(other.client), 'access_denied');
    await setUser(app().services, app().account, setting.user.id, { status: 'locked' });
    assertClientError(app(), await silent(setting.client, { scope: 'openid' }), 'access_denied');
  });

  for (const [name, value] of [
    ['prompt', 'login'],
    ['prompt', 'select_account'],
    ['max_age', '0'],
  ] as const) {
    it(`${name}=${value} asks for the password once, and auth_time is new`, async () => {
      const asked = { [name]: value };
      const setting = await settle(app());
      const first = decodeJwt((await redeem(app(), setting.client, await setting.code())).id_token);
      app().services.clock.advance(5_000);
      const at = await walk(app(), setting.jar, authorizePath(setting.client, asked));
      assert.match(at.answer.text, /name="password"/);
      const second = decodeJwt((await redeem(app(), setting.client, await setting.code(asked))).id_token);
      const [before, after] = [Number(first['auth_time']) + 5, Math.floor(app().services.clock.now() / 1000)];
      assert.ok(Number(second['auth_time']) >= before && Number(second['auth_time']) <= after);
      assert.equal(second['sid'], first['sid'], 'the session continues under a new secret');
    });
  }

  it('prompt=consent asks for consent again', async () => {
    const setting = await settle(app());
    await setting.code();
    const at = await walk(app(), setting.jar, authorizePath(setting.client, { prompt: 'consent' }));
    assert.match(at.answer.text, /value="allow"/);
  });

  it('max_age asks for the password again once the sign-in is older, and not before', async () => {
    using _ = app().services.clock.hold();
    const setting = await settle(app());
    const first = decodeJwt((await redeem(app(), setting.client, await setting.code())).id_token);
    app().services.clock.advance(60_000);
    const young = await redeem(app(), setting.client, await setting.code({ max_age: '60' }));
    assert.equal(decodeJwt(young.id_token)['auth_time'], first['auth_time']);
    app().services.clock.advance(1_000);
    for (const age of ['60', '0']) {
      const at = await walk(app(), setting.jar, authorizePath(setting.client, { max_age: age }));
      assert.match(at.answer.text, /name="password"/, `max_age=${age}`);
      assert.equal(readForm(at.answer.text).fields['username'], '');
    }
    const again = decodeJwt((await redeem(app(), setting.client, await setting.code({ max_age: '60' }))).id_token);
    assert.equal(again['auth_time'], Number(first['auth_time']) + 61);
    const oldest = await walk(app(), setting.jar, authorizePath(setting.client, { max_age: '2147483647' }));
    assert.ok(toClient(oldest.answer).get('code'));
  });
}
