/** The HTTP server: limits on connections and headers, and a stop that finishes what is running. */

import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { Failure } from './domain/failure.ts';

const mostHeaders = 60;
/** Files and sockets that are not connections of callers: database, log, listening socket, files being read. */
const reservedDescriptors = 256;

/** What a stop has to know of a server. */
interface Traffic {
  /** Answers that are not finished: each of them is to end its connection. */
  readonly unfinished: Set<ServerResponse>;
  readonly sockets: Set<Socket>;
}

const trafficOf = new WeakMap<Server, Traffic>();

/** So long a connection that was opened before the stop may still bring its first request. */
const firstRequestMilliseconds = 500;

/** A stop goes on accepting until no connection came for the one, or for the other at the most. */
const quietMilliseconds = 50;
const mostAcceptingMilliseconds = 1000;

/** A server with the limits under which `app` runs; it does not listen yet. */
export function createServer(app: RequestListener): Server {
  const traffic: Traffic = { unfinished: new Set(), sockets: new Set() };
  const server = createHttpServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 15_000,
      connectionsCheckingInterval: 5_000,
      keepAliveTimeout: 5_000,
      maxHeaderSize: 16 * 1024,
      // The app answers a request without Host itself, in the form of its surface.
      requireHostHeader: false,
    },
    (req, res) => {
      // Node would drop the headers beyond its limit, and the app would see another request than a proxy before it.
      if (req.rawHeaders.length > mostHeaders * 2) {
        res.writeHead(431, { connection: 'close', 'content-length': '0', 'x-request-id': randomUUID() }).end();
        return;
      }
      res.shouldKeepAlive &&= server.listening;
      traffic.unfinished.add(res);
      lastAnswers.set(req.socket, res);
      res.once('close', () => traffic.unfinished.delete(res));
      app(req, res);
    },
  );
  trafficOf.set(server, traffic);
  server.on('connection', (socket) => {
    traffic.sockets.add(socket);
    socket.once('close', () => traffic.sockets.delete(socket));
  });
  server.maxHeadersCount = 0;
  server.maxRequestsPerSocket = 1_000;
  const most = mostConnections();
  if (most !== null) server.maxConnections = most;
  server.on('clientError', answerUnreadable);
  return server;
}

/** The part of a diagnostic report that is read here; Windows has no such limits. */
interface Report {
  readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } };
}

/** As many connections as the process may open files, less what it needs itself; null where that is not limited. */
function mostConnections(): number | null {
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
    // The request was answered before the rest of it turned out to be unreadable: a second answer would be another's.
    socket.end();
    return;
  }
  const status = unreadableStatus[error.code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\nx-request-id: ${randomUUID()}\r\n\r\n`);
}

/** Settles when the server accepts connections; rejects with `unavailable` when the address cannot be had. */
export function listen(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'another process listens there' : (cause.code ?? cause.message);
      const message = `cannot listen on ${host}:${port}: ${why}; choose another with PORT and HOST`;
      reject(new Failure('unavailable', { name: 'PORT', message }, { cause }));
    };
    server.once('error', refuse);
    server.listen({ host, port }, () => {
      server.off('error', refuse);
      resolve();
    });
  });
}

/** Accepts no more, lets what is running finish for as long as said, then cuts what is left. Answers whether all finished. */
export async function drain(server: Server, milliseconds: number): Promise<boolean> {
  await acceptWaiting(server);
  let finished = true;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const { unfinished, sockets } = trafficOf.get(server) ?? { unfinished: [], sockets: [] };
  for (const res of unfinished) res.shouldKeepAlive = false;
  const began = performance.now();
  // Connections become idle one by one as their requests end; Node does not count those that never said a word.
  const sweep = setInterval(() => {
    server.closeIdleConnections();
    if (performance.now() - began < firstRequestMilliseconds) return;
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  }, 50);
  const deadline = setTimeout(() => {
    finished = false;
    server.closeAllConnections();
  }, milliseconds);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
  return finished;
}

/**
 * Accepts the connections that wait in the system's queue, one in each turn of the event loop: their requests may have
 * been sent, and closing would cut them off. Settles when none came for a moment.
 */
async function acceptWaiting(server: Server): Promise<void> {
  let accepted = true;
  const note = () => {
    accepted = true;
  };
  server.on('connection', note);
  const began = performance.now();
  while (accepted && performance.now() - began < mostAcceptingMilliseconds) {
    accepted = false;
    await delay(quietMilliseconds);
    // On a busy machine the timer may be overdue; between it and this the event loop looks for connections.
    await turn();
  }
  server.off('connection', note);
}
