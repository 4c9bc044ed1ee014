/** Signs in as a device and its user do (RFC 8628). */

import assert from 'node:assert/strict';
import type { UserRecord } from '../../src/store/users.ts';
import type { TestApp } from './app.ts';
import type { Answer } from './conforms.ts';
import {
  CookieJar,
  clientAuthentication,
  password,
  type RegisteredClient,
  type Sender,
  submit,
  type Walk,
  walk,
} from './sign-in.ts';

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
export const deviceMetadata = {
  client_name: 'Living Room',
  redirect_uris: undefined,
  grant_types: [deviceGrant, 'refresh_token'],
  token_endpoint_auth_method: 'none',
};

export interface Codes {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

/** Asks for the codes of a device. */
export function askForCodes(app: Sender, client: RegisteredClient, more: Record<string, string> = {}): Promise<Answer> {
  const { headers, form } = clientAuthentication(client);
  return app.send('POST', '/oauth2/device_authorization', { headers, form: { ...form, ...more } });
}

export async function codesOf(
  app: Sender,
  client: RegisteredClient,
  more: Record<string, string> = {},
): Promise<Codes> {
  const answer = await askForCodes(app, client, more);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** Asks, as the device, whether its user has decided. */
export function poll(
  app: Sender,
  client: RegisteredClient,
  { device_code }: Pick<Codes, 'device_code'>,
  more: Record<string, string> = {},
): Promise<Answer> {
  const { headers, form } = clientAuthentication(client);
  return app.send('POST', '/oauth2/token', {
    headers,
    form: { ...form, grant_type: deviceGrant, device_code, ...more },
  });
}

/** Types a code on the page; answers what follows. */
export async function type(app: Sender, userCode: string, jar = new CookieJar()): Promise<Walk> {
  return submit(app, await walk(app, jar, '/device'), { user_code: userCode });
}

/** Types the code and signs in: the consent page. */
export async function typeAndSignIn(
  app: Sender,
  userCode: string,
  { email }: Pick<UserRecord, 'email'>,
  jar = new CookieJar(),
): Promise<Walk> {
  const at = await type(app, userCode, jar);
  if (!/name="password"/.test(at.answer.text)) return at;
  return submit(app, at, { username: email ?? '', password });
}

/** What the user does from the code to the end. */
export async function decideDevice(
  app: Pick<TestApp, 'send'>,
  userCode: string,
  user: Pick<UserRecord, 'email'>,
  decision: 'allow' | 'deny' = 'allow',
): Promise<Walk> {
  return submit(app, await typeAndSignIn(app, userCode, user), { decision });
}
