/** API credential pairs as their holders use them. */

import assert from 'node:assert/strict';
import { createCredential, type NewCredential } from '../../../src/domain/callers/credentials.ts';
import type { CredentialScope } from '../../../src/domain/callers/scopes.ts';
import { basic, type Sent, type TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';

export const tokenPath = '/auth/oauth2/v2/token';
export const revokePath = '/auth/oauth2/revoke';
export const limitPath = '/auth/rate_limit';

export type Pair = Pick<NewCredential, 'clientId' | 'clientSecret'>;

export function makePair(app: TestApp, ...scopes: CredentialScope[]): Promise<NewCredential> {
  return createCredential(app.services, app.account, scopes.length > 0 ? scopes : ['read_users']);
}

/**
 * The ways to send a pair (docs/document-gaps.md#tokens-for-api-credentials), the older header with and without its
 * optional spaces.
 */
export const ways: Readonly<
  Record<string, (pair: Pair) => { headers?: Record<string, string>; members?: Record<string, string> }>
> = {
  'HTTP Basic': ({ clientId, clientSecret }) => ({ headers: basic(clientId, clientSecret) }),
  'HTTP Basic, lower-case scheme': ({ clientId, clientSecret }) => ({
    headers: { authorization: basic(clientId, clientSecret).authorization.replace('Basic', 'basic') },
  }),
  'HTTP Basic, percent-encoded': ({ clientId, clientSecret }) => ({
    headers: basic(clientId.replaceAll('_', '%5F'), clientSecret.replaceAll('_', '%5f')),
  }),
  members: ({ clientId, clientSecret }) => ({ members: { client_id: clientId, client_secret: clientSecret } }),
  'the older header': ({ clientId, clientSecret }) => ({
    headers: { authorization: `client_id:${clientId}, client_secret:${clientSecret}` },
  }),
  'the older header without spaces': ({ clientId, clientSecret }) => ({
    headers: { authorization: `client_id:${clientId},client_secret:${clientSecret}` },
  }),
  'the older header with more spaces': ({ clientId, clientSecret }) => ({
    headers: { authorization: `client_id: ${clientId} , client_secret: ${clientSecret}` },
  }),
};

/** Bodies that the two POST operations read. */
export const bodies: Readonly<Record<string, (members: Readonly<Record<string, string>>) => Sent>> = {
  JSON: (members) => ({ json: members }),
  form: (members) => ({ form: members }),
};

/** A token of the pair. */
export async function issue(app: TestApp, { clientId, clientSecret }: Pair): Promise<string> {
  const json = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const answer = await app.send('POST', tokenPath, { json });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.access_token;
}

/** Whether a token opens what every token opens. */
export async function isActive(app: TestApp, token: string): Promise<boolean> {
  const { status } = await app.send('GET', limitPath, { headers: { authorization: `Bearer ${token}` } });
  assert.ok(status === 200 || status === 401);
  return status === 200;
}

/** The one answer to every bad pair and every bad token (docs/document-gaps.md#tokens-for-api-credentials). */
export function assertUnauthorized(answer: Answer, scheme: 'Basic' | 'Bearer', what: string): void {
  assert.equal(answer.status, 401, `${what}: ${answer.text}`);
  const status = { error: true, code: 401, type: 'Unauthorized', message: 'Authentication Failure' };
  assert.deepEqual(answer.body, { status }, what);
  assert.match(String(answer.headers['www-authenticate']), new RegExp(`^${scheme} realm="`), what);
  assertPrivate(answer);
}

export function assertBadRequest(answer: Answer, message: string | RegExp, what: string): void {
  assert.equal(answer.status, 400, `${what}: ${answer.text}`);
  const { status, ...rest } = answer.body;
  assert.deepEqual([status.error, status.code, status.type, rest], [true, 400, 'bad request', {}], what);
  if (typeof message === 'string') assert.equal(status.message, message, what);
  else assert.match(status.message, message, what);
  assertPrivate(answer);
}

export function assertPrivate({ headers }: Answer): void {
  assert.equal(headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(headers['cache-control'], 'no-store');
  assert.match(String(headers['x-request-id']), /^[\w.-]+$/);
}
