import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toldBy } from '../../domain/audit/told.ts';
import { asksForPasskey, passkeyOptionsOf, showPasskey, TestPasskey } from '../../support/passkeys.ts';
import { giveDevice } from '../../support/second-factor.ts';
import { readForm, submit } from '../../support/sign-in.ts';
import { type AppOf, heading, isConsent, settle } from './browsing.ts';
import { assertPage } from './headers.ts';
import { answerFor, claimsAfter, openSignIn } from './passkey-ready.ts';
import { asksForCode } from './second-factor.ts';

/** A passkey after the password, as second factor (WebAuthn Level 3 §7.2, RFC 8176, L3). */
export function passkeySecondFactor(app: AppOf): void {
  it("replaces the code after the password; another user's passkey does not", async () => {
    const ready = await openSignIn(app());
    const device = await giveDevice(app(), ready.setting.user);
    const { given: other } = await openSignIn(app());
    const asked = await ready.setting.signIn();
    assert.ok(asksForCode(asked) && asksForPasskey(asked.answer.text));
    assertPage(asked.answer, "'self' https:");
    const { allowCredentials } = passkeyOptionsOf(asked.answer.text);
    assert.deepEqual(
      allowCredentials?.map(({ id }) => id),
      [ready.given.passkey.credentialId],
    );
    let at = asked;
    const events = await toldBy(app(), async () => {
      for (const credential of [answerFor(at, other), '{}', answerFor(ready.at, ready.given)]) {
        at = await showPasskey(app(), at, credential);
        assert.equal(at.answer.status, 401);
        assert.match(at.answer.text, /This passkey does not work/);
        assertPage(at.answer, "'self' https:");
      }
    });
    const failed = ['mfa.failed', ready.setting.user.id, '{"reason":"wrong_passkey"}'];
    assert.deepEqual(
      events.map(({ action, targetId, detail }) => [action, targetId, detail]),
      [failed, failed, failed],
    );
    at = await submit(app(), at, { otp: device.wrong() });
    assert.equal(at.answer.status, 401);
    const next = await showPasskey(app(), at, answerFor(at, ready.given, { userHandle: undefined }));
    assert.deepEqual((await claimsAfter(app(), next, ready.setting)).amr, ['pwd', 'hwk', 'user', 'mfa']);
  });

  it('a user with only passkeys signs in by password, and uses the passkey if a second factor is required', async () => {
    const ready = await openSignIn(app());
    assert.ok(isConsent((await ready.setting.signIn()).answer));
    const wanted = await ready.setting.signIn({ acr_values: 'urn:gatehouse:acr:multi-factor' });
    assert.equal(heading(wanted.answer), 'Show your passkey');
    assert.ok(asksForPasskey(wanted.answer.text) && !asksForCode(wanted));
    assert.match(wanted.answer.text, /This browser cannot show a passkey here/);
    const next = await showPasskey(app(), wanted, answerFor(wanted, ready.given));
    assert.ok(isConsent(next.answer));
  });

  it('is asked for before an expired password is replaced: the old password alone does not replace it', async () => {
    const { services, account } = app();
    const marked = await openSignIn(app());
    const { user } = marked.setting;
    await services.store.users.update(account.id, user.id, { status: 4 });
    const asked = await marked.setting.signIn();
    assert.ok(asksForPasskey(asked.answer.text));
    assert.doesNotMatch(asked.answer.text, /name="new_password"/);
    const due = await showPasskey(app(), asked, answerFor(asked, marked.given));
    assert.match(due.answer.text, /name="new_password"/);
  });

  it('a passkey is refused when no second factor is due', async () => {
    const at = await (await settle(app())).begin();
    const { fields } = readForm(at.answer.text);
    const form = { ...fields, credential: new TestPasskey('https://a.example').get({ challenge: '' }) };
    const early = await app().send('POST', '/second-factor/passkey', { headers: at.jar.header, form });
    assert.equal(early.status, 400);
    const forged = { ...form, csrf: 'x' };
    const sent = await app().send('POST', '/second-factor/passkey', { headers: at.jar.header, form: forged });
    assert.equal(sent.status, 403);
  });

  it('wrong passkeys after the password count for their address: 429 beyond its limit', async () => {
    const one = await app().another({ 'limit.sign-in': '2/h' });
    const ready = await openSignIn(one);
    await giveDevice(one, ready.setting.user);
    const asked = await ready.setting.signIn();
    for (let tries = 0; tries < 2; tries += 1) assert.equal((await showPasskey(one, asked, '{}')).answer.status, 401);
    assert.equal((await showPasskey(one, asked, answerFor(asked, ready.given))).answer.status, 429);
  });
}
