/** The HTTP server: limits on connections, headers and the time that clients take. */

import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Server as NetServer, Socket } from 'node:net';
import { Failure } from './domain/failure.ts';
import { type Traffic, watchTraffic } from './drain.ts';

const mostHeaders = 60;
/**
 * Maximum number of pipelined requests on a connection: Node processes all in one packet, and keeps their responses.
 */
const mostPipelined = 16;
/** Length of the system's queue of connections, within its own limit: beyond that a client retries after a second. */
const mostInQueue = 4_096;
/** File descriptors that are not client connections: database, log, listening socket, files being read. */
const reservedDescriptors = 256;

/** How long a client may take; milliseconds. */
export interface Patience {
  /** From the connection, or the end of the previous response, to the end of the headers. */
  readonly headers: number;
  /** To the end of the body. */
  readonly request: number;
  /** Without a request on a connection that stays open. */
  readonly idle: number;
  /** For reading a complete response. */
  readonly answer: number;
  /** How often all of these except `idle` are checked. */
  readonly check: number;
}

const patience: Patience = { headers: 10_000, request: 15_000, idle: 5_000, answer: 20_000, check: 5_000 };

/** Creates a server with the limits for `app`; it does not listen yet. */
export function createServer(app: RequestListener, { headers, request, idle, answer, check } = patience): Server {
  const server = createHttpServer(
    {
      headersTimeout: headers,
      requestTimeout: request,
      connectionsCheckingInterval: check,
      keepAliveTimeout: idle,
      maxHeaderSize: 16 * 1024,
      // The app itself answers a request without Host, in the format of its surface.
      requireHostHeader: false,
    },
    (req, res) => {
      const answers = traffic.connections.get(req.socket);
      // Requests pipelined behind a response that ends the connection are retried elsewhere.
      if (!answers || !req.socket.writable) return;
      lastAnswers.set(req.socket, res);
      // Node would drop headers beyond its limit, so the app and a proxy in front of it would see different requests.
      if (req.rawHeaders.length > mostHeaders * 2) {
        res.writeHead(431, { connection: 'close', 'content-length': '0', 'x-request-id': randomUUID() }).end();
        return;
      }
      if (answers.length === mostPipelined) {
        req.socket.destroy();
        return;
      }
      res.shouldKeepAlive &&= (server.listening || traffic.isGiven) && !traffic.leaving;
      answers.push(res);
      res.once('close', () => answers.splice(answers.indexOf(res), 1));
      app(req, res);
    },
  );
  server.on('connection', readBeforeClosing);
  const traffic = watchTraffic(server);
  cutUnread(server, traffic, answer, check);
  server.maxHeadersCount = 0;
  server.maxRequestsPerSocket = 1_000;
  const most = mostConnections();
  if (most !== null) server.maxConnections = most;
  server.on('clientError', answerUnreadable);
  return server;
}

/**
 * Node waits for ever for a client that does not read: its response, and pipelined requests, would stay in memory. The
 * client gets this long for a complete response, and for each part of one that is sent in parts.
 */
function cutUnread(server: Server, { connections }: Traffic, milliseconds: number, everyMilliseconds: number): void {
  const waiting = new WeakMap<ServerResponse, { readonly sent: number; readonly since: number }>();
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const [socket, answers] of connections) {
      for (const res of answers) {
        if (!res.writableEnded && !res.writableNeedDrain) continue;
        const known = waiting.get(res);
        if (known?.sent !== socket.bytesWritten) waiting.set(res, { sent: socket.bytesWritten, since: now });
        else if (now - known.since >= milliseconds) res.destroy();
      }
    }
  }, everyMilliseconds).unref();
  server.once('close', () => clearInterval(sweep));
}

/** The part of a diagnostic report that is read here; Windows has no such limits. */
interface Report {
  readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } };
}

/** As many connections as the process may open files, less what it needs itself; null where that is not limited. */
export function mostConnections(): number | null {
  // Both members are missing in the types; without the first a report looks up the names of all addresses.
  const report = process.report as unknown as { excludeNetwork: boolean; getReport(): Report };
  report.excludeNetwork = true;
  const { userLimits } = report.getReport();
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? Math.max(64, soft - reservedDescriptors) : null;
}

const unreadableStatus: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** The last answer that was begun on a connection. */
const lastAnswers = new WeakMap<Socket, ServerResponse>();

/** What could not be read as HTTP has no surface that could answer it. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const last = lastAnswers.get(socket);
  if (last?.headersSent && !last.req.complete) {
    // The request was answered before the rest of it turned out to be malformed: a second response would be taken for
    // that of another request.
    endSoon(socket);
    return;
  }
  const status = unreadableStatus[error.code ?? ''] ?? '400 Bad Request';
  endSoon(
    socket,
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\nx-request-id: ${randomUUID()}\r\n\r\n`,
  );
}

const lingerMilliseconds = 1_000;

/**
 * Ends our side, and closes when the client has had time to read: closing at once would send a reset, which discards
 * the response, and the client may never close its side.
 */
function endSoon(socket: Socket, last = ''): void {
  socket.end(last);
  const timer = setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
  socket.once('close', () => clearTimeout(timer));
}

/**
 * A response that ends its connection may come before its whole request was received. Closing at once would answer the
 * rest with a reset, which discards the response. So only our side ends, and the rest of the request is read and
 * dropped until it is complete, the client disconnects, or the time for a request is up.
 */
function readBeforeClosing(socket: Socket): void {
  const close = socket.destroySoon.bind(socket);
  // Node calls it after the last response.
  socket.destroySoon = () => {
    const req = lastAnswers.get(socket)?.req;
    if (!req || req.complete) {
      close();
      return;
    }
    socket.end();
    req.once('end', close).resume();
  };
}

/** Settles when the server accepts connections; rejects with `unavailable` when the address cannot be used. */
export function listen(server: NetServer, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'another process is listening there' : (cause.code ?? cause.message);
      const message = `cannot listen on ${host}:${port}: ${why}; choose another with PORT and HOST`;
      reject(new Failure('unavailable', { name: 'PORT', message }, { cause }));
    };
    server.once('error', refuse);
    server.listen({ host, port, backlog: mostInQueue }, () => {
      server.off('error', refuse);
      resolve();
    });
  });
}
