import assert from 'node:assert/strict';
import { it } from 'node:test';
import { revokeAccess } from '../../../src/domain/users/access.ts';
import { countRows } from '../../support/rows.ts';
import { giveDevice } from '../../support/second-factor.ts';
import {
  authorizePath,
  CookieJar,
  makeUser,
  password,
  readForm,
  submit,
  type Walk,
  walk,
} from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, codeOf, heading, isConsent, requestOf, type Setting, settle } from './browsing.ts';

/** Pages that name the user's state: 403, and only after the right password (docs/document-gaps.md#hosted-pages). */
export function refusals(app: AppOf): void {
  const states = { locked: 'Your account is locked', suspended: 'Your account is suspended' } as const;

  for (const [status, title] of Object.entries(states) as [keyof typeof states, string][]) {
    it(`a ${status} user is told so after the right password only, and gets no session`, async () => {
      const setting = await settle(app());
      await setUser(app().services, app().account, setting.user.id, { status });
      const username = setting.user.email ?? '';
      const wrong = await submit(app(), await setting.begin(), { username, password: 'wrong password' });
      assert.equal(wrong.answer.status, 401);
      assert.ok(!wrong.answer.text.includes(title));
      const right = await submit(app(), wrong, { password });
      assert.equal(right.answer.status, 403);
      assert.equal(heading(right.answer), title);
      assert.match(right.answer.text, new RegExp(app().account.name));
      assert.ok(!right.jar.cookies.has('__Host-sid'));
    });

    it(`a signed-in user who becomes ${status} is told so or asked to sign in; reactivated, a live session continues`, async () => {
      const setting = await settle(app());
      const jar = new CookieJar();
      codeOf(await submit(app(), await setting.signIn({}, jar), { decision: 'allow' }));
      await setUser(app().services, app().account, setting.user.id, { status });
      const onward = () => walk(app(), jar, authorizePath(setting.client));
      const refused = await onward();
      // A suspension ends the session for good.
      if (status === 'suspended') assert.match(refused.answer.text, /name="password"/);
      else assert.deepEqual([refused.answer.status, heading(refused.answer)], [403, title]);
      await setUser(app().services, app().account, setting.user.id, { status: 'active' });
      const again = await onward();
      if (status === 'suspended') assert.match(again.answer.text, /name="password"/);
      else codeOf(again);
    });
  }

  it('a user without access to the app is told its name, only after the right password', async () => {
    const setting = await settle(app(), { client_name: 'Expense <Desk>' });
    const stranger = await makeUser(app());
    const username = stranger.email ?? '';
    const wrong = await submit(app(), await setting.begin(), { username, password: 'wrong password' });
    assert.equal(wrong.answer.status, 401);
    const right = await submit(app(), wrong, { password });
    assert.equal(right.answer.status, 403);
    assert.equal(heading(right.answer), 'You do not have access');
    assert.match(right.answer.text, /Expense &lt;Desk&gt;/);
    assert.ok(!right.jar.cookies.has('__Host-sid'));
  });

  it('access removed between the steps stops the sign-in at consent, at /continue and on the pages', async () => {
    const setting = await settle(app());
    const consent = await setting.signIn();
    const { user, client } = setting;
    await revokeAccess(app().services, app().account, client.app_id, { user: user.email ?? '' });
    const decided = await submit(app(), consent, { decision: 'allow' });
    assert.equal(decided.answer.status, 403);
    assert.equal(heading(decided.answer), 'You do not have access');
    const request = /name="request" value="([^"]+)"/.exec(consent.answer.text)?.[1] ?? '';
    for (const path of ['/consent', '/sign-in', '/continue']) {
      const at = await walk(app(), consent.jar, `${path}?request=${request}`);
      assert.equal(at.answer.status, 403, path);
    }
  });

  const refusalsOf = ({ user }: Setting) =>
    countRows(
      app().url,
      `select 1 as one from events where account_id = ${app().account.id} and target_id = ${user.id} ` +
        "and action = 'sign_in.refused'",
    );
  /** The same form from the same browser, without following the answer. */
  const resend = async ({ jar, answer }: Walk, more: Record<string, string>, action?: string) => {
    const form = readForm(answer.text);
    const { status } = await app().send('POST', action ?? form.action, {
      headers: jar.header,
      form: { ...form.fields, ...more },
    });
    return status;
  };
  const inTurn = async (times: number, ask: () => Promise<number>) => {
    const statuses: number[] = [];
    for (let index = 0; index < times; index += 1) statuses.push(await ask());
    return statuses;
  };
  /** What may happen to a user during a sign-in; whether it ends what is under way at once. */
  const stops = {
    locked: [false, ({ user }: Setting) => setUser(app().services, app().account, user.id, { status: 'locked' })],
    suspended: [true, ({ user }: Setting) => setUser(app().services, app().account, user.id, { status: 'suspended' })],
    'without access': [
      true,
      ({ user, client }: Setting) =>
        revokeAccess(app().services, app().account, client.app_id, { user: user.email ?? '' }),
    ],
  } as const;
  for (const [what, [isEnded, stop]] of Object.entries(stops)) {
    for (const step of ['second factor', 'new password'] as const) {
      it(`a sign-in at the ${step} whose user is ${what} meanwhile ends with the first refusal, which is recorded once`, async () => {
        const setting = await settle(app());
        const device = step === 'second factor' ? await giveDevice(app(), setting.user) : null;
        if (!device) await app().services.store.users.update(app().account.id, setting.user.id, { status: 4 });
        const at = await setting.signIn();
        const given = device
          ? { otp: device.code() }
          : { new_password: 'another one 4', new_password_confirmation: 'another one 4' };
        await stop(setting);
        assert.deepEqual(await inTurn(4, () => resend(at, given)), [isEnded ? 400 : 403, 400, 400, 400]);
        assert.equal(await refusalsOf(setting), isEnded ? 0 : 1);
        const onward = await walk(app(), at.jar, `/continue?request=${requestOf(at)}`);
        assert.equal(onward.answer.status, 400);
        assert.ok(!at.jar.cookies.has('__Host-sid'));
      });
    }
  }

  it('of several forms of one sign-in sent at once after its user was locked, one is recorded', async () => {
    const setting = await settle(app());
    const device = await giveDevice(app(), setting.user);
    const at = await setting.signIn();
    await stops.locked[1](setting);
    await Promise.all(Array.from({ length: 5 }, () => resend(at, { otp: device.code() })));
    assert.equal(await refusalsOf(setting), 1);
  });

  it('a locked user who is signed in is refused at a form that is not due, and recorded at most once', async () => {
    const setting = await settle(app());
    const consent = await setting.signIn();
    assert.ok(isConsent(consent.answer));
    await stops.locked[1](setting);
    // The request for which the user signed in.
    assert.deepEqual(await inTurn(3, () => resend(consent, { otp: '123456' }, '/second-factor')), [403, 400, 400]);
    assert.equal(await refusalsOf(setting), 1);
  });

  it('a refusal names the request, so that it can be found in the log', async () => {
    const setting = await settle(app());
    await setUser(app().services, app().account, setting.user.id, { status: 'locked' });
    const { answer } = await setting.signIn();
    const id = String(answer.headers['x-request-id']);
    assert.ok(answer.text.includes(id));
    const line = app().services.lines.find((one) => one['requestId'] === id && one['event'] === 'request');
    assert.deepEqual([line?.['failure'], line?.['status'], line?.['route']], ['user_locked', 403, '/sign-in']);
    assert.ok(!JSON.stringify(app().services.lines).includes(password), 'no password in the log');
  });
}
