import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { createPolicy } from '../../../src/domain/policies/policies.ts';
import { removeDevice } from '../../../src/domain/second-factor/devices.ts';
import { assertTold, toldBy } from '../../domain/audit/told.ts';
import { type GivenPasskey, givePasskey, type Lies, passkeyOptionsOf, showPasskey } from '../../support/passkeys.ts';
import { assignPolicy } from '../../support/policies.ts';
import { giveDevice } from '../../support/second-factor.ts';
import { CookieJar, password, readForm, submit } from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, heading, isConsent, isSignIn, type Setting, settle, unlimited } from './browsing.ts';
import { assertPage } from './headers.ts';
import { answerFor, claimsAfter, openSignIn } from './passkey-ready.ts';

/** A passkey in place of the password (WebAuthn Level 3 §7.2, RFC 8176, L2). */
export function passkeySignIn(app: AppOf): void {
  let setting: Setting;
  let given: GivenPasskey;
  let other = '';
  before(async () => {
    setting = await settle(app());
    given = await givePasskey(app(), setting.user);
    other = passkeyOptionsOf((await setting.begin()).answer.text).challenge;
    // It has counted, since 0 means that there is no counter.
    const at = await setting.begin();
    assert.ok(isConsent((await showPasskey(app(), at, answerFor(at, given))).answer));
  });

  it('the page accepts any passkey of the account for its own host; without script it shows no button', async () => {
    const at = await setting.begin();
    assertPage(at.answer, "'self' https:");
    const options = passkeyOptionsOf(at.answer.text);
    assert.deepEqual(
      { ...options, challenge: '' },
      {
        challenge: '',
        rpId: new URL(app().account.baseUrl).hostname,
        allowCredentials: [],
        timeout: 300_000,
        userVerification: 'required',
      },
    );
    assert.match(at.answer.text, /<form [^>]*data-passkey="get"[^>]* hidden>/);
    assert.match(at.answer.text, /<input id="username"[^>]* autocomplete="username webauthn"/);
    assert.notEqual(passkeyOptionsOf((await setting.begin()).answer.text).challenge, options.challenge);
  });

  it('signs in without name and password; session and browser secret are new, and the tokens show the method', async () => {
    using _ = app().services.clock.hold();
    const ready = await openSignIn(app());
    const former = ready.at.jar.cookies.get('__Host-tx');
    const { id } = ready.setting.user;
    let next = ready.at;
    const signIn = async () => {
      next = await showPasskey(app(), ready.at, answerFor(ready.at, ready.given));
    };
    const methods = ['hwk', 'user', 'mfa'];
    await assertTold(app(), signIn, [
      ['mfa.verified', `user ${id}`, `user ${id}`, { device_id: ready.given.id }],
      ['sign_in.succeeded', `user ${id}`, `user ${id}`, { app_id: ready.setting.client.app_id, methods }],
    ]);
    assert.ok(isConsent(next.answer), next.answer.text);
    assert.ok(next.jar.cookies.has('__Host-sid'));
    assert.notEqual(next.jar.cookies.get('__Host-tx'), former);
    const { amr, acr, sub } = await claimsAfter(app(), next, ready.setting);
    assert.deepEqual([amr, acr, sub], [['hwk', 'user', 'mfa'], 'urn:gatehouse:acr:multi-factor', `${id}`]);
    const [stored] = await app().services.store.passkeys.list(app().account.id, id);
    assert.deepEqual([stored?.passkey.counter, stored?.device.lastUsedAt], [1, app().services.clock.now()]);
  });

  it('a passkey that may be on several devices gives swk', async () => {
    const ready = await openSignIn(app(), { backupEligible: true });
    const next = await showPasskey(app(), ready.at, answerFor(ready.at, ready.given));
    assert.deepEqual((await claimsAfter(app(), next, ready.setting)).amr, ['swk', 'user', 'mfa']);
  });

  const lies: Readonly<Record<string, (other: string) => Lies>> = {
    'another origin': () => ({ origin: 'https://evil.example' }),
    'the origin of a sibling account': () => ({ origin: 'https://other.gatehouse.example' }),
    'the origin over http': () => ({ origin: app().account.baseUrl.replace('https:', 'http:') }),
    'another relying party': () => ({ rpId: 'evil.example' }),
    'the domain of all accounts as relying party': () => ({ rpId: 'gatehouse.example' }),
    'a frame of another site': () => ({ crossOrigin: true }),
    'an answer to a passkey creation': () => ({ type: 'webauthn.create' }),
    'a user who was not verified': () => ({ userVerified: false }),
    'a user who was not present': () => ({ userPresent: false, userVerified: false }),
    'a signature of another key': () => ({ signature: Buffer.alloc(70, 7).toString('base64url') }),
    'the challenge of another sign-in': (challenge) => ({ challenge }),
    'an invented challenge': () => ({ challenge: Buffer.alloc(56, 7).toString('base64url') }),
    'an invalid challenge': () => ({ challenge: '' }),
    'no user handle': () => ({ userHandle: undefined }),
    'the user handle of another': () => ({ userHandle: Buffer.alloc(32, 7).toString('base64url') }),
    'an unknown passkey': () => ({ credentialId: Buffer.alloc(16, 7).toString('base64url') }),
    'a key that can now be copied': () => ({ backupEligible: true }),
    'a counter that goes back': () => ({ counter: 0 }),
  };
  for (const [title, lie] of Object.entries(lies)) {
    it(`${title}: 401 with the page again, the same text for all`, async () => {
      const again = await setting.begin();
      let refused = again;
      const events = await toldBy(app(), async () => {
        refused = await showPasskey(app(), again, answerFor(again, given, lie(other)));
      });
      assert.equal(refused.answer.status, 401);
      assert.ok(isSignIn(refused.answer));
      assertPage(refused.answer, "'self' https:");
      assert.match(refused.answer.text, /This passkey is not known here, or it took too long/);
      assert.ok(!refused.jar.cookies.has('__Host-sid'));
      assert.deepEqual(
        events.map(({ action, detail }) => [action, detail]),
        [['sign_in.failed', '{"reason":"wrong_passkey"}']],
      );
      assert.ok(
        isConsent((await showPasskey(app(), refused, answerFor(refused, given))).answer),
        'the page still works',
      );
    });
  }

  it('a malformed answer is 401 too', async () => {
    let at = await setting.begin();
    const { credentialId: id } = given.passkey;
    const texts = ['', '{', 'null', '[]', '1', '{}', '{"id":1}', `{"id":"${id}"}`, `{"id":"${id}","response":null}`];
    for (const text of [...texts, `{"id":"${id}","response":{"clientDataJSON":"bnVsbA"}}`]) {
      at = await showPasskey(app(), at, text);
      assert.equal(at.answer.status, 401, text);
    }
  });

  it('an answer counts once, for ten minutes; one of twenty simultaneous ones signs in', async () => {
    using _ = app().services.clock.hold();
    const ready = await openSignIn(app());
    const options = passkeyOptionsOf(ready.at.answer.text);
    const uncounted = ready.given.passkey.get(options, { counter: 0 });
    const { fields } = readForm(ready.at.answer.text);
    const form = { request: fields['request'] ?? '', csrf: fields['csrf'] ?? '', credential: uncounted };
    const send = () => app().send('POST', '/sign-in/passkey', { headers: ready.at.jar.header, form });
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    assert.equal(answers.filter(({ status }) => status === 303).length, 1);
    for (const { status } of answers) assert.ok([303, 400, 401, 403].includes(status), String(status));
    const old = await ready.setting.begin();
    const late = answerFor(old, ready.given, { counter: 0 });
    app().services.clock.advance(10 * 60_000 - 1);
    const young = await ready.setting.begin();
    assert.ok(isConsent((await showPasskey(app(), old, late)).answer), 'up to the last one');
    // The challenge is over before the sign-in that it is of.
    app().services.clock.advance(1);
    const over = answerFor(young, ready.given, { counter: 0 });
    app().services.clock.advance(10 * 60_000);
    assert.equal((await showPasskey(app(), young, over)).answer.status, 400);
  });

  it('a removed passkey signs nobody in, nor does one of another account', async () => {
    const { services, account } = app();
    const ready = await openSignIn(app());
    await removeDevice(services, account, ready.setting.user.id, ready.given.id);
    assert.equal((await showPasskey(app(), ready.at, answerFor(ready.at, ready.given))).answer.status, 401);
    const there = await app().another(unlimited);
    const foreign = await openSignIn(there);
    const here = await setting.begin();
    assert.equal((await showPasskey(app(), here, answerFor(here, foreign.given))).answer.status, 401);
  });

  it('is accepted only from the browser of the sign-in, with its token (L2)', async () => {
    const { jar, answer } = await setting.begin();
    const { fields } = readForm(answer.text);
    const stranger = await setting.begin();
    const credential = answerFor({ jar, answer }, given);
    const post = (from: CookieJar, csrf: string) =>
      app().send('POST', '/sign-in/passkey', {
        headers: from.header,
        form: { request: fields['request'] ?? '', csrf, credential },
      });
    for (const other of [stranger.jar, new CookieJar()]) {
      assert.equal((await post(other, fields['csrf'] ?? '')).status, 400);
    }
    for (const csrf of ['', 'A'.repeat(43), readForm(stranger.answer.text).fields['csrf'] ?? '']) {
      assert.equal((await post(jar, csrf)).status, 403);
    }
    for (const name of ['credential', 'request', 'csrf']) {
      const form: [string, string][] = [...Object.entries({ ...fields, credential }), [name, 'again']];
      assert.equal((await app().send('POST', '/sign-in/passkey', { headers: jar.header, form })).status, 400, name);
    }
    for (const [size, status] of [
      [12_289, 400],
      [20_000, 413],
    ] as const) {
      const form = { ...fields, credential: 'x'.repeat(size) };
      for (const path of ['/sign-in/passkey', '/second-factor/passkey']) {
        assert.equal((await app().send('POST', path, { headers: jar.header, form })).status, status, path);
      }
    }
    assert.equal((await post(jar, fields['csrf'] ?? '')).status, 303, 'nothing was used up');
  });

  it('a lockout after wrong passwords does not apply; wrong passkeys count only for their address', async () => {
    const one = await app().another({ 'limit.sign-in': '12/h' });
    const ready = await openSignIn(one);
    const username = ready.setting.user.email ?? '';
    let at = ready.at;
    for (let tries = 0; tries < 10; tries += 1) at = await submit(one, at, { username, password: 'wrong' });
    assert.equal((await submit(one, at, { username, password })).answer.status, 401, 'closed');
    assert.ok(isConsent((await showPasskey(one, at, answerFor(at, ready.given))).answer));
    const bad = await ready.setting.begin();
    assert.equal((await showPasskey(one, bad, '{}')).answer.status, 401);
    const limited = await showPasskey(one, bad, answerFor(bad, ready.given));
    assert.equal(limited.answer.status, 429);
    assert.ok(limited.answer.headers['retry-after']);
    const user = await one.services.store.users.find(one.account.id, ready.setting.user.id);
    assert.equal(user?.invalidLoginAttempts, 10);
  });

  it('users that are locked, suspended or without access are refused', async () => {
    for (const [status, title] of [
      ['locked', 'Your account is locked'],
      ['suspended', 'Your account is suspended'],
    ] as const) {
      const ready = await openSignIn(app());
      await setUser(app().services, app().account, ready.setting.user.id, { status });
      const refused = await showPasskey(app(), ready.at, answerFor(ready.at, ready.given));
      assert.deepEqual([refused.answer.status, heading(refused.answer)], [403, title]);
    }
    const stranger = await settle(app());
    const at = await stranger.begin();
    const refused = await showPasskey(app(), at, answerFor(at, given));
    assert.deepEqual([refused.answer.status, heading(refused.answer)], [403, 'You do not have access']);
  });

  it('satisfies a policy or a request that demands a second factor; no code is asked for', async () => {
    const { services, account } = app();
    const ready = await openSignIn(app());
    await giveDevice(app(), ready.setting.user);
    const policy = await createPolicy(services, account, { name: `Strict ${ready.given.id}`, otpRequired: true });
    await assignPolicy(services, account, { userId: ready.setting.user.id }, policy.id);
    const at = await ready.setting.begin({ acr_values: 'urn:gatehouse:acr:multi-factor' });
    assert.ok(isConsent((await showPasskey(app(), at, answerFor(at, ready.given))).answer));
  });

  it('an aged password does not block it; one marked as expired must be replaced first', async () => {
    const { services, account } = app();
    const aged = await openSignIn(app());
    const policy = await createPolicy(services, account, { name: `Aging ${aged.given.id}`, passwordExpirationDays: 1 });
    await assignPolicy(services, account, { userId: aged.setting.user.id }, policy.id);
    services.clock.advance(2 * 24 * 3_600_000);
    const late = await aged.setting.begin();
    assert.ok(isConsent((await showPasskey(app(), late, answerFor(late, aged.given))).answer));
    const marked = await openSignIn(app());
    await services.store.users.update(account.id, marked.setting.user.id, { status: 4 });
    const due = await showPasskey(app(), marked.at, answerFor(marked.at, marked.given));
    assert.match(due.answer.text, /name="new_password"/);
    assert.ok(!due.jar.cookies.has('__Host-sid'));
    const fresh = 'seven brown bears at tea';
    const next = await submit(app(), due, { new_password: fresh, new_password_confirmation: fresh });
    assert.deepEqual((await claimsAfter(app(), next, marked.setting)).amr, ['hwk', 'user', 'mfa']);
  });
}
