/** The standard door. */

import { authorizePath, clientAuthentication, codeVerifier, password, redirectUri } from '../../support/sign-in.ts';
import type { Ask, Caller } from './caller.ts';
import { refreshOf } from './requests-doors.ts';
import { metadata, newClient, newCode, newTokens, theBrowser, theClient } from './sign-ins.ts';

const read = (path: string) => (): Ask => ({ path });

/** A form with the client's authentication. */
const byClient =
  (path: string, write: (caller: Caller) => Promise<Readonly<Record<string, string>>>) =>
  async (caller: Caller): Promise<Ask> => {
    const { headers, form } = clientAuthentication((await theClient(caller)).client);
    return { path, sent: { headers, form: { ...form, ...(await write(caller)) } } };
  };

const parametersOf = async (caller: Caller) => {
  const path = authorizePath((await theClient(caller)).client);
  return Object.fromEntries(new URLSearchParams(path.slice(path.indexOf('?'))));
};

const accessToken = async (caller: Caller) =>
  (await caller.once('tokens', () => newTokens(caller))).tokens.access_token;

const bearer = async (caller: Caller) => ({ authorization: `Bearer ${await accessToken(caller)}` });

const ownRegistration =
  (own: (caller: Caller) => ReturnType<typeof newClient>, json?: object) =>
  async (caller: Caller): Promise<Ask> => {
    const { client_id: id, registration_access_token: token } = await own(caller);
    const body = json && { ...json, client_id: id };
    return { path: `/oauth2/register/${id}`, sent: { headers: { authorization: `Bearer ${token}` }, json: body } };
  };

const oneClient = (caller: Caller) => caller.once('own client', () => newClient(caller));

export const standardRequests = {
  readOpenIdConfiguration: read('/.well-known/openid-configuration'),
  readAuthorizationServerMetadata: read('/.well-known/oauth-authorization-server'),
  readKeys: read('/oauth2/jwks'),
  readResourceMetadata: async ({ once, manage }: Caller) => {
    const configuration = { resource_identifier: 'https://mcp.example.com/growth', resource_metadata: true };
    const made = () => manage('POST', '/api_authorizations', { name: 'Tools', configuration });
    return { path: `/oauth2/resource_metadata/${(await once('told API', made)).id}` };
  },
  registerClient: ({ grown }: Caller) => ({
    path: '/oauth2/register',
    sent: { headers: { authorization: grown.bearer }, json: metadata },
  }),
  readClient: ownRegistration(oneClient),
  replaceClient: ownRegistration(oneClient, metadata),
  deleteClient: ownRegistration(newClient),
  requestAuthorization: async (caller: Caller) => {
    const { jar } = await theBrowser(caller);
    return { path: authorizePath((await theClient(caller)).client), sent: { headers: jar.header } };
  },
  requestAuthorizationByForm: async (caller: Caller) => {
    const { jar } = await theBrowser(caller);
    return { path: '/oauth2/authorize', sent: { headers: jar.header, form: await parametersOf(caller) } };
  },
  pushAuthorizationRequest: byClient('/oauth2/par', parametersOf),
  endSession: async (caller: Caller) => {
    const { tokens, jar } = await caller.once('tokens', () => newTokens(caller));
    const query = new URLSearchParams({ id_token_hint: tokens.id_token });
    return { path: `/oauth2/logout?${query}`, sent: { headers: jar.header } };
  },
  endSessionByForm: async (caller: Caller) => {
    const { tokens, jar } = await caller.once('tokens', () => newTokens(caller));
    return { path: '/oauth2/logout', sent: { headers: jar.header, form: { id_token_hint: tokens.id_token } } };
  },
  issueToken: {
    refresh_token: async (caller: Caller) => {
      const { client, tokens } = await newTokens(caller);
      return { path: '/oauth2/token', sent: refreshOf(client, tokens.refresh_token) };
    },
    authorization_code: byClient('/oauth2/token', async (caller) => {
      const { code } = await newCode(caller);
      const about = { redirect_uri: redirectUri, code_verifier: codeVerifier };
      return { grant_type: 'authorization_code', code, ...about };
    }),
    client_credentials: byClient('/oauth2/token', async () => ({ grant_type: 'client_credentials' })),
    password: byClient('/oauth2/token', async (caller) => {
      const { user } = await theBrowser(caller);
      return { grant_type: 'password', username: user.email, password, scope: 'openid' };
    }),
  },
  beginDeviceAuthorization: byClient('/oauth2/device_authorization', async () => ({ scope: 'openid' })),
  readUserinfo: async (caller: Caller) => ({ path: '/oauth2/userinfo', sent: { headers: await bearer(caller) } }),
  readUserinfoByForm: async (caller: Caller) => ({
    path: '/oauth2/userinfo',
    sent: { form: { access_token: await accessToken(caller) } },
  }),
  introspectToken: byClient('/oauth2/introspect', async (caller) => ({ token: await accessToken(caller) })),
  revokeToken: byClient('/oauth2/revoke', async (caller) => ({
    token: (await newTokens(caller)).tokens.refresh_token,
  })),
};
