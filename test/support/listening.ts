/** The application of a test behind a real socket, for what needs many requests at once. */

import type { AddressInfo } from 'node:net';
import { createServer, listen } from '../../src/server.ts';
import type { TestApp } from './app.ts';
import { openWire, type Wire } from './wire.ts';

export interface Listening {
  readonly wire: Wire;
  close(): Promise<void>;
}

/** Listens on a free port of loopback. */
export async function listenTo({ app, account }: TestApp, connections = 200): Promise<Listening> {
  const server = createServer(app);
  await listen(server, { host: '127.0.0.1', port: 0 });
  const { port } = server.address() as AddressInfo;
  const wire = openWire({ port, host: new URL(account.baseUrl).host, connections });
  return {
    wire,
    close: async () => {
      wire.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
