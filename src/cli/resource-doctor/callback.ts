/** Where the browser brings the answer of the authorization server: a port of this machine (RFC 8252 §7.3). */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Callback {
  readonly redirectUri: string;
  /** What only the answer to this request has. */
  readonly state: string;
  /** The parameters of the answer; null when none came in time. */
  wait(milliseconds: number): Promise<URLSearchParams | null>;
  close(): void;
}

const path = '/callback';

export async function openCallback(): Promise<Callback> {
  const state = randomBytes(16).toString('base64url');
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    // Any program and any page of this machine could send one.
    const isAnswer = pathname === path && searchParams.get('state') === state;
    response.writeHead(isAnswer ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
    response.end(isAnswer ? 'The answer has arrived. You can close this page.\n' : 'There is nothing here.\n');
    if (isAnswer) resolve(searchParams);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    redirectUri: `http://127.0.0.1:${port}${path}`,
    state,
    wait: (milliseconds) => Promise.race([promise, delay(milliseconds, null, { ref: false })]),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
