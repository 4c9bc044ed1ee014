/** What the cases of this surface ask and look at again and again. */

import assert from 'node:assert/strict';
import type { UserRecord } from '../../../src/store/users.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import {
  authorizePath,
  CookieJar,
  clientAuthentication,
  codeVerifier,
  makeUser,
  type RegisteredClient,
  redirectUri,
  refresh,
  registerClient,
  signInForCode,
} from '../../support/sign-in.ts';

/** The application of the database under test, once its tests run. */
export type AppOf = () => TestApp;

/** Limits have tests of their own. */
export const unlimited = {
  'limit.sign-in': 'off',
  'limit.client-auth': 'off',
  'limit.register': 'off',
  'limit.register-open': 'off',
} as const;

/** Asks the token endpoint as this client, by its registered method. */
export function askTokens(
  app: Pick<TestApp, 'send'>,
  client: RegisteredClient,
  form: Readonly<Record<string, string>>,
): Promise<Answer> {
  const own = clientAuthentication(client);
  return app.send('POST', '/oauth2/token', { headers: own.headers, form: { ...own.form, ...form } });
}

/** The members of a code's redemption; `changes` replaces some, and leaves out those that are undefined. */
export function codeForm(
  code: string,
  changes: Readonly<Record<string, string | undefined>> = {},
): Record<string, string> {
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
    ...changes,
  };
  return Object.fromEntries(Object.entries(form).filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** Asserts an OAuth error in JSON. */
export function assertError(answer: Answer, status: number, error: string, described?: RegExp): void {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.body.error, error, answer.text);
  if (described) assert.match(answer.body.error_description, described);
}

/** Asserts that a grant is over: its refresh token at both doors, and its access token. */
export async function assertEnded(
  app: TestApp,
  client: RegisteredClient,
  refreshToken: string,
  accessToken: string,
): Promise<void> {
  assertError(await refresh(app, client, refreshToken), 400, 'invalid_grant');
  assert.equal((await refresh(app, client, refreshToken, '/oidc/2/token')).status, 401);
  const headers = { authorization: `Bearer ${accessToken}` };
  assert.equal((await app.send('GET', '/oauth2/userinfo', { headers })).status, 401);
}

/** The query with which the browser is sent to the client. */
export function toClient(answer: Answer, uri = redirectUri): URLSearchParams {
  assert.equal(answer.status, 303, answer.text.slice(0, 300));
  const location = String(answer.headers['location']);
  assert.ok(location.startsWith(`${uri}?`), `not to the client: ${location}`);
  return new URL(location).searchParams;
}

/** Asserts that the client gets `error`, with its state and the issuer (RFC 9207 §2), and no code. */
export function assertClientError(app: TestApp, answer: Answer, error: string, state: string | null = 'state-1'): void {
  const query = toClient(answer);
  assert.equal(query.get('error'), error, String(query));
  assert.ok(query.get('error_description'));
  assert.equal(query.get('state'), state);
  assert.equal(query.get('iss'), app.account.baseUrl);
  assert.equal(query.get('code'), null);
}

/** Asserts a page instead of a redirect to an unverified address (RFC 6749 §4.1.2.1). */
export function assertErrorPage(answer: Answer, said?: RegExp): void {
  assert.equal(answer.status, 400, answer.text.slice(0, 300));
  assert.equal(answer.headers['location'], undefined);
  assert.match(String(answer.headers['content-type']), /^text\/html/);
  assert.match(answer.text, /<h1>This request cannot be used<\/h1>/);
  if (said) assert.match(answer.text, said);
}

/** A client, a user with access, and the user's browser: signed in with consent after the first code. */
export interface Setting {
  readonly client: RegisteredClient;
  readonly user: UserRecord;
  readonly jar: CookieJar;
  /** A new code for an authorization request with these parameters. */
  code(parameters?: Record<string, string>): Promise<string>;
  /** The answer to an authorization request of that browser, our own redirects not followed. */
  authorize(parameters?: Record<string, string>): Promise<Answer>;
}

export async function settle(app: TestApp, metadata: object = {}, given: object = {}): Promise<Setting> {
  const client = await registerClient(app, metadata);
  const user = await makeUser(app, client.app_id, given);
  const jar = new CookieJar();
  return {
    client,
    user,
    jar,
    code: async (parameters = {}) => (await signInForCode(app, client, user, parameters, jar)).get('code') ?? '',
    authorize: (parameters = {}) => app.send('GET', authorizePath(client, parameters), { headers: jar.header }),
  };
}
