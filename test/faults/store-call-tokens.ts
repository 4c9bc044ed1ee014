/** The operations that spend and end the tokens of a user, for `store-calls.ts`. */

import assert from 'node:assert/strict';
import { digestOf } from '../../src/domain/secrets.ts';
import { codeVerifier, redirectUri, refresh } from '../support/sign-in.ts';
import { assertTokensWork, isActive, post } from './store-call-requests.ts';
import { newCode, newTokens, stageOf } from './store-call-stage.ts';
import type { Operation } from './store-calls.ts';

const redeem: Operation = {
  title: 'redemption of a code',
  surface: 'oauth2',
  operationId: 'issueToken',
  status: 200,
  // The code was used, but the tokens were lost: the replay revokes them (RFC 6749 §4.1.2).
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
        assert.ok(grant?.revokedAt, 'an unrelated grant stays valid');
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
        assert.equal((await refresh(app, client, third.body.refresh_token)).status, 400, 'the family stays valid');
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

export const tokenOperations: readonly Operation[] = [
  redeem,
  replay,
  refreshAt('/oidc/2/token'),
  refreshAt('/oauth2/token'),
  reuse,
  introspect('access_token'),
  introspect('refresh_token'),
  revoke('access_token'),
  revoke('refresh_token'),
];
