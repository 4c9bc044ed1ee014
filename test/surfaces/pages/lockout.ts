import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { authorizePath, CookieJar, makeUser, password, redeem, refresh, submit, walk } from '../../support/sign-in.ts';
import { type AppOf, codeOf, heading, isConsent, isSignIn, type Setting, settle } from './browsing.ts';

const minute = 60_000;

/** The pause after wrong passwords (docs/document-gaps.md#hosted-pages), and limits (docs/operations.md#limits). */
export function lockout(app: AppOf): void {
  async function guess(
    one: TestApp,
    setting: Setting,
    secret: string,
    username = setting.user.email ?? '',
  ): Promise<number> {
    return (await submit(one, await setting.begin(), { username, password: secret })).answer.status;
  }

  async function guessWrong(one: TestApp, setting: Setting, times: number): Promise<void> {
    for (let count = 0; count < times; count += 1) assert.equal(await guess(one, setting, 'wrong password'), 401);
  }

  it('10 wrong passwords in a row lock sign-in for 15 minutes; further guesses do not prolong it', async () => {
    using _ = app().services.clock.hold();
    const setting = await settle(app());
    await guessWrong(app(), setting, 10);
    assert.equal(await guess(app(), setting, password), 401);
    app().services.clock.advance(15 * minute - 1);
    await guessWrong(app(), setting, 3);
    assert.equal(await guess(app(), setting, password), 401);
    app().services.clock.advance(1);
    assert.equal(await guess(app(), setting, password), 200);
  });

  it('9 wrong ones and then the right one restart the count, and so does an expired lockout', async () => {
    const setting = await settle(app());
    await guessWrong(app(), setting, 9);
    assert.equal(await guess(app(), setting, password), 200);
    await guessWrong(app(), setting, 9);
    assert.equal(await guess(app(), setting, password), 200);
    await guessWrong(app(), setting, 10);
    app().services.clock.advance(15 * minute);
    await guessWrong(app(), setting, 9);
    assert.equal(await guess(app(), setting, password), 200);
  });

  it('counts per user, whichever name is typed', async () => {
    const name = 'lockout.names';
    const setting = await settle(app(), {}, { username: name });
    const bystander = await makeUser(app(), setting.client.app_id);
    const names = [name, name.toUpperCase(), setting.user.email ?? '', 'ｌockout.names'];
    for (let count = 0; count < 10; count += 1) {
      assert.equal(await guess(app(), setting, 'wrong password', names[count % names.length]), 401);
    }
    assert.equal(await guess(app(), setting, password), 401);
    assert.equal(await guess(app(), setting, password, bystander.email ?? ''), 200);
  });

  it('keeps sessions, refresh and status unchanged: a stranger’s guesses sign nobody out', async () => {
    const setting = await settle(app());
    const jar = new CookieJar();
    const tokens = await redeem(
      app(),
      setting.client,
      codeOf(await submit(app(), await setting.signIn({}, jar), { decision: 'allow' })),
    );
    await guessWrong(app(), setting, 12);
    codeOf(await walk(app(), jar, authorizePath(setting.client)));
    assert.equal((await refresh(app(), setting.client, tokens.refresh_token)).status, 200);
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    assert.equal((await app().send('GET', '/oauth2/userinfo', { headers })).status, 200);
    const user = await app().services.store.users.find(app().account.id, setting.user.id);
    assert.equal(user?.status, 1);
  });

  it('an empty field is not a guess: the form says what is missing and nothing is counted', async () => {
    const setting = await settle(app());
    for (let count = 0; count < 12; count += 1) {
      const at = await submit(app(), await setting.begin(), { username: setting.user.email ?? '', password: '' });
      assert.equal(at.answer.status, 401);
      assert.match(at.answer.text, /Something is missing/);
    }
    assert.match(
      (await submit(app(), await setting.begin(), { username: '', password })).answer.text,
      /Something is missing/,
    );
    assert.equal(await guess(app(), setting, password), 200);
  });

  it('the page after a wrong password keeps the name, drops the password, and the form still works', async () => {
    const setting = await settle(app());
    const username = setting.user.email ?? '';
    const wrong = await submit(app(), await setting.begin(), { username, password: 'wrong password' });
    assert.ok(isSignIn(wrong.answer));
    assert.match(wrong.answer.text, new RegExp(`name="username"[^>]* value="${username}"`));
    assert.ok(!wrong.answer.text.includes('wrong password"'));
    assert.match(wrong.answer.text, /role="alert"/);
    assert.ok(isConsent((await submit(app(), wrong, { password })).answer));
  });

  it('failed sign-ins are limited per source address; successful ones do not count, other addresses are free', async () => {
    const one = await openTestApp(app().services.store.kind, {
      settings: { 'limit.sign-in': '3/h' },
      app: { trustProxy: ['loopback'] },
    });
    try {
      const setting = await settle(one);
      const from = async (address: string, secret: string) => {
        const at = await setting.begin();
        const form = { ...formOf(at.answer.text), username: setting.user.email ?? '', password: secret };
        return one.send('POST', '/sign-in', { headers: { ...at.jar.header, 'x-forwarded-for': address }, form });
      };
      for (let count = 0; count < 5; count += 1) assert.equal((await from('192.0.2.1', password)).status, 303);
      for (let count = 0; count < 3; count += 1) assert.equal((await from('192.0.2.1', 'wrong password')).status, 401);
      const refused = await from('192.0.2.1', password);
      assert.equal(refused.status, 429);
      assert.equal(heading(refused), 'Too many attempts');
      const seconds = Number(refused.headers['retry-after']);
      assert.ok(seconds > 0 && seconds <= 3600, String(seconds));
      assert.equal(refused.headers['set-cookie'], undefined);
      assert.equal((await from('192.0.2.2', password)).status, 303);
      // Anything that is not an address is one source: junk in the header does not bypass the limit (L7, row 30).
      for (const junk of ['junk', '999.1.1.1', '192.0.2.2, b']) {
        assert.equal((await from(junk, 'wrong password')).status, 401, junk);
      }
      for (const junk of ['junk', '%00', '192.0.2.77.', '::x'])
        assert.equal((await from(junk, password)).status, 429, junk);
    } finally {
      await one.dispose();
    }
  });
}

function formOf(html: string): Record<string, string> {
  const value = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '';
  return { request: value('request'), csrf: value('csrf') };
}
