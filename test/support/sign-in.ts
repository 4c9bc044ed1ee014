/** Signs in as a script does: plain requests, the forms of the pages, a cookie jar. */

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { grantAccess } from '../../src/domain/users/access.ts';
import type { UserRecord } from '../../src/store/users.ts';
import type { TestApp } from './app.ts';
import { basic } from './basic.ts';
import type { Answer } from './conforms.ts';
import { addUser } from './users.ts';

export const password = 'correct horse battery staple';
export const redirectUri = 'https://app.example.com/callback';

/** What takes requests: the application under test, or a service that listens. */
export type Sender = Pick<TestApp, 'send'>;

export interface RegisteredClient {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly app_id: number;
  readonly token_endpoint_auth_method: string;
}

/** Registers a client at the standard door. */
export async function registerClient(
  app: Pick<TestApp, 'send' | 'bearer'>,
  metadata: object = {},
): Promise<RegisteredClient> {
  const answer = await app.send('POST', '/oauth2/register', {
    headers: { authorization: `Bearer ${await app.bearer('register_clients')}` },
    json: {
      client_name: 'Test App',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials', 'password'],
      ...metadata,
    },
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** Metadata of a client of the implicit flow. */
export const implicitClient = {
  grant_types: ['authorization_code', 'refresh_token', 'client_credentials', 'password', 'implicit'],
  response_types: ['code', 'id_token token', 'id_token'],
};

let users = 0;

/** An active user with `password`; given access to the app when one is named. */
export async function makeUser(app: TestApp, appId?: number, given: object = {}): Promise<UserRecord> {
  users += 1;
  const user = await addUser(app.services, app.account, {
    email: `user${users}@example.com`,
    firstname: 'Ada',
    lastname: 'Lovelace',
    password,
    ...given,
  });
  if (appId !== undefined) await grantAccess(app.services, app.account, appId, { user: user.email ?? '' });
  return user;
}

/** Cookies by name, as a browser keeps them. */
export class CookieJar {
  readonly cookies = new Map<string, string>();

  keep(answer: Answer): void {
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [pair = ''] = line.split(';', 1);
      const [name = '', ...value] = pair.split('=');
      this.cookies.set(name, value.join('='));
    }
  }

  get header(): { cookie: string } {
    return { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
  }
}

/** Values of a page's inputs and the target of its form. */
export function readForm(html: string): { action: string; fields: Record<string, string> } {
  const fields: Record<string, string> = {};
  for (const [tag] of html.matchAll(/<input\b[^>]*>/g)) {
    const name = /\bname="([^"]*)"/.exec(tag)?.[1];
    if (name) fields[name] = /\bvalue="([^"]*)"/.exec(tag)?.[1] ?? '';
  }
  const action = /<form\b[^>]*\baction="([^"]*)"/.exec(html)?.[1];
  assert.ok(action, 'the page has no form');
  return { action, fields };
}

/** Values of the form of a page that is sent to `action`. */
export function formTo({ answer }: Pick<Walk, 'answer'>, action: string): Record<string, string> {
  const form = answer.text.split('<form').find((part) => part.includes(`action="${action}"`));
  assert.ok(form, `no form to ${action}`);
  return readForm(`<form${form}`).fields;
}

export interface Walk {
  readonly jar: CookieJar;
  /** The last answer: a page, or the redirect to the client. */
  readonly answer: Answer;
}

/** Goes from an address on, following our own redirects, until a page or an address of the client. */
export async function walk(app: Sender, jar: CookieJar, start: string): Promise<Walk> {
  let path = start;
  for (let hops = 0; hops < 10; hops += 1) {
    const answer = await app.send('GET', path, { headers: jar.header });
    jar.keep(answer);
    const location = String(answer.headers['location'] ?? '');
    if (answer.status !== 303 || !location.startsWith('/')) return { jar, answer };
    path = location;
  }
  throw new Error('too many redirects');
}

/**
 * Begins a sign-in without the browser's session, as when another site sends the request by a form, and answers where
 * the browser goes on: with its session, from there.
 */
