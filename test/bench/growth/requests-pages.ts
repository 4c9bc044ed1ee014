/** What a browser asks for: each page as it is reached, each form as its page gives it. */

import { chosen } from '../../support/invites.ts';
import { passkeyOptionsOf } from '../../support/passkeys.ts';
import { codeAt, keyOf } from '../../support/second-factor.ts';
import {
  authorizePath,
  type CookieJar,
  clientAuthentication,
  formTo,
  password,
  readForm,
  signInForCode,
  type Walk,
  walk,
} from '../../support/sign-in.ts';
import { newBrowser, withBoth, withFactor, withPasskey, withPasskeyForm } from './browsers.ts';
import type { Ask, Caller, Prepare } from './caller.ts';
import { newUser } from './requests-users.ts';
import { atSignIn, newSigner, pastPassword, signIn, theBrowser, theClient } from './sign-ins.ts';

type Values = Readonly<Record<string, string>>;

/** Sends the form to `action` of the page that `at` is on. */
function formOf({ jar, answer }: Walk, action: string, values: Values = {}): Ask {
  return { path: action, sent: { headers: jar.header, form: { ...formTo({ answer }, action), ...values } } };
}

/** A page that a browser which is signed in asks for. */
const page =
  (path: string): Prepare =>
  async (caller) => ({ path, sent: { headers: (await theBrowser(caller)).jar.header } });

/** A page that anybody can ask for. */
const open = (path: string) => (): Ask => ({ path });

/** A form of an account page; `browse` answers the browser that sends it. */
const form =
  (at: string, action: string, browse: (caller: Caller) => Promise<CookieJar>, values: Values = {}): Prepare =>
  async (caller) =>
    formOf(await walk(caller, await browse(caller), at), action, values);

/** A page of a pending sign-in, requested repeatedly. */
const step =
  (path: string, reach: (caller: Caller) => Promise<Walk>): Prepare =>
  async (caller) => {
    const { jar, answer } = await caller.once(`at ${path}`, () => reach(caller));
    const { request = '' } = readForm(answer.text).fields;
    return { path: `${path}?request=${request}`, sent: { headers: jar.header } };
  };

const atConsent = async (caller: Caller): Promise<Walk> => {
  const { client } = await theClient(caller);
  return walk(caller, (await theBrowser(caller)).jar, authorizePath(client, { prompt: 'consent' }));
};

const atSecondFactor = async (caller: Caller) => {
  const { user, code } = await withFactor(caller);
  return { at: await pastPassword(caller, user), code };
};

const strictPolicy = (caller: Caller): Promise<number> =>
  caller.once('strict policy', async () => {
    const { id } = await caller.manage('POST', '/policies', { name: 'Strict', otp_required: true });
    return id;
  });

const atEnrolment = async (caller: Caller) =>
  pastPassword(caller, await newSigner(caller, { policy_id: await strictPolicy(caller) }));

/** Status 4: the password has expired. */
const atNewPassword = async (caller: Caller) => pastPassword(caller, await newSigner(caller, { status: 4 }));

async function atInvite(caller: Caller): Promise<Ask> {
  const { email } = await newUser(caller);
  const sent = { headers: { authorization: caller.grown.bearer }, json: { email } };
  const { body } = await caller.send('POST', '/api/1/invites/get_invite_link', sent);
  const { pathname, search } = new URL(body.data[0]);
  return { path: pathname + search };
}

async function atSignOut(caller: Caller, jar: CookieJar): Promise<Walk> {
  return walk(caller, jar, '/oauth2/logout');
}

/** A separate browser for each request, since the request ends its session or changes its id. */
const fresh = async (caller: Caller) => (await newBrowser(caller)).jar;

const signInPages = {
  showSignIn: step('/sign-in', atSignIn),
  signIn: async (caller: Caller) => {
    const { user } = await theBrowser(caller);
    return formOf(await atSignIn(caller), '/sign-in', { username: user.email, password });
  },
  signInWithPasskey: async (caller: Caller) => {
    const { passkey } = await caller.once('passkey', () => withPasskey(caller));
    const at = await atSignIn(caller);
    return formOf(at, '/sign-in/passkey', { credential: passkey.get(passkeyOptionsOf(at.answer.text)) });
  },
  giveSecondPasskey: async (caller: Caller) => {
    const { user, passkey } = await caller.once('passkey and factor', () => withBoth(caller));
    const at = await pastPassword(caller, user);
    return formOf(at, '/second-factor/passkey', { credential: passkey.get(passkeyOptionsOf(at.answer.text)) });
  },
  showSecondFactor: step('/second-factor', async (caller) => (await atSecondFactor(caller)).at),
  giveSecondFactor: async (caller: Caller) => {
    const { at, code } = await atSecondFactor(caller);
    return formOf(at, '/second-factor', { otp: code() });
  },
  showEnrolment: step('/second-factor/enrol', atEnrolment),
  enrolSecondFactor: async (caller: Caller) => {
    const at = await atEnrolment(caller);
    return formOf(at, '/second-factor/enrol', { otp: codeAt(keyOf(at.answer.text), Date.now()) });
  },
  showNewPassword: step('/new-password', atNewPassword),
  chooseNewPassword: async (caller: Caller) => formOf(await atNewPassword(caller), '/new-password', chosen),
  showConsent: step('/consent', atConsent),
  decideConsent: async (caller: Caller) => formOf(await atConsent(caller), '/consent', { decision: 'allow' }),
  cancelSignIn: async (caller: Caller) => {
    const { user } = await withFactor(caller);
    return formOf(await pastPassword(caller, user), '/cancel');
  },
  continueAuthorization: step('/continue', atConsent),
  showSignedIn: page('/signed-in'),
};

