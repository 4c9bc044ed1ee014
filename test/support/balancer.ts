/** A small balancer: one request after the other to whichever server says that it is ready, never a second try. */

import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const pollMilliseconds = 100;

export interface Balancer {
  readonly port: number;
  /** How often a server was found to become ready, and to stop being ready. */
  readonly changes: { up: number; down: number };
  /** Requests whose server broke the connection or refused it; they were answered 502. */
  readonly broken: readonly string[];
  close(): Promise<void>;
}

/** A balancer in front of local ports; requests wait while none of them is ready. */
export async function startBalancer(targets: readonly number[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true, maxSockets: 128 });
  const ready = new Set<number>();
  const changes = { up: 0, down: 0 };
  const broken: string[] = [];
  let turn = 0;
  let closed = false;

  async function poll(port: number): Promise<void> {
    while (!closed) {
      const status = await statusOf(port);
      const is = status === 200;
      if (is !== ready.has(port)) changes[is ? 'up' : 'down'] += 1;
      if (is) ready.add(port);
      else ready.delete(port);
      await delay(pollMilliseconds);
    }
  }

  async function pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
    while (ready.size === 0 && !closed) await delay(5);
    const ports = [...ready];
    const port = ports[turn++ % ports.length];
    const { method, url: path, headers } = req;
    const onward = request({ agent, host: '127.0.0.1', port, method, path, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, { ...answer.headers, connection: 'keep-alive' });
      answer.pipe(res);
    });
    onward.on('error', (error: NodeJS.ErrnoException) => {
      broken.push(`${error.code ?? error.message}${onward.reusedSocket ? ' on a kept connection' : ''}`);
      if (!res.headersSent) res.writeHead(502);
      res.end();
    });
    req.pipe(onward);
  }

  const server = createServer((req, res) => void pass(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  for (const port of targets) void poll(port);
  return {
    port: (server.address() as AddressInfo).port,
    changes,
    broken,
    close: async () => {
      closed = true;
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The answer of `/readyz` on a new connection; null without an answer. */
function statusOf(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, path: '/readyz', agent: false, timeout: 1000 }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? null);
    });
    asked.on('timeout', () => asked.destroy()).on('error', () => resolve(null));
    asked.end();
  });
}
