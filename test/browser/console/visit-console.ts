/** The console in a real browser: an administrator signs in, and every call is held against the contract. */

import assert from 'node:assert/strict';
import type { Page, Request } from 'playwright-core';
import type { UserRecord } from '../../../src/store/users.ts';
import { conforms } from '../../support/conforms.ts';
import { type Stage, signIn, type VisitOptions, visit } from '../stage.ts';

/** What the console may ask for: the contract, its own door, and its files. */
const allowed =
  /^\/(?:api\/2\/|oauth2\/(?:authorize|token)$|continue$|sign-in$|sign-out$|signed-out$|console(?:\/|$)|assets\/)/;

async function hold(request: Request): Promise<void> {
  const { pathname, search } = new URL(request.url());
  const response = await request.response();
  if (!pathname.startsWith('/api/2/') || !response) return;
  const headers = await response.allHeaders();
  const text = response.status() === 204 ? '' : await response.text().catch(() => null);
  // Chromium forgets what a page got that it has left.
  if (text === null) return;
  conforms(request.method(), `${pathname}${search}`, {
    status: response.status(),
    headers,
    text,
    body: /^application\/json/.test(headers['content-type'] ?? '') ? JSON.parse(text) : undefined,
  });
}

/**
 * Opens the console as an administrator, and runs `look`. Fails where the page asks for anything but what scripts may
 * ask for, and where an answer is not as the contract says. `calls` are the requests so far, as `GET /api/2/users`.
 */
export async function visitConsole(
  stage: Stage,
  administrator: Pick<UserRecord, 'email'>,
  options: VisitOptions & { readonly path?: string },
  look: (page: Page, calls: readonly string[]) => Promise<void>,
): Promise<void> {
  const { path = '', ...others } = options;
  await visit(stage, others, async (page) => {
    const held: Promise<unknown>[] = [];
    const calls: string[] = [];
    const strange: string[] = [];
    page.context().on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (!allowed.test(pathname)) strange.push(pathname);
      if (pathname.startsWith('/api/2/')) calls.push(`${request.method()} ${pathname}${search}`);
    });
    // One that the page has left before never finishes.
    page.context().on('requestfinished', (request) => void held.push(hold(request).catch((error) => error)));
    await page.goto(`${stage.app.account.baseUrl}/console${path}`);
    await signIn(page, administrator);
    await page.locator('main h1').waitFor();
    await look(page, calls);
    assert.deepEqual(strange, []);
    for (const fault of await Promise.all(held)) if (fault) throw fault;
    assert.ok(calls.length > 0);
  });
}
