import assert from 'node:assert/strict';
import { it } from 'node:test';
import { basic, type TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import {
  authorizePath,
  beginApart,
  clientAuthentication,
  makeUser,
  redirectUri,
  registerClient,
  signInForCode,
} from '../../support/sign-in.ts';
import { type AppOf, codeForm, settle, unlimited } from './asking.ts';

/** The answer without what differs between any two requests. */
function comparable({ status, headers, text }: Answer): unknown {
  const id = String(headers['x-request-id']);
  const kept = Object.entries(headers).filter(([name]) => !['x-request-id', 'date'].includes(name));
  return [status, Object.fromEntries(kept), text.replaceAll(id, 'ID')];
}

/** I1, I4: everything of account A is unknown on B's host. */
export function isolation(app: AppOf): void {
  async function two(): Promise<{ a: TestApp; b: TestApp }> {
    const settings = { ...unlimited, 'grant.password': 'on' };
    return { a: await app().another(settings), b: await app().another(settings) };
  }

  it("account A's bearer, client, code, tokens and user mean nothing on B's host (I1)", async () => {
    const { a, b } = await two();
    const setting = await settle(a);
    const { client } = setting;
    const bearer = await a.bearer('manage_all');
    const code = await setting.code();
    const query = await signInForCode(a, client, setting.user, {}, setting.jar);
    const own = clientAuthentication(client);
    const form = { ...own.form, ...codeForm(query.get('code') ?? '') };
    const { body: tokens } = await a.send('POST', '/oauth2/token', { headers: own.headers, form });
    // A client of B, to carry A's grants past client authentication.
    const ours = await registerClient(b);
    await makeUser(b, ours.app_id);
    const as = basic(ours.client_id, ours.client_secret ?? '');
    const unknown = { bearer: `ct_1_${'A'.repeat(43)}`, code: 'A'.repeat(43), refresh: `rt_1.${'A'.repeat(65)}` };
    const access = `at_1_${'A'.repeat(43)}`;
    const post = (path: string, members: Record<string, string>, headers = as) =>
      b.send('POST', path, { headers, form: members });
    const pairs: readonly [title: string, foreign: Answer, nobodys: Answer][] = [
      [
        'bearer',
        await b.send('POST', '/oauth2/register', {
          headers: { authorization: `Bearer ${bearer}` },
          json: { redirect_uris: [redirectUri] },
        }),
        await b.send('POST', '/oauth2/register', {
          headers: { authorization: `Bearer ${unknown.bearer}` },
          json: { redirect_uris: [redirectUri] },
        }),
      ],
      [
        'client at the token endpoint',
        await post(
          '/oauth2/token',
          { grant_type: 'client_credentials' },
          basic(client.client_id, client.client_secret ?? ''),
        ),
        await post('/oauth2/token', { grant_type: 'client_credentials' }, basic('unknown', client.client_secret ?? '')),
      ],
      [
        'client at the authorization endpoint',
        await b.send('GET', authorizePath(client)),
        await b.send('GET', authorizePath({ client_id: 'unknown' })),
      ],
      ['code', await post('/oauth2/token', codeForm(code)), await post('/oauth2/token', codeForm(unknown.code))],
      [
        'refresh token',
        await post('/oauth2/token', { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }),
        await post('/oauth2/token', { grant_type: 'refresh_token', refresh_token: unknown.refresh }),
      ],
      [
        'access token at userinfo',
        await b.send('GET', '/oauth2/userinfo', { headers: { authorization: `Bearer ${tokens.access_token}` } }),
        await b.send('GET', '/oauth2/userinfo', { headers: { authorization: `Bearer ${access}` } }),
      ],
      [
        'access token at introspection',
        await post('/oauth2/introspect', { token: tokens.access_token }),
        await post('/oauth2/introspect', { token: access }),
      ],
      [
        'refresh token at introspection',
        await post('/oauth2/introspect', { token: tokens.refresh_token }),
        await post('/oauth2/introspect', { token: unknown.refresh }),
      ],
      [
        'access token at revocation',
        await post('/oauth2/revoke', { token: tokens.access_token }),
        await post('/oauth2/revoke', { token: access }),
      ],
      [
        'user and password',
        await post('/oauth2/token', {
          grant_type: 'password',
          username: setting.user.email ?? '',
          password: 'wrong password',
        }),
        await post('/oauth2/token', {
          grant_type: 'password',
          username: 'nobody@example.com',
          password: 'wrong password',
        }),
      ],
    ];
    for (const [title, foreign, nobodys] of pairs) assert.deepEqual(comparable(foreign), comparable(nobodys), title);
    await post('/oauth2/revoke', { token: tokens.refresh_token });
    const alive = await a.send('GET', '/oauth2/userinfo', {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    assert.equal(alive.status, 200, 'nothing done on B’s host touched A');
    const redeemed = await a.send('POST', '/oauth2/token', {
      headers: own.headers,
      form: { ...own.form, ...codeForm(code) },
    });
    assert.equal(redeemed.status, 200);
  });

  it("a session on A's host signs nobody in on B's, and a request of A cannot be continued there (I1)", async () => {
    const { a, b } = await two();
    const setting = await settle(a);
    await setting.code();
    const ours = await registerClient(b);
    const answer = await b.send('GET', authorizePath(ours, { prompt: 'none' }), { headers: setting.jar.header });
    const next = await b.send('GET', String(answer.headers['location']), { headers: setting.jar.header });
    assert.match(String(next.headers['location']), /error=login_required/);
    const begun = await beginApart(a, setting.jar, authorizePath(setting.client));
    const elsewhere = await b.send('GET', begun, { headers: setting.jar.header });
    assert.equal(elsewhere.status, 400);
  });

  it("sequential ids reveal nothing: an access or refresh token's row cannot be named without its secret (I4)", async () => {
    const { a } = await two();
    const setting = await settle(a);
    const own = clientAuthentication(setting.client);
    const form = { ...own.form, ...codeForm(await setting.code()) };
    const { body: tokens } = await a.send('POST', '/oauth2/token', { headers: own.headers, form });
    const id = /^at_([0-9a-z]+)_/.exec(tokens.access_token)?.[1] ?? '';
    const grant = /^rt_([0-9a-z]+)\./.exec(tokens.refresh_token)?.[1] ?? '';
    for (const guess of [`at_${id}_${'A'.repeat(43)}`, `at_${id}_`, `rt_${grant}.${'A'.repeat(65)}`, `rt_${grant}.`]) {
      const seen = await a.send('POST', '/oauth2/introspect', {
        headers: own.headers,
        form: { ...own.form, token: guess },
      });
      assert.deepEqual(seen.body, { active: false });
      const renewal = { ...own.form, grant_type: 'refresh_token', refresh_token: guess };
      assert.equal(
        (await a.send('POST', '/oauth2/token', { headers: own.headers, form: renewal })).body.error,
        'invalid_grant',
      );
    }
    const alive = { ...own.form, grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
    assert.equal(
      (await a.send('POST', '/oauth2/token', { headers: own.headers, form: alive })).status,
      200,
      'no guess ended the grant',
    );
  });
}
