import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Answer } from '../../support/conforms.ts';
import { CookieJar, makeUser, readForm, redeem, refresh, signInForCode, submit } from '../../support/sign-in.ts';
import { afterwards, beginSignOut, isSignedIn, logoutPath, signedInBrowser } from '../../support/sign-out.ts';
import type { AppOf } from './browsing.ts';

function assertAsks(answer: Answer): void {
  assert.equal(answer.status, 200, answer.text.slice(0, 300));
  assert.match(answer.text, /<h1>Sign out of/);
  assert.equal(answer.text.match(/<form\b/g)?.length, 1);
}

function assertCookiesGone({ headers }: Answer): void {
  const lines = [headers['set-cookie'] ?? []].flat();
  assert.deepEqual(
    lines.map((line) => line.replace(/;.*Max-Age/, '; Max-Age')),
    ['__Host-sid=; Max-Age=0', '__Host-tx=; Max-Age=0'],
  );
  for (const line of lines) assert.match(line, /; Path=\/; HttpOnly; SameSite=Lax; Secure/);
}

/** OpenID Connect RP-Initiated Logout 1.0 §2 to §4. */
export function signOut(app: AppOf): void {
  it('with an id token of the signed-in user: at once, to the registered address with state', async () => {
    const browser = await signedInBrowser(app());
    const secret = browser.jar.cookies.get('__Host-sid');
    const parameters = {
      id_token_hint: browser.tokens.id_token,
      post_logout_redirect_uri: afterwards,
      state: 'a b&c=é',
      ui_locales: 'de',
    };
    const { answer } = await beginSignOut(app(), browser.jar, parameters);
    assert.equal(answer.status, 303);
    assert.equal(answer.headers['location'], `${afterwards}?${new URLSearchParams({ state: 'a b&c=é' })}`);
    assertCookiesGone(answer);
    assert.equal(await isSignedIn(app(), browser), false);
    browser.jar.cookies.set('__Host-sid', secret ?? '');
    assert.equal(await isSignedIn(app(), browser), false, 'the session is gone, not only the cookie (L3)');
    assert.equal(
      (await refresh(app(), browser.client, browser.tokens.refresh_token)).status,
      400,
      'its grant is revoked too',
    );
  });

  it('a grant with offline_access outlives the session, in which another browser got one without', async () => {
    const scope = 'openid offline_access';
    const browser = await signedInBrowser(app());
    const { client, user, jar } = browser;
    const code = (await signInForCode(app(), client, user, { scope }, jar)).get('code') ?? '';
    const offline = await redeem(app(), client, code);
    assert.equal(offline.scope, 'openid', 'it is not a scope of tokens');
    await submit(app(), await beginSignOut(app(), jar), {});
    assert.equal(await isSignedIn(app(), browser), false);
    assert.equal((await refresh(app(), client, browser.tokens.refresh_token)).status, 400);
    assert.equal((await refresh(app(), client, offline.refresh_token)).status, 200);
  });

  it('without a hint: asked, and signed out only by the form; then to the page that says so', async () => {
    const browser = await signedInBrowser(app());
    const asked = await beginSignOut(app(), browser.jar, {});
    assertAsks(asked.answer);
    for (const shown of [browser.user.email ?? '', 'Ada Lovelace']) assert.ok(asked.answer.text.includes(shown));
    assert.equal(await isSignedIn(app(), browser), true, 'a page load ends nothing');
    const done = await submit(app(), asked, {});
    assert.equal(done.answer.status, 200);
    assert.match(done.answer.text, /<h1>You are signed out<\/h1>/);
    assert.equal(await isSignedIn(app(), browser), false);
  });

  it('with only a state, or an id token and a state: no address to return to, so the page says it', async () => {
    const browser = await signedInBrowser(app());
    const asked = await beginSignOut(app(), browser.jar, { state: 'a state' });
    assertAsks(asked.answer);
    assert.match((await submit(app(), asked, {})).answer.text, /<h1>You are signed out<\/h1>/);
    assert.equal(await isSignedIn(app(), browser), false);
    const other = await signedInBrowser(app());
    const hinted = { id_token_hint: other.tokens.id_token, state: 'a state' };
    assert.match((await beginSignOut(app(), other.jar, hinted)).answer.text, /<h1>You are signed out<\/h1>/);
    assert.equal(await isSignedIn(app(), other), false);
  });

  it('with only client_id: asked, with the name of the application, then to its address', async () => {
    const browser = await signedInBrowser(app(), { client_name: 'Expense Desk' });
    const parameters = { client_id: browser.client.client_id, post_logout_redirect_uri: afterwards };
    const asked = await beginSignOut(app(), browser.jar, parameters);
    assertAsks(asked.answer);
    assert.ok(asked.answer.text.includes('Expense Desk'));
    assert.match(String(asked.answer.headers['content-security-policy']), /form-action 'self' https:;/);
    const { answer } = await submit(app(), asked, {});
    assert.deepEqual([answer.status, answer.headers['location']], [303, afterwards]);
    assertCookiesGone(answer);
  });

  it('with the id token of somebody else: asked', async () => {
    const browser = await signedInBrowser(app());
    const other = await signedInBrowser(app());
    assertAsks((await beginSignOut(app(), browser.jar, { id_token_hint: other.tokens.id_token })).answer);
    assert.equal(await isSignedIn(app(), browser), true);
  });

  it('with anything that is not an id token of this account: asked (T10)', async () => {
    const browser = await signedInBrowser(app());
    const [header = '', payload = '', signature = ''] = browser.tokens.id_token.split('.');
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
    const elsewhere = await app().another({ 'limit.register': 'off' });
    const foreign = await signedInBrowser(elsewhere);
    for (const hint of [
      'x',
      browser.tokens.access_token,
      `${none}.${payload}.`,
      `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
      foreign.tokens.id_token,
    ]) {
      assertAsks((await beginSignOut(app(), browser.jar, { id_token_hint: hint })).answer);
    }
    assert.equal(await isSignedIn(app(), browser), true);
  });

  it('without a session: onward at once', async () => {
    const browser = await signedInBrowser(app());
    const to = { client_id: browser.client.client_id, post_logout_redirect_uri: afterwards };
    assert.equal((await beginSignOut(app(), new CookieJar(), to)).answer.headers['location'], afterwards);
    const { answer } = await beginSignOut(app(), new CookieJar(), {});
    assert.match(answer.text, /You are signed out/);
    assert.equal(await isSignedIn(app(), browser), true);
  });

  it('a form without csrf, with another one, or from another browser: 403, and nobody is signed out (L2)', async () => {
    const browser = await signedInBrowser(app());
    const { answer } = await beginSignOut(app(), browser.jar, {});
    const { action, fields } = readForm(answer.text);
    const stranger = await signedInBrowser(app());
    const strange = readForm((await beginSignOut(app(), stranger.jar, {})).answer.text);
    const { csrf: _, ...without } = fields;
    for (const form of [without, { ...fields, csrf: 'x' }, { ...fields, csrf: strange.fields['csrf'] ?? '' }]) {
      const refused = await app().send('POST', action, { headers: browser.jar.header, form });
      assert.equal(refused.status, 403);
    }
    const elsewhere = await app().send('POST', action, { headers: stranger.jar.header, form: fields });
    assert.equal(elsewhere.status, 403);
    const crossSite = { ...browser.jar.header, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const forged = await app().send('POST', action, { headers: crossSite, form: without });
    assert.equal(forged.status, 403);
    assert.deepEqual([await isSignedIn(app(), browser), await isSignedIn(app(), stranger)], [true, true]);
  });

  it('a request that was not sealed here, is changed, of another account, or too old: 400', async () => {
    const browser = await signedInBrowser(app());
    const begun = await app().send('GET', logoutPath({}), { headers: browser.jar.header });
    const request = new URLSearchParams(String(begun.headers['location']).split('?')[1]).get('request') ?? '';
    const other = await app().another();
    const path = (text: string) => `/sign-out?${new URLSearchParams({ request: text })}`;
    const changed = `${request.slice(0, -3)}AAA`;
    for (const text of ['', 'x', changed, request.replace('v1', 'v2')]) {
      assert.equal((await app().send('GET', path(text), { headers: browser.jar.header })).status, 400);
      assert.equal((await app().send('POST', '/sign-out', { form: { request: text } })).status, 400);
    }
    assert.equal((await app().send('GET', '/sign-out')).status, 400);
    assert.equal((await other.send('GET', path(request))).status, 400, 'I1');
    assert.equal((await app().send('GET', '/signed-out?a=1&a=2')).status, 400);
    assert.equal((await app().send('GET', path(request), { headers: browser.jar.header })).status, 200);
    app().services.clock.advance(10 * 60_000);
    assert.equal((await app().send('GET', path(request), { headers: browser.jar.header })).status, 400);
  });

  it('signs out of this browser only; going back and reloading are safe', async () => {
    const browser = await signedInBrowser(app());
    const second = new CookieJar();
    await signInForCode(app(), browser.client, browser.user, {}, second);
    const asked = await beginSignOut(app(), browser.jar, {});
    await submit(app(), asked, {});
    const again = await submit(app(), asked, {});
    assert.equal(again.answer.status, 403, 'its cookie was removed with the session');
    assert.equal(await isSignedIn(app(), { ...browser, jar: second }), true);
    const other = await makeUser(app(), browser.client.app_id);
    await signInForCode(app(), browser.client, other, {}, browser.jar);
    assert.equal(await isSignedIn(app(), browser), true, 'another user signs in here');
  });
}
