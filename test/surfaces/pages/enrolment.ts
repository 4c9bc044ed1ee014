import assert from 'node:assert/strict';
import { it } from 'node:test';
import { changePolicy, createPolicy } from '../../../src/domain/policies/policies.ts';
import { listDevices } from '../../../src/domain/second-factor/devices.ts';
import type { TestApp } from '../../support/app.ts';
import { assignPolicy } from '../../support/policies.ts';
import { dump } from '../../support/rows.ts';
import { codeAt, giveDevice, keyOf, recoveryCodesOf, wrongCode } from '../../support/second-factor.ts';
import { authorizePath, CookieJar, readForm, redeem, refresh, submit, type Walk, walk } from '../../support/sign-in.ts';
import { type AppOf, codeOf, heading, isConsent, requestOf, type Setting, settle } from './browsing.ts';
import { asksForCode } from './second-factor.ts';
import { claimsOf } from './tokens.ts';

const multiFactor = 'urn:gatehouse:acr:multi-factor';

function isEnrolment({ answer }: Walk): boolean {
  return keyOf(answer.text) !== '';
}

/**
 * A device is enrolled where the policy in force wants a second factor and the user has none
 * (docs/users.md#second-factors; RFC 9470, L7).
 */
export function enrolment(app: AppOf): void {
  async function demanding(one: TestApp = app()) {
    return createPolicy(one.services, one.account, { name: `Strict ${Math.random()}`, otpRequired: true });
  }

  /** A user whose own policy demands a second factor. */
  async function settleStrict(one: TestApp = app()): Promise<Setting> {
    const setting = await settle(one);
    await assignPolicy(one.services, one.account, { userId: setting.user.id }, (await demanding(one)).id);
    return setting;
  }

  const code = (at: Walk) => codeAt(keyOf(at.answer.text), app().services.clock.now());

  /** Past the page with the recovery codes. */
  const goOn = (at: Walk) => walk(app(), at.jar, /href="(\/continue[^"]+)"/.exec(at.answer.text)?.[1] ?? '');

  it('a policy that demands it takes effect at the next sign-in: enrol, save the codes, be signed in', async () => {
    const setting = await settle(app());
    codeOf(await submit(app(), await setting.signIn(), { decision: 'allow' }));
    await assignPolicy(app().services, app().account, { userId: setting.user.id }, (await demanding()).id);
    const at = await setting.signIn();
    assert.ok(isEnrolment(at));
    assert.deepEqual([at.answer.status, heading(at.answer)], [200, 'Set up a second factor']);
    assert.match(at.answer.text, /<svg class="qr"/);
    assert.match(at.answer.text, /href="otpauth:\/\/totp\/[^"]*secret=[A-Z2-7]{32}/);
    assert.ok(!at.jar.cookies.has('__Host-sid'));
    const used = code(at);
    const shown = await submit(app(), at, { otp: used });
    assert.deepEqual([shown.answer.status, heading(shown.answer)], [200, 'Save your recovery codes']);
    const codes = recoveryCodesOf(shown.answer.text);
    assert.equal(new Set(codes).size, 10);
    const tokens = await redeem(app(), setting.client, codeOf(await goOn(shown)));
    assert.deepEqual(
      [claimsOf(tokens.id_token).amr, claimsOf(tokens.id_token).acr],
      [['pwd', 'otp', 'mfa'], multiFactor],
    );
    const kept = await refresh(app(), setting.client, tokens.refresh_token);
    assert.deepEqual(claimsOf(kept.body.id_token).amr, ['pwd', 'otp', 'mfa'], 'kept at refresh');
    assert.equal(claimsOf(kept.body.id_token).acr, multiFactor);
    const stored = await dump(app().url);
    for (const secret of [keyOf(at.answer.text), ...codes, ...codes.map((one) => one.replace('-', ''))]) {
      assert.ok(!stored.includes(secret), 'no secret is stored in plain text');
    }
    const later = await setting.signIn();
    assert.ok(asksForCode(later));
    assert.equal(
      (await submit(app(), later, { otp: used })).answer.status,
      401,
      'the code of the enrolment is used up',
    );
    assert.ok(codeOf(await submit(app(), later, { otp: '', recovery_code: codes[9] ?? '' })));
  });

  it('reloading shows the same key, another request another one; a wrong code is 401 and enrols nothing', async () => {
    const setting = await settleStrict();
    const at = await setting.signIn();
    const again = await walk(app(), at.jar, `/second-factor/enrol?request=${requestOf(at)}`);
    assert.equal(keyOf(again.answer.text), keyOf(at.answer.text));
    assert.notEqual(keyOf((await setting.signIn()).answer.text), keyOf(at.answer.text));
    for (const otp of ['', wrongCode(keyOf(at.answer.text), app().services.clock.now()), 'abc']) {
      const refused = await submit(app(), at, { otp });
      assert.equal(refused.answer.status, 401);
      assert.equal(keyOf(refused.answer.text), keyOf(at.answer.text));
    }
    assert.deepEqual(await listDevices(app().services, app().account, setting.user.id), []);
    assert.equal(heading((await submit(app(), at, { otp: code(at) })).answer), 'Save your recovery codes');
  });

  it('cannot be bypassed (L7), nor used once another browser has enrolled a device', async () => {
    const setting = await settleStrict();
    const at = await setting.signIn();
    const { fields } = readForm(at.answer.text);
    for (const path of ['/continue', '/sign-in', '/second-factor', '/new-password', '/consent']) {
      assert.ok(isEnrolment(await walk(app(), at.jar, `${path}?request=${requestOf(at)}`)), path);
    }
    const post = (path: string, given: Record<string, string>) =>
      app().send('POST', path, { headers: at.jar.header, form: { ...fields, ...given } });
    assert.equal((await post('/consent', { decision: 'allow' })).status, 400);
    assert.equal((await post('/second-factor', { otp: code(at) })).status, 400);
    assert.equal((await post('/second-factor/enrol', { otp: code(at), csrf: '' })).status, 403);
    await giveDevice(app(), setting.user);
    assert.equal((await post('/second-factor/enrol', { otp: code(at) })).status, 400);
    assert.equal((await listDevices(app().services, app().account, setting.user.id)).length, 1);
    assert.ok(asksForCode(await walk(app(), at.jar, `/continue?request=${requestOf(at)}`)));
  });

  it('of twenty forms sent at once one enrols', async () => {
    const setting = await settleStrict();
    const at = await setting.signIn();
    const { fields } = readForm(at.answer.text);
    const form = { ...fields, otp: code(at) };
    const sent = () => app().send('POST', '/second-factor/enrol', { headers: at.jar.header, form });
    const answers = await Promise.all(Array.from({ length: 20 }, sent));
    for (const { status } of answers) assert.ok([200, 400, 403].includes(status), String(status));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal((await listDevices(app().services, app().account, setting.user.id)).length, 1);
  });

  it('one of two simultaneous enrolments succeeds, and the other browser must use that device', async () => {
    for (let round = 0; round < 10; round += 1) {
      const setting = await settleStrict();
      const browsers = [await setting.signIn(), await setting.signIn()];
      const sent = browsers.map((at) => {
        const form = { ...readForm(at.answer.text).fields, otp: code(at) };
        return app().send('POST', '/second-factor/enrol', { headers: at.jar.header, form });
      });
      const statuses = (await Promise.all(sent)).map(({ status }) => status);
      assert.deepEqual([...statuses].sort(), [200, 400], `round ${round}`);
      assert.equal((await listDevices(app().services, app().account, setting.user.id)).length, 1);
      const late = browsers[statuses.indexOf(400)];
      assert.ok(late && asksForCode(await walk(app(), late.jar, `/continue?request=${requestOf(late)}`)));
    }
  });

  it('a session without it must step up, once, for an application whose policy demands one', async () => {
    const one = await settle(app());
    const other = await settle(app());
    const jar = new CookieJar();
    await app().services.store.access.grant(app().account.id, other.client.app_id, { userId: one.user.id }, 0);
    codeOf(await submit(app(), await one.signIn({}, jar), { decision: 'allow' }));
    const policy = await demanding();
    await assignPolicy(app().services, app().account, { appId: other.client.app_id }, policy.id);
    const silent = await walk(app(), jar, authorizePath(other.client, { prompt: 'none' }));
    assert.match(String(silent.answer.headers['location']), /error=interaction_required/);
    app().services.clock.advance(1000);
    const at = await walk(app(), jar, authorizePath(other.client));
    assert.ok(isEnrolment(at), 'the password is not asked for again');
    const former = jar.cookies.get('__Host-sid');
    const shown = await submit(app(), at, { otp: code(at) });
    assert.notEqual(jar.cookies.get('__Host-sid'), former, 'a different session id (L3)');
    const consent = await goOn(shown);
    assert.ok(isConsent(consent.answer));
    const tokens = await redeem(app(), other.client, codeOf(await submit(app(), consent, { decision: 'allow' })));
    const claims = claimsOf(tokens.id_token);
    assert.deepEqual(claims.amr, ['pwd', 'otp', 'mfa']);
    assert.ok(claims.auth_time < Math.floor(app().services.clock.now() / 1000), 'the age of the password is unchanged');
    codeOf(await walk(app(), jar, authorizePath(other.client)));
    const old = new CookieJar();
    old.cookies.set('__Host-sid', former ?? '');
    assert.ok(
      !codeStarts(await walk(app(), old, authorizePath(one.client))),
      'the former session id opens nothing (L3)',
    );
    await changePolicy(app().services, app().account, policy.id, { otpRequired: false });
  });

  it('an application can ask for it (acr_values), and gets what it asked for first', async () => {
    const setting = await settle(app());
    const jar = new CookieJar();
    const first = await submit(app(), await setting.signIn({}, jar), { decision: 'allow' });
    const single = await redeem(app(), setting.client, codeOf(first));
    assert.equal(claimsOf(single.id_token).acr, 'urn:gatehouse:acr:single-factor');
    const either = `urn:gatehouse:acr:single-factor ${multiFactor}`;
    codeOf(await walk(app(), jar, authorizePath(setting.client, { acr_values: either })));
    const at = await walk(app(), jar, authorizePath(setting.client, { acr_values: `urn:other ${multiFactor}` }));
    assert.ok(isEnrolment(at));
    const tokens = await redeem(app(), setting.client, codeOf(await goOn(await submit(app(), at, { otp: code(at) }))));
    assert.equal(claimsOf(tokens.id_token).acr, multiFactor);
  });
}

function codeStarts({ answer }: Walk): boolean {
  return /[?&]code=/.test(String(answer.headers['location'] ?? ''));
}
