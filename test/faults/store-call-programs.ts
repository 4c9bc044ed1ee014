/** The other operations of programs, for `store-calls.ts`: registration, tokens of clients and credentials, lookups. */

import assert from 'node:assert/strict';
import { createCredential } from '../../src/domain/callers/credentials.ts';
import { basic, type Sent } from '../support/app.ts';
import type { Answer } from '../support/conforms.ts';
import type { FaultyApp } from '../support/faults.ts';
import { clientAuthentication, password, redirectUri } from '../support/sign-in.ts';
import { assertTokensWork, type Form, isActive } from './store-call-requests.ts';
import { type Stage, stageOf } from './store-call-stage.ts';
import type { Attempt, Operation } from './store-calls.ts';

function register(title: string, path: string, authorized: boolean, status = 201): Operation {
  const prepare = async (app: FaultyApp): Promise<Attempt> => {
    const headers: Record<string, string> = authorized
      ? { authorization: `Bearer ${(await stageOf(app)).bearer}` }
      : {};
    const json = { client_name: 'Fault App', redirect_uris: [redirectUri] };
    return {
      send: () => app.send('POST', path, { headers, json }),
      settle: async ({ body }) => {
        const client = { token_endpoint_auth_method: 'client_secret_basic', ...body };
        assert.equal(await isActive(app, client, 'nothing'), false);
      },
    };
  };
  const surface = path.startsWith('/oidc') ? 'oidc-2' : 'oauth2';
  return { title, surface, operationId: 'registerClient', status, prepare };
}

/** One request that changes nothing but what it answers with. */
function plain(
  given: Pick<Operation, 'title' | 'surface' | 'operationId'> & Partial<Operation>,
  method: string,
  path: string,
  sentBy: (stage: Stage) => Sent,
  settle?: (app: FaultyApp, answer: Answer, stage: Stage) => Promise<void>,
): Operation {
  const prepare = async (app: FaultyApp): Promise<Attempt> => {
    const stage = await stageOf(app);
    const send = () => app.send(method, path, sentBy(stage));
    return settle ? { send, settle: (answer) => settle(app, answer, stage) } : { send };
  };
  return { status: 200, prepare, ...given };
}

function asClient({ client }: Stage, members: Form): Sent {
  const { headers, form } = clientAuthentication(client);
  return { headers, form: { ...form, ...members } };
}

function bearerOf(token: string): Sent {
  return { headers: { authorization: `Bearer ${token}` } };
}

const byPassword = { title: 'password grant', surface: 'oauth2', operationId: 'issueToken' };
const pairPath = '/auth/oauth2/v2/token';
const limitPath = '/auth/rate_limit';

const revokePairToken: Operation = {
  title: "revocation of a credential's token",
  surface: 'auth-2',
  operationId: 'revokeCredentialToken',
  status: 200,
  prepare: async (app) => {
    const { clientId, clientSecret } = await createCredential(app.services, app.account, ['read_users']);
    const headers = basic(clientId, clientSecret);
    const form = { grant_type: 'client_credentials' };
    const { access_token: token } = (await app.send('POST', pairPath, { headers, form })).body;
    return {
      send: () => app.send('POST', '/auth/oauth2/revoke', { headers, json: { access_token: token } }),
      settle: async () => assert.equal((await app.send('GET', limitPath, bearerOf(token))).status, 401),
    };
  },
};

export const programOperations: readonly Operation[] = [
  register('registration at the documented door', '/oidc/2/register', true, 200),
  register('registration at the standard door', '/oauth2/register', true),
  register('registration by anyone', '/oauth2/register', false),
  plain(
    byPassword,
    'POST',
    '/oauth2/token',
    (stage) => asClient(stage, { grant_type: 'password', username: stage.email, password, scope: 'openid profile' }),
    async (app, answer, { client, userId }) => {
      await assertTokensWork(app, client, answer);
      const user = await app.services.store.users.find(app.account.id, userId);
      assert.equal(user?.invalidLoginAttempts, 0, 'a fault was counted as a wrong password');
    },
  ),
  plain(
    { title: 'token of a client', surface: 'oauth2', operationId: 'issueToken' },
    'POST',
    '/oauth2/token',
    (stage) => asClient(stage, { grant_type: 'client_credentials' }),
    async (app, { body }, { client }) => assert.equal(await isActive(app, client, body.access_token), true),
  ),
  plain({ title: 'userinfo', surface: 'oauth2', operationId: 'readUserinfo' }, 'GET', '/oauth2/userinfo', (stage) =>
    bearerOf(stage.tokens.access_token),
  ),
  plain({ title: 'keys', surface: 'oauth2', operationId: 'readKeys' }, 'GET', '/oauth2/jwks', () => ({})),
  plain(
    { title: "a credential's token", surface: 'auth-2', operationId: 'issueCredentialToken' },
    'POST',
    pairPath,
    ({ pair }) => ({ headers: basic(pair.clientId, pair.clientSecret), form: { grant_type: 'client_credentials' } }),
    async (app, { body }) => assert.equal((await app.send('GET', limitPath, bearerOf(body.access_token))).status, 200),
  ),
  plain({ title: 'rate limit', surface: 'auth-2', operationId: 'readRateLimit' }, 'GET', limitPath, ({ bearer }) =>
    bearerOf(bearer),
  ),
  revokePairToken,
];
