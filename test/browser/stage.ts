/** Where a real browser signs in: the whole service behind its own server, and an application on another origin. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ConsoleMessage, Page, Request, WebError } from 'playwright-core';
import { createApp } from '../../src/app.ts';
import { createPolicy } from '../../src/domain/policies/policies.ts';
import { createServer } from '../../src/server.ts';
import type { UserRecord } from '../../src/store/users.ts';
import { seenFrom, type TestApp } from '../support/app.ts';
import { type BrowserOptions, type OpenBrowser, openBrowser } from '../support/browser.ts';
import { assignPolicy } from '../support/policies.ts';
import { createTestAccount, type TestParts, testServices } from '../support/services.ts';
import {
  authorizePath,
  makeUser,
  password,
  type RegisteredClient,
  redeem,
  registerClient,
  type Tokens,
} from '../support/sign-in.ts';
import { type DatabaseKind, openTestStore } from '../support/stores.ts';

/** The application that people sign in to: every address of it answers a page. */
export interface ClientSite {
  readonly origin: string;
  readonly callback: string;
}

export interface Stage {
  /** An account whose base URL a browser can open; `another` gives one more. */
  readonly app: TestApp;
  readonly site: ClientSite;
  dispose(): Promise<void>;
}

const clientPage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>The application</title>
<link rel="icon" href="data:,"><h1>You are back at the application</h1></html>`;

const clientLogo = `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><circle cx="32" cy="32" r="24" fill="#0b5c4f"/></svg>`;

/** Starts the service and the application; both listen on loopback, each on its own port. */
export async function openStage(
  settings: Readonly<Record<string, string>> = {},
  parts: TestParts = {},
  kind: DatabaseKind = 'sqlite',
): Promise<Stage> {
  const opened = await openTestStore(kind);
  let listener: RequestListener | undefined;
  // The addresses of accounts name the port, so it listens before there are services.
  const server = createServer((req, res) => listener?.(req, res)).listen(0, '127.0.0.1');
  const client = createHttpServer((req, res) => {
    if (req.url === '/logo.svg') {
      res.setHeader('content-type', 'image/svg+xml').end(clientLogo);
      return;
    }
    res.setHeader('content-type', 'text/html').end(clientPage);
  }).listen(0, '127.0.0.1');
  await Promise.all([once(server, 'listening'), once(client, 'listening')]);
  const port = (one: typeof server) => (one.address() as AddressInfo).port;
  const services = await testServices(opened.store, {
    addresses: { serviceDomain: `localhost:${port(server)}`, publicScheme: 'http' },
    ...parts,
  });
  const app = createApp(services);
  listener = app;
  const origin = `http://127.0.0.1:${port(client)}`;
  return {
    app: seenFrom(await createTestAccount(services, { settings }), app, services, opened),
    site: { origin, callback: `${origin}/callback` },
    dispose: async () => {
      for (const one of [server, client]) one.close().closeAllConnections();
      await services.packageBuilds.stop();
      await services.hooks.close();
      await opened.dispose();
    },
  };
}

/** A registered application, and the address at which a sign-in to it begins. */
export interface Application {
  readonly client: RegisteredClient;
  readonly redirectUri: string;
  start(parameters?: Readonly<Record<string, string>>): string;
  /** Redeems the code that the browser brought. */
  redeem(arrivedAt: string): Promise<Tokens>;
}

/** Registers an application whose answers go to `redirectUri`: to the site of the stage unless said. */
export async function registerApplication(
  { app, site }: Pick<Stage, 'app' | 'site'>,
  metadata: object = {},
  redirectUri: string = site.callback,
): Promise<Application> {
  const client = await registerClient(app, { redirect_uris: [redirectUri], ...metadata });
  return {
    client,
    redirectUri,
    start: (parameters) =>
      `${app.account.baseUrl}${authorizePath(client, { redirect_uri: redirectUri, ...parameters })}`,
    redeem: (arrivedAt) => redeem(app, client, new URL(arrivedAt).searchParams.get('code') ?? '', redirectUri),
  };
}

/** A user with access to the application. */
export function invite({ app }: Pick<Stage, 'app'>, application: Application, given: object = {}): Promise<UserRecord> {
  return makeUser(app, application.client.app_id, given);
}

/** What may happen while a page is watched. */
interface Watched {
  /** Schemes, with their colon, of applications that the browser may leave for. */
  readonly schemes?: readonly string[] | undefined;
  /** The network is taken away for a while. */
  readonly losesNetwork?: boolean | undefined;
}

export interface VisitOptions extends BrowserOptions, Watched {}

/** Schemes of what a page holds itself: no request leaves the browser. */
const held = ['data:', 'blob:'];

/**
 * Runs `look` in its own browser. An error in the page, anything its policy forbids, and a request that leaves
 * the stage fail the test.
 */
