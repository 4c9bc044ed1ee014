import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { guides } from '../../../src/pages/docs/guides.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { violationsOf } from '../../support/axe.ts';
import { type BrowserOptions, openBrowser, waitUntil } from '../../support/browser.ts';
import { contracts } from '../../support/conforms.ts';
import { isSampled, isWhole, sampled } from '../../support/sample.ts';

describe('the documentation in a browser', () => {
  let app: TestApp;
  let origin = '';
  const server = createServer((req, res) => {
    req.headers.host = new URL(app.account.baseUrl).host;
    app.app(req, res);
  });

  before(async () => {
    app = await openTestApp('sqlite');
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    origin = `http://localhost:${address.port}`;
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await app.dispose();
  });

  /**
   * Runs `look` in a browser; any error, anything the policy forbids and any request to another host fails the test.
   */
  async function browse(options: BrowserOptions, look: (page: Page) => Promise<void>): Promise<void> {
    const { page, close } = await openBrowser(options);
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`${origin}/`) && !/^(file|blob|data):/.test(url)) complaints.push(url);
    });
    try {
      await look(page);
      assert.deepEqual(complaints, []);
    } finally {
      await close();
    }
  }

  /** How the browser marks an item of a list. */
  const markerOf = (item: Locator) =>
    item.evaluate((element) => Reflect.get(globalThis, 'getComputedStyle')(element).listStyleType);

  const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

  // Wide and light it is looked at in test/browser.
  for (const [index, colorScheme] of (['light', 'dark'] as const).entries()) {
    for (const width of [1280, 320].filter((_, place) => isSampled(2 * index + place, 4, 3))) {
      test(`the index has no violation in ${colorScheme}, ${width} pixels wide`, () =>
        browse({ colorScheme, viewport: { width, height: 800 } }, async (page) => {
          await page.goto(`${origin}/docs`);
          for (const summary of await page.locator('summary').all()) await summary.click();
          assert.deepEqual(await violationsOf(page), []);
          assert.equal(await page.evaluate(sideways), 0);
        }));
    }
  }

  // The drill M1 looks at all of them.
  for (const { name } of sampled(guides, 40)) {
    test(`the guide ${name} has no violation, and no link that leads nowhere`, () =>
      browse({ viewport: { width: 320, height: 800 } }, async (page) => {
        await page.goto(`${origin}/docs/${name}`);
        assert.deepEqual(await violationsOf(page), []);
        assert.equal(await page.evaluate(sideways), 0);
        const tables = await page
          .locator('.table')
          .evaluateAll((all: { clientWidth: number; scrollWidth: number }[]) =>
            all.filter(({ clientWidth, scrollWidth }) => scrollWidth > clientWidth),
          );
        assert.equal(tables.length, 0, 'each column of a table can be read without scrolling to the side');
        const links = await page
          .locator('main a')
          .evaluateAll((all: { href: string }[]) => all.map(({ href }) => href));
        for (const href of new Set(links.filter((link) => link.startsWith(`${origin}/docs/`)))) {
          const { hash } = new URL(href);
          const answer = await fetch(href);
          assert.equal(answer.status, 200, href);
          // On a page of Redoc its script makes the anchors.
          const isGuide = guides.some((guide) => new URL(href).pathname === `/docs/${guide.name}`);
          if (hash !== '' && isGuide) assert.ok((await answer.text()).includes(`id="${hash.slice(1)}"`), href);
        }
      }));
  }

  test('the search answers a question with a guide and its sections, in the address bar and as it is typed', () =>
    browse({}, async (page) => {
      await page.goto(`${origin}/docs`);
      await page.getByRole('searchbox').fill('restore the database');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.locator('#results a', { hasText: 'Back up and restore' }).first().waitFor();
      assert.deepEqual(await violationsOf(page), []);
      await page.getByRole('searchbox').fill('zzzzqqqq');
      await page.getByText('Nothing found.').waitFor();
      await page.getByRole('searchbox').fill('nginx');
      await page.locator('#results a', { hasText: 'Go to production' }).first().click();
      await page.getByRole('heading', { name: '4. A proxy in front' }).waitFor();
    }));

  // The drill M1 has all of them drawn.
  for (const [surface, { contract, routes }] of sampled(contracts, 16)) {
    test(`Redoc draws every operation of ${surface} within the policy`, () =>
      browse({}, async (page) => {
        await page.goto(`${origin}/docs/${surface}`);
        await page.locator('#reference h1', { hasText: contract.info.title }).waitFor();
        for (const operationId of routes.operations.keys()) {
          await page.locator(`[id$="/operation/${operationId}"] h2`).first().waitFor();
        }
        const answers = page.locator('#reference button', { has: page.locator('strong') });
        assert.ok((await answers.count()) > 0);
        // Where the page stands, and all in one turn: Redoc redraws a large contract after each click.
        await answers.evaluateAll((buttons: { click(): void }[]) => {
          for (const button of buttons) button.click();
        });
        assert.equal(await page.evaluate(sideways), 0);
      }));
  }

  test('an operation on the index links to its section on the page of its surface', () =>
    browse({}, async (page) => {
      await page.goto(`${origin}/docs`);
      await page.locator('.operations').getByRole('link', { name: 'POST /oidc/2/token' }).click();
      const heading = page.getByRole('heading', { name: 'Refresh a token', level: 2 });
      await heading.waitFor();
      await waitUntil(page, 'window.scrollY > 0');
      const { y = -1 } = (await heading.boundingBox()) ?? {};
      assert.ok(y >= 0 && y < 400, `the heading is at ${y}`);
    }));

  test('steps are numbered, and lead to their operation and from there to the others', () =>
    browse({}, async (page) => {
      await page.goto(`${origin}/docs`);
      const step = page.getByRole('listitem').filter({ hasText: /^Assign the app to the user/ });
      assert.equal(await markerOf(step), 'decimal');
      // Both links draw the largest contract.
      if (isWhole) {
        await step.getByRole('link').click();
        await page.getByRole('heading', { name: 'Assign an app to users', level: 2 }).waitFor();
      } else {
        assert.match((await step.getByRole('link').getAttribute('href')) ?? '', /^\/docs\/api-2#/);
      }
      await page.goto(`${origin}/docs/oidc-2`);
      const written = page.locator('#reference ol li', { hasText: 'Assign access' });
      assert.equal(await markerOf(written), 'decimal');
      if (!isWhole) return;
      await written.getByRole('link').click();
      await page.getByRole('heading', { name: 'Assign an app to users', level: 2 }).waitFor();
    }));

  test('scopes of an operation are alternatives, and the search finds an operation', () =>
    browse({}, async (page) => {
      await page.goto(`${origin}/docs/oidc-2`);
      const operation = page.locator('[id$="/operation/registerClient"]');
      await operation.getByText('Authorizations:').click();
      const scopes = operation.locator('b', { hasText: /^Required scope/ }).locator('..');
      const shown = (await scopes.innerText()).replaceAll(/\s+/g, ' ').trim();
      assert.equal(shown, 'Required scope, one of: register_clients manage_all');
      await page.getByPlaceholder('Search...').fill('refresh');
      await page.locator('[role="search"] [role="menuitem"]', { hasText: 'Refresh a token' }).first().waitFor();
    }));

  test('without scripts the page names the operations and links to the contract', () =>
    browse({ javaScript: false, viewport: { width: 320, height: 640 } }, async (page) => {
      await page.goto(`${origin}/docs/oidc-2`);
      await page.locator('noscript .operations code', { hasText: '/oidc/2/register' }).waitFor();
      const link = page.locator('noscript a', { hasText: 'oidc-2.yaml' });
      assert.equal(await link.getAttribute('href'), '/openapi/oidc-2.yaml');
    }));

  test('`npm run docs` writes the same pages to a folder, and they work there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-docs-'));
    try {
      const script = fileURLToPath(new URL('../../../scripts/docs.ts', import.meta.url));
      await promisify(execFile)(process.execPath, [script, '--out', folder]);
      await browse({}, async (page) => {
        await page.goto(pathToFileURL(join(folder, 'index.html')).href);
        await page.getByRole('link', { name: 'Client registration and token refresh', exact: true }).click();
        await page.locator('#reference h1', { hasText: 'Client registration and token refresh' }).waitFor();
        await page.getByRole('link', { name: 'Gatehouse documentation' }).click();
        await page.getByRole('heading', { name: 'More workflows' }).waitFor();
        await page.locator('.command', { hasText: '{base_url}/openapi/workflows/main-job.yaml' }).first().waitFor();
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
