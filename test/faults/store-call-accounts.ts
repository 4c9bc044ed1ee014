/** Invite links, devices and sign-out for `store-calls.ts`. */

import assert from 'node:assert/strict';
import type { Answer } from '../support/conforms.ts';
import type { FaultyApp } from '../support/faults.ts';
import { chosen, newInvite } from '../support/invites.ts';
import { newApiKey } from '../support/legacy.ts';
import { codeAt } from '../support/second-factor.ts';
import { CookieJar, makeUser, readForm, type Walk, walk } from '../support/sign-in.ts';
import { beginSignOut, isSignedIn, logoutPath } from '../support/sign-out.ts';
import { waitingDeviceOperations } from './store-call-devices.ts';
import { newBrowser, stageOf } from './store-call-stage.ts';
import type { Attempt, Operation } from './store-calls.ts';

async function manage(app: FaultyApp, method: string, path: string, json?: object): Promise<Answer> {
  const { bearer } = await stageOf(app);
  const headers = { authorization: `Bearer ${bearer}` };
  return app.send(method, `/api/2${path}`, { headers, ...(json && { json }) });
}

function operation(
  given: Omit<Operation, 'prepare'>,
  prepare: (app: FaultyApp) => Promise<Attempt['send'] | Attempt>,
): Operation {
  return {
    ...given,
    prepare: async (app) => {
      const made = await prepare(app);
      return typeof made === 'function' ? { send: made } : made;
    },
  };
}

function sendForm(app: FaultyApp, { jar, answer }: Walk, values: Readonly<Record<string, string>>): Promise<Answer> {
  const { action, fields } = readForm(answer.text);
  return app.send('POST', action, { headers: jar.header, form: { ...fields, ...values } });
}

async function invited(app: FaultyApp): Promise<Walk> {
  const user = await makeUser(app, undefined, { password: undefined });
  return walk(app, new CookieJar(), await newInvite(app, user.email));
}

const device = { factor_id: 1, display_name: 'Phone', expires_in: 900 };

/** A user without devices; where the paths about them begin. */
async function bare(app: FaultyApp): Promise<string> {
  return `/mfa/users/${(await makeUser(app)).id}`;
}

async function register(app: FaultyApp, of: string, verified: boolean) {
  const { body, text } = await manage(app, 'POST', `${of}/registrations`, { ...device, verified });
  assert.ok(body?.factor_data, text);
  return body;
}

const codeOf = ({ services: { clock } }: FaultyApp, { factor_data: { verification_token: key } }: Answer['body']) =>
  codeAt(key, clock.now());

export const inviteOperations: readonly Operation[] = [
  operation(
    { title: 'invite link of the third version', surface: 'api-v3', operationId: 'makeInviteLink', status: 200 },
    async (app) => {
      const { key } = await newApiKey(app);
      const { email } = await makeUser(app);
      return () => app.send('POST', '/api/v3/invites/get_invite_link', { json: { api_key: key, email } });
    },
  ),
  operation({ title: 'page of an invite', surface: 'pages', operationId: 'showInvite', status: 200 }, async (app) => {
    const user = await makeUser(app, undefined, { password: undefined });
    const path = await newInvite(app, user.email);
    return () => app.send('GET', path);
  }),
  // Accepted, and the browser did not get its new cookies: the link is used up.
  operation(
    { title: 'acceptance of an invite', surface: 'pages', operationId: 'acceptInvite', status: 303, again: 410 },
    async (app) => {
      const page = await invited(app);
      return () => sendForm(app, page, chosen);
    },
  ),
];

export const deviceOperations: readonly Operation[] = [
  operation(
    { title: 'registration of a device', surface: 'api-2', operationId: 'createFactorRegistration', status: 201 },
    async (app) => {
      const of = await bare(app);
      return () => manage(app, 'POST', `${of}/registrations`, device);
    },
  ),
  operation(
    {
      title: 'acceptance of a device',
      surface: 'api-2',
      operationId: 'acceptFactorRegistration',
      status: 200,
      // Accepted already.
      again: 422,
    },
    async (app) => {
      const of = await bare(app);
      const made = await register(app, of, false);
      return {
        send: () => manage(app, 'PUT', `${of}/registrations/${made.id}`, { otp: codeOf(app, made) }),
        settle: async () => assert.equal((await manage(app, 'GET', `${of}/devices`)).body.length, 1),
      };
    },
  ),
  operation(
    { title: 'removal of a device', surface: 'api-2', operationId: 'deleteDevice', status: 204, again: 404 },
    async (app) => {
      const of = await bare(app);
      const made = await register(app, of, true);
      return {
        send: () => manage(app, 'DELETE', `${of}/devices/${made.device_id}`),
        settle: async () => assert.deepEqual((await manage(app, 'GET', `${of}/devices`)).body, []),
      };
    },
  ),
  operation(
    {
      title: 'acceptance of a verification',
      surface: 'api-2',
      operationId: 'acceptFactorVerification',
      status: 200,
      again: 422,
    },
    async (app) => {
      const of = await bare(app);
      const made = await register(app, of, true);
      const { body } = await manage(app, 'POST', `${of}/verifications`, { device_id: made.device_id });
      return () => manage(app, 'PUT', `${of}/verifications/${body.id}`, { otp: codeOf(app, made) });
    },
  ),
];

export const signOutOperations: readonly Operation[] = [
  operation(
    { title: 'start of a sign-out', surface: 'oauth2', operationId: 'endSession', status: 303 },
    async (app) => {
      const { jar, tokens } = await newBrowser(app);
      const path = logoutPath({ id_token_hint: tokens.id_token });
      return () => app.send('GET', path, { headers: jar.header });
    },
  ),
  operation(
    { title: 'sign-out with an id token', surface: 'pages', operationId: 'showSignOut', status: 303 },
    async (app) => {
      const browser = await newBrowser(app);
      const { jar, tokens } = browser;
      const begun = await app.send('GET', logoutPath({ id_token_hint: tokens.id_token }), { headers: jar.header });
      jar.keep(begun);
      return {
        send: () => app.send('GET', String(begun.headers['location']), { headers: jar.header }),
        settle: async () => assert.equal(await isSignedIn(app, browser), false, 'still signed in'),
      };
    },
  ),
  operation({ title: 'sign-out', surface: 'pages', operationId: 'signOut', status: 303 }, async (app) => {
    const browser = await newBrowser(app);
    const asked = await beginSignOut(app, browser.jar);
    return {
      send: () => sendForm(app, asked, {}),
      settle: async () => assert.equal(await isSignedIn(app, browser), false, 'still signed in'),
    };
  }),
];

export const accountOperations: readonly Operation[] = [
  ...inviteOperations,
  ...deviceOperations,
  ...waitingDeviceOperations,
  ...signOutOperations,
];
