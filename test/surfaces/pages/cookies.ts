import assert from 'node:assert/strict';
import { it } from 'node:test';
import { moveAccount } from '../../../src/domain/accounts/accounts.ts';
import { seenFrom, type TestApp } from '../../support/app.ts';
import { authorizePath, CookieJar, password, readForm, submit, walk } from '../../support/sign-in.ts';
import { type AppOf, codeOf, copyOf, isConsent, isSignIn, settle, unlimited } from './browsing.ts';

/** L3 and L4: what a browser holds, when it changes and whose it is. */
export function cookies(app: AppOf): void {
  it('session, browser binding and form token are new at sign-in; the old ones are invalid (L3)', async () => {
    const setting = await settle(app());
    const at = await setting.begin();
    const before = copyOf(at.jar);
    const consent = await submit(app(), at, { username: setting.user.email ?? '', password });
    assert.ok(isConsent(consent.answer));
    assert.notEqual(consent.jar.cookies.get('__Host-tx'), before.cookies.get('__Host-tx'));
    assert.match(consent.jar.cookies.get('__Host-sid') ?? '', /^[\w-]{43}\.v1\.[\w.-]+$/);
    const { request = '' } = readForm(consent.answer.text).fields;
    const stale = await app().send('GET', `/consent?request=${request}`, { headers: before.header });
    assert.equal(stale.status, 400, 'the former browser binding');
    before.cookies.set('__Host-sid', consent.jar.cookies.get('__Host-sid') ?? '');
    const mixed = await app().send('GET', `/continue?request=${request}`, { headers: before.header });
    assert.equal(mixed.status, 400, 'even with the new session');
  });

  it('a session that was in the browser before is not reused, and ends (L3, session fixation)', async () => {
    const setting = await settle(app());
    const jar = new CookieJar();
    jar.cookies.set('__Host-sid', 'A'.repeat(43));
    codeOf(await submit(app(), await setting.signIn({}, jar), { decision: 'allow' }));
    assert.notEqual(jar.cookies.get('__Host-sid'), 'A'.repeat(43));
    const former = copyOf(jar);
    codeOf(await setting.signIn({ prompt: 'login' }, jar));
    assert.notEqual(jar.cookies.get('__Host-sid'), former.cookies.get('__Host-sid'));
    const silent = { prompt: 'none' };
    const old = await walk(app(), former, authorizePath(setting.client, silent));
    assert.match(String(old.answer.headers['location']), /error=login_required/);
    codeOf(await walk(app(), jar, authorizePath(setting.client, silent)));
  });

  it('on https both cookies carry __Host-, Secure, HttpOnly, SameSite=Lax and Path=/, no Domain and no lifetime', async () => {
    const setting = await settle(app());
    const begun = await app().send('GET', authorizePath(setting.client));
    const at = await setting.begin();
    const form = readForm(at.answer.text);
    const right = { username: setting.user.email ?? '', password };
    const sent = await app().send('POST', form.action, { headers: at.jar.header, form: { ...form.fields, ...right } });
    const lines = [begun, sent].flatMap(({ headers }) => [headers['set-cookie'] ?? []].flat());
    assert.equal(lines.length, 3);
    const values = /^__Host-(tx=[\w-]{43}|sid=[\w-]{43}\.v1[\w.-]+); Path=\/; HttpOnly; SameSite=Lax; Secure$/;
    for (const line of lines) assert.match(line, values);
  });

  it('a sibling host’s plain cookies change nothing on https: __Host- wins (L4)', async () => {
    const victim = await settle(app());
    const attacker = await settle(app());
    const evil = new CookieJar();
    codeOf(await submit(app(), await attacker.signIn({}, evil), { decision: 'allow' }));
    const tossed = {
      sid: evil.cookies.get('__Host-sid') ?? '',
      tx: evil.cookies.get('__Host-tx') ?? '',
      'host-sid': evil.cookies.get('__Host-sid') ?? '',
      '__host-sid': evil.cookies.get('__Host-sid') ?? '',
    };
    const jar = new CookieJar();
    for (const [name, value] of Object.entries(tossed)) jar.cookies.set(name, value);
    assert.ok(
      isSignIn((await walk(app(), jar, authorizePath(attacker.client))).answer),
      'signed in to nobody’s session',
    );
    const at = await submit(app(), await victim.begin({}, jar), { username: victim.user.email ?? '', password });
    assert.match(at.answer.text, new RegExp(`${victim.user.email}`), 'and the victim’s own sign-in is the victim’s');
    assert.ok(isConsent(at.answer));
  });

  it('the first of two equally named cookies counts, as browsers send the more specific one first (L4)', async () => {
    const setting = await settle(app());
    const jar = new CookieJar();
    codeOf(await submit(app(), await setting.signIn({}, jar), { decision: 'allow' }));
    const mine = jar.header.cookie;
    const path = authorizePath(setting.client, { prompt: 'none' });
    const other = `__Host-sid=${'A'.repeat(43)}; __Host-tx=${'B'.repeat(43)}`;
    const asked = async (cookie: string) => {
      const begun = await app().send('GET', path);
      const tx = /(__Host-tx=[^;]+)/.exec(String(begun.headers['set-cookie']))?.[1];
      const next = await app().send('GET', String(begun.headers['location']), {
        headers: { cookie: `${tx}; ${cookie}` },
      });
      return new URL(String(next.headers['location'])).searchParams.get('error') ?? 'code';
    };
    assert.equal(await asked(`${mine}; ${other}`), 'code');
    assert.equal(await asked(`${other}; ${mine}`), 'login_required');
  });

  it('oversized, malformed and strangely named cookies are nobody’s session and break nothing (L4, I7)', async () => {
    const setting = await settle(app());
    const begun = await app().send('GET', authorizePath(setting.client));
    const tx = /(__Host-tx=[^;]+)/.exec(String(begun.headers['set-cookie']))?.[1] ?? '';
    for (const cookie of [
      `__Host-sid=${'x'.repeat(8_000)}; ${tx}`,
      `__Host-sid=; ${tx}`,
      `__Host-sid; ${tx}`,
      `=; ; ;; ${tx}`,
      `__proto__=1; constructor=2; ${tx}`,
      `__Host-sid=%00%ff; ${tx}`,
      `__Host-sid="${'A'.repeat(43)}"; ${tx}`,
    ]) {
      const answer = await app().send('GET', String(begun.headers['location']), { headers: { cookie } });
      assert.match(String(answer.headers['location']), /^\/sign-in\?/, cookie.slice(0, 40));
    }
    const oversized = await app().send('GET', authorizePath(setting.client), {
      headers: { cookie: `__Host-tx=${'x'.repeat(8_000)}` },
    });
    assert.match(
      String(oversized.headers['set-cookie']),
      /^__Host-tx=[\w-]{43};/,
      'a binding of our own making instead',
    );
  });

  it('on http, for development, the names are plain and Secure is left out', async () => {
    const one = await app().another(unlimited);
    const host = `${one.account.subdomain}.test:3000`;
    const account = await moveAccount(one.services, one.account, { hosts: [host], baseUrl: `http://${host}` });
    const plain: TestApp = seenFrom(account, one.app, one.services, one);
    const setting = await settle(plain);
    const jar = new CookieJar();
    codeOf(await submit(plain, await setting.signIn({}, jar), { decision: 'allow' }));
    assert.deepEqual([...jar.cookies.keys()].sort(), ['sid', 'tx']);
    const begun = await plain.send('GET', authorizePath(setting.client));
    assert.match(String(begun.headers['set-cookie']), /^tx=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
  });
}
