/**
 * The floor of a sign-in by form, with a hook: one page with a form, and one answer to it, which has the code. The
 * request travels in the form with a MAC; the hook runs in a process of its own, which stays.
 */

import { fork } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type CommitLater, type Floor, type Floors, newToken, refused } from './floor-parts.ts';
import type { Passwords, Person } from './floor-passwords.ts';
import type { AskedCode, Codes } from './floor-sessions.ts';
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

export function openSignInFloors(commitLater: CommitLater, codes: Codes, passwords: Passwords): Floors {
  const key = randomBytes(32);
  const runHook = openHook();
  const macOf = (request: string, secret: string) =>
    createHmac('sha256', key).update(`${secret} ${request}`).digest('base64url');
  for (const id of passwords.ids) codes.consent(id);

  const show: Floor = ({ rest, reply }) => {
    const asked = codes.read(rest);
    if (!asked) {
      reply(refused('invalid_request'));
      return;
    }
    const request = Buffer.from(JSON.stringify(asked)).toString('base64url');
    const secret = newToken();
    const cookie = `tx=${secret}; Path=/; HttpOnly; SameSite=Lax`;
    const headers = { 'content-type': 'text/html; charset=utf-8', 'set-cookie': cookie };
    reply({ status: 200, text: page(request, macOf(request, secret)), headers });
  };

  function finish(asked: AskedCode, person: Person, reply: Parameters<Floor>[0]['reply']): void {
    commitLater(() => {
      passwords.note(person);
      const [secret, session] = codes.open(person.id);
      const location = codes.give(asked, person.id, session);
      const cookie = `sid=${secret}; Path=/; HttpOnly; SameSite=Lax`;
      const answer = location
        ? { status: 303, text: '', headers: { location, 'set-cookie': cookie } }
        : refused('access_denied');
      return () => reply(answer);
    });
  }

  const submit: Floor = ({ headers, body, reply }) => {
    const { request = '', csrf, username = '', password = '' } = Object.fromEntries(new URLSearchParams(body));
    const secret = /(?:^|; )tx=([\w-]+)/.exec(headers.cookie ?? '')?.[1] ?? '';
    if (csrf !== macOf(request, secret)) {
      reply(refused('invalid_request'));
      return;
    }
    const asked: AskedCode = JSON.parse(Buffer.from(request, 'base64url').toString());
    passwords.check(username, password, (person) => {
      if (!person) {
        reply(refused('access_denied'));
        return;
      }
      const { id, email, firstname, lastname } = person;
      const context = { user: { id, email, firstname, lastname }, app: { id: asked.clientId } };
      runHook(context, ({ user }) => (user ? finish(asked, person, reply) : reply(refused('access_denied'))));
    });
  };

  return { 'sign-in': show, 'sign-in-form': submit };
}
