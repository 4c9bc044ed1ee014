/** One request and its response on a connection that is open. */

import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { EgressHeaders } from '../../domain/egress.ts';
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
  readonly body: Buffer;
}

const mostHeaderBytes = 16 * 1024;

const decoders: Readonly<Record<string, (input: Buffer, limits: { maxOutputLength: number }) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

function start({ url, method, headers, body }: Outgoing, socket: Socket, signal: AbortSignal): ClientRequest {
  const request = httpRequest({
    // With a connection of its own the request has no agent, and so no proxy that the environment names.
    createConnection: () => socket,
    method,
    path: `${url.pathname}${url.search}`,
    setHost: false,
    maxHeaderSize: mostHeaderBytes,
    insecureHTTPParser: false,
    signal,
  });
  request.setHeader('host', url.host);
  request.setHeader('accept-encoding', 'gzip, deflate, br');
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

/** What counts is the decompressed size, and decompression ends where it is reached. */
async function decode(raw: Buffer, coding: string, most: number): Promise<Buffer> {
  if (raw.length === 0 || coding === '' || coding === 'identity') return raw;
  // Also several codings, one within the other: nobody asked for them.
  const decoder = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined;
  if (!decoder) throw new Refusal('response_invalid');
  try {
    return await decoder(raw, { maxOutputLength: most });
  } catch (cause) {
    const isTooLarge = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new Refusal(isTooLarge ? 'response_too_large' : 'response_invalid', { cause });
  }
}

function headersOf({ rawHeaders }: IncomingMessage): EgressHeaders {
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    // They describe what was on the wire.
    if (name === 'content-encoding' || name === 'content-length' || name === 'transfer-encoding') continue;
    headers.push([name, rawHeaders[at + 1] ?? '']);
  }
  return headers;
}

/** Sends the request and reads the response of at most `most` bytes, before and after decompression. Closes the connection. */
export async function exchange(
  outgoing: Outgoing,
  socket: Socket,
  most: number,
  signal: AbortSignal,
): Promise<Incoming> {
  try {
    const response = await responseOf(start(outgoing, socket, signal));
    const raw = await readRaw(response, most);
    const coding = response.headers['content-encoding']?.trim().toLowerCase() ?? '';
    return {
      status: response.statusCode ?? 0,
      statusText: response.statusMessage ?? '',
      headers: headersOf(response),
      body: await decode(raw, coding, most),
    };
  } finally {
    socket.destroy();
  }
}
