/** The operations of a browser, for `store-calls.ts`: each step of a sign-in. */

import { authorizePath, formTo, password } from '../support/sign-in.ts';
import {
  assertEnrolledOnce,
  assertGoesOn,
  get,
  openConsent,
  openNewPassword,
  openPasskeySignIn,
  openSecondFactor,
  openSecondPasskey,
  openSignIn,
  pathOf,
  sendForm,
  sendPasskey,
  step,
} from './store-call-browser.ts';
import { stageOf } from './store-call-stage.ts';
import type { Operation } from './store-calls.ts';

const fresh = 'seven brown bears at tea';

function end(title: string, response_type: string): Operation {
  return step({
    title,
    operationId: 'continueAuthorization',
    status: 303,
    // The request ended, and its result was lost.
    again: 400,
    open: async (app) => {
      const browser = await openConsent(app, { response_type });
      await sendForm(app, browser, { decision: 'allow' });
      return browser;
    },
    send: get(pathOf('/continue')),
  });
}

export const pageOperations: readonly Operation[] = [
  step({
    title: 'start of a sign-in',
    surface: 'oauth2',
    operationId: 'requestAuthorization',
    status: 303,
    open: openSignIn,
    send: async (app, { jar }) => app.send('GET', authorizePath((await stageOf(app)).client), { headers: jar.header }),
  }),
  step({
    title: 'sign-in page',
    operationId: 'showSignIn',
    status: 200,
    open: openSignIn,
    send: get(pathOf('/sign-in')),
  }),
  step({
    title: 'sign-in',
    operationId: 'signIn',
    status: 303,
    // Signed in, and the browser did not get its new cookie: the page says that this sign-in has ended.
    again: 400,
    open: openSignIn,
    send: (app, browser) => sendForm(app, browser, { username: browser.email, password }),
  }),
  step({
    title: 'sign-in with a wrong password',
    operationId: 'signIn',
    status: 401,
    open: openSignIn,
    send: (app, browser) => sendForm(app, browser, { username: browser.email, password: 'not this one' }),
  }),
  step({
    title: 'sign-in with an unknown name',
    operationId: 'signIn',
    status: 401,
    open: openSignIn,
    send: (app, browser) => sendForm(app, browser, { username: 'nobody@example.com', password }),
  }),
  step({
    title: 'page for a code',
    operationId: 'showSecondFactor',
    status: 200,
    open: (app) => openSecondFactor(app, true),
    send: get(pathOf('/second-factor')),
    settle: async () => {},
  }),
  step({
    title: 'second factor',
    operationId: 'giveSecondFactor',
    status: 303,
    // Signed in, and the browser did not get its new cookies: the page says that this sign-in has ended.
    again: 400,
    open: (app) => openSecondFactor(app, true),
    send: (app, browser) => sendForm(app, browser, { otp: browser.code() }),
    settle: async () => {},
  }),
  step({
    title: 'sign-in with a passkey',
    operationId: 'signInWithPasskey',
    status: 303,
    // Signed in, and the browser did not get its new cookie; or the answer is used up, and the page has a new
    // challenge.
    again: [400, 401],
    open: openPasskeySignIn,
    send: async (app, { jar, answer, credential }) => sendPasskey(app, jar, answer, '/sign-in/passkey', credential),
    settle: async () => {},
  }),
  step({
    title: 'second factor by a passkey',
    operationId: 'giveSecondPasskey',
    status: 303,
    again: 400,
    open: openSecondPasskey,
    send: async (app, { jar, answer, credential }) =>
      sendPasskey(app, jar, answer, '/second-factor/passkey', credential),
    settle: async () => {},
  }),
  step({
    title: 'page for a new device',
    operationId: 'showEnrolment',
    status: 200,
    open: (app) => openSecondFactor(app, false),
    send: get(pathOf('/second-factor/enrol')),
    settle: async () => {},
  }),
  step({
    title: 'enrolment',
    operationId: 'enrolSecondFactor',
    status: 200,
    again: 400,
    open: (app) => openSecondFactor(app, false),
    send: (app, browser) => sendForm(app, browser, { otp: browser.code() }),
    settle: assertEnrolledOnce,
  }),
  step({
    title: 'page for a new password',
    operationId: 'showNewPassword',
    status: 200,
    open: openNewPassword,
    send: get(pathOf('/new-password')),
    settle: async () => {},
  }),
  step({
    title: 'new password',
    operationId: 'chooseNewPassword',
    status: 303,
    // Replaced and signed in, and the browser did not get its new cookies: the page says that this sign-in has ended.
    again: 400,
    open: openNewPassword,
    send: (app, browser) => sendForm(app, browser, { new_password: fresh, new_password_confirmation: fresh }),
    settle: (app, browser) => assertGoesOn(app, browser, fresh),
  }),
  step({
    title: 'consent page',
    operationId: 'showConsent',
    status: 200,
    open: (app) => openConsent(app),
    send: get(pathOf('/consent')),
  }),
  step({
    title: 'consent',
    operationId: 'decideConsent',
    status: 303,
    open: (app) => openConsent(app),
    send: (app, browser) => sendForm(app, browser, { decision: 'allow' }),
  }),
  step({
    title: 'end of a sign-in that is cancelled',
    operationId: 'cancelSignIn',
    status: 303,
    // The request ended, and its answer was lost.
    again: 400,
    open: (app) => openSecondFactor(app, true),
    send: (app, { jar, answer }) =>
      app.send('POST', '/cancel', { headers: jar.header, form: formTo({ answer }, '/cancel') }),
    // Nobody has signed in.
    settle: async () => {},
  }),
  end('end of a sign-in', 'code'),
  end('end of a sign-in with tokens', 'id_token token'),
];
