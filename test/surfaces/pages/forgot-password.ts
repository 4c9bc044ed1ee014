import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { UserStatus } from '../../../src/store/users.ts';
import { assertTold } from '../../domain/audit/told.ts';
import { chosen, goodPassword, newInvite } from '../../support/invites.ts';
import { asksForPasskey, givePasskey, passkeyOptionsOf, showPasskey } from '../../support/passkeys.ts';
import { askForLink, mailsTo, newLink } from '../../support/resets.ts';
import { dump } from '../../support/rows.ts';
import { giveDevice } from '../../support/second-factor.ts';
import {
  authorizePath,
  CookieJar,
  makeUser,
  password,
  readForm,
  refresh,
  submit,
  walk,
} from '../../support/sign-in.ts';
import { isSignedIn, signedInBrowser } from '../../support/sign-out.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, copyOf, heading, isSignIn, settle, unlimited } from './browsing.ts';

const minute = 60_000;

/** Passwords that are reset by e-mail. */
export function forgotPassword(app: AppOf): void {
  const open = (path: string, jar = new CookieJar()) => walk(app(), jar, path);

  it('the sign-in page leads there and back; the answer is the same for every name', async () => {
    const setting = await settle(app());
    const signIn = await setting.begin();
    const [, link = ''] = /href="(\/forgot-password\?request=[^"]+)"/.exec(signIn.answer.text) ?? [];
    const page = await open(link, signIn.jar);
    assert.equal(heading(page.answer), 'Forgot your password?');
    const texts = new Set<string>();
    const nobody = ['nobody@example.com', 'nobody', 'x'.repeat(320), '\u{1F600} "><script>'];
    for (const username of [setting.user.email ?? '', ...nobody]) {
      const { answer } = await submit(app(), page, { username });
      assert.equal(answer.status, 200);
      assert.equal(heading(answer), 'Check your e-mail');
      texts.add(answer.text);
    }
    assert.equal(texts.size, 1);
    const [, back = ''] = /href="(\/sign-in\?request=[^"]+)"/.exec([...texts][0] ?? '') ?? [];
    assert.ok(isSignIn((await open(back, signIn.jar)).answer));
    const missing = await submit(app(), page, { username: '' });
    assert.equal(missing.answer.status, 422);
    assert.match(missing.answer.text, /Something is missing/);
    assert.equal((await mailsTo(app(), setting.user.email)).length, 1);
  });

  it('a message with a link: the user chooses a password and is signed in; what the former one opened ends', async () => {
    const browser = await signedInBrowser(app());
    const { email, id } = browser.user;
    const jar = new CookieJar();
    const link = await newLink(app(), email);
    const [mail] = await mailsTo(app(), email);
    assert.equal(mail?.subject, `Choose a new password – ${app().account.name}`);
    assert.match(mail?.text ?? '', /works once, for 60 minutes/);
    assert.equal(await isSignedIn(app(), browser), true, 'a message signs nobody out');
    const page = await open(link, jar);
    assert.equal(heading(page.answer), 'Choose a new password');
    const weak = await submit(app(), page, { new_password: 'sunshine1', new_password_confirmation: 'sunshine1' });
    assert.equal(weak.answer.status, 422);
    const user = `user ${id}` as const;
    await assertTold(app(), async () => {
      const { answer } = await submit(app(), page, chosen);
      assert.equal(heading(answer), 'Your account');
      assert.match(answer.text, /Your password has been changed\./);
    }, [
      ['password_reset.used', user, user, {}],
      ['user.changed', user, user, { fields: ['password'], grants_revoked: 1 }],
      ['sign_in.succeeded', user, user, { method: 'reset', methods: ['urn:gatehouse:amr:mailbox'] }],
    ]);
    assert.equal(await isSignedIn(app(), browser), false);
    assert.equal((await refresh(app(), browser.client, browser.tokens.refresh_token)).status, 400);
    const again = await submit(app(), { jar: copyOf(jar), answer: page.answer }, chosen);
    assert.ok([403, 410].includes(again.answer.status), 'its cookie was removed, and the link is used');
    const late = await open(link);
    assert.equal(late.answer.status, 410);
    assert.equal(heading(late.answer), 'This link has been used');
    const signIn = await open('/account');
    assert.equal((await submit(app(), signIn, { username: email ?? '', password })).answer.status, 401);
  });

  it('works for an hour; a newer link ends neither it nor an invite', async () => {
    const user = await makeUser(app());
    const invite = await newInvite(app(), user.email);
    const former = await newLink(app(), user.email);
    const link = await newLink(app(), user.email);
    assert.equal((await open(former)).answer.status, 200);
    assert.equal(heading((await open(invite)).answer), 'Choose a password');
    const page = await open(link);
    app().services.clock.advance(60 * minute);
    const { answer } = await submit(app(), page, chosen);
    assert.equal(answer.status, 410);
    assert.match(answer.text, /It was valid for an hour\./);
    const other = await app().another();
    const fresh = await newLink(app(), user.email);
    assert.equal((await walk(other, new CookieJar(), fresh)).answer.status, 410, 'I1');
    assert.equal((await open(fresh)).answer.status, 200);
  });

  it('also found by user name, in any case; a user without an address gets nothing', async () => {
    const username = `ada${Date.now()}`;
    const user = await makeUser(app(), undefined, { username });
    await askForLink(app(), username.toUpperCase());
    assert.equal((await mailsTo(app(), user.email)).length, 1);
    const bare = `bare${Date.now()}`;
    await makeUser(app(), undefined, { email: undefined, username: bare });
    const before = app().services.mails.length;
    await askForLink(app(), bare);
    await app().services.resetMails.run();
    assert.equal(app().services.mails.length, before);
  });

  it('unactivated, locked and suspended users get nothing; the trail says so', async () => {
    for (const status of [0, 2, 3] as UserStatus[]) {
      const user = await makeUser(app());
      await app().services.store.users.update(app().account.id, user.id, { status });
      await assertTold(app(), async () => {
        await askForLink(app(), user.email ?? '');
        assert.deepEqual(await mailsTo(app(), user.email), []);
      }, [['password_reset.refused', 'user', `user ${user.id}`, { reason: 'not_active' }]]);
    }
    await assertTold(app(), async () => {
      await askForLink(app(), 'nobody@example.com');
      await app().services.resetMails.run();
    }, [['password_reset.refused', 'user', 'user', { reason: 'unknown_user' }]]);
  });

  it('an expired password, and a user locked after the message', async () => {
    const expired = await makeUser(app());
    await app().services.store.users.update(app().account.id, expired.id, { status: 4 });
    const done = await submit(app(), await open(await newLink(app(), expired.email)), chosen);
    assert.equal(heading(done.answer), 'Your account');
    const locked = await makeUser(app());
    const link = await newLink(app(), locked.email);
    await setUser(app().services, app().account, locked.id, { status: 'locked' });
    assert.equal((await open(link)).answer.status, 410);
    await setUser(app().services, app().account, locked.id, { status: 'active' });
    assert.equal((await open(link)).answer.status, 410, 'it has ended');
  });

  it('a user with a second factor is asked for it, and the link alone signs nobody in', async () => {
    const user = await makeUser(app());
    const device = await giveDevice(app(), user);
    const due = await submit(app(), await open(await newLink(app(), user.email)), chosen);
    assert.equal(heading(due.answer), 'Enter your code');
    assert.ok(!due.jar.cookies.has('__Host-sid'));
    const about = `user ${user.id}` as const;
    await assertTold(app(), async () => {
      const { answer } = await submit(app(), due, { otp: device.code() });
      assert.equal(heading(answer), 'Your account');
      assert.match(answer.text, /Your password has been changed\./);
    }, [
      ['mfa.verified', about, about, { device_id: device.id }],
      ['sign_in.succeeded', about, about, { method: 'account', methods: ['urn:gatehouse:amr:mailbox', 'otp', 'mfa'] }],
    ]);
  });

  it('a user with only passkeys is asked for one, and a user without factors for nothing more', async () => {
    const user = await makeUser(app());
    const { passkey } = await givePasskey(app(), user);
    const due = await submit(app(), await open(await newLink(app(), user.email)), chosen);
    assert.ok(asksForPasskey(due.answer.text));
    assert.ok(!due.jar.cookies.has('__Host-sid'));
    const { answer } = await showPasskey(app(), due, passkey.get(passkeyOptionsOf(due.answer.text)));
    assert.equal(heading(answer), 'Your account');
    assert.match(answer.text, /Your password has been changed\./);
  });

  it('a sign-in that began with a link never leads to enrolling a factor', async () => {
    const one = await app().another(unlimited);
    const { services, account } = one;
    const user = await makeUser(one);
    const device = await giveDevice(one, user);
    const [policy] = await services.store.policies.list(account.id);
    await services.store.policies.update(account.id, policy?.id ?? 0, { otpRequired: true });
    const at = await walk(one, new CookieJar(), await newLink(one, user.email));
    const due = await submit(one, at, chosen);
    assert.equal(heading(due.answer), 'Enter your code');
    await services.store.secondFactors.removeDevice(account.id, user.id, device.id);
    const { request = '' } = readForm(due.answer.text).fields;
    const next = await walk(one, due.jar, `/second-factor/enrol?request=${request}`);
    assert.equal(heading(next.answer), 'Sign in', 'the password comes first');
  });

  it("a link's session cannot enrol a factor before the password was given, here or for an application", async () => {
    const setting = await settle(app());
    const { email } = setting.user;
    const acr_values = 'urn:gatehouse:acr:multi-factor';
    for (const onward of [
      '/account/second-factors/new',
      '/account/passkeys',
      authorizePath(setting.client, { acr_values }),
    ]) {
      const jar = new CookieJar();
      const typed = `${goodPassword} ${onward.length}`;
      const form = { new_password: typed, new_password_confirmation: typed };
      const at = await submit(app(), await open(await newLink(app(), email), jar), form);
      assert.equal(heading(at.answer), 'Your account');
      const asked = await open(onward, jar);
      assert.equal(heading(asked.answer), 'Sign in', onward);
      const after = await submit(app(), asked, { username: email ?? '', password: typed });
      assert.equal(after.answer.status, 200);
      assert.notEqual(heading(after.answer), 'Sign in', onward);
    }
  });

  it('a new password ends the lockout after wrong ones', async () => {
    const setting = await settle(app());
    for (let tries = 0; tries < 11; tries += 1) {
      await submit(app(), await setting.begin(), { username: setting.user.email ?? '', password: 'wrong' });
    }
    await submit(app(), await open(await newLink(app(), setting.user.email)), chosen);
    const at = await open(authorizePath(setting.client));
    const { answer } = await submit(app(), at, { username: setting.user.email ?? '', password: goodPassword });
    assert.notEqual(answer.status, 401);
  });

  it('a form without csrf, with another one, or from another browser: 403, and nothing is sent (L2)', async () => {
    const user = await makeUser(app());
    const page = await open('/forgot-password');
    const { fields } = readForm(page.answer.text);
    const stranger = await open('/forgot-password');
    const { csrf: _, ...without } = fields;
    const form = { username: user.email ?? '' };
    for (const [headers, sent] of [
      [page.jar.header, { ...without, ...form }],
      [page.jar.header, { ...fields, ...form, csrf: 'x' }],
      [stranger.jar.header, { ...fields, ...form }],
      [{}, { ...fields, ...form }],
    ] as const) {
      assert.equal((await app().send('POST', '/forgot-password', { headers, form: sent })).status, 403);
    }
    assert.deepEqual(await mailsTo(app(), user.email), []);
  });

  it('limits: 20 an hour per address, then 429; five links an hour per user, silently', async () => {
    const one = await app().another();
    const user = await makeUser(one);
    const jar = new CookieJar();
    const page = await walk(one, jar, '/forgot-password');
    for (let asked = 0; asked < 20; asked += 1) {
      const { answer } = await submit(one, page, { username: user.email ?? '' });
      assert.equal(heading(answer), 'Check your e-mail');
    }
    assert.equal((await mailsTo(one, user.email)).length, 5);
    const { answer } = await submit(one, page, { username: user.email ?? '' });
    assert.equal(answer.status, 429);
    assert.match(String(answer.headers['retry-after']), /^\d+$/);
    const reasons = (await one.services.store.events.listBefore(one.account.id, null, 100)).filter(
      ({ action }) => action === 'password_reset.refused',
    );
    assert.equal(reasons.length, 15);
    for (const { detail } of reasons) assert.equal(detail, '{"reason":"too_many"}');
  });

  it('the typed name is stored sealed, the link as a digest, and neither is logged', async () => {
    const user = await makeUser(app());
    const typed = `canary-${user.id}-typed`;
    await askForLink(app(), typed);
    const link = await newLink(app(), user.email);
    const token = new URLSearchParams(link.split('?')[1]).get('token') ?? '';
    const everything = (await dump(app().url)) + JSON.stringify(app().services.lines);
    for (const secret of [typed, token, token.slice(3)]) assert.ok(!everything.includes(secret));
  });

  it('a repeated or too long parameter: 400', async () => {
    for (const path of ['/forgot-password', '/forgot-password/sent']) {
      assert.equal((await app().send('GET', `${path}?request=a&request=b`)).status, 400);
      assert.equal((await app().send('GET', `${path}?request=${'x'.repeat(3073)}`)).status, 400);
    }
    const { jar, answer } = await open('/forgot-password');
    const form = { ...readForm(answer.text).fields, username: 'x'.repeat(321) };
    assert.equal((await app().send('POST', '/forgot-password', { headers: jar.header, form })).status, 400);
  });
}
