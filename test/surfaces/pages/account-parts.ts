import assert from 'node:assert/strict';
import { it } from 'node:test';
import { grantAccess } from '../../../src/domain/users/access.ts';
import { assertTold, toldBy } from '../../domain/audit/told.ts';
import { titlesTo } from '../../support/resets.ts';
import { codeAt, giveDevice, keyOf, recoveryCodesOf } from '../../support/second-factor.ts';
import {
  authorizePath,
  CookieJar,
  formTo,
  makeUser,
  password,
  readForm,
  redeem,
  refresh,
  registerClient,
  signInForCode,
  submit,
  submitTo,
  type Walk,
  walk,
} from '../../support/sign-in.ts';
import { isSignedIn, signedInBrowser } from '../../support/sign-out.ts';
import { type AppOf, copyOf, heading, isConsent, isSignIn } from './browsing.ts';

const minute = 60_000;

/** Second factors, sessions and apps of a signed-in user. */
export function accountParts(app: AppOf): void {
  const open = (jar: CookieJar, path: string) => walk(app(), jar, path);
  const clock = () => app().services.clock;

  /** Sends a form of the page at `path`, and follows the answer. */
  async function send(jar: CookieJar, path: string, action: string, more: Record<string, string> = {}): Promise<Walk> {
    const at = await open(jar, path);
    assert.equal(at.answer.status, 200, at.answer.text.slice(0, 200));
    return sendForm(jar, action, { ...formTo(at, action), ...more });
  }

  const sendForm = (jar: CookieJar, action: string, form: Record<string, string>) => submitTo(app(), jar, action, form);

  async function enrol(jar: CookieJar): Promise<Walk & { readonly secret: string }> {
    const at = await open(jar, '/account/second-factors/new');
    assert.equal(heading(at.answer), 'Add an authenticator app');
    const secret = keyOf(at.answer.text);
    return { ...(await submit(app(), at, { otp: codeAt(secret, clock().now()) })), secret };
  }

  it('a second factor is added with recovery codes, and required from then on (L8)', async () => {
    const { jar, user } = await signedInBrowser(app());
    const secretBefore = jar.cookies.get('__Host-sid');
    const page = await open(jar, '/account/second-factors/new');
    assert.equal(keyOf((await open(jar, '/account/second-factors/new')).answer.text), keyOf(page.answer.text));
    const refused = await submit(app(), page, { otp: 'none' });
    assert.equal(refused.answer.status, 401);
    assert.match(refused.answer.text, /This code does not match the key/);
    assert.equal((await submit(app(), page, { otp: '' })).answer.status, 401);
    const { answer, secret } = await enrol(jar);
    assert.equal(answer.status, 200);
    assert.equal(recoveryCodesOf(answer.text).length, 10);
    assert.match(answer.text, /href="\/account\/second-factors"/);
    assert.notEqual(jar.cookies.get('__Host-sid'), secretBefore, 'the session is raised and has a new id');
    const list = await open(jar, '/account/second-factors');
    assert.match(list.answer.text, /Authenticator app/);
    assert.match(list.answer.text, /10 left/);
    const elsewhere = await open(new CookieJar(), '/account');
    const due = await submit(app(), elsewhere, { username: user.email ?? '', password });
    assert.equal(heading(due.answer), 'Enter your code');
    clock().advance(minute);
    const done = await submit(app(), due, { otp: codeAt(secret, clock().now()) });
    assert.equal(heading(done.answer), 'Your account');
  });

  it("a second device keeps the first one's codes; a form sent twice counts once", async () => {
    const { jar, user } = await signedInBrowser(app());
    await enrol(jar);
    const at = await open(jar, '/account/second-factors/new');
    const before = copyOf(jar);
    const otp = codeAt(keyOf(at.answer.text), clock().now());
    const added = await submit(app(), at, { otp });
    assert.match(added.answer.text, /role="status">The authenticator app has been added/);
    const again = await submit(app(), { jar: before, answer: at.answer }, { otp });
    assert.ok(isSignIn(again.answer), 'its session has a new id now');
    const list = await open(jar, '/account/second-factors');
    assert.equal(list.answer.text.match(/name="device_id"/g)?.length, 2);
    assert.match(list.answer.text, /10 left/);
    // Nothing was sent between the two: one message tells of both.
    assert.deepEqual(await titlesTo(app(), user.email), ['An authenticator app was added']);
  });

  it('two forms at once add one device', async () => {
    const { jar, user } = await signedInBrowser(app());
    const at = await open(jar, '/account/second-factors/new');
    const form = { ...readForm(at.answer.text).fields, otp: codeAt(keyOf(at.answer.text), clock().now()) };
    const sent = await Promise.all(
      [1, 2].map(() => app().send('POST', '/account/second-factors/new', { headers: jar.header, form })),
    );
    const statuses = sent.map(({ status }) => status).sort();
    assert.ok(['200,400', '200,303'].includes(statuses.join()), statuses.join());
    assert.equal((await app().services.store.secondFactors.listDevices(app().account.id, user.id)).length, 1);
  });

  it('a device is removed, and with the last one the recovery codes', async () => {
    const { jar, user } = await signedInBrowser(app());
    await enrol(jar);
    const page = await open(jar, '/account/second-factors');
    const form = formTo(page, '/account/second-factors/remove');
    const told = { device_id: Number(form['device_id']) };
    await assertTold(app(), () => sendForm(jar, '/account/second-factors/remove', form), [
      ['mfa.removed', `user ${user.id}`, `user ${user.id}`, told],
    ]);
    assert.equal(await app().services.store.secondFactors.countRecoveryCodes(app().account.id, user.id), 0);
    const again = await sendForm(jar, '/account/second-factors/remove', form);
    assert.match(again.answer.text, /The device has been removed/);
    assert.match(again.answer.text, /You have none/);
    const stranger = await signedInBrowser(app());
    const device = await giveDevice(app(), stranger.user);
    await sendForm(jar, '/account/second-factors/remove', { ...form, device_id: String(device.id) });
    assert.equal((await app().services.store.secondFactors.listDevices(app().account.id, stranger.user.id)).length, 1);
    const titles = ['An authenticator app was added', 'An authenticator app was removed'];
    assert.deepEqual(await titlesTo(app(), user.email), titles);
    assert.deepEqual(await titlesTo(app(), stranger.user.email), titles.slice(0, 1));
  });

  it('new recovery codes invalidate the former ones; without a device there are none', async () => {
    const { jar, user } = await signedInBrowser(app());
    const csrf = readForm((await open(jar, '/account/password')).answer.text).fields['csrf'] ?? '';
    assert.match((await sendForm(jar, '/account/recovery-codes', { csrf })).answer.text, /You have none/);
    const [former = ''] = recoveryCodesOf((await enrol(jar)).answer.text);
    const events = await toldBy(app(), async () => {
      const { answer } = await send(jar, '/account/second-factors', '/account/recovery-codes');
      assert.equal(answer.status, 200);
      assert.equal(recoveryCodesOf(answer.text).length, 10);
      assert.ok(!answer.text.includes(former));
      assert.match(answer.text, /The old ones no longer work/);
    });
    assert.deepEqual(
      events.map(({ action, actorId, detail }) => [action, actorId, detail]),
      [['mfa.recovery_codes_renewed', user.id, '{"count":10}']],
    );
    const titles = ['An authenticator app was added', 'New recovery codes were made'];
    assert.deepEqual(await titlesTo(app(), user.email), titles);
    const due = await submit(app(), await open(new CookieJar(), '/account'), { username: user.email ?? '', password });
    assert.equal((await submit(app(), due, { recovery_code: former })).answer.status, 401);
  });

  it('second factors require a sign-in within ten minutes, with the second factor; other pages do not', async () => {
    const { jar, user } = await signedInBrowser(app());
    const { secret } = await enrol(jar);
    const page = await open(jar, '/account/second-factors');
    clock().advance(10 * minute + 1);
    assert.equal(heading((await open(jar, '/account')).answer), 'Your account');
    for (const path of ['/account/second-factors', '/account/second-factors/new']) {
      const at = await open(copyOf(jar), path);
      assert.ok(isSignIn(at.answer), path);
      assert.ok(at.answer.text.includes(`value="${user.email}"`), 'the name exists already');
    }
    const late = await sendForm(
      copyOf(jar),
      '/account/second-factors/remove',
      formTo(page, '/account/second-factors/remove'),
    );
    assert.ok(isSignIn(late.answer));
    assert.equal((await app().services.store.secondFactors.listDevices(app().account.id, user.id)).length, 1);
    const due = await submit(app(), late, { username: user.email ?? '', password });
    assert.equal(heading(due.answer), 'Enter your code');
    const back = await submit(app(), due, { otp: codeAt(secret, clock().now()) });
    assert.equal(heading(back.answer), 'Second factors');
  });

  it('a session from before the device needs a code for second factors', async () => {
    const { jar, user } = await signedInBrowser(app());
    const device = await giveDevice(app(), user);
    const at = await open(jar, '/account/second-factors');
    assert.equal(heading(at.answer), 'Enter your code');
    const { answer } = await submit(app(), at, { otp: device.code() });
    assert.equal(heading(answer), 'Second factors');
  });

  it('ten devices are the maximum: the page for another leads back', async () => {
    const { jar, user } = await signedInBrowser(app());
    await enrol(jar);
    for (let more = 1; more < 10; more += 1) await giveDevice(app(), user);
    const { answer } = await open(jar, '/account/second-factors/new');
    assert.equal(heading(answer), 'Second factors');
    assert.doesNotMatch(answer.text, /second-factors\/new/);
  });

  it('sessions: time and browser, this one marked; one ends, and its clients are notified', async () => {
    const browser = await signedInBrowser(app());
    const own = new CookieJar();
    const at = await open(own, '/account/sessions');
    await submit(app(), at, { username: browser.user.email ?? '', password });
    const page = await open(own, '/account/sessions');
    assert.equal(page.answer.text.match(/This browser/g)?.length, 1);
    assert.equal(page.answer.text.match(/From <bdi>127\.0\.0\.1<\/bdi>/g)?.length, 2);
    const form = formTo(page, '/account/sessions/end');
    const stranger = await signedInBrowser(app());
    await sendForm(stranger.jar, '/account/sessions/end', {
      ...formTo(await open(stranger.jar, '/account/sessions'), '/account/sessions/end-all'),
      session_id: form['session_id'] ?? '',
    });
    assert.equal(await isSignedIn(app(), browser), true, 'a user cannot end the session of another user');
    const about = `user ${browser.user.id}` as const;
    await assertTold(app(), () => sendForm(own, '/account/sessions/end', form), [
      ['session.ended', about, about, { session_id: Number(form['session_id']), grants_revoked: 1, clients_told: 0 }],
    ]);
    assert.equal(await isSignedIn(app(), browser), false);
    assert.equal((await refresh(app(), browser.client, browser.tokens.refresh_token)).status, 400);
    await assertTold(app(), () => sendForm(own, '/account/sessions/end', form), []);
    assert.doesNotMatch((await open(own, '/account/sessions')).answer.text, /name="session_id"/);
  });

  it('sign out everywhere: all browsers, all grants, and every client is notified (L3)', async () => {
    const told = { backchannel_logout_uri: 'https://app.example.com/told' };
    const browser = await signedInBrowser(app(), told);
    const second = await registerClient(app(), told);
    await grantAccess(app().services, app().account, second.app_id, { user: browser.user.email ?? '' });
    const other = new CookieJar();
    const query = await signInForCode(app(), second, browser.user, {}, other);
    const tokens = await redeem(app(), second, query.get('code') ?? '');
    const events = await toldBy(app(), async () => {
      const { answer } = await send(browser.jar, '/account/sessions', '/account/sessions/end-all');
      assert.match(answer.text, /<h1>You are signed out<\/h1>/);
    });
    const ended = events.find(({ action }) => action === 'session.all_ended');
    assert.deepEqual(JSON.parse(ended?.detail ?? ''), { kept_own: false, grants_revoked: 2, clients_told: 2 });
    for (const jar of [browser.jar, other]) assert.ok(isSignIn((await open(jar, '/account')).answer));
    for (const [client, token] of [
      [browser.client, browser.tokens.refresh_token],
      [second, tokens.refresh_token],
    ] as const) {
      assert.equal((await refresh(app(), client, token)).status, 400);
    }
  });

  it('apps: what they may do; removing one ends its grant, and it asks for consent again', async () => {
    const browser = await signedInBrowser(app(), { client_name: 'Expense Desk' });
    const page = await open(browser.jar, '/account/apps');
    for (const shown of ['Expense Desk', 'Know who you are', 'See your name', 'It can use your account now'])
      assert.ok(page.answer.text.includes(shown), shown);
    const form = formTo(page, '/account/apps/remove');
    const target = `app ${browser.client.app_id}` as const;
    await assertTold(app(), () => sendForm(browser.jar, '/account/apps/remove', form), [
      ['consent.withdrawn', `user ${browser.user.id}`, target, { user_id: browser.user.id, grants_revoked: 1 }],
    ]);
    await assertTold(app(), () => sendForm(browser.jar, '/account/apps/remove', form), []);
    assert.match((await open(browser.jar, '/account/apps')).answer.text, /No application uses your account/);
    assert.equal((await refresh(app(), browser.client, browser.tokens.refresh_token)).status, 400);
    assert.ok(isConsent((await open(browser.jar, authorizePath(browser.client))).answer));
  });

  it('a user without a name is shown by e-mail address', async () => {
    const user = await makeUser(app(), undefined, { firstname: undefined, lastname: undefined });
    const { answer } = await submit(app(), await open(new CookieJar(), '/account'), {
      username: user.email ?? '',
      password,
    });
    assert.ok(answer.text.includes(user.email ?? ''));
    assert.match(answer.text, /No application uses your account/);
  });
}
