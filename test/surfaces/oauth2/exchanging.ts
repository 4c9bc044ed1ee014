/** Clients that exchange tokens, for the tests of RFC 8693. */

import { grantAccess } from '../../../src/domain/users/access.ts';
import { linkApi, makeApi } from '../../support/api.ts';
import type { Answer } from '../../support/conforms.ts';
import { makeUser, type RegisteredClient, redeem, registerClient, signInForCode } from '../../support/sign-in.ts';
import { type AppOf, askTokens } from './asking.ts';

export const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const accessToken = 'urn:ietf:params:oauth:token-type:access_token';
export const jwt = 'urn:ietf:params:oauth:token-type:jwt';
export const metadata = {
  token_endpoint_auth_method: 'client_secret_post',
  grant_types: ['authorization_code', 'refresh_token', 'client_credentials', exchangeGrant],
};

export function exchanging(app: AppOf) {
  const ask = (client: RegisteredClient, token: string, more: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    askTokens(app(), client, {
      grant_type: exchangeGrant,
      subject_token: token,
      subject_token_type: accessToken,
      ...more,
    });
  const introspect = async (client: RegisteredClient, token: string) => {
    const form = { client_id: client.client_id, client_secret: client.client_secret ?? '', token };
    return (await app().send('POST', '/oauth2/introspect', { form })).body;
  };
  /** A client with a user's opaque tokens. */
  const opaque = async (changes: object = {}) => {
    const client = await registerClient(app(), { ...metadata, ...changes });
    const user = await makeUser(app(), client.app_id);
    const code = (await signInForCode(app(), client, user)).get('code') ?? '';
    return { client, user, tokens: await redeem(app(), client, code) };
  };
  /** A client with a user's JWT for an API of three audiences, and a gateway that is linked to the same API. */
  const linked = async () => {
    const [client, gateway] = [await registerClient(app(), metadata), await registerClient(app(), metadata)];
    const user = await makeUser(app(), client.app_id);
    const api = await makeApi(app(), ['orders:read', 'orders:write'], { audiences: ['stock', 'billing'] });
    await linkApi(app(), client, api);
    await linkApi(app(), gateway, api, ['orders:read']);
    const asked = { scope: 'openid email orders:read orders:write' };
    const code = (await signInForCode(app(), client, user, asked)).get('code') ?? '';
    const allow = () => grantAccess(app().services, app().account, gateway.app_id, { user: user.email ?? '' });
    return { client, gateway, user, api, allow, tokens: await redeem(app(), client, code) };
  };
  return { ask, introspect, opaque, linked };
}