export async function beginApart(app: Sender, jar: CookieJar, path: string): Promise<string> {
  const begun = await app.send('GET', path);
  assert.equal(begun.status, 303, begun.text);
  jar.keep(begun);
  return String(begun.headers['location']);
}

/** Sends the form of a page and walks on. */
export async function submit(app: Sender, { jar, answer }: Walk, values: Record<string, string>): Promise<Walk> {
  const { action, fields } = readForm(answer.text);
  return submitTo(app, jar, action, { ...fields, ...values });
}

/** Sends a form and walks on. */
export async function submitTo(app: Sender, jar: CookieJar, to: string, form: Record<string, string>): Promise<Walk> {
  const sent = await app.send('POST', to, { headers: jar.header, form });
  jar.keep(sent);
  const location = String(sent.headers['location'] ?? '');
  return sent.status === 303 && location.startsWith('/') ? walk(app, jar, location) : { jar, answer: sent };
}

export const codeVerifier = randomBytes(32).toString('base64url');
export const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');

/** The path of an authorization request with PKCE. */
export function authorizePath(
  client: Pick<RegisteredClient, 'client_id'>,
  parameters: Record<string, string> = {},
): string {
  return `/oauth2/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    state: 'state-1',
    nonce: 'nonce-1',
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
    ...parameters,
  })}`;
}

/** Signs in and consents; answers the query of the client's redirect URI. */
export async function signInForCode(
  app: Sender,
  client: RegisteredClient,
  user: Pick<UserRecord, 'email'>,
  parameters: Record<string, string> = {},
  jar = new CookieJar(),
  typed = password,
): Promise<URLSearchParams> {
  let at = await walk(app, jar, authorizePath(client, parameters));
  if (/name="password"/.test(at.answer.text))
    at = await submit(app, at, { username: user.email ?? '', password: typed });
  if (/value="allow"/.test(at.answer.text)) at = await submit(app, at, { decision: 'allow' });
  const location = String(at.answer.headers['location'] ?? '');
  assert.ok(
    at.answer.status === 303 && location,
    `no redirect to the client: ${at.answer.status} ${at.answer.text.slice(0, 400)}`,
  );
  return new URL(location).searchParams;
}

/** A client's authentication by its registered method. */
export function clientAuthentication(client: RegisteredClient): {
  headers: Record<string, string>;
  form: Record<string, string>;
} {
  const { client_id, client_secret = '', token_endpoint_auth_method: method } = client;
  if (method === 'client_secret_basic') return { headers: basic(client_id, client_secret), form: {} };
  return { headers: {}, form: { client_id, ...(method === 'client_secret_post' && { client_secret }) } };
}

export interface Tokens {
  readonly expires_in: number;
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
  readonly scope: string;
}

/** Redeems a code at the standard door; `uri` is the redirect URI that it came to. */
export async function redeem(app: Sender, client: RegisteredClient, code: string, uri = redirectUri): Promise<Tokens> {
  const { headers, form } = clientAuthentication(client);
  const answer = await app.send('POST', '/oauth2/token', {
    headers,
    form: { ...form, grant_type: 'authorization_code', code, redirect_uri: uri, code_verifier: codeVerifier },
  });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** A client with a signed-in user and the first tokens: where most tests of refresh start. */
export async function signedIn(
  app: TestApp,
  metadata: object = {},
  parameters: Record<string, string> = {},
): Promise<{ client: RegisteredClient; user: UserRecord; tokens: Tokens }> {
  const client = await registerClient(app, metadata);
  const user = await makeUser(app, client.app_id);
  const query = await signInForCode(app, client, user, parameters);
  return { client, user, tokens: await redeem(app, client, query.get('code') ?? '') };
}

/** Refreshes at one of the doors. */
export function refresh(
  app: Sender,
  client: RegisteredClient,
  refreshToken: string,
  door: '/oidc/2/token' | '/oauth2/token' = '/oauth2/token',
  more: Record<string, string> = {},
): Promise<Answer> {
  const { headers, form } = clientAuthentication(client);
  return app.send('POST', door, {
    headers,
    form: { ...form, grant_type: 'refresh_token', refresh_token: refreshToken, ...more },
  });
}
