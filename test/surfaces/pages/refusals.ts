import assert from 'node:assert/strict';
import { it } from 'node:test';
import { revokeAccess } from '../../../src/domain/users/access.ts';
import { authorizePath, CookieJar, makeUser, password, submit, walk } from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, codeOf, heading, settle } from './browsing.ts';

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
