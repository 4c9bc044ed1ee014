import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createPolicy } from '../../../src/domain/policies/policies.ts';
import { assignPolicy } from '../../support/policies.ts';
import { codeAt, giveDevice, keyOf } from '../../support/second-factor.ts';
import { authorizePath, CookieJar, password, readForm, submit, type Walk, walk } from '../../support/sign-in.ts';
import { type AppOf, copyOf, heading, isSignIn, type Setting, settle } from './browsing.ts';
import { asksForCode } from './second-factor.ts';

const minute = 60_000;
const multiFactor = 'urn:gatehouse:acr:multi-factor';

/**
 * Means of sign-in change only within ten minutes of a sign-in with all factors that the user has
 * (docs/account-pages.md#the-account-pages).
 */
export function recent(app: AppOf): void {
  const open = (jar: CookieJar, path: string) => walk(app(), jar, path);
  const isEnrolment = ({ answer }: Walk) => keyOf(answer.text) !== '';
  const devicesOf = ({ user }: Setting) => app().services.store.secondFactors.listDevices(app().account.id, user.id);

  /** A browser that signed in by password, and consented, some time ago. */
  async function signedIn(ago: number): Promise<Setting & { readonly jar: CookieJar }> {
    const setting = await settle(app());
    const jar = new CookieJar();
    await submit(app(), await setting.signIn({}, jar), { decision: 'allow' });
    app().services.clock.advance(ago);
    return { ...setting, jar };
  }

  const demands: Readonly<Record<string, (setting: Setting) => Promise<Record<string, string>>>> = {
    acr_values: async () => ({ acr_values: multiFactor }),
    claims: async () => ({ claims: JSON.stringify({ id_token: { acr: { essential: true, values: [multiFactor] } } }) }),
    "the application's policy": async ({ client }) => {
      const { services, account } = app();
      const policy = await createPolicy(services, account, { name: `Strict ${client.app_id}`, otpRequired: true });
      await assignPolicy(services, account, { appId: client.app_id }, policy.id);
      return {};
    },
    "the user's policy": async ({ user }) => {
      const { services, account } = app();
      const policy = await createPolicy(services, account, { name: `Own ${user.id}`, otpRequired: true });
      await assignPolicy(services, account, { userId: user.id }, policy.id);
      return {};
    },
  };
  for (const [name, demand] of Object.entries(demands)) {
    it(`an old session enrols nothing: ${name} leads to the password first, then to the key`, async () => {
      const one = await signedIn(10 * minute + 1);
      const at = await open(one.jar, authorizePath(one.client, await demand(one)));
      assert.ok(!isEnrolment(at), 'no key is shown');
      assert.ok(isSignIn(at.answer));
      const { request = '', csrf = '' } = readForm(at.answer.text).fields;
      const forged = { request, csrf, otp: '123456' };
      const sent = await app().send('POST', '/second-factor/enrol', { headers: one.jar.header, form: forged });
      assert.equal(sent.status, 400);
      assert.ok(isSignIn((await open(one.jar, `/second-factor/enrol?request=${request}`)).answer));
      assert.deepEqual(await devicesOf(one), []);
      const due = await submit(app(), at, { username: one.user.email ?? '', password });
      assert.ok(isEnrolment(due));
      const otp = codeAt(keyOf(due.answer.text), app().services.clock.now());
      assert.equal(heading((await submit(app(), due, { otp })).answer), 'Save your recovery codes');
      assert.equal((await devicesOf(one)).length, 1);
    });
  }

  it('with prompt=none an old session that lacks a factor is login_required', async () => {
    const one = await signedIn(10 * minute + 1);
    const at = await open(one.jar, authorizePath(one.client, { acr_values: multiFactor, prompt: 'none' }));
    assert.match(String(at.answer.headers['location']), /error=login_required/);
  });

  it('the key of a recent session is refused once ten minutes have passed', async () => {
    const one = await signedIn(9 * minute);
    const at = await open(one.jar, authorizePath(one.client, { acr_values: multiFactor }));
    assert.ok(isEnrolment(at), 'it is sufficient within ten minutes');
    app().services.clock.advance(minute + 1);
    const otp = codeAt(keyOf(at.answer.text), app().services.clock.now());
    assert.equal((await submit(app(), at, { otp })).answer.status, 400);
    assert.deepEqual(await devicesOf(one), []);
  });

  it('a second factor alone does not make a session recent', async () => {
    const one = await signedIn(11 * minute);
    const device = await giveDevice(app(), one.user);
    const at = await open(one.jar, authorizePath(one.client, { acr_values: multiFactor }));
    assert.ok(asksForCode(at), 'a user with a factor must use it');
    await submit(app(), at, { otp: device.code() });
    for (const path of ['/account/second-factors', '/account/second-factors/new', '/account/passkeys']) {
      assert.ok(isSignIn((await open(copyOf(one.jar), path)).answer), path);
    }
  });

  it('the password changes only after a recent sign-in, with the second factor of a user who has one', async () => {
    const one = await signedIn(0);
    const form = await open(one.jar, '/account/password');
    assert.equal(heading(form.answer), 'Change your password');
    const typed = { current_password: password, new_password: 'seven brown bears at tea' };
    const given = { ...typed, new_password_confirmation: typed.new_password };
    const device = await giveDevice(app(), one.user);
    const due = await submit(app(), { jar: copyOf(one.jar), answer: form.answer }, given);
    assert.equal(heading(due.answer), 'Enter your code');
    const back = await submit(app(), due, { otp: device.code() });
    assert.equal(heading(back.answer), 'Change your password');
    app().services.clock.advance(10 * minute + 1);
    const late = await submit(app(), { jar: copyOf(back.jar), answer: back.answer }, given);
    assert.ok(isSignIn(late.answer));
    assert.ok(isSignIn((await open(back.jar, '/account/password')).answer));
    const { passwordChangedAt } = one.user;
    const stored = await app().services.store.users.find(app().account.id, one.user.id);
    assert.equal(stored?.passwordChangedAt, passwordChangedAt);
  });
}
