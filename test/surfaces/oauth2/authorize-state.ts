import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Answer } from '../../support/conforms.ts';
import { askForCodes, deviceMetadata } from '../../support/devices.ts';
import { readRows, readTable } from '../../support/rows.ts';
import {
  authorizePath,
  beginApart,
  CookieJar,
  password,
  redirectUri,
  registerClient,
  submit,
  walk,
} from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, askTokens, assertErrorPage, codeForm, settle, toClient } from './asking.ts';

const large = { state: 's'.repeat(2048), nonce: 'n'.repeat(200) };

/** Growth caused by strangers: nothing is stored for a browser before its user has authenticated. */
export function authorizeState(app: AppOf): void {
  const tables = ['authorization_requests', 'ended_requests', 'codes', 'device_codes'] as const;

  async function countRows(): Promise<number> {
    const rows = await readRows(app().url);
    return tables.reduce((sum, table) => sum + (rows[table]?.length ?? 0), 0);
  }

  /** The address of the page of a new sign-in. */
  function requestOf({ headers }: Answer): string {
    return new URL(String(headers['location']), redirectUri).searchParams.get('request') ?? '';
  }

  it('starting sign-ins stores nothing, at the endpoint, on its pages and with prompt none', async () => {
    const { client } = await settle(app());
    const before = await countRows();
    for (let n = 0; n < 20; n += 1) {
      const jar = new CookieJar();
      const { answer } = await walk(app(), jar, authorizePath(client, { state: `s${n}` }));
      assert.match(answer.text, /name="password"/);
      await submit(app(), { jar, answer }, { username: 'nobody@example.com', password: 'wrong' });
      const silent = await walk(app(), jar, authorizePath(client, { prompt: 'none' }));
      assert.match(String(silent.answer.headers['location']), /error=login_required/);
      await walk(app(), jar, '/account');
    }
    assert.equal(await countRows(), before);
  });

  it('a sealed request opens only in its browser, its account and its place, for ten minutes', async () => {
    const { client } = await settle(app());
    const jar = new CookieJar();
    const begun = await app().send('GET', authorizePath(client));
    jar.keep(begun);
    const request = requestOf(begun);
    const open = (text: string, header = jar.header) =>
      app().send('GET', `/continue?${new URLSearchParams({ request: text })}`, { headers: header });
    assert.equal((await open(request)).status, 303);
    assertErrorPage(await open(request, { cookie: '' }), /another browser/);
    assertErrorPage(await open(request, { cookie: `__Host-tx=${'x'.repeat(43)}` }), /another browser/);
    const middle = Math.floor(request.length / 2);
    const flipped = `${request.slice(0, middle)}${request[middle] === 'A' ? 'B' : 'A'}${request.slice(middle + 1)}`;
    for (const text of [flipped, request.slice(0, -4), `${request}.x`, request.replace('v1.', 'v2.'), 'v1.a.b.c']) {
      assertErrorPage(await open(text), /another browser/);
    }
    const other = await app().another();
    const elsewhere = await other.send('GET', `/continue?${new URLSearchParams({ request })}`, { headers: jar.header });
    assertErrorPage(elsewhere, /another browser/);
    const signOut = requestOf(await app().send('GET', '/oauth2/logout', { headers: jar.header }));
    assertErrorPage(await open(signOut), /another browser/);
  });

  it('the sign-in finishes once: one code, and nothing from the finished request', async () => {
    const { client, user } = await settle(app());
    const jar = new CookieJar();
    const begun = await walk(app(), jar, authorizePath(client, { prompt: 'login' }));
    const request = /name="request" value="([^"]*)"/.exec(begun.answer.text)?.[1] ?? '';
    const asked = await submit(app(), begun, { username: user.email ?? '', password });
    assert.match(asked.answer.text, /value="allow"/);
    const codes = async () => (await readTable(app().url, 'codes')).length;
    const before = await codes();
    const form = { request, csrf: /name="csrf" value="([^"]*)"/.exec(asked.answer.text)?.[1] ?? '', decision: 'allow' };
    await app().send('POST', '/consent', { headers: jar.header, form });
    const next = `/continue?${new URLSearchParams({ request })}`;
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => app().send('GET', next, { headers: jar.header })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [303, ...Array<number>(7).fill(400)]);
    assert.equal(await codes(), before + 1);
    assertErrorPage(await app().send('GET', next, { headers: jar.header }), /has ended/);
    // The browser's former secret opens the request that is sealed, and only that one; it has ended too.
    const again = await app().send('POST', '/sign-in', { headers: jar.header, form: { ...form, password } });
    assert.equal(again.status, 400);
    assert.equal(await codes(), before + 1);
  });

  it('with a session and a consent eight simultaneous continuations get one code', async () => {
    const { client, user } = await settle(app());
    const jar = new CookieJar();
    const begun = await walk(app(), jar, authorizePath(client));
    const asked = await submit(app(), begun, { username: user.email ?? '', password });
    await submit(app(), asked, { decision: 'allow' });
    const next = await beginApart(app(), jar, authorizePath(client));
    // Half of them decode to the same base64url bytes: another spelling is not another request.
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => app().send('GET', next + 'x'.repeat(index % 2), { headers: jar.header })),
    );
    const given = answers.filter(({ headers }) => /[?&]code=/.test(String(headers['location'] ?? '')));
    assert.equal(given.length, 1);
  });

  it('a session and a consent are answered at once, with nothing but the code stored', async () => {
    const setting = await settle(app());
    await setting.code();
    const rows = async () => {
      const read = await readRows(app().url);
      return tables.map((table) => read[table]?.length ?? 0);
    };
    const [requests = 0, ended = 0, codes = 0, devices = 0] = await rows();
    const answer = await setting.authorize();
    const code = toClient(answer).get('code') ?? '';
    assert.equal(answer.headers['set-cookie'], undefined);
    assert.deepEqual(await rows(), [requests, ended, codes + 1, devices]);
    assert.equal((await askTokens(app(), setting.client, codeForm(code))).status, 200);
    const posted = await setting.authorize({ response_mode: 'form_post', ...large });
    assert.equal(posted.status, 200, posted.text);
    assert.match(posted.text, /name="code" value="/);
  });

  it('with a session, what needs a page, a new sign-in or another user still begins a sign-in', async () => {
    const setting = await settle(app());
    await setting.code({ scope: 'openid profile' });
    app().services.clock.advance(2_000);
    const continues = async (parameters: Record<string, string>) => {
      const { status, headers } = await setting.authorize({ scope: 'openid', ...parameters });
      assert.deepEqual([status, String(headers['location']).split('=')[0]], [303, '/continue?request']);
    };
    for (const parameters of [
      { prompt: 'login' },
      { prompt: 'consent' },
      { max_age: '1' },
      { acr_values: 'urn:gatehouse:acr:multi-factor' },
      { scope: 'openid email' },
    ]) {
      await continues(parameters);
    }
    await setUser(app().services, app().account, setting.user.id, { status: 'locked' });
    await continues({});
  });

  it("a request too large for the URL is stored, and counts towards its source's limit.authorize", async () => {
    const few = await app().another({ 'limit.authorize': '2/h' });
    const { client, user } = await settle(few);
    const begin = () => few.send('GET', authorizePath(client, large));
    const first = await begin();
    assert.match(requestOf(first), /^[\w-]{43}$/);
    assert.equal((await begin()).status, 303);
    const refused = await begin();
    assert.equal(refused.status, 429);
    assert.match(String(refused.headers['content-type']), /^text\/html/);
    assert.ok(Number(refused.headers['retry-after']) > 0);
    const form = Object.fromEntries(new URL(authorizePath(client, large), redirectUri).searchParams);
    assert.equal((await few.send('POST', '/oauth2/authorize', { form })).status, 429);
    assert.equal((await few.send('GET', authorizePath(client))).status, 303);
    const jar = new CookieJar();
    jar.keep(first);
    const page = await walk(few, jar, String(first.headers['location']));
    const asked = await submit(few, page, { username: user.email ?? '', password });
    const { answer } = await submit(few, asked, { decision: 'allow' });
    assert.equal(new URL(String(answer.headers['location'])).searchParams.get('state'), large.state);
  });

  it("device authorizations count towards their source's limit.authorize", async () => {
    const few = await app().another({ 'limit.authorize': '2/h' });
    const client = await registerClient(few, deviceMetadata);
    const statuses: number[] = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await askForCodes(few, client)).status);
    assert.deepEqual(statuses, [200, 200, 429]);
  });

  it('HEAD does not finish a sign-in', async () => {
    const { client, user } = await settle(app());
    const jar = new CookieJar();
    const begun = await walk(app(), jar, authorizePath(client));
    const request = /name="request" value="([^"]*)"/.exec(begun.answer.text)?.[1] ?? '';
    const asked = await submit(app(), begun, { username: user.email ?? '', password });
    const csrf = /name="csrf" value="([^"]*)"/.exec(asked.answer.text)?.[1] ?? '';
    await app().send('POST', '/consent', { headers: jar.header, form: { request, csrf, decision: 'allow' } });
    const next = `/continue?${new URLSearchParams({ request })}`;
    for (const path of [next, '/sign-out', authorizePath(client)]) {
      const looked = await app().send('HEAD', path, { headers: jar.header });
      assert.equal(looked.status, 405, path);
      assert.match(String(looked.headers['allow']), /^GET/);
    }
    const finished = await app().send('GET', next, { headers: jar.header });
    assert.match(String(finished.headers['location']), /[?&]code=/);
  });
}
