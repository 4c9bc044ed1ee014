/** HTTP to a listening service over connections that stay open; the account is chosen by the Host header. */

import { Agent, type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Sent } from './app.ts';
import { type Answer, conforms } from './conforms.ts';

/** An answer with the times of request and completion, in milliseconds of `performance.now()`. */
export interface TimedAnswer extends Answer {
  readonly calledAt: number;
  readonly answeredAt: number;
}

export interface Wire {
  /**
   * Sends one request; redirects are not followed. Rejects when the connection breaks before the answer is complete.
   */
  call(method: string, path: string, sent?: Sent): Promise<TimedAnswer>;
  /** The same, and asserts that the answer is one that the contract documents. */
  send(method: string, path: string, sent?: Sent): Promise<TimedAnswer>;
  close(): void;
}

/** More than the service announces, which holds then. */
const mostIdleMilliseconds = 60_000;

/** Less than half of what the service announces. */
const freshMilliseconds = 2000;

/**
 * An agent, and what closes its connections that have been idle for long. By Node's own timer a client is up to a
 * second earlier to close one than the service is; on a busy machine that second passes before the timer is looked at.
 */
function freshAgent(connections: number) {
  // Without a limit of its own the agent ignores the one that the service announces, and uses connections that are
  // closing.
  const agent = new Agent({ keepAlive: true, maxSockets: connections, timeout: mostIdleMilliseconds });
  const freedAt = new WeakMap<Duplex, number>();
  agent.on('free', (socket: Duplex) => freedAt.set(socket, performance.now()));
  const closeIdle = () => {
    const since = performance.now() - freshMilliseconds;
    for (const socket of Object.values(agent.freeSockets).flat()) {
      if (socket && (freedAt.get(socket) ?? 0) < since) socket.destroy();
    }
  };
  return { agent, closeIdle };
}

export interface WireOptions {
  readonly port: number;
  /** Host header of every request that names no other. */
  readonly host: string;
  /** Most connections at a time; further requests wait. */
  readonly connections?: number;
}

/** Opens no connection yet. */
export function openWire({ port, host, connections = 128 }: WireOptions): Wire {
  const { agent, closeIdle } = freshAgent(connections);

  async function call(method: string, path: string, sent: Sent = {}): Promise<TimedAnswer> {
    const body = bodyOf(sent);
    // Node would send the content of a DELETE without its length.
    const length = body && { 'content-length': String(body.length) };
    const headers = { ...headersOf(sent), ...length, host: sent.host ?? host };
    // As it is, but for what no request line can hold.
    const encoded = path.replace(/[^!-~]+/g, (part) => encodeURIComponent(part.toWellFormed()));
    closeIdle();
    const calledAt = performance.now();
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = { agent, host: '127.0.0.1', port, method, path: encoded, headers };
      request(options, resolve).on('error', reject).end(body);
    });
    const text = (await buffer(incoming)).toString('utf8');
    const answeredAt = performance.now();
    if (!incoming.complete) throw new Error(`the answer to ${method} ${path} broke off`);
    const isJson = (incoming.headers['content-type'] ?? '').startsWith('application/json');
    return {
      status: incoming.statusCode ?? 0,
      headers: incoming.headers as Answer['headers'],
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
      calledAt,
      answeredAt,
    };
  }

  return {
    call,
    send: async (method, path, sent) => {
      const answer = await call(method, path, sent);
      conforms(method, path, answer);
      return answer;
    },
    close: () => agent.destroy(),
  };
}

/** What is sent of a request. */
export function bodyOf({ form, json, raw }: Pick<Sent, 'form' | 'json' | 'raw'>): Buffer | undefined {
  if (form !== undefined) {
    return Buffer.from(typeof form === 'string' ? form : String(new URLSearchParams(form as Record<string, string>)));
  }
  if (json !== undefined) return Buffer.from(JSON.stringify(json));
  return raw === undefined ? raw : Buffer.from(raw);
}

function headersOf({ headers = {}, form, json }: Sent): Record<string, string> {
  if (form !== undefined) return { 'content-type': 'application/x-www-form-urlencoded', ...headers };
  return json === undefined ? { ...headers } : { 'content-type': 'application/json', ...headers };
}
