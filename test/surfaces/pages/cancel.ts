import assert from 'node:assert/strict';
import { it } from 'node:test';
import { codesOf, deviceMetadata, poll, type as typeCode } from '../../support/devices.ts';
import { giveDevice } from '../../support/second-factor.ts';
import { CookieJar, formTo, password, registerClient, submit, submitTo, walk } from '../../support/sign-in.ts';
import { assertClientError } from '../oauth2/asking.ts';
import { received } from '../oauth2/response-modes.ts';
import { type AppOf, codeOf, isConsent, isSignIn, settle } from './browsing.ts';
import { asksForCode } from './second-factor.ts';

/** *Cancel*: the client is told `access_denied` (RFC 6749 §4.1.2.1). */
export function cancel(app: AppOf): void {
  it('on the sign-in page it answers the client in its response mode, and the sign-in can be taken up again', async () => {
    const setting = await settle(app());
    for (const mode of ['query', 'fragment', 'form_post'] as const) {
      const at = await setting.begin({ response_mode: mode });
      const form = formTo(at, '/cancel');
      assert.deepEqual(Object.keys(form).sort(), ['csrf', 'request'], 'nothing that was typed is sent');
      const { answer } = await submitTo(app(), at.jar, '/cancel', form);
      const { error, state, iss, code } = received(answer, mode);
      assert.deepEqual([error, state, iss, code], ['access_denied', 'state-1', app().account.baseUrl, undefined]);
      const wrong = await submit(app(), at, { username: setting.user.email ?? '', password: 'wrong' });
      assert.equal((await submitTo(app(), at.jar, '/cancel', formTo(wrong, '/cancel'))).answer.status, answer.status);
      const next = await submit(app(), wrong, { username: setting.user.email ?? '', password });
      assert.equal(isSignIn(next.answer), false);
    }
  });

  it('after the first factor it ends the sign-in, and a session of the browser goes on', async () => {
    const setting = await settle(app());
    const signed = await setting.signIn();
    codeOf(isConsent(signed.answer) ? await submit(app(), signed, { decision: 'allow' }) : signed);
    await giveDevice(app(), setting.user);
    const at = await setting.signIn({ prompt: 'login' }, signed.jar);
    assert.ok(asksForCode(at));
    const { answer } = await submitTo(app(), at.jar, '/cancel', formTo(at, '/cancel'));
    assertClientError(app(), answer, 'access_denied');
    const again = await submitTo(app(), at.jar, '/cancel', formTo(at, '/cancel'));
    assert.equal(again.answer.status, 400, 'it has ended');
    codeOf(await setting.begin({}, at.jar));
  });

  it('a form of another site changes nothing', async () => {
    const setting = await settle(app());
    await giveDevice(app(), setting.user);
    const at = await setting.signIn();
    const forged = await submitTo(app(), at.jar, '/cancel', { ...formTo(at, '/cancel'), csrf: 'x' });
    assert.equal(forged.answer.status, 403);
    const elsewhere = await submitTo(app(), new CookieJar(), '/cancel', formTo(at, '/cancel'));
    assert.equal(elsewhere.answer.status, 400);
    assert.ok(asksForCode(await walk(app(), at.jar, `/continue?request=${formTo(at, '/cancel')['request']}`)));
  });

  it('a device is not denied by somebody who has not signed in, and the account pages have nothing to cancel', async () => {
    const client = await registerClient(app(), deviceMetadata);
    const codes = await codesOf(app(), client);
    const account = await walk(app(), new CookieJar(), '/account');
    for (const at of [await typeCode(app(), codes.user_code), account]) {
      assert.ok(isSignIn(at.answer));
      assert.doesNotMatch(at.answer.text, /\/cancel/);
      const { request = '', csrf = '' } = formTo(at, '/sign-in');
      const { answer } = await submitTo(app(), at.jar, '/cancel', { request, csrf });
      assert.equal(answer.status, 400);
    }
    assert.equal((await poll(app(), client, codes)).body.error, 'authorization_pending');
  });
}
