/** The documented door as its callers use it. */

import assert from 'node:assert/strict';
import type { UserRecord } from '../../../src/store/users.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { readTable } from '../../support/rows.ts';
import { makeUser, type RegisteredClient, redeem, signInForCode, type Tokens } from '../../support/sign-in.ts';

export const redirectUri = 'https://app.example.com/callback';

/** The least that registers a client. */
export const minimal = { client_name: 'Test App', redirect_uris: [redirectUri] };

export const registerPath = '/oidc/2/register';
export const tokenPath = '/oidc/2/token';

/** Sends a registration with a bearer that permits it. */
export async function register(app: TestApp, metadata: unknown = minimal): Promise<Answer> {
  const authorization = `Bearer ${await app.bearer('register_clients')}`;
  return app.send('POST', registerPath, { headers: { authorization }, json: metadata });
}

/** Registers a client with these members and the required ones; returns the whole answer. */
export async function registered(
  app: TestApp,
  more: object = {},
): Promise<RegisteredClient & Readonly<Record<string, unknown>>> {
  const answer = await register(app, { ...minimal, ...more });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** Asserts that a registration was refused with this error, and that its description names the member. */
export function assertRefused(answer: Answer, error: string, named: string | RegExp, what: unknown): void {
  const where = `${JSON.stringify(what)?.slice(0, 200)}: ${answer.status} ${answer.text.slice(0, 300)}`;
  assert.equal(answer.status, 400, where);
  assert.equal(answer.body.error, error, where);
  const { error_description: description } = answer.body;
  if (typeof named === 'string') assert.ok(description.includes(named), where);
  else assert.match(description, named, where);
}

export interface SignedIn {
  readonly client: RegisteredClient;
  readonly user: UserRecord;
  readonly tokens: Tokens;
}

/** A client of this door with the first tokens of a signed-in user. */
export async function signedIn(
  app: TestApp,
  metadata: object = {},
  parameters: Record<string, string> = {},
): Promise<SignedIn> {
  const client = await registered(app, metadata);
  const user = await makeUser(app, client.app_id);
  return { client, user, tokens: await signInAgain(app, client, user, parameters) };
}

/** The first tokens of one more sign-in: a separate grant. */
export async function signInAgain(
  app: TestApp,
  client: RegisteredClient,
  user: UserRecord,
  parameters: Record<string, string> = {},
): Promise<Tokens> {
  const query = await signInForCode(app, client, user, parameters);
  return redeem(app, client, query.get('code') ?? '');
}

/** Asserts a refusal of a refresh: status and both members, and nothing else in the body. */
export function assertRefusal(answer: Answer, status: number, error: string, description: string, what = ''): void {
  const expected = { status, body: { error, error_description: description } };
  assert.deepEqual({ status: answer.status, body: answer.body }, expected, what);
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  // RFC 9110 §11.6.1: a 401 names a scheme that would do.
  if (status === 401) assert.match(String(answer.headers['www-authenticate']), /^Basic realm="/);
}

/** How many clients are stored, those of every account included. */
export async function countClients(app: TestApp): Promise<number> {
  return (await readTable(app.url, 'clients')).length;
}
