/** The application behind a real socket: many requests at once over connections that stay open. */

import { Agent, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, listen } from '../../src/server.ts';
import type { Sent, TestApp } from '../support/app.ts';
import { type Answer, conforms } from '../support/conforms.ts';
import type { Wire } from './wire.ts';

export interface Client {
  /** For each request that was sent again over another connection, or because the service was too busy, why. */
  readonly sentAgain: string[];
  /** Sends one request; the answer is held against the contract. */
  send(wire: Wire): Promise<Answer>;
  close(): Promise<void>;
}

/** Serves the application on loopback under the limits of the real server. */
export async function serve(app: TestApp, connections: number): Promise<Client> {
  const server = createServer(app.app);
  await listen(server, { host: '127.0.0.1', port: 0 });
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const sentAgain: string[] = [];
  return {
    sentAgain,
    send: async (wire) => {
      const answer = await sendOver(agent, port, wire, sentAgain);
      conforms(wire.method, pathOf(wire.target), answer);
      return answer;
    },
    close: () => {
      agent.destroy();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** The path of a target in origin-form or absolute-form. */
export function pathOf(target: string): string {
  return target.replace(/^https?:\/\/[^/]*/, '');
}

function sendOver(agent: Agent, port: number, wire: Wire, sentAgain: string[], isAgain = false): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method, target, headers, body } = wire;
    const sent = request({
      agent,
      host: '127.0.0.1',
      port,
      method,
      path: target,
      headers: headers.flat(),
      setHost: false,
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // The server may end an idle connection just when it is used again, of which the agent knows not always.
      const isIdle = sent.reusedSocket || !isAgain;
      if (!isIdle || error.code !== 'ECONNRESET') return reject(error);
      sentAgain.push(`${method} ${pathOf(target)}: ${error.code}`);
      resolve(sendOver(agent, port, wire, sentAgain, true));
    });
    sent.on('response', (received) => readAnswer(received).then(resolve, reject));
    sent.end(body ?? undefined);
  });
}

/** A stream of events lasts for ever where the request does not say how long. */
const longestStream = 3_000;

async function readAnswer(received: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  const isStream = String(received.headers['content-type']).startsWith('text/event-stream');
  const timer = isStream ? setTimeout(() => received.destroy(), longestStream) : undefined;
  try {
    for await (const chunk of received) chunks.push(chunk as Buffer);
  } catch (error) {
    if (!isStream) throw error;
  } finally {
    clearTimeout(timer);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  const isJson = String(received.headers['content-type'] ?? '').startsWith('application/json');
  return {
    status: received.statusCode ?? 0,
    headers: received.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}

/** The application as the helpers of other tests take it, over the client's connections. */
export function overClient(app: TestApp, client: Client): TestApp {
  const { host } = new URL(app.account.baseUrl);
  const send: TestApp['send'] = (method, path, sent = {}) => client.send(wireOf(host, method, path, sent));
  return { ...app, send };
}

function wireOf(
  host: string,
  method: string,
  target: string,
  { headers = {}, form, json, raw, host: other }: Sent,
): Wire {
  const text = form === undefined ? undefined : new URLSearchParams(form as Record<string, string>).toString();
  const content = text ?? (json === undefined ? raw : JSON.stringify(json));
  const body = content === undefined ? null : Buffer.from(content);
  const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
  return {
    method,
    target,
    headers: [
      ['host', other ?? host],
      ...Object.entries(headers),
      ...(raw === undefined && body ? [['content-type', type] as const] : []),
      ...(body ? [['content-length', String(body.length)] as const] : []),
    ],
    body,
  };
}
