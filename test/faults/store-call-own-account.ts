/** The account pages for `store-calls.ts`. */

import assert from 'node:assert/strict';
import type { FaultyApp } from '../support/faults.ts';
import { chosen } from '../support/invites.ts';
import { passkeyOptionsOf, TestPasskey } from '../support/passkeys.ts';
import { titlesTo } from '../support/resets.ts';
import { codeAt, giveDevice, keyOf } from '../support/second-factor.ts';
import { CookieJar, formTo, makeUser, password, readForm, submit, submitTo, walk } from '../support/sign-in.ts';
import { isSignedIn } from '../support/sign-out.ts';
import { newBrowser, once } from './store-call-stage.ts';
import type { Attempt, Operation } from './store-calls.ts';

interface Browser {
  readonly jar: CookieJar;
  readonly userId: number;
}

async function enter(app: FaultyApp): Promise<Browser> {
  const user = await makeUser(app);
  const jar = new CookieJar();
  await submit(app, await walk(app, jar, '/account'), { username: user.email ?? '', password });
  return { jar, userId: user.id };
}

/** A browser whose requests change nothing. */
const reader = once(enter);

/** A request of a browser that is signed in. */
function page(operationId: string, path: string): Operation {
  return {
    title: `account page ${path}`,
    surface: 'pages',
    operationId,
    status: 200,
    prepare: async (app) => {
      const { jar } = await reader(app);
      return { send: () => app.send('GET', path, { headers: jar.header }) };
    },
  };
}

/** The form that adds a passkey. */
async function passkeyFields(app: FaultyApp, jar: CookieJar): Promise<Record<string, string>> {
  const at = await walk(app, jar, '/account/passkeys');
  const credential = new TestPasskey(app.account.baseUrl).create(passkeyOptionsOf(at.answer.text));
  return { ...formTo(at, '/account/passkeys'), credential, name: 'Laptop' };
}

function form(
  operationId: string,
  action: string,
  given: Partial<Pick<Operation, 'status' | 'again'>>,
  prepare: (app: FaultyApp) => Promise<{ jar: CookieJar; fields: Record<string, string>; settle?: Attempt['settle'] }>,
): Operation {
  return {
    title: `account form ${action}`,
    surface: 'pages',
    operationId,
    status: 303,
    ...given,
    prepare: async (app) => {
      const { jar, fields, settle } = await prepare(app);
      const send = () => app.send('POST', action, { headers: jar.header, form: fields });
      return settle ? { send, settle } : { send };
    },
  };
}

export const ownAccountOperations: readonly Operation[] = [
  // Stored, but the answer was lost: the user gets a second message; both links are valid.
  form('askForReset', '/forgot-password', {}, async (app) => {
    const user = await makeUser(app);
    // Work after the answer is not part of the request.
    app.services.resetMails.wake = () => {};
    const { jar, answer } = await walk(app, new CookieJar(), '/forgot-password');
    const settle = async () => {
      await app.services.resetMails.run();
      assert.ok(app.services.mails.some(({ to }) => to === user.email));
    };
    return { jar, fields: { ...readForm(answer.text).fields, username: user.email ?? '' }, settle };
  }),
  {
    title: 'account page without a session',
    surface: 'pages',
    operationId: 'showAccount',
    status: 303,
    prepare: async (app) => ({ send: () => app.send('GET', '/account') }),
  },
  page('showAccount', '/account'),
  page('showSecondFactors', '/account/second-factors'),
  page('showPasskeys', '/account/passkeys'),
  page('showSessions', '/account/sessions'),
  page('showApps', '/account/apps'),
  // Changed, and the browser did not hear of it: the present password is another one.
  form('changePassword', '/account/password', { again: 401 }, async (app) => {
    const { jar, userId } = await enter(app);
    const fields = formTo(await walk(app, jar, '/account/password'), '/account/password');
    // Told exactly when it was changed, and once.
    const settle = async () => {
      const user = await app.services.store.users.find(app.account.id, userId);
      const titles = await titlesTo(app, user?.email ?? '');
      assert.deepEqual(titles, ['Your password was changed']);
    };
    return { jar, fields: { ...fields, current_password: password, ...chosen }, settle };
  }),
  // Added, and the browser did not get its new cookie: it signs in again.
  form('addSecondFactor', '/account/second-factors/new', { status: 200, again: 303 }, async (app) => {
    const { jar, userId } = await enter(app);
    const at = await walk(app, jar, '/account/second-factors/new');
    const otp = codeAt(keyOf(at.answer.text), app.services.clock.now());
    const settle = async () => {
      assert.equal((await app.services.store.secondFactors.listDevices(app.account.id, userId)).length, 1);
      assert.equal(await app.services.store.secondFactors.countRecoveryCodes(app.account.id, userId), 10);
    };
    return { jar, fields: { ...readForm(at.answer.text).fields, otp }, settle };
  }),
  form('removeSecondFactor', '/account/second-factors/remove', {}, async (app) => {
    const { jar, userId } = await enter(app);
    const device = await giveDevice(app, { id: userId });
    await submit(app, await walk(app, jar, '/account/second-factors'), { otp: device.code() });
    const fields = formTo(await walk(app, jar, '/account/second-factors'), '/account/second-factors/remove');
    const settle = async () =>
      assert.deepEqual(await app.services.store.secondFactors.listDevices(app.account.id, userId), []);
    return { jar, fields, settle };
  }),
  form('addPasskey', '/account/passkeys', {}, async (app) => {
    const { jar, userId } = await enter(app);
    const fields = await passkeyFields(app, jar);
    const settle = async () => assert.equal((await app.services.store.passkeys.list(app.account.id, userId)).length, 1);
    return { jar, fields, settle };
  }),
  form('changePasskey', '/account/passkeys/change', {}, async (app) => {
    const { jar, userId } = await enter(app);
    await submitTo(app, jar, '/account/passkeys', await passkeyFields(app, jar));
    const fields = formTo(await walk(app, jar, '/account/passkeys'), '/account/passkeys/change');
    const settle = async () => assert.deepEqual(await app.services.store.passkeys.list(app.account.id, userId), []);
    return { jar, fields: { ...fields, change: 'remove' }, settle };
  }),
  form('endAllSessions', '/account/sessions/end-all', {}, async (app) => {
    const browser = await newBrowser(app);
    const fields = formTo(await walk(app, browser.jar, '/account/sessions'), '/account/sessions/end-all');
    const settle = async () => assert.equal(await isSignedIn(app, browser), false, 'still signed in');
    return { jar: browser.jar, fields, settle };
  }),
  form('endOneSession', '/account/sessions/end', {}, async (app) => {
    const browser = await newBrowser(app);
    const jar = new CookieJar();
    await submit(app, await walk(app, jar, '/account'), { username: browser.user.email ?? '', password });
    const fields = formTo(await walk(app, jar, '/account/sessions'), '/account/sessions/end');
    const settle = async () => assert.equal(await isSignedIn(app, browser), false, 'still signed in');
    return { jar, fields, settle };
  }),
  form('removeApp', '/account/apps/remove', {}, async (app) => {
    const { jar, user, client } = await newBrowser(app);
    const fields = formTo(await walk(app, jar, '/account/apps'), '/account/apps/remove');
    const settle = async () => {
      assert.equal(await app.services.store.authorizations.findConsent(app.account.id, user.id, client.app_id), null);
      const live = await app.services.store.grants.listLive(app.account.id, user.id, app.services.clock.now());
      assert.deepEqual(live, []);
    };
    return { jar, fields, settle };
  }),
];
