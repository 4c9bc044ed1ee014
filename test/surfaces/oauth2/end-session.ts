import assert from 'node:assert/strict';
import { it } from 'node:test';
import { redirectUri } from '../../support/sign-in.ts';
import { afterwards, beginSignOut, isSignedIn, logoutPath, signedInBrowser } from '../../support/sign-out.ts';
import { type AppOf, assertErrorPage } from './asking.ts';

/** OpenID Connect RP-Initiated Logout 1.0 §2, §3: what a client asks for; the pages have tests of their own. */
export function endingSessions(app: AppOf): void {
  it('an unregistered address, or one without a hint: a page, no redirect, nobody signed out (§3)', async () => {
    const browser = await signedInBrowser(app(), { application_type: 'native' });
    const { client_id: id } = browser.client;
    const hint = { id_token_hint: browser.tokens.id_token };
    const to = (uri: string) => ({ post_logout_redirect_uri: uri });
    for (const parameters of [
      { ...hint, ...to(`${afterwards}/`) },
      { ...hint, ...to(`${afterwards}?x=1`) },
      { ...hint, ...to(redirectUri) },
      { ...hint, ...to('javascript:alert(1)') },
      { client_id: id, ...to('https://evil.example/') },
      // Nobody says whose address it is.
      to(afterwards),
      { id_token_hint: 'x', ...to(afterwards) },
    ]) {
      assertErrorPage(await app().send('GET', logoutPath(parameters)), /post_logout_redirect_uri/);
      assertErrorPage(await app().send('POST', '/oauth2/logout', { form: parameters }), /post_logout_redirect_uri/);
    }
    assert.equal(await isSignedIn(app(), browser), true);
  });

  it('an unknown client, one that is not the hint’s, a parameter twice or too long: a page', async () => {
    const browser = await signedInBrowser(app());
    const other = await signedInBrowser(app());
    const hint = { id_token_hint: browser.tokens.id_token };
    assertErrorPage(await app().send('GET', logoutPath({ client_id: 'unknown' })), /client_id/);
    const foreign = logoutPath({ ...hint, client_id: other.client.client_id });
    assertErrorPage(await app().send('GET', foreign), /id_token_hint/);
    assertErrorPage(await app().send('GET', '/oauth2/logout?state=a&state=b'));
    assertErrorPage(await app().send('GET', logoutPath({ state: 's'.repeat(1025) })));
    assertErrorPage(await app().send('POST', '/oauth2/logout', { json: {} }));
  });

  it('a form of another site arrives without cookies, and still ends the session', async () => {
    const browser = await signedInBrowser(app());
    const form = { id_token_hint: browser.tokens.id_token, post_logout_redirect_uri: afterwards, state: 's' };
    const posted = await app().send('POST', '/oauth2/logout', { form });
    assert.equal(posted.status, 303);
    const location = String(posted.headers['location']);
    assert.match(location, /^\/sign-out\?request=/);
    const answer = await app().send('GET', location, { headers: browser.jar.header });
    assert.equal(answer.headers['location'], `${afterwards}?state=s`);
    assert.equal(await isSignedIn(app(), browser), false);
  });

  it('a state of any script and of the maximum length is returned', async () => {
    const browser = await signedInBrowser(app());
    const state = '注'.repeat(1024);
    const parameters = { id_token_hint: browser.tokens.id_token, post_logout_redirect_uri: afterwards, state };
    const { answer } = await beginSignOut(app(), browser.jar, parameters);
    assert.equal(new URL(String(answer.headers['location'])).searchParams.get('state'), state);
  });

  it('an id token hint works after it expired, and as long as its key is published', async () => {
    const one = await app().another({ 'limit.register': 'off' });
    const browser = await signedInBrowser(one);
    one.services.clock.advance(25 * 60_000);
    await isSignedIn(one, browser);
    one.services.clock.advance(25 * 60_000);
    await isSignedIn(one, browser);
    one.services.clock.advance(25 * 60_000);
    const { answer } = await beginSignOut(one, browser.jar, { id_token_hint: browser.tokens.id_token });
    assert.match(answer.text, /You are signed out/);
  });
}
