/** Hooks of a running service, and browsers that sign in where they fire. */

import assert from 'node:assert/strict';
import type { RunningAccount } from '../support/running-account.ts';
import {
  authorizePath,
  CookieJar,
  password,
  type RegisteredClient,
  readForm,
  type Sender,
  walk,
} from '../support/sign-in.ts';

/** What a browser was answered when it sent its password. */
export interface Answered {
  readonly status: number;
  /** What the records of the hooks' runs are found by. */
  readonly requestId: string;
}

/** Opens the page for the password; the sign-in that it answers sends it. */
export async function openSignIn(
  through: Sender,
  client: Pick<RegisteredClient, 'client_id'>,
  email: string,
): Promise<() => Promise<Answered>> {
  const { jar, answer } = await walk(through, new CookieJar(), authorizePath(client));
  assert.equal(answer.status, 200, answer.text);
  const { action, fields } = readForm(answer.text);
  const form = { ...fields, username: email, password };
  return async () => {
    const { status, headers } = await through.send('POST', action, { headers: jar.header, form });
    return { status, requestId: String(headers['x-request-id']) };
  };
}

/** Manages hooks with full permissions. */
export async function hookManagement(account: RunningAccount) {
  const authorization = `Bearer ${await account.bearer('manage_all')}`;
  /** Sends a request and answers the body of its answer; throws when it is refused. */
  return async (method: 'POST' | 'PUT', path: string, json: object) => {
    const { status, text, body } = await account.send(method, `/api/2/hooks${path}`, {
      headers: { authorization },
      json,
    });
    assert.ok(status === 200 || status === 201, `${method} ${path}: ${status} ${text}`);
    return body;
  };
}

/** What is written of a hook whose handler has this body. */
export function hookOf(body: string, members: object = {}): object {
  const source = `exports.handler = async (context) => { ${body} };`;
  return { type: 'pre-authentication', function: Buffer.from(source).toString('base64'), ...members };
}
