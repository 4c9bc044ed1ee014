/** The first screen of the console in a real browser: what it loads, when it can be used, how soon it answers. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { launchChromium } from '../support/chromium.ts';
import { install } from '../support/process.ts';
import { startProcess } from './gatehouse.ts';
import { endChild } from './servers.ts';

/** What the console promises. */
const promised = { kilobytes: 150, usableMilliseconds: 1000, paintMilliseconds: 200 };
/** The processor of the browser is slowed by this. */
const slowed = 4;
const loads = 20;
const users = 100;
/** Chromium tells no event that took less. */
const shortestMilliseconds = 16;

interface Demo {
  readonly base_url: string;
  readonly user: { readonly email: string; readonly password: string };
  readonly credential: { readonly client_id: string; readonly client_secret: string };
}

interface Measured {
  readonly text: string;
  readonly isKept: boolean;
}

export async function measureConsole(log: (line: string) => void): Promise<Measured> {
  const installation = await install('sqlite');
  try {
    const { child } = await startProcess(installation, installation.port, [], {}, ['--demo']);
    const browser = await launchChromium();
    try {
      const demo = JSON.parse(readFileSync(join(installation.folder, 'data/demo.json'), 'utf8')) as Demo;
      await addUsers(demo);
      return await measure(browser, demo, log);
    } finally {
      await browser.close();
      await endChild(child, 'SIGTERM');
    }
  } finally {
    await installation.dispose();
  }
}

async function addUsers({ base_url: base, credential }: Demo): Promise<void> {
  const basic = Buffer.from(`${credential.client_id}:${credential.client_secret}`).toString('base64');
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  const headers = { authorization: `Basic ${basic}` };
  const answer = await fetch(`${base}/auth/oauth2/v2/token`, { method: 'POST', headers, body: form });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  for (let number = 1; number <= users; number += 1) {
    const made = await fetch(`${base}/api/2/users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email: `user${number}@example.com`, firstname: 'User', lastname: `Number ${number}` }),
    });
    assert.equal(made.status, 201);
  }
}

async function measure(browser: Browser, demo: Demo, log: (line: string) => void): Promise<Measured> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en' });
  await context.addInitScript(noteUsable);
  await context.addInitScript(noteEvents);
  const page = await signedIn(context, demo);
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  const kilobytes = (await loadedBytes(session, () => openUsers(page, demo))) / 1000;
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowed });
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  const usable: number[] = [];
  for (let turn = 0; turn < loads; turn += 1) {
    await openUsers(page, demo);
    usable.push(Number(await page.evaluate('globalThis.usableAt')));
    log(`usable after ${Math.round(usable.at(-1) ?? 0)} ms`);
  }
  const paints = await interact(page);
  const at = (values: readonly number[], share: number) =>
    values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN;
  const figures = { usable: at(usable, 0.5), slowest: at(usable, 1), paint: at(paints, 0.95) };
  const text = [
    `files of the first screen: ${kilobytes.toFixed(1)} KB compressed (promised: ${promised.kilobytes})`,
    `usable at ${slowed} × slowed processor, nothing cached: ${Math.round(figures.usable)} ms median, ` +
      `${Math.round(figures.slowest)} ms slowest of ${loads} (promised: ${promised.usableMilliseconds})`,
    `interaction to next paint, slowed as much: p95 ${Math.max(figures.paint, shortestMilliseconds)} ms of ` +
      `${paints.length} interactions (promised: ${promised.paintMilliseconds})`,
  ].join('\n');
  const isKept =
    kilobytes <= promised.kilobytes &&
    figures.usable <= promised.usableMilliseconds &&
    figures.paint <= promised.paintMilliseconds;
  return { text, isKept };
}

async function signedIn(context: BrowserContext, { base_url: base, user }: Demo): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${base}/console/users`);
  await page.locator('input:focus').waitFor();
  await page.getByLabel('User name or e-mail').fill(user.email);
  await page.getByLabel('Password').fill(user.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.locator('main table').waitFor();
  return page;
}

async function openUsers(page: Page, { base_url: base }: Demo): Promise<void> {
  await page.goto(`${base}/console/users`);
  await page.locator('main table').waitFor();
}

/** What the files of the console take on the wire, with their headers; calls of the API are not among them. */
async function loadedBytes(session: CDPSession, load: () => Promise<void>): Promise<number> {
  const ofConsole = new Set<string>();
  let bytes = 0;
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (/^\/(?:console|assets)(?:\/|$)/.test(new URL(request.url).pathname)) ofConsole.add(requestId);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (ofConsole.has(requestId)) bytes += encodedDataLength;
  });
  await session.send('Network.clearBrowserCache');
  await load();
  return bytes;
}

/** When the list of users is there: its rows can be read and its search be typed into. Runs in the page. */
const noteUsable = `
  new MutationObserver((_, observer) => {
    if (!document.querySelector('main table tbody tr')) return;
    observer.disconnect();
    globalThis.usableAt = performance.now();
  }).observe(document, { childList: true, subtree: true });
`;

/** The longest event of each interaction, from the input until the next frame. Runs in the page. */
const noteEvents = `
  globalThis.paints = {};
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries()) {
      if (interactionId > 0) globalThis.paints[interactionId] = Math.max(globalThis.paints[interactionId] ?? 0, duration);
    }
  }).observe({ type: 'event', durationThreshold: ${shortestMilliseconds}, buffered: true });
`;

/** Does what people do; answers the milliseconds of each interaction. */
async function interact(page: Page): Promise<number[]> {
  let count = 0;
  const type = async (text: string) => {
    for (const letter of text) await press(letter);
  };
  const press = async (key: string) => {
    count += 1;
    await page.keyboard.press(key);
  };
  const open = async (screen: string) => {
    count += 1;
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: screen, exact: true }).click();
    await page.getByRole('heading', { level: 1, name: screen, exact: true }).waitFor();
    await page.waitForLoadState('networkidle');
  };
  for (const screen of ['Apps', 'Roles', 'Policies', 'APIs', 'Settings and keys', 'Users']) await open(screen);
  await press('/');
  await type('number 1');
  for (const screen of ['Apps', 'Callers', 'Users']) await open(screen);
  await press('Control+k');
  await page.getByRole('combobox', { name: 'Screen, user or app' }).waitFor();
  await type('user');
  await page
    .getByRole('option', { name: /^User: / })
    .first()
    .waitFor();
  for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await press(key);
  await page.getByRole('button', { name: 'Explain', exact: true }).waitFor();
  await page.waitForLoadState('networkidle');
  count += 1;
  await page.getByRole('button', { name: 'Explain', exact: true }).click();
  await page.getByRole('list', { name: 'Decisions of the sign-in' }).waitFor();
  await page.getByLabel('Title').focus();
  await type('Rear admiral');
  // Entries are told once they have been painted, and observers when nothing else is to be done.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestIdleCallback(done)))');
  const seen = Object.values((await page.evaluate('globalThis.paints')) as Record<string, number>);
  return [...seen, ...Array<number>(Math.max(count - seen.length, 0)).fill(shortestMilliseconds)];
}
