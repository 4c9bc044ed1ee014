import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Answer } from '../../support/conforms.ts';
import { consolePath } from '../../support/console.ts';
import { chosen, goodPassword } from '../../support/invites.ts';
import { mailsTo } from '../../support/resets.ts';
import { CookieJar, makeUser, password, readForm, refresh, submit, type Walk, walk } from '../../support/sign-in.ts';
import { signedInBrowser } from '../../support/sign-out.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, copyOf, heading, isSignIn } from './browsing.ts';

const minute = 60_000;

/** Every page of the account, with a form that it has and what the form sends. */
const accountPages = [
  '/account',
  '/account/password',
  '/account/second-factors',
  '/account/second-factors/new',
  '/account/sessions',
  '/account/apps',
];
const accountForms: readonly (readonly [path: string, page: string])[] = [
  ['/account/password', '/account/password'],
  ['/account/second-factors/new', '/account/second-factors/new'],
  ['/account/second-factors/remove', '/account/second-factors'],
  ['/account/recovery-codes', '/account/second-factors'],
  ['/account/sessions/end', '/account/sessions'],
  ['/account/sessions/end-all', '/account/sessions'],
  ['/account/apps/remove', '/account/apps'],
];

/** The account pages as a whole, and the password. */
export function account(app: AppOf): void {
  const open = (jar: CookieJar, path: string) => walk(app(), jar, path);
  const typed = (current: string, next = goodPassword, more: Record<string, string> = {}) => ({
    ...{ current_password: current, new_password: next, new_password_confirmation: next },
    ...more,
  });

  async function onPassword(jar: CookieJar): Promise<Walk> {
    const at = await open(jar, '/account/password');
    assert.equal(heading(at.answer), 'Change your password');
    return at;
  }

  async function post(jar: CookieJar, path: string, form: Record<string, string>): Promise<Answer> {
    return app().send('POST', path, { headers: jar.header, form });
  }

  it('without a session: to the sign-in page, without an application, and back', async () => {
    const user = await makeUser(app());
    for (const path of accountPages) {
      const at = await open(new CookieJar(), path);
      assert.ok(isSignIn(at.answer));
      assert.match(at.answer.text, /to continue to <bdi class="strong">your account<\/bdi>/);
      assert.match(String(at.answer.headers['content-security-policy']), /form-action 'self';/);
      const wrong = await submit(app(), at, { username: user.email ?? '', password: 'wrong' });
      assert.equal(wrong.answer.status, 401);
      const { answer } = await submit(app(), wrong, { username: user.email ?? '', password });
      assert.equal(answer.status, 200, answer.text.slice(0, 300));
      assert.notEqual(heading(answer), 'Sign in');
    }
    const forged = await open(new CookieJar(), '/account');
    const { request = '', csrf = '' } = readForm(forged.answer.text).fields;
    const consent = await post(forged.jar, '/consent', { request, csrf, decision: 'allow' });
    assert.equal(consent.status, 400, 'there is nothing to consent to');
    const console = await open(new CookieJar(), consolePath(app()));
    const asked = readForm(console.answer.text).fields;
    for (const decision of ['allow', 'deny']) {
      const { status, text } = await post(console.jar, '/consent', {
        request: asked['request'] ?? '',
        csrf: asked['csrf'] ?? '',
        decision,
      });
      assert.equal(status, 400, text);
      assert.match(text, /nothing to consent to here/);
    }
  });

  it('the overview: the signed-in user, and every part of the account', async () => {
    const { jar, user } = await signedInBrowser(app());
    const { answer } = await open(jar, '/account');
    for (const shown of [
      'Ada Lovelace',
      user.email ?? '',
      'None: the password alone',
      '1 browser',
      '1 uses your account',
    ])
      assert.ok(answer.text.includes(shown), shown);
    for (const path of ['password', 'second-factors', 'sessions', 'apps'])
      assert.ok(answer.text.includes(`href="/account/${path}"`), path);
    assert.ok(answer.text.includes('href="/oauth2/logout"'));
    assert.doesNotMatch(answer.text, /role="status"/);
    const told = await open(jar, '/account?done=password_changed');
    assert.match(told.answer.text, /role="status">Your password has been changed\./);
    const unknown = await open(jar, '/account?done=constructor');
    assert.doesNotMatch(unknown.answer.text, /role="status"/);
  });

  it('the pages for signed-in and signed-out users lead there', async () => {
    const { jar } = await signedInBrowser(app());
    for (const path of ['/signed-in', '/signed-out'])
      assert.match((await open(jar, path)).answer.text, /<a class="button" href="\/account">/, path);
  });

  it('a new password: this session continues, and the former password no longer works', async () => {
    const browser = await signedInBrowser(app());
    const other = new CookieJar();
    await submit(app(), await open(other, '/account'), { username: browser.user.email ?? '', password });
    // Without the check box, as a browser sends it that is not ticked.
    const { csrf = '' } = readForm((await onPassword(browser.jar)).answer.text).fields;
    const sent = await post(browser.jar, '/account/password', { csrf, ...typed(password) });
    const { answer } = await open(browser.jar, String(sent.headers['location']));
    assert.match(answer.text, /Your password has been changed\./);
    assert.equal(heading((await open(other, '/account')).answer), 'Your account', 'others stay unless asked');
    assert.equal((await refresh(app(), browser.client, browser.tokens.refresh_token)).status, 200);
    const stranger = await open(new CookieJar(), '/account');
    const refused = await submit(app(), stranger, { username: browser.user.email ?? '', password });
    assert.equal(refused.answer.status, 401);
    const accepted = await submit(app(), refused, { username: browser.user.email ?? '', password: goodPassword });
    assert.equal(heading(accepted.answer), 'Your account');
    const [mail, ...more] = await mailsTo(app(), browser.user.email);
    const { name, baseUrl } = app().account;
    assert.deepEqual([mail?.subject, more], [`Your password was changed – ${name}`, []]);
    assert.match(mail?.text ?? '', /on \d{4}-\d\d-\d\d \d\d:\d\d UTC\.\n/);
    assert.ok(mail?.text.endsWith(`\n\n${baseUrl}/account\n`));
    for (const secret of [password, goodPassword]) assert.ok(!JSON.stringify(mail).includes(secret));
  });

  it('a new password, with all other sessions ended and what was granted in them (L5)', async () => {
    const browser = await signedInBrowser(app());
    const own = new CookieJar();
    await submit(app(), await open(own, '/account'), { username: browser.user.email ?? '', password });
    const at = await onPassword(own);
    assert.match(at.answer.text, /name="end_others" type="checkbox" value="on" checked/);
    await submit(app(), at, typed(password, goodPassword, { end_others: 'on' }));
    assert.ok(isSignIn((await open(browser.jar, '/account')).answer));
    assert.equal(heading((await open(own, '/account')).answer), 'Your account');
    assert.equal((await refresh(app(), browser.client, browser.tokens.refresh_token)).status, 400);
  });

  it('a refused password: 401 if wrong, 422 if against a rule; nothing changes', async () => {
    const { jar, user } = await signedInBrowser(app());
    const before = await app().services.store.users.find(app().account.id, user.id);
    for (const [form, status, said] of [
      [typed('wrong'), 401, 'This is not your current password'],
      [typed(''), 401, 'This is not your current password'],
      [typed(password, ''), 422, 'Something is missing'],
      [typed(password, password), 422, 'Choose one that is different'],
      [typed(password, 'sunshine1'), 422, 'one of the most common ones'],
      [typed(password, goodPassword, { new_password_confirmation: 'x' }), 422, 'The two passwords differ'],
    ] as const) {
      const { answer } = await submit(app(), await onPassword(jar), form);
      assert.equal(answer.status, status, said);
      assert.match(answer.text, /<title>Problem: Change your password/);
      assert.ok(answer.text.includes(said), said);
      assert.ok(!answer.text.includes(password));
    }
    const after = await app().services.store.users.find(app().account.id, user.id);
    assert.equal(after?.passwordDigest, before?.passwordDigest);
    assert.deepEqual(await mailsTo(app(), user.email), []);
  });

  it('wrong passwords count like those of a sign-in: after ten the right one is refused too (L6)', async () => {
    const { jar } = await signedInBrowser(app());
    const at = await onPassword(jar);
    for (let tries = 0; tries < 10; tries += 1) await submit(app(), at, typed('wrong'));
    assert.equal((await submit(app(), at, typed(password))).answer.status, 401);
    app().services.clock.advance(15 * minute);
    assert.equal((await submit(app(), at, typed(password))).answer.status, 200);
  });

  it('too many from one address: 429 with Retry-After', async () => {
    const limited = await app().another({ 'limit.sign-in': '1/h' });
    const { jar } = await signedInBrowser(limited);
    const at = await walk(limited, jar, '/account/password');
    assert.equal((await submit(limited, at, typed('wrong'))).answer.status, 401);
    const { answer } = await submit(limited, at, typed(password));
    assert.equal(answer.status, 429);
    assert.match(String(answer.headers['retry-after']), /^\d+$/);
  });

  it('a form without csrf, with another one, or from another browser: 403, and nothing happens (L2)', async () => {
    const { jar, user } = await signedInBrowser(app());
    const stranger = await signedInBrowser(app());
    const csrfOf = async (of: CookieJar) =>
      readForm((await open(of, '/account/password')).answer.text).fields['csrf'] ?? '';
    const own = await csrfOf(jar);
    const foreign = await csrfOf(stranger.jar);
    const digest = async () => (await app().services.store.users.find(app().account.id, user.id))?.passwordDigest;
    const before = await digest();
    const { lastId } = await app().services.store.events.findEnd(app().account.id);
    for (const [path] of accountForms) {
      for (const form of [{}, { csrf: 'x' }, { csrf: foreign }]) {
        assert.equal((await post(jar, path, { ...typed(password), ...form })).status, 403, path);
      }
      assert.equal((await post(stranger.jar, path, { csrf: own })).status, 403, path);
    }
    const after = await app().services.store.events.findEnd(app().account.id);
    assert.equal(after.lastId, lastId);
    assert.equal(await csrfOf(jar), own, 'it is valid as long as the session');
    assert.ok(before);
    assert.equal(await digest(), before);
  });

  it('a form after the session ended: to the sign-in page and back to the form; nothing happens', async () => {
    const { jar, user } = await signedInBrowser(app());
    const { fields } = readForm((await open(jar, '/account/password')).answer.text);
    await app().services.store.sessions.endOfUser(app().account.id, user.id);
    for (const [path, page] of accountForms) {
      const copy = copyOf(jar);
      const sent = await post(copy, path, { ...fields, ...typed(password) });
      assert.equal(sent.status, 303, path);
      copy.keep(sent);
      const at = await walk(app(), copy, String(sent.headers['location']));
      assert.ok(isSignIn(at.answer));
      if (path !== '/account/password') continue;
      const back = await submit(app(), at, { username: user.email ?? '', password });
      assert.equal(heading(back.answer), 'Change your password', page);
    }
  });

  it('a user locked or suspended meanwhile: 403 at every page and form, and nothing happens', async () => {
    const { jar, user } = await signedInBrowser(app());
    const { fields } = readForm((await open(jar, '/account/password')).answer.text);
    await setUser(app().services, app().account, user.id, { status: 'locked' });
    for (const path of accountPages) {
      const answer = await app().send('GET', path, { headers: jar.header });
      assert.equal(answer.status, 403, path);
      assert.equal(heading(answer), 'Your account is locked');
    }
    for (const [path] of accountForms) assert.equal((await post(jar, path, fields)).status, 403, path);
  });

  it('a user with an expired password chooses a new one on the way', async () => {
    const { jar, user } = await signedInBrowser(app());
    await app().services.store.users.update(app().account.id, user.id, { status: 4 });
    const at = await open(jar, '/account');
    assert.ok(isSignIn(at.answer));
    const due = await submit(app(), at, { username: user.email ?? '', password });
    assert.equal(heading(due.answer), 'Choose a new password');
    const { answer } = await submit(app(), due, chosen);
    assert.equal(heading(answer), 'Your account');
  });

  it('a session of another account is not signed in here (I1)', async () => {
    const { jar } = await signedInBrowser(app());
    const other = await app().another();
    assert.ok(isSignIn((await walk(other, jar, '/account')).answer));
  });

  it('a repeated or too long parameter: 400', async () => {
    const { jar } = await signedInBrowser(app());
    for (const path of accountPages) {
      const twice = await app().send('GET', `${path}?done=a&done=b`, { headers: jar.header });
      assert.equal(twice.status, 400, path);
    }
    for (const [path] of accountForms) {
      const long = await post(jar, path, { csrf: 'x'.repeat(300) });
      assert.equal(long.status, 400, path);
    }
  });
}