export async function visit(
  stage: Stage,
  { schemes, losesNetwork, ...options }: VisitOptions,
  look: (page: Page) => Promise<void>,
): Promise<void> {
  const opened = await openBrowser(options);
  try {
    await watch(stage, opened, { schemes, losesNetwork }, look);
  } finally {
    await opened.close();
  }
}

/** The same in a browser that is open, and stays open. */
export async function watch(
  stage: Stage,
  { page, context }: Pick<OpenBrowser, 'page' | 'context'>,
  { schemes = [], losesNetwork = false }: Watched,
  look: (page: Page) => Promise<void>,
): Promise<void> {
  const complaints: string[] = [];
  const { port } = new URL(stage.app.account.baseUrl);
  const onConsole = (message: ConsoleMessage) => {
    const text = message.text();
    if (losesNetwork && text.endsWith('net::ERR_INTERNET_DISCONNECTED')) return;
    // Chromium says so of every page with a status of 400 and more.
    if (!text.startsWith('Failed to load resource: the server responded with')) complaints.push(text);
  };
  const onError = (error: WebError) => complaints.push(error.error().message);
  const onRequest = (request: Request) => {
    const url = new URL(request.url());
    const ours = url.hostname.endsWith('.localhost') && url.port === port;
    const known = ours || url.origin === stage.site.origin || [...held, ...schemes].includes(url.protocol);
    if (!known) complaints.push(request.url());
  };
  context.on('console', onConsole).on('weberror', onError).on('request', onRequest);
  try {
    await look(page);
    assert.deepEqual(complaints, []);
  } finally {
    context.off('console', onConsole).off('weberror', onError).off('request', onRequest);
  }
}

/** Types into the sign-in form and sends it; answers what the form got. */
export async function signIn(
  page: Page,
  user: Pick<UserRecord, 'email'>,
  typed: string = password,
): Promise<{ readonly status: number }> {
  // Chromium complains when somebody is faster than the focus of a new page.
  await page.locator('input:focus').waitFor();
  // Its script is read last; what is waited for below is the load of the next page.
  await page.waitForLoadState();
  await page.getByLabel('User name or e-mail').fill(user.email ?? '');
  await page.getByLabel('Password').fill(typed);
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.request().method() === 'POST'),
    page.waitForEvent('load'),
    page.getByRole('button', { name: 'Sign in', exact: true }).click(),
  ]);
  return { status: answer.status() };
}

/** Lets the password of a user expire. */
export async function expire({ app }: Pick<Stage, 'app'>, { id }: UserRecord): Promise<UserRecord> {
  const expired = await app.services.store.users.update(app.account.id, id, { status: 4 });
  assert.ok(expired);
  return expired;
}

/** Types a new password twice and sends it; answers what the form got. */
export async function choose(page: Page, typed: string, again: string = typed): Promise<{ readonly status: number }> {
  await page.locator('input:focus').waitFor();
  await page.getByLabel('New password', { exact: true }).fill(typed);
  await page.getByLabel('New password again').fill(again);
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.request().method() === 'POST'),
    page.waitForEvent('load'),
    page.getByRole('button', { name: /^Save and / }).click(),
  ]);
  return { status: answer.status() };
}

/** Demands a second factor of a user. */
export async function demandCode({ app }: Pick<Stage, 'app'>, user: UserRecord): Promise<UserRecord> {
  const { services, account } = app;
  const policy = await createPolicy(services, account, { name: `Strict ${user.id}`, otpRequired: true });
  await assignPolicy(services, account, { userId: user.id }, policy.id);
  return user;
}

/** Types a code into the field with this label and sends its form; answers what the form got. */
export async function giveCode(
  page: Page,
  code: string,
  label: 'Code from your authenticator app' | 'Code' | 'Recovery code' = 'Code from your authenticator app',
): Promise<{ readonly status: number }> {
  const field = page.getByLabel(label, { exact: true });
  await field.fill(code);
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.request().method() === 'POST'),
    page.waitForEvent('load'),
    field.press('Enter'),
  ]);
  return { status: answer.status() };
}

/** Presses a button of the consent page. */
export function decide(page: Page, decision: 'Allow' | 'Deny'): Promise<void> {
  return page.getByRole('button', { name: decision }).click();
}

/** Waits for the browser at the application; answers what it brought, the query of its address. */
export async function arrived(page: Page, { redirectUri }: Application): Promise<Record<string, string>> {
  await page.waitForURL((url) => url.href.startsWith(redirectUri));
  return Object.fromEntries(new URL(page.url()).searchParams);
}

/** Heading of the page that is open. */
export function heading(page: Page): Promise<string> {
  return page.getByRole('heading', { level: 1 }).innerText();
}
