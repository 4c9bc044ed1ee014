/** Clients and their users, as they register and sign in over HTTP. */

import {
  authorizePath,
  CookieJar,
  password,
  type RegisteredClient,
  redeem,
  signInForCode,
  submit,
  type Tokens,
  type Walk,
  walk,
} from '../../support/sign-in.ts';
import type { Caller } from './caller.ts';
import { newUser } from './requests-users.ts';

export interface OwnedClient extends RegisteredClient {
  readonly registration_access_token: string;
}

export const metadata = {
  client_name: 'Measured App',
  redirect_uris: ['https://app.example.com/callback'],
  grant_types: [
    'authorization_code',
    'refresh_token',
    'client_credentials',
    'password',
    'urn:ietf:params:oauth:grant-type:device_code',
  ],
};

export async function newClient({ grown, send }: Caller): Promise<OwnedClient> {
  return (await send('POST', '/oauth2/register', { headers: { authorization: grown.bearer }, json: metadata })).body;
}

/** The client of all sign-ins, and the role of its users. */
export function theClient(caller: Caller): Promise<{ readonly client: OwnedClient; readonly role: number }> {
  return caller.once('client', async () => {
    const client = await newClient(caller);
    const { id: role } = await caller.manage('POST', '/roles', { name: 'Measured', apps: [client.app_id] });
    return { client, role };
  });
}

/** A user with the password of `sign-in.ts` and access to the client. */
export async function newSigner(caller: Caller, more: object = {}) {
  const { role } = await theClient(caller);
  return newUser(caller, { password, role_ids: [role], ...more });
}

export type Signer = Awaited<ReturnType<typeof newSigner>>;

/** A browser with a session of this user, with consent to the client. */
export async function signIn(caller: Caller, user: Signer): Promise<CookieJar> {
  const jar = new CookieJar();
  await signInForCode(caller, (await theClient(caller)).client, user, {}, jar);
  return jar;
}

/** A user and a browser of theirs that stays signed in. */
export function theBrowser(caller: Caller): Promise<{ readonly user: Signer; readonly jar: CookieJar }> {
  return caller.once('browser', async () => {
    const user = await newSigner(caller);
    return { user, jar: await signIn(caller, user) };
  });
}

/** A code, got without a page. */
export async function newCode(caller: Caller): Promise<{ readonly client: OwnedClient; readonly code: string }> {
  const { client } = await theClient(caller);
  const { user, jar } = await theBrowser(caller);
  return { client, code: (await signInForCode(caller, client, user, {}, jar)).get('code') ?? '' };
}

export async function newTokens(
  caller: Caller,
): Promise<{ readonly client: OwnedClient; readonly tokens: Tokens; readonly jar: CookieJar }> {
  const { client, code } = await newCode(caller);
  return { client, tokens: await redeem(caller, client, code), jar: (await theBrowser(caller)).jar };
}

/** The sign-in page of a new request. */
export async function atSignIn(caller: Caller, jar = new CookieJar()): Promise<Walk> {
  return walk(caller, jar, authorizePath((await theClient(caller)).client));
}

/** What follows the right password of the user. */
export async function pastPassword(caller: Caller, user: Signer): Promise<Walk> {
  return submit(caller, await atSignIn(caller), { username: user.email, password });
}
