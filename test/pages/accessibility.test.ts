import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assets } from '../../src/pages/assets.ts';
import { failurePageHeaders, pageHeaders } from '../../src/pages/failure-page.ts';
import { violationsOf } from '../support/axe.ts';
import { type OpenBrowser, openBrowser } from '../support/browser.ts';
import { isSampled, sampled } from '../support/sample.ts';
import { allPages, awkwardNames, plainNames } from './samples.ts';

const origin = 'http://pages.localhost';
const plain = allPages(plainNames);
const awkward = new Map([...allPages(awkwardNames)].map(([name, html]) => [`${name}-awkward`, html]));
const pages = new Map([...plain, ...awkward]);

/** Answers from memory what a server would, with the policy that the pages are served with. */
async function serve({ context }: OpenBrowser): Promise<void> {
  await context.route(`${origin}/**`, (route) => {
    const { pathname } = new URL(route.request().url());
    const asset = assets.get(pathname.replace('/assets/', ''));
    // It would leave the page before it is looked at.
    if (pathname.endsWith('/send-form.js')) return route.fulfill({ contentType: 'text/javascript', body: '' });
    if (asset) return route.fulfill({ contentType: asset.type, body: asset.body });
    const body = pages.get(pathname.slice(1)) ?? '';
    const headers = pathname.includes('error-no-account')
      ? failurePageHeaders({ account: null })
      : pageHeaders({ redirectUri: 'https://client.example.com', script: body.includes('<script') });
    return route.fulfill({ contentType: 'text/html; charset=utf-8', body, headers });
  });
}

// Wide, and as the service sends them, they are looked at in test/browser.
describe('pages, 320 pixels wide', () => {
  let browser: OpenBrowser;
  const complaints: string[] = [];

  before(async () => {
    browser = await openBrowser({ viewport: { width: 320, height: 640 } });
    browser.page.on('console', (message) => complaints.push(message.text()));
    await serve(browser);
  });
  after(() => browser.close());

  /** What is asked of each page in every scheme of colours; with `null` axe is not. */
  async function assertSound(about: 'everything' | 'colours' | null): Promise<void> {
    if (about) assert.deepEqual(await violationsOf(browser.page, about), []);
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    assert.equal(await browser.page.evaluate(overflow), 0);
    assert.equal(await browser.page.evaluate('document.styleSheets.length'), 1);
    assert.deepEqual(complaints, []);
  }

  for (const [index, name] of sampled(plain.keys(), 3).entries()) {
    // One in three, in one scheme each, the other for the next, and axe at one in eight of these; the drill M1 looks
    // at all in both.
    const schemes = (['light', 'dark'] as const).filter((_, which) => isSampled(which, 2, index));
    it(`${name} has no violation, no sideways scrolling and nothing the policy forbids (${schemes})`, async () => {
      await browser.page.goto(`${origin}/${name}`);
      for (const [which, colorScheme] of schemes.entries()) {
        await browser.page.emulateMedia({ colorScheme });
        await assertSound(isSampled(index, 8) ? (which === 0 ? 'everything' : 'colours') : null);
      }
    });
  }

  for (const [index, name] of sampled(awkward.keys(), 8).entries()) {
    it(`${name} has no violation, no sideways scrolling and nothing the policy forbids`, async () => {
      // Awkward names are a matter of width, so they are looked at in one scheme.
      await browser.page.emulateMedia({ colorScheme: 'light' });
      await browser.page.goto(`${origin}/${name}`);
      await assertSound(isSampled(index, 8) ? 'everything' : null);
    });
  }
});
