/** Requests that the operations of `store-calls.ts` and their checks are made of. */

import assert from 'node:assert/strict';
import type { Answer } from '../support/conforms.ts';
import type { FaultyApp } from '../support/faults.ts';
import { clientAuthentication, type RegisteredClient, refresh } from '../support/sign-in.ts';

export type Form = Readonly<Record<string, string>>;

/** Sends a form as the client. */
export function post(app: FaultyApp, client: RegisteredClient, path: string, members: Form): Promise<Answer> {
  const { headers, form } = clientAuthentication(client);
  return app.send('POST', path, { headers, form: { ...form, ...members } });
}

/** What introspection says. */
export async function isActive(app: FaultyApp, client: RegisteredClient, token: string): Promise<boolean> {
  const answer = await post(app, client, '/oauth2/introspect', { token });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.active;
}

/** Asserts that a token set opens what it is for; uses up its refresh token. */
export async function assertTokensWork(app: FaultyApp, client: RegisteredClient, { body }: Answer): Promise<void> {
  assert.equal(await isActive(app, client, body.access_token), true, 'the access token');
  assert.equal((await refresh(app, client, body.refresh_token)).status, 200, 'the refresh token');
}
