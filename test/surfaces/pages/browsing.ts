/** What the cases of this surface do again and again: a client, its users, their browsers. */

import assert from 'node:assert/strict';
import { createApp } from '../../../src/app.ts';
import type { UserRecord } from '../../../src/store/users.ts';
import { seenFrom, type TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { createTestAccount, type TestServices, testServices } from '../../support/services.ts';
import {
  authorizePath,
  CookieJar,
  makeUser,
  password,
  type RegisteredClient,
  readForm,
  registerClient,
  submit,
  type Walk,
  walk,
} from '../../support/sign-in.ts';
import { type DatabaseKind, openTestStore } from '../../support/stores.ts';

/** The application of the database under test, once its tests run. */
export type AppOf = () => TestApp;

export const unlimited = { 'limit.sign-in': 'off', 'limit.register': 'off', 'limit.reset': 'off' } as const;

export interface Setting {
  readonly client: RegisteredClient;
  readonly user: UserRecord;
  /** The sign-in page, in a new browser by default. */
  begin(parameters?: Record<string, string>, jar?: CookieJar): Promise<Walk>;
  /** What follows the right password. */
  signIn(parameters?: Record<string, string>, jar?: CookieJar): Promise<Walk>;
}

export async function settle(app: TestApp, metadata: object = {}, given: object = {}): Promise<Setting> {
  const client = await registerClient(app, metadata);
  const user = await makeUser(app, client.app_id, given);
  const begin = (parameters: Record<string, string> = {}, jar = new CookieJar()) =>
    walk(app, jar, authorizePath(client, parameters));
  return {
    client,
    user,
    begin,
    signIn: async (parameters, jar) => {
      const at = await begin(parameters, jar);
      return submit(app, at, { username: user.email ?? '', password });
    },
  };
}

export function isSignIn({ text }: Answer): boolean {
  return /name="password"/.test(text);
}

export function isConsent({ text }: Answer): boolean {
  return /name="decision" value="allow"/.test(text);
}

/** The code that the browser takes to the client; fails when the answer is anything else. */
export function codeOf({ answer }: Walk): string {
  const location = String(answer.headers['location'] ?? '');
  const code = /^https?:/.test(location) ? new URL(location).searchParams.get('code') : null;
  assert.ok(code, `no code: ${answer.status} ${location} ${answer.text.slice(0, 300)}`);
  return code;
}

/** The first heading of a page, without markup. */
export function heading({ text }: Answer): string {
  return (/<h1>(.*?)<\/h1>/s.exec(text)?.[1] ?? '').replace(/<[^>]*>/g, '');
}

/** The request a page belongs to. */
export function requestOf({ answer }: Walk): string {
  return readForm(answer.text).fields['request'] ?? '';
}

/** A browser with the same cookies from here on. */
export function copyOf(jar: CookieJar): CookieJar {
  const copy = new CookieJar();
  for (const [name, value] of jar.cookies) copy.cookies.set(name, value);
  return copy;
}

/** A separate application with parts replaced. The caller disposes of it. */
export async function openWith(
  kind: DatabaseKind,
  replace: (services: TestServices) => Partial<TestServices>,
  settings: Readonly<Record<string, string>> = {},
): Promise<TestApp> {
  const opened = await openTestStore(kind);
  const made = await testServices(opened.store);
  const services = { ...made, ...replace(made) };
  const account = await createTestAccount(services, { settings });
  return seenFrom(account, createApp(services), services, opened);
}
