import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import type { Account } from '../../src/domain/accounts/account.ts';
import { assets } from '../../src/pages/assets.ts';
import { deliver } from '../../src/pages/deliver.ts';
import { openBrowser } from '../support/browser.ts';

async function listen(listener: RequestListener): Promise<{ server: Server; origin: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const members = { code: 'c-1', state: 'a b&c=ü"', iss: 'https://demo.example.com' };

/** OAuth 2.0 Form Post Response Mode 1.0 §2, in a browser and with the headers of the service. */
describe('the page that posts an answer to a client', () => {
  const servers: Server[] = [];
  after(() => {
    for (const server of servers) server.close().closeAllConnections();
  });

  for (const javaScript of [true, false]) {
    it(`sends the form ${javaScript ? 'at once' : 'when its button is pressed'}`, async () => {
      const bodies: string[] = [];
      const client = await listen((request, response) => {
        if (request.method !== 'POST') return response.writeHead(404).end();
        let body = '';
        request.on('data', (chunk: Buffer) => {
          body += chunk;
        });
        request.on('end', () => {
          bodies.push(body);
          response.end('signed in');
        });
        return response;
      });
      const action = `${client.origin}/callback?x=1`;
      const delivery = deliver({ name: 'Northwind' } as Account, { by: 'form_post', action, members });
      const [html, headers] = 'page' in delivery ? delivery.page : assert.fail('no page');
      const service = await listen((request, response) => {
        const asset = assets.get(/^\/assets\/([^?]+)/.exec(request.url ?? '')?.[1] ?? '');
        if (asset) return response.setHeader('content-type', asset.type).end(asset.body);
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
        return response.setHeader('content-type', 'text/html').end(html);
      });
      servers.push(client.server, service.server);
      const { page, close } = await openBrowser({ javaScript });
      const arrived = page.waitForURL(action);
      await page.goto(`${service.origin.replace('127.0.0.1', 'localhost')}/`).catch(() => undefined);
      if (!javaScript) await page.getByRole('button', { name: 'Continue' }).click({ noWaitAfter: true });
      await arrived;
      await close();
      assert.deepEqual(
        bodies.map((body) => Object.fromEntries(new URLSearchParams(body))),
        [members],
      );
    });
  }
});
