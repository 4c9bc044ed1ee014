/** The operations of programs, for `store-calls.ts`: registration, tokens, introspection, revocation. */

import assert from 'node:assert/strict';
import { createCredential } from '../../src/domain/callers/credentials.ts';
import { digestOf } from '../../src/domain/secrets.ts';
import { basic, type Sent } from '../support/app.ts';
import type { Answer } from '../support/conforms.ts';
import type { FaultyApp } from '../support/faults.ts';
import {
  clientAuthentication,
  codeVerifier,
  password,
  type RegisteredClient,
  redirectUri,
  refresh,
} from '../support/sign-in.ts';
import { newCode, newTokens, type Stage, stageOf } from './store-call-stage.ts';
import type { Attempt, Operation } from './store-calls.ts';

type Form = Readonly<Record<string, string>>;

/** Sends a form as the client. */
function post(app: FaultyApp, client: RegisteredClient, path: string, members: Form): Promise<Answer> {
  const { headers, form } = clientAuthentication(client);
  return app.send('POST', path, { headers, form: { ...form, ...members } });
}

async function isActive(app: FaultyApp, client: RegisteredClient, token: string): Promise<boolean> {
  const answer = await post(app, client, '/oauth2/introspect', { token });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.active;
}

async function assertTokensWork(app: FaultyApp, client: RegisteredClient, { body }: Answer): Promise<void> {
  assert.equal(await isActive(app, client, body.access_token), true, 'the access token');
  assert.equal((await refresh(app, client, body.refresh_token)).status, 200, 'the refresh token');
}

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

const redeem: Operation = {
  title: 'redemption of a code',
  surface: 'oauth2',
  operationId: 'issueToken',
  status: 200,
  // The code was used, and nobody has what it gave: the replay ends that (RFC 6749 §4.1.2).
  again: 400,
  prepare: async (app) => {
    const { client } = await stageOf(app);
    const code = await newCode(app);
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: codeVerifier };
    return {
      send: () => post(app, client, '/oauth2/token', form),
      settle: async (answer) => {
        if (answer.status === 200) return assertTokensWork(app, client, answer);
        assert.equal(answer.body.error, 'invalid_grant');
        const { authorizations, grants } = app.services.store;
        const used = await authorizations.findCode(app.account.id, digestOf(code));
        const grant = await grants.find(app.account.id, used?.grantId ?? 0);
        assert.ok(grant?.revokedAt, 'the grant that nobody has lives on');
      },
    };
  },
};

const replay: Operation = {
  title: 'replay of a code',
  surface: 'oauth2',
  operationId: 'issueToken',
  status: 400,
  prepare: async (app) => {
    const { client } = await stageOf(app);
    const code = await newCode(app);
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: codeVerifier };
    const first = await post(app, client, '/oauth2/token', form);
    return {
      send: () => post(app, client, '/oauth2/token', form),
      settle: async () => assert.equal(await isActive(app, client, first.body.access_token), false),
    };
  },
};

function refreshAt(door: '/oidc/2/token' | '/oauth2/token'): Operation {
  return {
    title: `refresh at ${door}`,
    surface: door.startsWith('/oidc') ? 'oidc-2' : 'oauth2',
    operationId: door.startsWith('/oidc') ? 'refreshToken' : 'issueToken',
    status: 200,
    prepare: async (app) => {
      const { client } = await stageOf(app);
      const { refresh_token: token } = await newTokens(app);
      return {
        send: () => refresh(app, client, token, door),
        settle: async (answer) => {
          const third = await refresh(app, client, token, door);
          assert.equal(third.body.refresh_token, answer.body.refresh_token, 'two successors');
          await assertTokensWork(app, client, answer);
        },
      };
    },
  };
}

const reuse: Operation = {
  title: 'reuse of a refresh token',
  surface: 'oauth2',
  operationId: 'issueToken',
  status: 400,
  prepare: async (app) => {
    const { client } = await stageOf(app);
    const { refresh_token: token } = await newTokens(app);
    const second = await refresh(app, client, token);
    const third = await refresh(app, client, second.body.refresh_token);
    return {
      send: () => refresh(app, client, token),
      settle: async () => {
        assert.equal((await refresh(app, client, third.body.refresh_token)).status, 400, 'the family lives on');
        assert.equal(await isActive(app, client, third.body.access_token), false);
      },
    };
  },
};

function revoke(kind: 'access_token' | 'refresh_token'): Operation {
  return {
    title: `revocation of the ${kind.replace('_', ' ')}`,
    surface: 'oauth2',
    operationId: 'revokeToken',
    status: 200,
    prepare: async (app) => {
      const { client } = await stageOf(app);
      const tokens = await newTokens(app);
      return {
        send: () => post(app, client, '/oauth2/revoke', { token: tokens[kind] }),
        settle: async () => {
          assert.equal(await isActive(app, client, tokens.access_token), false, 'the access token');
          const expected = kind === 'refresh_token' ? 400 : 200;
          assert.equal((await refresh(app, client, tokens.refresh_token)).status, expected, 'the refresh token');
        },
      };
    },
  };
}

function introspect(kind: 'access_token' | 'refresh_token'): Operation {
  return {
    title: `introspection of the ${kind.replace('_', ' ')}`,
    surface: 'oauth2',
    operationId: 'introspectToken',
    status: 200,
    prepare: async (app) => {
      const { client } = await stageOf(app);
      const { [kind]: token } = await newTokens(app);
      return {
        send: () => post(app, client, '/oauth2/introspect', { token }),
        settle: async ({ body }) => assert.equal(body.active, true),
      };
    },
  };
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

export const tokenOperations: readonly Operation[] = [
  register('registration at the documented door', '/oidc/2/register', true, 200),
  register('registration at the standard door', '/oauth2/register', true),
  register('registration by anyone', '/oauth2/register', false),
  redeem,
  replay,
  refreshAt('/oidc/2/token'),
  refreshAt('/oauth2/token'),
  reuse,
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
  introspect('access_token'),
  introspect('refresh_token'),
  revoke('access_token'),
  revoke('refresh_token'),
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
