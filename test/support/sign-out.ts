/** Signs out as a client and a browser do. */

import type { UserRecord } from '../../src/store/users.ts';
import type { TestApp } from './app.ts';
import {
  CookieJar,
  makeUser,
  type RegisteredClient,
  redeem,
  registerClient,
  signInForCode,
  type Tokens,
  type Walk,
  walk,
} from './sign-in.ts';

export const afterwards = 'https://app.example.com/bye';

export interface SignedInBrowser {
  readonly client: RegisteredClient;
  readonly user: UserRecord;
  readonly jar: CookieJar;
  readonly tokens: Tokens;
}

/** A browser that is signed in to a client, which has tokens of the session. */
export async function signedInBrowser(app: TestApp, metadata: object = {}): Promise<SignedInBrowser> {
  return browserOf(app, await registerClient(app, { post_logout_redirect_uris: [afterwards], ...metadata }));
}

/** A browser of a new user, signed in to this client. */
export async function browserOf(app: TestApp, client: RegisteredClient): Promise<SignedInBrowser> {
  const user = await makeUser(app, client.app_id);
  const jar = new CookieJar();
  const query = await signInForCode(app, client, user, {}, jar);
  return { client, user, jar, tokens: await redeem(app, client, query.get('code') ?? '') };
}

export function logoutPath(parameters: Record<string, string>): string {
  return `/oauth2/logout?${new URLSearchParams(parameters)}`;
}

/** Sends the browser to sign out, and follows it. */
export function beginSignOut(app: TestApp, jar: CookieJar, parameters: Record<string, string> = {}): Promise<Walk> {
  return walk(app, jar, logoutPath(parameters));
}

/** Whether the browser is signed in to the client: it gets a code without a page. */
export async function isSignedIn(app: TestApp, { client, jar }: SignedInBrowser): Promise<boolean> {
  const parameters = { prompt: 'none', scope: 'openid profile email' };
  const copy = new CookieJar();
  for (const [name, value] of jar.cookies) copy.cookies.set(name, value);
  const uri = 'https://app.example.com/callback';
  const query = new URLSearchParams({
    ...parameters,
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: uri,
  });
  const { answer } = await walk(app, copy, `/oauth2/authorize?${query}`);
  return new URL(String(answer.headers['location'])).searchParams.get('error') !== 'login_required';
}
