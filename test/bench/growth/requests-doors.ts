/** The documented doors for tokens and registrations, and the deprecated surfaces. */

import { basic } from '../../support/basic.ts';
import { clientAuthentication, password, type RegisteredClient } from '../../support/sign-in.ts';
import type { Caller } from './caller.ts';
import { newUser, someUser } from './requests-users.ts';
import { newTokens } from './sign-ins.ts';

const pairOf = ({ grown: { credential } }: Caller) => basic(credential.clientId, credential.clientSecret);

async function newCredentialToken(caller: Caller): Promise<string> {
  const sent = { headers: pairOf(caller), form: { grant_type: 'client_credentials' } };
  return (await caller.send('POST', '/auth/oauth2/v2/token', sent)).body.access_token;
}

export const credentialRequests = {
  issueCredentialToken: (caller: Caller) => ({
    path: '/auth/oauth2/v2/token',
    sent: { headers: pairOf(caller), form: { grant_type: 'client_credentials' } },
  }),
  revokeCredentialToken: async (caller: Caller) => ({
    path: '/auth/oauth2/revoke',
    sent: { headers: pairOf(caller), json: { access_token: await newCredentialToken(caller) } },
  }),
  readRateLimit: ({ grown }: Caller) => ({
    path: '/auth/rate_limit',
    sent: { headers: { authorization: grown.bearer } },
  }),
};

export const documentedRequests = {
  registerClient: ({ grown, next }: Caller) => ({
    path: '/oidc/2/register',
    sent: {
      headers: { authorization: grown.bearer },
      json: { client_name: `Registered ${next()}`, redirect_uris: ['https://app.example.com/callback'] },
    },
  }),
  refreshToken: async (caller: Caller) => {
    const { client, tokens } = await newTokens(caller);
    return { path: '/oidc/2/token', sent: refreshOf(client, tokens.refresh_token) };
  },
};

/** What a client sends to refresh. */
export function refreshOf(client: RegisteredClient, token: string) {
  const { headers, form } = clientAuthentication(client);
  return { headers, form: { ...form, grant_type: 'refresh_token', refresh_token: token } };
}

const invited = async (caller: Caller) => (await newUser(caller)).email;

/** Right passwords leave no count. */
const delegate = (caller: Caller) => caller.once('delegate', () => newUser(caller, { password }));

export const deprecatedRequests = {
  'api-1': {
    createInviteLink: async (caller: Caller) => ({
      path: '/api/1/invites/get_invite_link',
      sent: { headers: { authorization: caller.grown.bearer }, json: { email: await invited(caller) } },
    }),
  },
  'api-v3': {
    makeInviteLink: async (caller: Caller) => ({
      path: '/api/v3/invites/get_invite_link',
      sent: { json: { api_key: caller.grown.apiKey, email: await invited(caller) } },
    }),
  },
  'api-v1': {
    authenticateDelegated: async (caller: Caller) => {
      const { email } = await delegate(caller);
      const query = new URLSearchParams({ api_key: caller.grown.apiKey, email, password });
      return { path: `/api/v1/delegated_auth?${query}` };
    },
  },
};

const withKey = ({ grown }: Caller, document?: string) => ({
  headers: { ...basic(grown.apiKey, 'x'), ...(document !== undefined && { 'content-type': 'application/xml' }) },
  ...(document !== undefined && { raw: document }),
});

export const xmlRequests = {
  listUsers: {
    'all of them': {
      prepare: (caller: Caller) => ({ path: '/users.xml', sent: withKey(caller) }),
      grows: 'its answer lists every user',
    },
    'a page from the middle': (caller: Caller) => {
      const { userIds } = caller.grown;
      const middle = userIds[Math.floor(userIds.length / 2)];
      return { path: `/users.xml?from_id=${middle}`, sent: withKey(caller) };
    },
  },
  createUser: (caller: Caller) => ({
    path: '/users.xml',
    sent: withKey(caller, `<user><email>xml${caller.next()}@example.com</email><firstname>Ada</firstname></user>`),
  }),
  readUser: (caller: Caller) => ({ path: `/users/${someUser(caller)}.xml`, sent: withKey(caller) }),
  updateUser: (caller: Caller) => ({
    path: `/users/${someUser(caller)}.xml`,
    sent: withKey(caller, `<user><firstname>Ada ${caller.next()}</firstname></user>`),
  }),
  deleteUser: async (caller: Caller) => ({
    path: `/users/${(await newUser(caller)).id}.xml`,
    sent: withKey(caller),
  }),
};
