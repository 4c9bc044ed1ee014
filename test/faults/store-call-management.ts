/** Administrators and what they ask for, for `store-calls.ts`. */

import assert from 'node:assert/strict';
import { setAdministrator } from '../../src/domain/administrators/administrators.ts';
import type { Answer } from '../support/conforms.ts';
import { atConsole, consoleClient, consoleRequest, makeAdministrator, redeemAtConsole } from '../support/console.ts';
import { newProofKey } from '../support/dpop.ts';
import type { FaultyApp } from '../support/faults.ts';
import { keepRefusal } from '../support/refusals.ts';
import { makeUser, signInForCode } from '../support/sign-in.ts';
import { once, stageOf } from './store-call-stage.ts';
import type { Operation } from './store-calls.ts';

async function call(app: FaultyApp, method: string, path: string, json?: object): Promise<Answer> {
  const { bearer } = await stageOf(app);
  const headers = { authorization: `Bearer ${bearer}` };
  return app.send(method, `/api/2${path}`, { headers, ...(json && { json }) });
}

function reading(title: string, operationId: string, path: string): Operation {
  return {
    ...{ title, surface: 'api-2', operationId, status: 200 },
    prepare: async (app) => {
      await stageOf(app);
      return { send: () => call(app, 'GET', path) };
    },
  };
}

const administratorOf = once(async (app) => atConsole(app, await makeAdministrator(app)));

/** The scopes that are stored, and how often the trail tells of them. */
async function scopesOf(app: FaultyApp, id: number) {
  const { body: shown } = await call(app, 'GET', `/administrators/${id}`);
  const { body: events } = await call(app, 'GET', `/events?target=user:${id}&action=user.changed`);
  return { scopes: shown.scopes ?? null, told: events.length as number };
}

export const managementOperations: readonly Operation[] = [
  reading('counts of an account', 'listDailyCounts', '/usage/daily'),
  reading('uses of apps', 'listAppUses', '/usage/apps'),
  reading('callers of deprecated surfaces', 'listDeprecatedCalls', '/usage/deprecated-calls'),
  {
    ...{ title: 'explanation of a sign-in', surface: 'api-2', operationId: 'explainUser', status: 200 },
    prepare: async (app) => {
      const { client, userId } = await stageOf(app);
      const asked = { method: 'password', client_id: client.client_id, ip_address: '192.0.2.1' };
      return { send: () => call(app, 'POST', `/users/${userId}/explain`, asked) };
    },
  },
  {
    ...{ title: 'explanation of a refusal', surface: 'api-2', operationId: 'explainRefusal', status: 200 },
    prepare: async (app) => {
      await stageOf(app);
      const reference = await keepRefusal(app);
      return { send: () => call(app, 'GET', `/refusals/${reference}`) };
    },
  },
  {
    ...{ title: 'scopes of an administrator', surface: 'api-2', operationId: 'setAdministrator', status: 200 },
    prepare: async (app) => {
      await stageOf(app);
      const { id } = await makeUser(app);
      return {
        send: () => call(app, 'PUT', `/administrators/${id}`, { scopes: ['read_all'] }),
        settle: async (_again, { verb, when }) => {
          const { scopes, told } = await scopesOf(app, id);
          assert.deepEqual(scopes, ['read_all']);
          // Once by the second request, and by the first one if all but its answer was there.
          const committed = when === 'afterwards' && /transaction/.test(verb);
          assert.equal(told, committed ? 2 : 1, verb);
        },
      };
    },
  },
  {
    title: 'end of an administrator',
    surface: 'api-2',
    operationId: 'deleteAdministrator',
    status: 204,
    again: 404,
    prepare: async (app) => {
      await stageOf(app);
      const { id } = await makeUser(app);
      await setAdministrator(app.services, app.account, id, ['read_all']);
      return {
        send: () => call(app, 'DELETE', `/administrators/${id}`),
        settle: async () => {
          assert.deepEqual(await scopesOf(app, id), { scopes: null, told: 2 });
        },
      };
    },
  },
  {
    ...{ title: 'call of an administrator', surface: 'api-2', operationId: 'readCaller', status: 200 },
    prepare: async (app) => {
      const administrator = await administratorOf(app);
      return { send: () => administrator.call('GET', '/caller') };
    },
  },
  // Redeemed, but the token was lost: the replay ends it.
  {
    ...{ title: 'code of the console', surface: 'oauth2', operationId: 'issueToken', status: 200, again: 400 },
    prepare: async (app) => {
      const { user } = await administratorOf(app);
      const code = (await signInForCode(app, consoleClient, user, consoleRequest(app))).get('code') ?? '';
      const key = await newProofKey();
      return { send: () => redeemAtConsole(app, code, key) };
    },
  },
  {
    ...{ title: 'end of a token of the console', surface: 'oauth2', operationId: 'revokeToken', status: 200 },
    prepare: async (app) => {
      const { user } = await administratorOf(app);
      const console = await atConsole(app, user);
      return {
        send: () => app.send('POST', '/oauth2/revoke', { form: { client_id: 'console', token: console.token } }),
        settle: async () => assert.equal((await console.call('GET', '/caller')).status, 401),
      };
    },
  },
  {
    ...{ title: 'change of a setting', surface: 'api-2', operationId: 'updateAccountSetting', status: 200 },
    prepare: async (app) => {
      await stageOf(app);
      return { send: () => call(app, 'PUT', '/account-settings/refresh.grace_seconds', { value: '10' }) };
    },
  },
];
