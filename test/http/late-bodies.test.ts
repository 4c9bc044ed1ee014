/** A request begins when all of it has come: what was changed before its body came counts. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openTestApp } from '../support/app.ts';
import { clientAuthentication, registerClient } from '../support/sign-in.ts';
import { databases } from '../support/stores.ts';

for (const kind of databases) {
  describe(`bodies that come late on ${kind}`, () => {
    test('a client is judged by what it is when the body has come', async (t) => {
      const app = await openTestApp(kind);
      t.after(() => app.dispose());
      const client = await registerClient(app, { grant_types: ['client_credentials'], redirect_uris: [] });
      const server = createServer(app.app).listen(0, '127.0.0.1');
      t.after(() => server.close());
      await once(server, 'listening');
      const { authorization = '' } = clientAuthentication(client).headers as Record<string, string>;
      const body = 'grant_type=client_credentials';
      const head = [
        'POST /oauth2/token HTTP/1.1',
        `Host: ${new URL(app.account.baseUrl).host}`,
        `Authorization: ${authorization}`,
        'Content-Type: application/x-www-form-urlencoded',
        `Content-Length: ${body.length}`,
        'Connection: close',
      ].join('\r\n');
      const ask = async (between: () => Promise<unknown>): Promise<number> => {
        const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
        socket.write(`${head}\r\n\r\n`);
        await delay(8);
        await between();
        socket.write(body);
        let text = '';
        for await (const chunk of socket) text += String(chunk);
        return Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
      };
      assert.equal(await ask(async () => {}), 200);
      const { clients } = app.services.store;
      assert.equal(await ask(() => clients.replaceSecret(app.account.id, client.app_id, 'x')), 401);
    });
  });
}
