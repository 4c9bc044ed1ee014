/** Devices without a browser, and their users, for `store-calls.ts`. */

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
import type { FaultyApp } from '../support/faults.ts';
import { CookieJar, makeUser, type RegisteredClient, readForm, registerClient, walk } from '../support/sign-in.ts';
import { assertTokensWork } from './store-call-requests.ts';
import type { Operation } from './store-calls.ts';

interface Waiting {
  readonly client: RegisteredClient;
  readonly codes: Codes;
  readonly user: { readonly email: string | null };
}

async function waiting(app: FaultyApp): Promise<Waiting> {
  const client = await registerClient(app, deviceMetadata);
  return { client, codes: await codesOf(app, client), user: await makeUser(app, client.app_id) };
}

export const waitingDeviceOperations: readonly Operation[] = [
  {
    title: 'begin of a device',
    surface: 'oauth2',
    operationId: 'beginDevice',
    status: 200,
    prepare: async (app) => {
      const { client } = await waiting(app);
      return { send: () => askForCodes(app, client) };
    },
  },
  {
    title: 'question of a device',
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
    // The code was used, and nobody has what it gave: the device begins anew.
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
    title: 'code of a device, typed',
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
    title: 'code that no device shows',
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
];
