/** Browsers at each step of a sign-in, for the operations of `store-call-pages.ts`. */

import assert from 'node:assert/strict';
import { createPolicy } from '../../src/domain/policies/policies.ts';
import type { Answer } from '../support/conforms.ts';
import type { FaultyApp } from '../support/faults.ts';
import { givePasskey, passkeyOptionsOf } from '../support/passkeys.ts';
import { codeAt, giveDevice, keyOf } from '../support/second-factor.ts';
import {
  authorizePath,
  CookieJar,
  makeUser,
  password,
  readForm,
  redeem,
  signInForCode,
  walk,
} from '../support/sign-in.ts';
import { stageOf } from './store-call-stage.ts';
import type { Attempt, Operation } from './store-calls.ts';

/** A browser that is at a page, or has been sent to an address. */
export interface Browser {
  readonly jar: CookieJar;
  /** Its user. */
  readonly email: string;
  readonly userId: number;
  readonly answer: Answer;
}

export async function openSignIn(app: FaultyApp): Promise<Browser> {
  const { client, email, userId } = await stageOf(app);
  const { jar, answer } = await walk(app, new CookieJar(), authorizePath(client));
  return { jar, email, userId, answer };
}

/** Sends the form of the page, without following where the answer leads. */
export async function sendForm(
  app: FaultyApp,
  browser: Browser,
  values: Readonly<Record<string, string>>,
): Promise<Answer> {
  const { action, fields } = readForm(browser.answer.text);
  return app.send('POST', action, { headers: browser.jar.header, form: { ...fields, ...values } });
}

/** At the page for a new password, for a new user. */
export async function openNewPassword(app: FaultyApp): Promise<Browser> {
  const { client } = await stageOf(app);
  const user = await makeUser(app, client.app_id);
  await app.services.store.users.update(app.account.id, user.id, { status: 4 });
  const { jar, answer: page } = await walk(app, new CookieJar(), authorizePath(client));
  const browser = { jar, email: user.email ?? '', userId: user.id };
  const checked = await sendForm(app, { ...browser, answer: page }, { username: browser.email, password });
  jar.keep(checked);
  const { answer } = await walk(app, jar, String(checked.headers['location']));
  return { ...browser, answer };
}

export interface AskedForCode extends Browser {
  /** The code that the page asks for. */
  readonly code: () => string;
}

/** At the page for a code, or for a new device, for a new user. */
export async function openSecondFactor(app: FaultyApp, enrolled: boolean): Promise<AskedForCode> {
  const { client } = await stageOf(app);
  const { services, account } = app;
  const user = await makeUser(app, client.app_id);
  const device = enrolled ? await giveDevice(app, user) : null;
  if (!enrolled) {
    const known = (await services.store.policies.list(account.id)).find(({ otpRequired }) => otpRequired);
    const policy = known ?? (await createPolicy(services, account, { name: 'Strict', otpRequired: true }));
    await services.store.policies.assign(account.id, { userId: user.id }, policy.id);
  }
  const { jar, answer: page } = await walk(app, new CookieJar(), authorizePath(client));
  const browser = { jar, email: user.email ?? '', userId: user.id };
  const checked = await sendForm(app, { ...browser, answer: page }, { username: browser.email, password });
  jar.keep(checked);
  const { answer } = await walk(app, jar, String(checked.headers['location']));
  return { ...browser, answer, code: device?.code ?? (() => codeAt(keyOf(answer.text), services.clock.now())) };
}

export interface AskedForPasskey extends Browser {
  /** What the authenticator answers to the page. */
  readonly credential: string;
}

/** At the sign-in page, for a new user with a passkey. */
export async function openPasskeySignIn(app: FaultyApp): Promise<AskedForPasskey> {
  const { client } = await stageOf(app);
  const user = await makeUser(app, client.app_id);
  const { passkey } = await givePasskey(app, user);
  const { jar, answer } = await walk(app, new CookieJar(), authorizePath(client));
  const browser = { jar, email: user.email ?? '', userId: user.id, answer };
  return { ...browser, credential: passkey.get(passkeyOptionsOf(answer.text)) };
}

/** At the page for a code, for a new user with a device and a passkey. */
export async function openSecondPasskey(app: FaultyApp): Promise<AskedForPasskey> {
  const browser = await openSecondFactor(app, true);
  const { passkey } = await givePasskey(app, { id: browser.userId });
  const { answer } = await walk(app, browser.jar, pathOf('/second-factor')(browser));
  return { ...browser, answer, credential: passkey.get(passkeyOptionsOf(answer.text)) };
}

export function sendPasskey(
  app: FaultyApp,
  jar: CookieJar,
  page: Answer,
  action: string,
  credential: string,
): Promise<Answer> {
  const { request = '', csrf = '' } = readForm(page.text).fields;
  return app.send('POST', action, { headers: jar.header, form: { request, csrf, credential } });
}

/** One device and all its recovery codes, however often the form was sent. */
export async function assertEnrolledOnce({ services, account }: FaultyApp, { userId }: Browser): Promise<void> {
  assert.equal((await services.store.secondFactors.listDevices(account.id, userId)).length, 1);
  assert.equal(await services.store.secondFactors.countRecoveryCodes(account.id, userId), 10);
}

/** Signed in as a user who was never asked for consent. */
export async function openConsent(app: FaultyApp, asked: Record<string, string> = {}): Promise<Browser> {
  const { client } = await stageOf(app);
  const user = await makeUser(app, client.app_id);
  const { jar, answer: page } = await walk(app, new CookieJar(), authorizePath(client, asked));
  const browser = { jar, email: user.email ?? '', userId: user.id };
  const signedIn = await sendForm(app, { ...browser, answer: page }, { username: browser.email, password });
  jar.keep(signedIn);
  const { answer } = await walk(app, jar, String(signedIn.headers['location']));
  return { ...browser, answer };
}

/** Whatever happened to one sign-in, the next one from the same browser succeeds. */
export async function assertGoesOn(app: FaultyApp, { jar, email, userId }: Browser, typed = password): Promise<void> {
  const { client } = await stageOf(app);
  const query = await signInForCode(app, client, { email }, {}, jar, typed);
  await redeem(app, client, query.get('code') ?? '');
  const user = await app.services.store.users.find(app.account.id, userId);
  assert.equal(user?.invalidLoginAttempts, 0, 'a fault was counted as a wrong password');
}

export interface Step<At extends Browser = Browser> extends Omit<Operation, 'surface' | 'prepare'> {
  readonly surface?: string;
  readonly open: (app: FaultyApp) => Promise<At>;
  readonly send: (app: FaultyApp, browser: At) => Promise<Answer>;
  /** Checks the state afterwards; by default, that the next sign-in succeeds. */
  readonly settle?: (app: FaultyApp, browser: At) => Promise<void>;
}

export function step<At extends Browser>({ open, send, settle = assertGoesOn, ...given }: Step<At>): Operation {
  const prepare = async (app: FaultyApp): Promise<Attempt> => {
    const browser = await open(app);
    return { send: () => send(app, browser), settle: () => settle(app, browser) };
  };
  return { surface: 'pages', ...given, prepare };
}

export function get(path: (browser: Browser) => string): Step['send'] {
  return (app, browser) => app.send('GET', path(browser), { headers: browser.jar.header });
}

/** The page that a browser is at, by its request. */
export function pathOf(page: string): (browser: Browser) => string {
  return ({ answer }) => `${page}?request=${readForm(answer.text).fields['request']}`;
}
