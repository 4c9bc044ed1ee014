import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { contentSecurityPolicy } from '../../src/pages/content-security-policy.ts';
import { openBrowser } from '../support/browser.ts';

async function listen(listener: RequestListener): Promise<{ server: Server; origin: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('the way from a form back to the client, in a browser', () => {
  const servers: Server[] = [];
  let start = '';
  let end = '';
  let policy = '';

  before(async () => {
    const home = await listen((_request, response) => response.end('signed in'));
    // A client that sends the browser on to another of its hosts once it has the code.
    const client = await listen((_request, response) => response.writeHead(302, { location: `${home.origin}/` }).end());
    const service = await listen((request, response) => {
      if (request.method === 'POST') return response.writeHead(303, { location: '/continue' }).end();
      if (request.url === '/continue') return response.writeHead(303, { location: `${client.origin}/callback` }).end();
      response.setHeader('content-type', 'text/html');
      response.setHeader('content-security-policy', policy);
      return response.end('<form method="post" action="/consent"><button>Allow</button></form>');
    });
    servers.push(home.server, client.server, service.server);
    start = service.origin.replace('127.0.0.1', 'localhost');
    end = `${home.origin}/`;
  });
  after(() => {
    for (const server of servers) server.close().closeAllConnections();
  });

  async function pressedAt(chosen: string): Promise<{ url: string; blocked: boolean }> {
    policy = chosen;
    const { page, close } = await openBrowser({ javaScript: false });
    const blocked = page.waitForEvent('console', (message) => message.text().includes('form-action'));
    const arrived = page.waitForURL(end);
    await page.goto(`${start}/`);
    await page.getByRole('button').click({ noWaitAfter: true });
    const outcome = await Promise.any([blocked.then(() => true), arrived.then(() => false)]);
    const url = page.url();
    await Promise.allSettled([close(), blocked, arrived]);
    return { url, blocked: outcome };
  }

  it('is open with the scheme of the redirect URI in form-action', async () => {
    const { url, blocked } = await pressedAt(contentSecurityPolicy({ redirectUri: 'http://127.0.0.1/callback' }));
    assert.deepEqual({ url, blocked }, { url: end, blocked: false });
  });

  it("is closed with 'self' alone, which is why the scheme is there", async () => {
    const { url, blocked } = await pressedAt(contentSecurityPolicy());
    assert.deepEqual({ url, blocked }, { url: `${start}/`, blocked: true });
  });
});
