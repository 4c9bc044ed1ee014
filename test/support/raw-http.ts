/** HTTP written by hand: for requests that no client library would send. */

import type { RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createServer, listen } from '../../src/server.ts';
import type { Answer } from './conforms.ts';

export interface RawServer {
  readonly port: number;
  /** Sends lines (joined by CRLF) with a body after them. */
  send(lines: readonly string[], body?: string): Promise<Answer>;
  close(): Promise<void>;
}

/** The service's own HTTP server around `app`, on a free port of loopback. */
export async function startRaw(app: RequestListener): Promise<RawServer> {
  const server = createServer(app);
  await listen(server, { host: '127.0.0.1', port: 0 });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    send: (lines, body) => sendRaw(port, lines, body),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Sends lines (joined by CRLF) with a body after them to a port of this machine, and reads until the connection ends.
 */
export async function sendRaw(port: number, lines: readonly string[], body = ''): Promise<Answer> {
  return readAnswer(await sendBytes(port, `${[...lines, 'Connection: close', '', ''].join('\r\n')}${body}`));
}

/** Sends bytes to a local port; returns all bytes received until the connection closes. */
export function sendBytes(port: number, bytes: string | Buffer): Promise<Buffer> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.write(bytes);
  return buffer(socket);
}

/**
 * One answer with its content delimited by `Content-Length`, `Transfer-Encoding: chunked` or the end of the connection.
 */
export function readAnswer(bytes: Buffer): Answer {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) throw new Error(`no answer: ${bytes.toString('latin1').slice(0, 200)}`);
  const [statusLine = '', ...fields] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers: Record<string, string> = {};
  for (const field of fields) {
    const colon = field.indexOf(':');
    headers[field.slice(0, colon).toLowerCase()] = field.slice(colon + 1).trim();
  }
  const content = bytes.subarray(end + 4);
  const text = headers['transfer-encoding'] === 'chunked' ? joinChunks(content) : content.toString('utf8');
  const isJson = headers['content-type']?.startsWith('application/json') === true && text !== '';
  return { status: Number(statusLine.split(' ')[1]), headers, text, body: isJson ? JSON.parse(text) : undefined };
}

function joinChunks(content: Buffer): string {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = content.indexOf('\r\n', at);
    const size = Number.parseInt(content.toString('latin1', at, lineEnd), 16);
    if (!(size > 0)) return Buffer.concat(chunks).toString('utf8');
    chunks.push(content.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