const passwordPages = {
  showInvite: (caller: Caller) => caller.once('invite', () => atInvite(caller)),
  acceptInvite: async (caller: Caller) => {
    const { path } = await atInvite(caller);
    return formOf(await walk(caller, await fresh(caller), path), '/password/reset', chosen);
  },
  showForgotPassword: open('/forgot-password'),
  askForReset: form('/forgot-password', '/forgot-password', async (caller) => (await theBrowser(caller)).jar, {
    username: 'user1@example.com',
  }),
  showResetSent: open('/forgot-password/sent'),
};

const devicePages = {
  showDevice: open('/device'),
  enterUserCode: async (caller: Caller) => {
    const { client } = await theClient(caller);
    const { headers, form: own } = clientAuthentication(client);
    const sent = { headers, form: { ...own, scope: 'openid' } };
    const { body } = await caller.send('POST', '/oauth2/device_authorization', sent);
    const at = await walk(caller, (await theBrowser(caller)).jar, '/device');
    return formOf(at, '/device', { user_code: body.user_code });
  },
  showDeviceDone: open('/device/done?outcome=allowed'),
};

/** The one with a second factor, which shows the codes that it has. */
const withCodes = (caller: Caller) =>
  caller.once('browser with codes', async () => {
    const { jar } = await newBrowser(caller);
    await addFactor(caller, jar);
    return jar;
  });

async function addFactor(caller: Caller, jar: CookieJar): Promise<void> {
  const { path, sent } = await newFactor(caller, jar);
  jar.keep(await caller.send('POST', path, sent));
}

async function newFactor(caller: Caller, jar: CookieJar): Promise<Ask> {
  const at = await walk(caller, jar, '/account/second-factors/new');
  const otp = codeAt(keyOf(at.answer.text), Date.now());
  return formOf(at, '/account/second-factors/new', { otp });
}

const ownPages = {
  showAccount: page('/account'),
  showPasswordChange: page('/account/password'),
  changePassword: form('/account/password', '/account/password', fresh, { current_password: password, ...chosen }),
  showSecondFactors: page('/account/second-factors'),
  showNewSecondFactor: page('/account/second-factors/new'),
  addSecondFactor: async (caller: Caller) => newFactor(caller, await fresh(caller)),
  removeSecondFactor: async (caller: Caller) => {
    const jar = await fresh(caller);
    await addFactor(caller, jar);
    return formOf(await walk(caller, jar, '/account/second-factors'), '/account/second-factors/remove');
  },
  renewRecoveryCodes: form('/account/second-factors', '/account/recovery-codes', withCodes),
  showPasskeys: page('/account/passkeys'),
  addPasskey: async (caller: Caller) => (await withPasskeyForm(caller)).ask,
  changePasskey: async (caller: Caller) => {
    const { jar } = await caller.once('passkey', () => withPasskey(caller));
    const at = await walk(caller, jar, '/account/passkeys');
    return formOf(at, '/account/passkeys/change', { name: `Key ${caller.next()}`, change: 'rename' });
  },
  showSessions: page('/account/sessions'),
  endOneSession: async (caller: Caller) => {
    const { user, jar } = await theBrowser(caller);
    await signIn(caller, user);
    return formOf(await walk(caller, jar, '/account/sessions'), '/account/sessions/end');
  },
  endAllSessions: async (caller: Caller) => {
    const { user, jar } = await newBrowser(caller);
    await signIn(caller, user);
    return formOf(await walk(caller, jar, '/account/sessions'), '/account/sessions/end-all');
  },
  showApps: page('/account/apps'),
  removeApp: async (caller: Caller) => {
    const { user, jar } = await caller.once('browser of apps', () => newBrowser(caller));
    await signInForCode(caller, (await theClient(caller)).client, user, {}, jar);
    return formOf(await walk(caller, jar, '/account/apps'), '/account/apps/remove');
  },
  showSignOut: step('/sign-out', async (caller) => atSignOut(caller, (await theBrowser(caller)).jar)),
  signOut: async (caller: Caller) => formOf(await atSignOut(caller, await fresh(caller)), '/sign-out'),
  showSignedOut: open('/signed-out'),
  readAsset: open('/assets/styles.css'),
  findPasswordPage: open('/.well-known/change-password'),
  readFavicon: open('/favicon.ico'),
  readRobots: open('/robots.txt'),
};

export const pageRequests = { ...signInPages, ...passwordPages, ...devicePages, ...ownPages };
