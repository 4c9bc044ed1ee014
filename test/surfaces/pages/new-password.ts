import assert from 'node:assert/strict';
import { it } from 'node:test';
import { changePolicy, createPolicy } from '../../../src/domain/policies/policies.ts';
import type { UserRecord, UserStatus } from '../../../src/store/users.ts';
import type { TestApp } from '../../support/app.ts';
import { assignPolicy } from '../../support/policies.ts';
import {
  authorizePath,
  CookieJar,
  password,
  readForm,
  redeem,
  refresh,
  signInForCode,
  submit,
  type Walk,
  walk,
} from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, codeOf, heading, isConsent, isSignIn, requestOf, type Setting, settle } from './browsing.ts';

const fresh = 'seven brown bears at tea';
const chosen = { new_password: fresh, new_password_confirmation: fresh };
const day = 86_400_000;

function isNewPassword({ answer }: Walk): boolean {
  return /name="new_password"/.test(answer.text);
}

/**
 * An expired password is replaced between the right old one and whatever comes next (docs/users.md, status 4; L1, L2,
 * L7).
 */
export function newPassword(app: AppOf): void {
  const setStatus = (user: UserRecord, status: UserStatus) =>
    app().services.store.users.update(app().account.id, user.id, { status });
  const read = async ({ user }: Setting) => {
    const found = await app().services.store.users.find(app().account.id, user.id);
    assert.ok(found);
    return found;
  };
  const post = (path: string, jar: CookieJar, form: Record<string, string>) =>
    app().send('POST', path, { headers: jar.header, form });

  /** At the page for a new password. */
  async function expired(one: TestApp = app()): Promise<{ setting: Setting; at: Walk }> {
    const setting = await settle(one);
    await one.services.store.users.update(one.account.id, setting.user.id, { status: 4 });
    return { setting, at: await setting.signIn() };
  }

  it('after the right password a new one is required, then the sign-in continues; the former one no longer works', async () => {
    using _ = app().services.clock.hold();
    const setting = await settle(app());
    const query = await signInForCode(app(), setting.client, setting.user);
    const tokens = await redeem(app(), setting.client, query.get('code') ?? '');
    await setStatus(setting.user, 4);
    const before = await read(setting);
    const at = await setting.signIn({ prompt: 'consent' });
    assert.ok(isNewPassword(at));
    assert.deepEqual([at.answer.status, heading(at.answer)], [200, 'Choose a new password']);
    assert.ok(!at.jar.cookies.has('__Host-sid'), 'nobody is signed in yet');
    app().services.clock.advance(1000);
    const next = await submit(app(), at, chosen);
    assert.ok(isConsent(next.answer));
    await redeem(app(), setting.client, codeOf(await submit(app(), next, { decision: 'allow' })));
    const after = await read(setting);
    assert.equal(after.status, 1);
    assert.equal(after.passwordChangedAt, (before.passwordChangedAt ?? 0) + 1000);
    assert.notEqual((await refresh(app(), setting.client, tokens.refresh_token)).status, 200, 'a grant from before');
    const former = await setting.signIn();
    assert.equal(former.answer.status, 401);
    assert.ok(!isSignIn((await submit(app(), former, { password: fresh })).answer));
  });

  it('a wrong password reveals nothing about it', async () => {
    const setting = await settle(app());
    await setStatus(setting.user, 4);
    const wrong = await submit(app(), await setting.begin(), { username: setting.user.email ?? '', password: 'wrong' });
    assert.equal(wrong.answer.status, 401);
    assert.ok(isSignIn(wrong.answer));
  });

  it('a weak, empty, mismatched or former password is 422 and the form again, saying which', async () => {
    let { setting, at } = await expired();
    const strong = { ...chosen };
    const cases: readonly [given: Record<string, string>, said: RegExp][] = [
      [{ new_password: '', new_password_confirmation: '' }, /Something is missing/],
      [{ ...strong, new_password_confirmation: '' }, /Something is missing/],
      [{ ...strong, new_password_confirmation: `${fresh}!` }, /The two passwords differ/],
      [{ new_password: password, new_password_confirmation: password }, /This is your current password/],
      [{ new_password: 'vq41zwx', new_password_confirmation: 'vq41zwx' }, /must have 8 to 256 characters/],
      [{ new_password: 'PassWord1', new_password_confirmation: 'PassWord1' }, /one of the most common ones/],
      [{ new_password: 'Lovelace-12', new_password_confirmation: 'Lovelace-12' }, /user&#39;s names or e-mail address/],
    ];
    for (const [given, said] of cases) {
      at = await submit(app(), at, given);
      assert.equal(at.answer.status, 422, String(said));
      assert.ok(isNewPassword(at));
      assert.match(at.answer.text, said);
      assert.match(at.answer.text, /role="alert"/);
      assert.ok(!at.answer.text.includes(`value="${given['new_password'] || 'none'}"`), 'never shown again');
    }
    assert.equal((await read(setting)).status, 4);
    assert.ok(isConsent((await submit(app(), at, strong)).answer));
  });

  it('a policy that lets passwords expire asks at the next sign-in, and its minimum length applies', async () => {
    using _ = app().services.clock.hold();
    const one = await app().another({ 'limit.sign-in': 'off' });
    const setting = await settle(one);
    const policy = await createPolicy(one.services, one.account, {
      name: 'Strict',
      passwordExpirationDays: 30,
      minimumPasswordLength: 30,
    });
    await assignPolicy(one.services, one.account, { userId: setting.user.id }, policy.id);
    one.services.clock.advance(30 * day - 1);
    assert.ok(isConsent((await setting.signIn()).answer));
    one.services.clock.advance(1);
    const at = await setting.signIn();
    assert.ok(isNewPassword(at));
    assert.match(at.answer.text, /At least 30 characters/);
    const short = await submit(one, at, chosen);
    assert.match(short.answer.text, /must have 30 to 256 characters/);
    const long = `${fresh} and honey`;
    assert.ok(isConsent((await submit(one, short, { new_password: long, new_password_confirmation: long })).answer));
    await changePolicy(one.services, one.account, policy.id, { passwordExpirationDays: null });
    one.services.clock.advance(400 * day);
    const later = await submit(one, await setting.begin(), { username: setting.user.email ?? '', password: long });
    assert.ok(isConsent(later.answer));
  });

  it('a user signed in while the password expires is asked for a new one at the next application', async () => {
    const setting = await settle(app());
    const jar = new CookieJar();
    codeOf(await submit(app(), await setting.signIn({}, jar), { decision: 'allow' }));
    await setStatus(setting.user, 4);
    const at = await walk(app(), jar, authorizePath(setting.client));
    assert.ok(isSignIn(at.answer));
    const silent = await walk(app(), jar, authorizePath(setting.client, { prompt: 'none' }));
    assert.match(String(silent.answer.headers['location']), /error=login_required/);
  });

  it('is not reached without the right password, nor from another browser, nor by a forged form (L2, L7)', async () => {
    const { setting, at } = await expired();
    const form = readForm(at.answer.text);
    const request = requestOf(at);
    const stranger = await setting.begin();
    const early = await post('/new-password', stranger.jar, { ...readForm(stranger.answer.text).fields, ...chosen });
    assert.equal(early.status, 400);
    assert.match(early.text, /No new password is required here/);
    const skipped = `/new-password?request=${requestOf(stranger)}`;
    assert.ok(isSignIn((await walk(app(), stranger.jar, skipped)).answer), 'a step that is not due');
    for (const jar of [stranger.jar, new CookieJar()]) {
      assert.equal((await post(form.action, jar, { ...form.fields, ...chosen })).status, 400);
      const shown = await app().send('GET', `/new-password?request=${request}`, { headers: jar.header });
      assert.equal(shown.status, 400);
    }
    for (const csrf of ['', 'A'.repeat(43), readForm(stranger.answer.text).fields['csrf'] ?? '']) {
      assert.equal((await post(form.action, at.jar, { ...form.fields, ...chosen, csrf })).status, 403);
    }
    for (const [path, page] of [
      ['/sign-in', isNewPassword],
      ['/consent', isNewPassword],
      ['/continue', isNewPassword],
    ] as const) {
      assert.ok(page(await walk(app(), at.jar, `${path}?request=${request}`)), `${path} leads back`);
    }
    const consent = await post('/consent', at.jar, { ...form.fields, decision: 'allow' });
    assert.equal(consent.status, 400, 'nothing is decided before that');
    assert.equal((await read(setting)).status, 4);
    assert.ok(isConsent((await submit(app(), at, chosen)).answer));
    const replay = await post(form.action, at.jar, { ...form.fields, ...chosen });
    assert.equal(replay.status, 403, 'the former form has expired');
  });

  it('repeated, too long or control-character members change nothing', async () => {
    const { setting, at } = await expired();
    const { action, fields } = readForm(at.answer.text);
    for (const name of ['new_password', 'new_password_confirmation', 'request', 'csrf']) {
      const all = { ...fields, ...chosen };
      const twice: [string, string][] = [...Object.entries(all), [name, all[name as keyof typeof chosen] ?? '']];
      assert.equal((await app().send('POST', action, { headers: at.jar.header, form: twice })).status, 400, name);
    }
    for (const bad of ['x'.repeat(1025), 'nine\u0000lives\u0000', '\u0008'.repeat(9)]) {
      const given = { new_password: bad, new_password_confirmation: bad };
      assert.equal((await post(action, at.jar, { ...fields, ...given })).status, 400);
    }
    const huge = 'x'.repeat(20_000);
    assert.equal((await post(action, at.jar, { ...fields, new_password: huge })).status, 413);
    assert.equal((await read(setting)).status, 4);
  });

  it('a user who is locked or loses access meanwhile is told so; a password that an operator set meanwhile stays', async () => {
    const locked = await expired();
    await setUser(app().services, app().account, locked.setting.user.id, { status: 'locked' });
    const refused = await submit(app(), locked.at, chosen);
    assert.equal(refused.answer.status, 403);
    assert.equal(heading(refused.answer), 'Your account is locked');
    // The refusal has ended the sign-in.
    assert.equal((await walk(app(), refused.jar, `/continue?request=${requestOf(locked.at)}`)).answer.status, 400);

    const replaced = await expired();
    app().services.clock.advance(1);
    await setUser(app().services, app().account, replaced.setting.user.id, { password: 'set by an operator' });
    await setStatus(replaced.setting.user, 4);
    assert.equal((await submit(app(), replaced.at, chosen)).answer.status, 400);
    const again = await submit(app(), await replaced.setting.begin(), {
      username: replaced.setting.user.email ?? '',
      password: 'set by an operator',
    });
    assert.ok(isNewPassword(again));
  });

  it('one of twenty forms sent at once signs in, and the others change nothing', async () => {
    const { setting, at } = await expired();
    const { action, fields } = readForm(at.answer.text);
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(action, at.jar, { ...fields, ...chosen })));
    const signedIn = answers.filter(({ status }) => status === 303);
    assert.ok(signedIn.length >= 1);
    for (const { status } of answers) assert.ok([303, 400, 403, 422].includes(status), String(status));
    assert.equal((await read(setting)).status, 1);
    const right = { username: setting.user.email ?? '', password: fresh };
    assert.ok(isConsent((await submit(app(), await setting.begin(), right)).answer));
  });
}
