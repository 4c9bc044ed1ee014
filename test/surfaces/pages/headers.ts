import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';
import type { Answer } from '../../support/conforms.ts';
import { hostsThatAreNoSource } from '../../support/hosts.ts';
import { sampled } from '../../support/sample.ts';
import { authorizePath, CookieJar, password, registerClient, submit, walk } from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, isConsent, isSignIn, settle } from './browsing.ts';

function policy(formAction: string, styleSource = "'self'", script = false): string {
  return [
    "default-src 'none'",
    ...(script ? ["script-src 'self'"] : []),
    `style-src ${styleSource}`,
    "img-src 'self'",
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const scriptTag = /<script type="module" src="\/assets\/passkeys\.js\?v=[\da-f]{16}"><\/script>/;

export function assertPage(answer: Answer, formAction = "'self'", styleSource = "'self'"): void {
  const { headers, text } = answer;
  // Pages that ask for a passkey have the one file that does so; without it they work as well.
  const script = scriptTag.test(text);
  assert.equal(headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(headers['content-security-policy'], policy(formAction, styleSource, script));
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.equal(headers['referrer-policy'], 'no-referrer');
  assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
  assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
  assert.equal(headers['permissions-policy'], 'camera=(), geolocation=(), microphone=(), payment=()');
  assert.match(String(headers['strict-transport-security']), /^max-age=63072000; includeSubDomains$/);
  assert.equal(headers['access-control-allow-origin'], undefined);
  assert.match(text, /^<!doctype html>\n<html lang="en">/);
  assert.match(text, /<h1>/);
  // Nothing inline: the policy would stop it.
  assert.doesNotMatch(text.replace(scriptTag, ''), /<script|<[a-z][^>]*\s(?:on\w+|style)=|="javascript:/i);
  assert.equal(/<style/i.test(text), styleSource !== "'self'");
}

/** L1: every page, by every status it comes with. */
export function headers(app: AppOf): void {
  it('the forms: sign-in, sign-in again after a wrong password, consent (L1)', async () => {
    const setting = await settle(app());
    const shown = await setting.begin();
    assert.ok(isSignIn(shown.answer));
    assertPage(shown.answer, "'self' https:");
    const wrong = await submit(app(), shown, { username: setting.user.email ?? '', password: 'wrong password' });
    assert.equal(wrong.answer.status, 401);
    assert.equal(wrong.answer.headers['www-authenticate'], 'Form realm="gatehouse"');
    assertPage(wrong.answer, "'self' https:");
    const consent = await submit(app(), wrong, { password });
    assert.ok(isConsent(consent.answer));
    assertPage(consent.answer, "'self' https:");
  });

  it("form-action allows the scheme of the answer's target, for each kind of redirect URI", async () => {
    const uris = {
      'com.example.app:/cb': 'com.example.app:',
      'http://127.0.0.1:8080/cb': 'http:',
      'https://a.example/': 'https:',
    };
    for (const [uri, scheme] of Object.entries(uris)) {
      const client = await registerClient(app(), { application_type: 'native', redirect_uris: [uri] });
      const at = await walk(app(), new CookieJar(), authorizePath(client, { redirect_uri: uri }));
      assertPage(at.answer, `'self' ${scheme}`);
    }
  });

  it('refusals and errors: 400, 403, 404, 405 (L1)', async () => {
    const setting = await settle(app());
    const lost = await app().send('GET', '/sign-in?request=unknown');
    assert.equal(lost.status, 400);
    assertPage(lost);
    await setUser(app().services, app().account, setting.user.id, { status: 'suspended' });
    const refused = await setting.signIn();
    assert.equal(refused.answer.status, 403);
    assertPage(refused.answer);
    for (const path of ['/sign-in/x', '/assets/none.css', '/consent/1', '/assets']) {
      const answer = await app().send('GET', path);
      assert.equal(answer.status, 404, path);
      assertPage(answer);
    }
    const foreign = await app().send('GET', '/sign-in', { host: 'nobody.gatehouse.example' });
    assert.equal(foreign.status, 404);
    // No account, so no host that has the style sheet: this page carries its own, and the policy names that one text.
    const style = /<style>(.*?)<\/style>/s.exec(foreign.text)?.[1] ?? '';
    const digest = createHash('sha256').update(style).digest('base64');
    assertPage(foreign, "'self'", `'sha256-${digest}'`);
    assert.match(foreign.text, /Gatehouse/);
    for (const [method, path, allow] of [
      ['POST', '/continue', 'GET'],
      ['DELETE', '/sign-in', 'GET, POST'],
      ['OPTIONS', '/consent', 'GET, POST'],
      ['PUT', '/second-factor', 'GET, POST'],
      ['PUT', '/second-factor/enrol', 'GET, POST'],
      ['PUT', '/new-password', 'GET, POST'],
    ] as const) {
      const answer = await app().send(method, path);
      assert.equal(answer.status, 405);
      assert.equal(answer.headers['allow'], allow);
      assertPage({ ...answer, headers: { ...answer.headers } });
    }
  });

  it('the page at the authorization endpoint has the same', async () => {
    const answer = await app().send('GET', '/oauth2/authorize?client_id=unknown');
    assert.equal(answer.status, 400);
    assertPage(answer);
  });

  it('the page that posts an answer to a client: one optional script of this host', async () => {
    const { client } = await settle(app());
    const asked = { response_mode: 'form_post', prompt: 'none' };
    const { answer } = await walk(app(), new CookieJar(), authorizePath(client, asked));
    assert.equal(answer.status, 200);
    const withScript = String(answer.headers['content-security-policy']);
    const withoutScript = withScript.replace("; script-src 'self'", '');
    const text = answer.text.replace(/<script type="module" src="\/assets\/[^"]+"><\/script>/, '');
    const headers = { ...answer.headers, 'content-security-policy': withoutScript };
    assert.notEqual(withScript, withoutScript);
    assertPage({ ...answer, text, headers }, "'self' https:");
  });

  it('redirects have no body, are not cached and leave no referrer', async () => {
    const setting = await settle(app());
    const begun = await app().send('GET', authorizePath(setting.client));
    const jar = new CookieJar();
    jar.keep(begun);
    const next = await app().send('GET', String(begun.headers['location']), { headers: jar.header });
    for (const answer of [begun, next]) {
      assert.equal(answer.status, 303);
      assert.equal(answer.text, '');
      assert.equal(answer.headers['cache-control'], 'no-store');
      assert.equal(answer.headers['referrer-policy'], 'no-referrer');
    }
  });

  it('HEAD answers as GET does, without the body', async () => {
    const setting = await settle(app());
    const { jar, answer } = await setting.begin();
    const request = /name="request" value="([^"]+)"/.exec(answer.text)?.[1] ?? '';
    const head = await app().send('HEAD', `/sign-in?request=${request}`, { headers: jar.header });
    assert.deepEqual([head.status, head.text], [200, '']);
    assert.equal(head.headers['content-security-policy'], policy("'self' https:", "'self'", true));
  });

  it('a logo that was stored before its host had to be plain is neither in the policy nor on a page', async () => {
    const setting = await settle(app());
    for (const host of sampled(hostsThatAreNoSource, 3)) {
      const changes = { extra: { logo_uri: `https://${host}/logo.png` } };
      await app().services.store.clients.update(app().account.id, setting.client.app_id, changes);
      const shown = await setting.begin();
      assertPage(shown.answer, "'self' https:");
      assert.doesNotMatch(shown.answer.text, /logo\.png/, host);
    }
    const wrong = await submit(app(), await setting.begin(), { username: setting.user.email ?? '', password: 'wrong' });
    const consent = await submit(app(), wrong, { password });
    for (const { answer } of [wrong, consent]) {
      assertPage(answer, "'self' https:");
      assert.doesNotMatch(answer.text, /logo\.png/);
    }
  });

  it('names of applications and typed values are text, never markup (R7)', async () => {
    const name = '<img src=x onerror=alert(1)> & "Å😀" ';
    const setting = await settle(app(), { client_name: name, client_uri: 'https://app.example.com/?a="><script>' });
    const shown = await setting.begin();
    const wrong = await submit(app(), shown, { username: '"><script>alert(2)</script>', password: 'wrong password' });
    const consent = await submit(app(), wrong, { username: setting.user.email ?? '', password });
    for (const { answer } of [shown, wrong, consent]) {
      assertPage(answer, "'self' https:");
      assert.ok(answer.text.includes('&lt;img src=x onerror=alert(1)&gt; &amp; &quot;Å😀&quot;'));
      assert.doesNotMatch(answer.text, /<img src=x|<script>/);
    }
  });
}
