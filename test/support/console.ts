/** An administrator at the console: signs in through the account's own door, and calls with a bound token. */

import assert from 'node:assert/strict';
import { setAdministrator } from '../../src/domain/administrators/administrators.ts';
import type { AdministratorScope } from '../../src/domain/callers/scopes.ts';
import type { UserRecord } from '../../src/store/users.ts';
import type { TestApp } from './app.ts';
import type { Answer } from './conforms.ts';
import { askWithProof, athOf, newProofKey, type ProofChanges, type ProofKey, proofFor } from './dpop.ts';
import { authorizePath, CookieJar, codeVerifier, makeUser, type RegisteredClient, signInForCode } from './sign-in.ts';

/** As if it were registered. */
export const consoleClient: RegisteredClient = {
  client_id: 'console',
  app_id: -2,
  token_endpoint_auth_method: 'none',
};

export const consoleScope = 'read_users manage_users read_all manage_all';

/** The parameters by which the console asks. */
export function consoleRequest({ account }: Pick<TestApp, 'account'>): Record<string, string> {
  return { redirect_uri: `${account.baseUrl}/console/signed-in`, scope: consoleScope };
}

export function consolePath(app: Pick<TestApp, 'account'>, parameters: Record<string, string> = {}): string {
  return authorizePath(consoleClient, { ...consoleRequest(app), ...parameters });
}

export async function makeAdministrator(
  app: TestApp,
  scopes: readonly AdministratorScope[] = ['manage_all'],
  given: object = {},
): Promise<UserRecord> {
  const user = await makeUser(app, undefined, given);
  await setAdministrator(app.services, app.account, user.id, scopes);
  return user;
}

/** Redeems a code of the console. */
export function redeemAtConsole(
  app: TestApp,
  code: string,
  key: ProofKey,
  changes: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const { redirect_uri: uri = '' } = consoleRequest(app);
  const form = { grant_type: 'authorization_code', code, redirect_uri: uri, code_verifier: codeVerifier, ...changes };
  return askWithProof(app, consoleClient, key, form);
}

export interface AtConsole {
  readonly user: UserRecord;
  readonly jar: CookieJar;
  readonly key: ProofKey;
  readonly token: string;
  /** The answer of the token endpoint. */
  readonly answered: Answer['body'];
  /** Calls `/api/2` with a proof of the key. */
  call(method: string, path: string, json?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** The body of an answer of this status. */
  done(status: number, method: string, path: string, json?: unknown): Promise<Answer['body']>;
}

/** Signs a user in at the console. */
export async function atConsole(app: TestApp, user: UserRecord, jar = new CookieJar()): Promise<AtConsole> {
  const query = await signInForCode(app, consoleClient, user, consoleRequest(app), jar);
  const key = await newProofKey();
  const { status, text, body } = await redeemAtConsole(app, query.get('code') ?? '', key);
  assert.equal(status, 200, text);
  return callingWith(app, { user, jar, key, token: body.access_token, answered: body });
}

function callingWith(app: TestApp, given: Omit<AtConsole, 'call' | 'done'>): AtConsole {
  const call: AtConsole['call'] = (method, path, json, headers = {}) =>
    callWithProof(app, given.token, given.key, method, path, { headers, ...(json !== undefined && { json }) });
  return {
    ...given,
    call,
    done: async (status, method, path, json) => {
      const answer = await call(method, path, json);
      assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
      return answer.body;
    },
  };
}

/** Calls `/api/2` with a token and a proof; without a nonce of its own it gets one first, as client libraries do. */
export async function callWithProof(
  app: TestApp,
  token: string,
  key: ProofKey,
  method: string,
  path: string,
  sent: ProofChanges & { readonly json?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Answer> {
  const { json, headers = {}, ...changes } = sent;
  return sendWithProof(app, { token, key }, method, `/api/2${path}`, changes, {
    headers,
    ...(json !== undefined && { json }),
  });
}

/** The same of any path, with the options of `app.send`. */
export async function sendWithProof(
  app: TestApp,
  { token, key }: Pick<AtConsole, 'token' | 'key'>,
  method: string,
  target: string,
  changes: ProofChanges,
  sent: Parameters<TestApp['send']>[2],
): Promise<Answer> {
  const [pathname = ''] = target.split('?', 1);
  const ask = async (nonce?: string) => {
    const claims = { ath: athOf(token), ...(nonce !== undefined && { nonce }), ...changes.claims };
    const dpop = await proofFor(app, key, method, pathname, { ...changes, claims });
    const authorization = `DPoP ${token}`;
    return app.send(method, target, { ...sent, headers: { authorization, dpop, ...sent?.headers } });
  };
  const first = await ask();
  const nonce = first.headers['dpop-nonce'];
  const wants = /use_dpop_nonce/.test(String(first.headers['www-authenticate']));
  return wants && typeof nonce === 'string' ? ask(nonce) : first;
}
