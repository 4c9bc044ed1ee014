import assert from 'node:assert/strict';
import { it } from 'node:test';
import { removeDevice } from '../../../src/domain/second-factor/devices.ts';
import type { TestApp } from '../../support/app.ts';
import { isWhole } from '../../support/sample.ts';
import { giveCodes, giveDevice, type TestDevice } from '../../support/second-factor.ts';
import {
  authorizePath,
  CookieJar,
  password,
  readForm,
  redeem,
  submit,
  type Walk,
  walk,
} from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, codeOf, heading, isConsent, isSignIn, requestOf, type Setting, settle } from './browsing.ts';
import { claimsOf } from './tokens.ts';

const minute = 60_000;

export function asksForCode({ answer }: Walk): boolean {
  return /name="otp"/.test(answer.text) && /name="recovery_code"/.test(answer.text);
}

/** A second factor after the right password (docs/users.md#second-factors; L2, L3, L6, L7). */
export function secondFactor(app: AppOf): void {
  const post = (jar: CookieJar, form: Record<string, string>, path = '/second-factor') =>
    app().send('POST', path, { headers: jar.header, form });

  interface AtCode {
    readonly setting: Setting;
    readonly device: TestDevice;
    readonly at: Walk;
  }

  /** At the page for a code. */
  async function begun(one: TestApp = app()): Promise<AtCode> {
    const setting = await settle(one);
    const device = await giveDevice(one, setting.user);
    const at = await setting.signIn();
    assert.ok(asksForCode(at));
    return { setting, device, at };
  }

  it('a user with a device is asked for its code after the right password; the tokens show it', async () => {
    const { setting, device, at } = await begun();
    assert.deepEqual([at.answer.status, heading(at.answer)], [200, 'Enter your code']);
    assert.match(at.answer.text, /<input id="otp" name="otp" type="text"[^>]* autocomplete="one-time-code"/);
    assert.ok(!at.jar.cookies.has('__Host-sid'), 'nobody is signed in yet');
    const next = await submit(app(), at, { otp: device.code() });
    assert.ok(isConsent(next.answer));
    const tokens = await redeem(app(), setting.client, codeOf(await submit(app(), next, { decision: 'allow' })));
    const { amr, acr } = claimsOf(tokens.id_token);
    assert.deepEqual([amr, acr], [['pwd', 'otp', 'mfa'], 'urn:gatehouse:acr:multi-factor']);
  });

  it('a wrong password reveals nothing about it', async () => {
    const { setting } = await begun();
    const wrong = await submit(app(), await setting.begin(), { username: setting.user.email ?? '', password: 'wrong' });
    assert.equal(wrong.answer.status, 401);
    assert.ok(isSignIn(wrong.answer));
  });

  it('a wrong, empty or malformed code is 401 with the form again; spaces and wide digits are accepted', async () => {
    let { device, at } = await begun();
    for (const otp of [device.wrong(), '', '12345', `${device.code()}0`, 'abcdef', "' or 1=1 --"]) {
      at = await submit(app(), at, { otp });
      assert.equal(at.answer.status, 401, otp);
      assert.ok(asksForCode(at));
      assert.equal(at.answer.headers['www-authenticate'], 'Form realm="gatehouse"');
      assert.match(at.answer.text, otp === '' ? /Something is missing/ : /This code does not work/);
    }
    const wide = [...device.code()].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join('');
    assert.ok(isConsent((await submit(app(), at, { otp: `${wide.slice(0, 3)} ${wide.slice(3)}` })).answer));
  });

  it('a code counts once, also of the 30 seconds before and after; never an older one (RFC 6238 §5.2)', async () => {
    using _ = app().services.clock.hold();
    const { setting, device, at } = await begun();
    const used = device.code();
    assert.ok(isConsent((await submit(app(), at, { otp: used })).answer));
    const replay = await submit(app(), await setting.signIn(), { otp: used });
    assert.equal(replay.answer.status, 401);
    app().services.clock.advance(30_000);
    assert.equal((await submit(app(), replay, { otp: used })).answer.status, 401, 'one step later it is still used up');
    const before = device.code();
    app().services.clock.advance(30_000);
    assert.ok(isConsent((await submit(app(), await setting.signIn(), { otp: before })).answer), 'one step late');
    app().services.clock.advance(90_000);
    const late = device.code();
    app().services.clock.advance(60_000);
    assert.equal((await submit(app(), await setting.signIn(), { otp: late })).answer.status, 401, 'two steps late');
  });

  it('of twenty forms with the same code one is accepted', async () => {
    const { device, at } = await begun();
    const { fields } = readForm(at.answer.text);
    const form = { ...fields, otp: device.code() };
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(at.jar, form)));
    assert.equal(answers.filter(({ status }) => status === 303).length, 1);
    for (const { status } of answers) assert.ok([303, 400, 401, 403].includes(status), String(status));
  });

  it('a recovery code works too, in either field, once; without a device there are none', async () => {
    const { services, account } = app();
    const { setting, device, at } = await begun();
    const [first = '', second = '', third = ''] = await giveCodes(app(), setting.user);
    const next = await submit(app(), at, { otp: '', recovery_code: first });
    const tokens = await redeem(app(), setting.client, codeOf(await submit(app(), next, { decision: 'allow' })));
    assert.deepEqual(claimsOf(tokens.id_token).amr, ['pwd', 'otp', 'mfa']);
    const again = await submit(app(), await setting.signIn(), { otp: '', recovery_code: first });
    assert.equal(again.answer.status, 401);
    assert.match(again.answer.text, /<details class="other" open>/);
    const typed = second.toUpperCase().replaceAll('0', 'O').replaceAll('1', 'l').replace('-', ' ');
    assert.ok(codeOf(await submit(app(), again, { otp: typed })), 'signed in, and has consented before');
    await removeDevice(services, account, setting.user.id, device.id);
    await giveDevice(app(), setting.user);
    assert.equal((await submit(app(), await setting.signIn(), { recovery_code: third })).answer.status, 401);
  });

  it('ten wrong codes lock it, even for the right one; the right password does not restart the count (L6)', async () => {
    using _ = app().services.clock.hold();
    const { setting, device } = await begun();
    for (let tries = 0; tries < 10; tries += 1) {
      // Each with the right password before it.
      assert.equal((await submit(app(), await setting.signIn(), { otp: device.wrong() })).answer.status, 401);
    }
    const closed = await submit(app(), await setting.signIn(), { otp: device.code() });
    assert.equal(closed.answer.status, 401);
    app().services.clock.advance(15 * minute - 1);
    assert.equal((await submit(app(), await setting.signIn(), { otp: device.code() })).answer.status, 401);
    app().services.clock.advance(1);
    assert.ok(isConsent((await submit(app(), await setting.signIn(), { otp: device.code() })).answer));
  });

  const guesses = isWhole ? 100 : 30;
  it(`of ${guesses} simultaneous guesses no more than ten are checked (L6)`, async () => {
    const { setting, device, at } = await begun();
    const { fields } = readForm(at.answer.text);
    const { lastId } = await app().services.store.events.findEnd(app().account.id);
    const form = { ...fields, otp: device.wrong() };
    const answers = await Promise.all(Array.from({ length: guesses }, () => post(at.jar, form)));
    assert.ok(answers.every(({ status }) => status === 401));
    const told = await app().services.store.events.listAfter(app().account.id, lastId, 1000);
    const looked = told.filter(({ action, detail }) => action === 'mfa.failed' && detail.includes('wrong_code'));
    assert.equal(looked.length, 10);
    assert.ok(told.every(({ targetId }) => targetId === setting.user.id));
  });

  it('wrong codes count as failed sign-ins of their address: 429 beyond its limit', async () => {
    const one = await app().another({ 'limit.sign-in': '3/h' });
    const { device, at } = await begun(one);
    const { fields } = readForm(at.answer.text);
    const send = (otp: string) =>
      one.send('POST', '/second-factor', { headers: at.jar.header, form: { ...fields, otp } });
    for (let tries = 0; tries < 3; tries += 1) assert.equal((await send(device.wrong())).status, 401);
    const limited = await send(device.code());
    assert.equal(limited.status, 429);
    assert.ok(limited.headers['retry-after']);
  });

  it('is not reached without the right password, nor from another browser, nor by a forged form (L2, L7)', async () => {
    const { setting, device, at } = await begun();
    const form = readForm(at.answer.text);
    const request = requestOf(at);
    const stranger = await setting.begin();
    const early = await post(stranger.jar, { ...readForm(stranger.answer.text).fields, otp: device.code() });
    assert.equal(early.status, 400);
    assert.match(early.text, /No second factor is required here/);
    const skipped = `/second-factor?request=${requestOf(stranger)}`;
    assert.ok(isSignIn((await walk(app(), stranger.jar, skipped)).answer), 'a step that is not due');
    for (const jar of [stranger.jar, new CookieJar()]) {
      assert.equal((await post(jar, { ...form.fields, otp: device.code() })).status, 400);
      assert.equal((await app().send('GET', `/second-factor?request=${request}`, { headers: jar.header })).status, 400);
    }
    for (const csrf of ['', 'A'.repeat(43), readForm(stranger.answer.text).fields['csrf'] ?? '']) {
      assert.equal((await post(at.jar, { ...form.fields, otp: device.code(), csrf })).status, 403);
    }
    for (const path of ['/sign-in', '/second-factor/enrol', '/new-password', '/consent', '/continue']) {
      assert.ok(asksForCode(await walk(app(), at.jar, `${path}?request=${request}`)), `${path} leads back`);
    }
    const others: [string, Record<string, string>][] = [
      ['/consent', { decision: 'allow' }],
      ['/new-password', { new_password: 'seven brown bears', new_password_confirmation: 'seven brown bears' }],
      ['/second-factor/enrol', { otp: device.code() }],
    ];
    for (const [path, given] of others) {
      assert.equal((await post(at.jar, { ...form.fields, ...given }, path)).status, 400, path);
    }
    const former = at.jar.cookies.get('__Host-tx');
    assert.ok(isConsent((await submit(app(), at, { otp: device.code() })).answer));
    assert.notEqual(at.jar.cookies.get('__Host-tx'), former, 'a different browser secret (L3)');
    assert.ok(at.jar.cookies.has('__Host-sid'));
    assert.equal(
      (await post(at.jar, { ...form.fields, otp: device.code() })).status,
      403,
      'the form of before is over',
    );
  });

  it('comes before replacing an expired password, and is not asked for again after it', async () => {
    const setting = await settle(app());
    const device = await giveDevice(app(), setting.user);
    await app().services.store.users.update(app().account.id, setting.user.id, { status: 4 });
    const at = await setting.signIn();
    assert.ok(asksForCode(at));
    const due = await submit(app(), at, { otp: device.code() });
    assert.match(due.answer.text, /name="new_password"/);
    assert.ok(!due.jar.cookies.has('__Host-sid'));
    const fresh = 'seven brown bears at tea';
    const next = await submit(app(), due, { new_password: fresh, new_password_confirmation: fresh });
    assert.ok(isConsent(next.answer));
    const tokens = await redeem(app(), setting.client, codeOf(await submit(app(), next, { decision: 'allow' })));
    assert.deepEqual(claimsOf(tokens.id_token).amr, ['pwd', 'otp', 'mfa']);
  });

  it('a user locked meanwhile is told so; a password set meanwhile ends it', async () => {
    const locked = await begun();
    await setUser(app().services, app().account, locked.setting.user.id, { status: 'locked' });
    const refused = await submit(app(), locked.at, { otp: locked.device.code() });
    assert.deepEqual([refused.answer.status, heading(refused.answer)], [403, 'Your account is locked']);
    const replaced = await begun();
    app().services.clock.advance(1);
    await setUser(app().services, app().account, replaced.setting.user.id, { password: 'set by an operator' });
    assert.equal((await submit(app(), replaced.at, { otp: replaced.device.code() })).answer.status, 400);
  });

  it('repeated, too long or too large members change nothing', async () => {
    const { device, at } = await begun();
    const { fields } = readForm(at.answer.text);
    const right: Record<string, string> = { ...fields, otp: device.code() };
    for (const path of ['/second-factor', '/second-factor/enrol']) {
      for (const name of ['otp', 'request', 'csrf'] as const) {
        const twice: [string, string][] = [...Object.entries(right), [name, right[name] ?? '']];
        assert.equal((await app().send('POST', path, { headers: at.jar.header, form: twice })).status, 400, name);
      }
      assert.equal((await post(at.jar, { ...fields, otp: '1'.repeat(65) }, path)).status, 400);
      assert.equal((await post(at.jar, { ...fields, otp: '1'.repeat(20_000) }, path)).status, 413);
    }
    assert.ok(isConsent((await submit(app(), at, right)).answer));
  });

  it('a session continues after its user enrols elsewhere; the next sign-in asks', async () => {
    const setting = await settle(app());
    const jar = new CookieJar();
    codeOf(await submit(app(), await setting.signIn({}, jar), { decision: 'allow' }));
    await giveDevice(app(), setting.user);
    codeOf(await walk(app(), jar, authorizePath(setting.client)));
    const again = await walk(app(), jar, authorizePath(setting.client, { prompt: 'login' }));
    const asked = await submit(app(), again, { username: setting.user.email ?? '', password });
    assert.ok(asksForCode(asked));
  });
}
