/** The console in a real browser: an administrator signs in, and every call is held against the contract. */

import assert from 'node:assert/strict';
import type { Page, Request } from 'playwright-core';
import type { UserRecord } from '../../../src/store/users.ts';
import { type OpenBrowser, openBrowser } from '../../support/browser.ts';
import { conforms } from '../../support/conforms.ts';
import { type Stage, signIn, type VisitOptions, visit, watch } from '../stage.ts';

export type Look = (page: Page, calls: readonly string[]) => Promise<void>;

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
  look: Look,
): Promise<void> {
  const { path = '', ...others } = options;
  await visit(stage, others, (page) => lookAt(stage, page, path, administrator, look));
}

/** What `visitConsole` does, with a page that is there; without an administrator somebody is signed in. */
async function lookAt(
  { app }: Stage,
  page: Page,
  path: string,
  administrator: Pick<UserRecord, 'email'> | null,
  look: Look,
): Promise<void> {
  const held: Promise<unknown>[] = [];
  const calls: string[] = [];
  const strange: string[] = [];
  const onRequest = (request: Request) => {
    const { pathname, search } = new URL(request.url());
    if (!allowed.test(pathname)) strange.push(pathname);
    if (pathname.startsWith('/api/2/')) calls.push(`${request.method()} ${pathname}${search}`);
  };
  // One that the page has left before never finishes.
  const onFinished = (request: Request) => void held.push(hold(request).catch((error) => error));
  const context = page.context().on('request', onRequest).on('requestfinished', onFinished);
  try {
    await page.goto(`${app.account.baseUrl}/console${path}`);
    if (administrator) await signIn(page, administrator);
    await page.locator('main h1').waitFor();
    await look(page, calls);
    assert.deepEqual(strange, []);
    for (const fault of await Promise.all(held)) if (fault) throw fault;
    assert.ok(calls.length > 0);
  } finally {
    context.off('request', onRequest).off('requestfinished', onFinished);
  }
}

/** A console at which one administrator stays signed in from one look to the next; each begins with a load. */
export function stayAtConsole(
  stage: Stage,
  administrator: Pick<UserRecord, 'email'>,
): (path: string, look: Look) => Promise<void> {
  let kept: OpenBrowser | undefined;
  return async (path, look) => {
    const opened = kept ?? (await openBrowser());
    const isNew = kept === undefined;
    kept = undefined;
    try {
      await watch(stage, opened, {}, (page) => lookAt(stage, page, path, isNew ? administrator : null, look));
      await opened.page.unrouteAll();
      // Nothing of this look is under way in the next.
      await opened.page.goto('about:blank');
      kept = opened;
    } finally {
      if (!kept) await opened.close();
    }
  };
}
