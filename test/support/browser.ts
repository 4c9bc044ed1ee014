/** A real Chromium for the tests. One browser process serves a test file and ends with it. */

import { after } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, BrowserContext, Page, ViewportSize } from 'playwright-core';
import { launchChromium } from './chromium.ts';

/** What a test may choose about its browser. */
export interface BrowserOptions {
  /** Whether scripts of the page run; true unless said otherwise. axe-core needs them. */
  readonly javaScript?: boolean;
  /** What `prefers-color-scheme` says; `light` unless said otherwise. */
  readonly colorScheme?: 'light' | 'dark';
  /** Size of the page in CSS pixels; 1280 × 800 unless said otherwise. */
  readonly viewport?: ViewportSize;
  /** What `prefers-reduced-motion` says; `reduce` unless said otherwise. */
  readonly reducedMotion?: 'reduce' | 'no-preference';
}

/** Milliseconds; for anything of a page. */
const longestWait = 120_000;

/** A page in its own context: no cookie, cache or storage is shared with another. */
export interface OpenBrowser {
  readonly page: Page;
  readonly context: BrowserContext;
  close(): Promise<void>;
}

let browser: Promise<Browser> | undefined;

// At the end of the test file that imports this.
after(async () => {
  const launched = await browser?.catch(() => undefined);
  await launched?.close();
});

/** Opens a page in the file's browser, which the first call starts. Waiting for anything ends after two minutes. */
export async function openBrowser(options: BrowserOptions = {}): Promise<OpenBrowser> {
  browser ??= launchChromium();
  const context = await (await browser).newContext({
    javaScriptEnabled: options.javaScript ?? true,
    colorScheme: options.colorScheme ?? 'light',
    viewport: options.viewport ?? { width: 1280, height: 800 },
    reducedMotion: options.reducedMotion ?? 'reduce',
  });
  context.setDefaultTimeout(longestWait);
  return { context, page: await context.newPage(), close: () => context.close() };
}

/**
 * Waits until an expression is true of a page; rejects after two minutes. It is evaluated from outside: what Playwright
 * has for this calls `eval` in the page once the first answer was no, which the policy of our pages forbids.
 */
export async function waitUntil(page: Page, expression: string): Promise<void> {
  const end = performance.now() + longestWait;
  while (!(await page.evaluate(expression))) {
    if (performance.now() > end) throw new Error(`${expression} did not become true`);
    await delay(20);
  }
}
