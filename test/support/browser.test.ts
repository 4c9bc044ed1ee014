import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { violationsOf } from './axe.ts';
import { openBrowser } from './browser.ts';

const document = (body: string) => `<!doctype html>
<html lang="en">
<meta name="viewport" content="width=device-width">
<title>A page</title>
<style>:root { color-scheme: light dark; } @media (prefers-color-scheme: dark) { h1 { font-size: 40px; } }</style>
<main><h1>Hello</h1>${body}</main>
<script>document.title = 'A page with scripts';</script>
</html>`;
const pages: Readonly<Record<string, string>> = {
  '/': document('<p>Plain text.</p>'),
  '/unlabelled': document('<input name="username">'),
};

const server = createServer((request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.setHeader(
    'content-security-policy',
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'",
  );
  response.end(pages[request.url ?? '']);
});
let port: number;

before(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  port = (server.address() as AddressInfo).port;
});
after(() => server.close());

test('renders a page on loopback, by its addresses and by names below localhost', async () => {
  const { page, close } = await openBrowser();
  for (const host of ['127.0.0.1', 'localhost', 'demo.localhost']) {
    await page.goto(`http://${host}:${port}/`);
    assert.equal(await page.title(), 'A page with scripts');
  }
  const picture = await page.screenshot();
  assert.equal(picture.subarray(1, 4).toString(), 'PNG');
  await close();
});

test('the font of the package is used: text has a width, and narrow letters are narrower', async () => {
  const { page, close } = await openBrowser();
  await page.setContent('<span id="narrow">iiiiiiiiii</span><br><span id="wide">wwwwwwwwww</span>');
  const narrow = await page.locator('#narrow').boundingBox();
  const wide = await page.locator('#wide').boundingBox();
  assert.ok(narrow && wide && narrow.width > 20 && wide.width > 2 * narrow.width);
  await close();
});

test('without JavaScript the scripts of a page do not run', async () => {
  const { page, close } = await openBrowser({ javaScript: false });
  await page.goto(`http://127.0.0.1:${port}/`);
  assert.equal(await page.title(), 'A page');
  await close();
});

test('colour scheme and size are those requested', async () => {
  const { page, close } = await openBrowser({ colorScheme: 'dark', viewport: { width: 320, height: 640 } });
  await page.goto(`http://127.0.0.1:${port}/`);
  assert.equal(await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches"), true);
  assert.equal(await page.evaluate('innerWidth'), 320);
  await close();
});

test('nothing but loopback is reachable', async () => {
  for (const address of ['http://example.com/', 'http://192.0.2.1/', 'http://[2001:db8::1]/', 'https://10.0.0.1/']) {
    const { page, close } = await openBrowser();
    await assert.rejects(page.goto(address), /ERR_NAME_NOT_RESOLVED/, address);
    await close();
  }
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`axe-core judges pages, ${colorScheme}`, async () => {
    const { page, close } = await openBrowser({ colorScheme });
    await page.goto(`http://127.0.0.1:${port}/`);
    assert.deepEqual(await violationsOf(page), []);
    await page.goto(`http://127.0.0.1:${port}/unlabelled`);
    const rules = (await violationsOf(page)).map(([rule]) => rule);
    assert.deepEqual(rules, ['label']);
    await close();
  });
}
