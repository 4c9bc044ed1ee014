import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Answer } from '../../support/conforms.ts';
import {
  authorizePath,
  CookieJar,
  password,
  readForm,
  redeem,
  redirectUri,
  registerClient,
  submit,
  walk,
} from '../../support/sign-in.ts';
import { type AppOf, settle } from './asking.ts';

/** What the client receives, by any mode. */
export function received(answer: Answer, mode: 'query' | 'fragment' | 'form_post', uri = redirectUri) {
  if (mode === 'form_post') {
    assert.equal(answer.status, 200, answer.text.slice(0, 300));
    assert.equal(answer.headers['location'], undefined);
    const { action, fields } = readForm(answer.text);
    assert.equal(action, uri);
    return fields;
  }
  assert.equal(answer.status, 303, answer.text.slice(0, 300));
  const location = String(answer.headers['location']);
  assert.ok(location.startsWith(`${uri}${mode === 'query' ? '?' : '#'}`), location);
  return Object.fromEntries(new URLSearchParams(location.slice(uri.length + 1)));
}

/** OAuth 2.0 Multiple Response Type Encoding Practices §2.1, Form Post Response Mode 1.0. */
export function responseModes(app: AppOf): void {
  for (const mode of ['query', 'fragment', 'form_post'] as const) {
    it(`response_mode ${mode}: code and errors reach the client by it, from every step`, async () => {
      const { client, user } = await settle(app());
      const iss = app().account.baseUrl;
      const asked = { response_mode: mode };
      const jar = new CookieJar();
      const silent = await walk(app(), new CookieJar(), authorizePath(client, { ...asked, prompt: 'none' }));
      const { error_description: _, ...required } = received(silent.answer, mode);
      assert.deepEqual(required, { error: 'login_required', state: 'state-1', iss });
      const faulty = await app().send('GET', authorizePath(client, { ...asked, prompt: 'create' }));
      assert.equal(received(faulty, mode)['error'], 'invalid_request');
      const form = Object.fromEntries(new URL(authorizePath(client, { ...asked, scope: 'x' }), iss).searchParams);
      assert.equal(received(await app().send('POST', '/oauth2/authorize', { form }), mode)['error'], 'invalid_scope');
      let at = await walk(app(), jar, authorizePath(client, asked));
      at = await submit(app(), at, { username: user.email ?? '', password });
      const denied = await submit(app(), at, { decision: 'deny' });
      assert.equal(received(denied.answer, mode)['error'], 'access_denied');
      at = await submit(app(), await walk(app(), jar, authorizePath(client, asked)), { decision: 'allow' });
      const { code = '', ...rest } = received(at.answer, mode);
      assert.deepEqual(rest, { state: 'state-1', iss });
      await redeem(app(), client, code);
    });
  }

  it('a form contains the values as text, for one address, with one script of this host', async () => {
    const uri = 'https://app.example.com/callback?tenant=%22a%22&b';
    const client = await registerClient(app(), { redirect_uris: [uri] });
    const state = '"><script>alert(1)</script>&amp;';
    const asked = { redirect_uri: uri, response_mode: 'form_post', prompt: 'create', state };
    const { text, headers } = await app().send('GET', authorizePath(client, asked));
    assert.ok(text.includes('action="https://app.example.com/callback?tenant=%22a%22&amp;b"'), text);
    assert.ok(text.includes('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;"'), text);
    assert.equal(text.match(/<script/g)?.length, 1);
    const src =
      /<script type="module" src="(\/assets\/send-form\.js\?v=[0-9a-f]{16})"><\/script>/.exec(text)?.[1] ?? '';
    assert.equal((await app().send('GET', src)).status, 200);
    assert.match(text, /<button type="submit"/);
    const policy =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self' https:; " +
      "base-uri 'none'; frame-ancestors 'none'";
    assert.equal(headers['content-security-policy'], policy);
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['referrer-policy'], 'no-referrer');
  });

  it('an unknown or impossible mode falls back to the default', async () => {
    const client = await registerClient(app());
    for (const mode of ['Query', 'web_message', 'web_message.jwt', 'form_post ']) {
      const answer = await app().send('GET', authorizePath(client, { response_mode: mode }));
      assert.equal(received(answer, 'query')['error'], 'invalid_request', mode);
    }
    const uri = 'com.example.app:/callback';
    const native = await registerClient(app(), { application_type: 'native', redirect_uris: [uri] });
    const posted = { redirect_uri: uri, response_mode: 'form_post' };
    const answer = await app().send('GET', authorizePath(native, posted));
    assert.match(received(answer, 'query', uri)['error_description'] ?? '', /requires a web redirect_uri/);
  });

  it('tokens are never returned in a query (§5)', async () => {
    const client = await registerClient(app());
    for (const type of ['token', 'id_token', 'code id_token', 'id_token token']) {
      for (const mode of [undefined, 'fragment', 'query']) {
        const asked = { response_type: type, ...(mode && { response_mode: mode }) };
        const answer = await app().send('GET', authorizePath(client, asked));
        assert.equal(received(answer, 'fragment')['error'], 'unsupported_response_type', `${type} ${mode}`);
      }
    }
  });
}
