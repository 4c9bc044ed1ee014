/**
 * The floor of a sign-in by form, with a hook: one page with a form, and one answer to it, which has the code. The
 * request travels in the form with a MAC; the hook runs in a process of its own, which stays.
 */

import { fork } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Person } from './floor-bodies.ts';
import { cookieOf, type GrantedCode } from './floor-code-requests.ts';
import { type Asked, type CommitLater, type Floor, type Floors, newToken, refused } from './floor-parts.ts';
import type { Passwords } from './floor-passwords.ts';
import type { Codes } from './floor-sessions.ts';
import { keepWatch } from './servers.ts';

export type HookAnswer = { readonly id: number; readonly value: { readonly user: object } };

/** Runs the hook for a context. */
function openHook(): (context: object, done: (value: HookAnswer['value']) => void) => void {
  const child = fork(fileURLToPath(new URL('floor-hook.ts', import.meta.url)));
  keepWatch(child);
  const waiting = new Map<number, (value: HookAnswer['value']) => void>();
  let runs = 0;
  child.on('message', ({ id, value }: HookAnswer) => {
    waiting.get(id)?.(value);
    waiting.delete(id);
  });
  return (context, done) => {
    runs += 1;
    waiting.set(runs, done);
    child.send({ id: runs, context });
  };
}

/** The page, of which a browser shows as much as of the service's own. */
function page(request: string, csrf: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sign in</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="stylesheet" href="/assets/pages.css"></head>
<body><main><h1>Sign in</h1><p>to continue to <bdi>Bench App</bdi></p><form method="post" action="/sign-in-form">
<input type="hidden" name="request" value="${request}"><input type="hidden" name="csrf" value="${csrf}">
<label for="username">User name or e-mail</label><input id="username" name="username" type="text" required autofocus>
<label for="password">Password</label><input id="password" name="password" type="password" required>
<button type="submit">Sign in</button></form><p><a href="/forgot-password">Forgot your password?</a></p></main></body></html>`;
}

/** What a sign-in asks of whatever keeps the users. */
export interface SignIns<Someone extends Person> {
  /** Null for a request that the client may not send. */
  read(query: string, done: (asked: GrantedCode | null) => void): void;
  /** Null when the password is wrong. */
  check(email: string, password: string, done: (person: Someone | null) => void): void;
  /** Writes that the user signed in, a session, and a code; null without consent. */
  finish(asked: GrantedCode, person: Someone, done: (opened: Opened | null) => void): void;
}

interface Opened {
  readonly location: string;
  /** Of the session. */
  readonly secret: string;
}

export function signInFloors<Someone extends Person>({ read, check, finish }: SignIns<Someone>): Floors {
  const key = randomBytes(32);
  const runHook = openHook();
  const macOf = (request: string, secret: string) =>
    createHmac('sha256', key).update(`${secret} ${request}`).digest('base64url');

  const show: Floor = ({ rest, reply }) =>
    read(rest, (asked) => {
      if (!asked) {
        reply(refused('invalid_request'));
        return;
      }
      const request = Buffer.from(JSON.stringify(asked)).toString('base64url');
      const secret = newToken();
      const cookie = `tx=${secret}; Path=/; HttpOnly; SameSite=Lax`;
      const headers = { 'content-type': 'text/html; charset=utf-8', 'set-cookie': cookie };
      reply({ status: 200, text: page(request, macOf(request, secret)), headers });
    });

  function open(asked: GrantedCode, person: Someone, reply: Asked['reply']): void {
    finish(asked, person, (opened) => {
      if (!opened) {
        reply(refused('access_denied'));
        return;
      }
      const cookie = `sid=${opened.secret}; Path=/; HttpOnly; SameSite=Lax`;
      reply({ status: 303, text: '', headers: { location: opened.location, 'set-cookie': cookie } });
    });
  }

  const submit: Floor = ({ headers, body, reply }) => {
    const { request = '', csrf, username = '', password = '' } = Object.fromEntries(new URLSearchParams(body));
    if (csrf !== macOf(request, cookieOf(headers, 'tx'))) {
      reply(refused('invalid_request'));
      return;
    }
    const asked: GrantedCode = JSON.parse(Buffer.from(request, 'base64url').toString());
    check(username, password, (person) => {
      if (!person) {
        reply(refused('access_denied'));
        return;
      }
      const { id, email, firstname, lastname } = person;
      const context = { user: { id, email, firstname, lastname }, app: { id: asked.client } };
      runHook(context, ({ user }) => (user ? open(asked, person, reply) : reply(refused('access_denied'))));
    });
  };

  return { 'sign-in': show, 'sign-in-form': submit };
}

export function openSignInFloors(commitLater: CommitLater, codes: Codes, passwords: Passwords): Floors {
  for (const id of passwords.ids) codes.consent(id);
  return signInFloors({
    read: (query, done) => done(codes.read(query)),
    check: passwords.check,
    finish: (asked, person, done) =>
      commitLater(() => {
        passwords.note(person);
        const [secret, session] = codes.open(person.id);
        const location = codes.give(asked, person.id, session);
        return () => done(location === null ? null : { location, secret });
      }),
  });
}
