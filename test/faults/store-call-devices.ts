/** Devices without a browser, proofs of a key, and tokens that are exchanged, for `store-calls.ts`. */

import assert from 'node:assert/strict';
import {
  askForCodes,
  type Codes,
  codesOf,
  decideDevice,
  deviceMetadata,
  poll,
  typeAndSignIn,
} from '../support/devices.ts';
import { askWithProof, newProofKey, nonceOf } from '../support/dpop.ts';
import type { FaultyApp } from '../support/faults.ts';
import {
  CookieJar,
  makeUser,
  type RegisteredClient,
  readForm,
  redeem,
  signInForCode,
  walk,
} from '../support/sign-in.ts';
import { assertTokensWork, isActive, post } from './store-call-requests.ts';
import { clientWith } from './store-call-stage.ts';
import type { Operation } from './store-calls.ts';

interface Waiting {
  readonly client: RegisteredClient;
  readonly codes: Codes;
  readonly user: { readonly email: string | null };
}

const deviceClient = clientWith(deviceMetadata);

async function waiting(app: FaultyApp): Promise<Waiting> {
  const client = await deviceClient(app);
  return { client, codes: await codesOf(app, client), user: await makeUser(app, client.app_id) };
}

export const waitingDeviceOperations: readonly Operation[] = [
  {
    title: 'start of a device authorization',
    surface: 'oauth2',
    operationId: 'beginDeviceAuthorization',
    status: 200,
    prepare: async (app) => {
      const { client } = await waiting(app);
      return { send: () => askForCodes(app, client) };
    },
  },
  {
    title: 'poll of a device',
    surface: 'oauth2',
    operationId: 'issueToken',
    status: 400,
    prepare: async (app) => {
      const { client, codes, user } = await waiting(app);
      return {
        send: () => poll(app, client, codes),
        settle: async () => {
          await decideDevice(app, codes.user_code, user);
          await assertTokensWork(app, client, await poll(app, client, codes));
        },
      };
    },
  },
  {
    title: 'tokens of a device',
    surface: 'oauth2',
    operationId: 'issueToken',
    status: 200,
    // The code was used, and its tokens are lost: the device starts again.
    again: 400,
    prepare: async (app) => {
      const { client, codes, user } = await waiting(app);
      await decideDevice(app, codes.user_code, user);
      return {
        send: () => poll(app, client, codes),
        settle: async (answer) => {
          if (answer.status === 200) return assertTokensWork(app, client, answer);
          assert.equal(answer.body.error, 'invalid_grant');
        },
      };
    },
  },
  {
    title: 'typed code of a device',
    surface: 'pages',
    operationId: 'enterUserCode',
    status: 303,
    prepare: async (app) => {
      const { codes } = await waiting(app);
      const { answer, jar } = await walk(app, new CookieJar(), '/device');
      const form = { ...readForm(answer.text).fields, user_code: codes.user_code };
      return { send: () => app.send('POST', '/device', { headers: jar.header, form }) };
    },
  },
  {
    title: 'unknown device code',
    surface: 'pages',
    operationId: 'enterUserCode',
    status: 422,
    prepare: async (app) => {
      const { answer, jar } = await walk(app, new CookieJar(), '/device');
      const form = { ...readForm(answer.text).fields, user_code: 'BCDF-GHJK' };
      return { send: () => app.send('POST', '/device', { headers: jar.header, form }) };
    },
  },
  {
    title: 'end of a sign-in for a device',
    surface: 'pages',
    operationId: 'continueAuthorization',
    status: 303,
    // The request ended: the device is let in, and the browser does not know.
    again: 400,
    prepare: async (app) => {
      const { client, codes, user } = await waiting(app);
      const { answer, jar } = await typeAndSignIn(app, codes.user_code, user);
      const { action, fields } = readForm(answer.text);
      const decided = await app.send('POST', action, {
        headers: jar.header,
        form: { ...fields, decision: 'allow' },
      });
      return {
        send: () => app.send('GET', String(decided.headers['location']), { headers: jar.header }),
        settle: async () => assertTokensWork(app, client, await poll(app, client, codes)),
      };
    },
  },
  {
    title: 'refresh with a proof of a key',
    surface: 'oauth2',
    operationId: 'issueToken',
    status: 200,
    prepare: async (app) => {
      const { client, refresh_token } = await grantOf(app);
      const key = await newProofKey();
      const form = { grant_type: 'refresh_token', refresh_token };
      const nonce = await nonceOf(app, client, key);
      return { send: () => askWithProof(app, client, key, form, { nonce }) };
    },
  },
  {
    title: 'exchange of a token',
    surface: 'oauth2',
    operationId: 'issueToken',
    status: 200,
    prepare: async (app) => {
      const { client, access_token } = await grantOf(app);
      const form = {
        grant_type: exchangeGrant,
        subject_token: access_token,
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      };
      return {
        send: () => post(app, client, '/oauth2/token', form),
        settle: async ({ body }) => assert.equal(await isActive(app, client, body.access_token), true),
      };
    },
  },
];

const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';

const exchangingClient = clientWith({ grant_types: ['authorization_code', 'refresh_token', exchangeGrant] });

/** A user's grant to a client that may exchange. */
async function grantOf(app: FaultyApp) {
  const client = await exchangingClient(app);
  const user = await makeUser(app, client.app_id);
  const code = (await signInForCode(app, client, user)).get('code') ?? '';
  return { client, ...(await redeem(app, client, code)) };
}
