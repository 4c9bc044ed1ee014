/** Pushed requests, and requests for single claims, for `store-calls.ts`. */

import assert from 'node:assert/strict';
import { authorizePath, CookieJar, codeVerifier, redirectUri, signInForCode, walk } from '../support/sign-in.ts';
import { post } from './store-call-requests.ts';
import { stageOf } from './store-call-stage.ts';
import type { Operation } from './store-calls.ts';

const queryOf = (client: { client_id: string }) =>
  Object.fromEntries(new URL(authorizePath(client), redirectUri).searchParams);

const push: Operation = {
  title: 'pushed request',
  surface: 'oauth2',
  operationId: 'pushAuthorizationRequest',
  status: 201,
  prepare: async (app) => {
    const { client } = await stageOf(app);
    return {
      send: () => post(app, client, '/oauth2/par', queryOf(client)),
      settle: async ({ body }) => {
        const asked = new URLSearchParams({ client_id: client.client_id, request_uri: body.request_uri });
        const { answer } = await walk(app, new CookieJar(), `/oauth2/authorize?${asked}`);
        assert.match(answer.text, /name="password"/);
      },
    };
  },
};

const begin: Operation = {
  title: 'start of a pushed sign-in',
  surface: 'oauth2',
  operationId: 'requestAuthorization',
  status: 303,
  // It was started, but the answer was lost: the request is used up.
  again: 400,
  prepare: async (app) => {
    const { client } = await stageOf(app);
    const { request_uri } = (await post(app, client, '/oauth2/par', queryOf(client))).body;
    const path = `/oauth2/authorize?${new URLSearchParams({ client_id: client.client_id, request_uri })}`;
    return {
      send: () => app.send('GET', path),
      settle: async () => assert.equal((await app.send('GET', path)).status, 400, 'used twice'),
    };
  },
};

const redeem: Operation = {
  title: 'redemption of a code with claims',
  surface: 'oauth2',
  operationId: 'issueToken',
  status: 200,
  again: 400,
  prepare: async (app) => {
    const { client, ...user } = await stageOf(app);
    const claims = '{"userinfo":{"name":null}}';
    const code = (await signInForCode(app, client, user, { scope: 'openid', claims })).get('code') ?? '';
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: codeVerifier };
    return {
      send: () => post(app, client, '/oauth2/token', form),
      settle: async ({ status, body }) => {
        if (status !== 200) return;
        const headers = { authorization: `Bearer ${body.access_token}` };
        assert.equal((await app.send('GET', '/oauth2/userinfo', { headers })).body.name, 'Ada Lovelace');
      },
    };
  },
};

export const pushedOperations: readonly Operation[] = [push, begin, redeem];
