/** One request and its response on an open connection. */

import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { EgressHeaders } from '../../domain/egress.ts';
import { type Coding, readCoding } from './coding.ts';
import { Refusal } from './refusal.ts';

export interface Outgoing {
  readonly url: URL;
  readonly method: string;
  readonly headers: EgressHeaders;
  readonly body: Buffer | null;
}

export interface Incoming {
  readonly status: number;
  readonly statusText: string;
  readonly headers: EgressHeaders;
  /** As it came. */
  readonly body: Buffer;
  readonly coding: Coding;
}

const mostHeaderBytes = 16 * 1024;

function start({ url, method, headers, body }: Outgoing, socket: Socket, signal: AbortSignal): ClientRequest {
  const request = httpRequest({
    // With a connection of its own the request has no agent, so it ignores proxies in the environment.
    createConnection: () => socket,
    method,
    path: `${url.pathname}${url.search}`,
    setHost: false,
    maxHeaderSize: mostHeaderBytes,
    insecureHTTPParser: false,
    signal,
  });
  request.setHeader('host', url.host);
  request.setHeader('accept-encoding', 'gzip');
  request.setHeader('user-agent', 'Gatehouse');
  const values = new Map<string, string[]>();
  for (const [name, value] of headers) values.set(name, [...(values.get(name) ?? []), value]);
  for (const [name, all] of values) request.setHeader(name, all.length === 1 ? (all[0] ?? '') : all);
  if (body) request.setHeader('content-length', body.length);
  request.end(body ?? undefined);
  return request;
}

function responseOf(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((fulfil, reject) => {
    request.once('response', fulfil);
    request.on('error', (cause) => reject(new Refusal('connection_failed', { cause })));
    // RFC 9110 §15.2.2: nobody asked for another protocol.
    request.once('upgrade', (_, socket) => {
      socket.destroy();
      reject(new Refusal('response_invalid'));
    });
  });
}

async function readRaw(response: IncomingMessage, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response) {
      length += chunk.length;
      if (length > most) throw new Refusal('response_too_large');
      chunks.push(chunk);
    }
  } catch (cause) {
    throw cause instanceof Refusal ? cause : new Refusal('connection_failed', { cause });
  }
  return Buffer.concat(chunks);
}

function headersOf({ rawHeaders }: IncomingMessage): EgressHeaders {
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    // They describe the bytes on the wire.
    if (name === 'content-encoding' || name === 'content-length' || name === 'transfer-encoding') continue;
    headers.push([name, rawHeaders[at + 1] ?? '']);
  }
  return headers;
}

/** Sends the request and reads the response of at most `most` bytes without decoding it. Closes the connection. */
export async function makeRequest(
  outgoing: Outgoing,
  socket: Socket,
  most: number,
  signal: AbortSignal,
): Promise<Incoming> {
  try {
    const response = await responseOf(start(outgoing, socket, signal));
    const body = await readRaw(response, most);
    return {
      status: response.statusCode ?? 0,
      statusText: response.statusMessage ?? '',
      headers: headersOf(response),
      body,
      coding: readCoding(response.headers['content-encoding'], body),
    };
  } finally {
    socket.destroy();
  }
}
