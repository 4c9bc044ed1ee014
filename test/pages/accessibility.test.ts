import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assets } from '../../src/pages/assets.ts';
import { failurePageHeaders, pageHeaders } from '../../src/pages/failure-page.ts';
import { violationsOf } from '../support/axe.ts';
import { type OpenBrowser, openBrowser } from '../support/browser.ts';
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

  /** Opens a page of that name, which is not to be wider than the window or to do what the policy forbids. */
  async function open(name: string): Promise<void> {
    await browser.page.emulateMedia({ colorScheme: 'light' });
    await browser.page.goto(`${origin}/${name}`);
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    assert.equal(await browser.page.evaluate(overflow), 0);
    assert.equal(await browser.page.evaluate('document.styleSheets.length'), 1);
    assert.deepEqual(complaints, []);
  }

  for (const name of plain.keys()) {
    it(`${name} has no violation in light and dark, no sideways scrolling and nothing the policy forbids`, async () => {
      await open(name);
      assert.deepEqual(await violationsOf(browser.page), []);
      await browser.page.emulateMedia({ colorScheme: 'dark' });
      assert.deepEqual(await violationsOf(browser.page, 'colours'), []);
    });
  }

  // Names are a matter of width.
  for (const name of awkward.keys()) {
    it(`${name} has no sideways scrolling and nothing the policy forbids`, () => open(name));
  }
});
