/** Stops a server after finishing what is running, without cutting off accepted connections. */

import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';

/** What a stop needs to know about a server. */
export interface Traffic {
  /**
   * Open connections, and the unfinished responses on each. Arrays, because sets and maps whose members change with
   * each request keep deleted members alive: V8 links each of their tables to the next, and a table that has survived a
   * young-generation collection retains all that follow.
   */
  readonly connections: Map<Socket, ServerResponse[]>;
  /** Every response ends its connection, so that other servers get the next request. */
  leaving: boolean;
  /** Another process accepts the connections of this server, which does not listen. */
  isGiven: boolean;
}

const trafficOf = new WeakMap<Server, Traffic>();

/** How long a connection that was opened before the stop may take to send its first request. */
const firstRequestMilliseconds = 500;

/**
 * A stop keeps accepting until no connection has come for the first of these; after the second, for one turn of the
 * event loop.
 */
const quietMilliseconds = 50;
const busyMilliseconds = 1000;
const mostAcceptingMilliseconds = 2000;

/** Collects what a stop will need; the server adds its responses. */
export function watchTraffic(server: Server): Traffic {
  const traffic: Traffic = { connections: new Map(), leaving: false, isGiven: false };
  trafficOf.set(server, traffic);
  server.on('connection', (socket) => {
    traffic.connections.set(socket, []);
    socket.once('close', () => traffic.connections.delete(socket));
  });
  return traffic;
}

/**
 * For a server that does not listen: makes it take connections that another process accepted, within the same limits.
 * `most`: how many at a time; null without a limit.
 */
export function takeGiven(server: Server, most: number | null): (socket: Socket) => void {
  const traffic = trafficOf.get(server) ?? watchTraffic(server);
  traffic.isGiven = true;
  // With this event Node begins to look for slow clients.
  server.emit('listening');
  return (socket) => {
    if (most !== null && traffic.connections.size >= most) {
      socket.destroy();
      return;
    }
    // As of those that an HTTP server accepts itself.
    socket.allowHalfOpen = true;
    server.emit('connection', socket);
  };
}

/** From now on every response ends its connection, so that a load balancer has none left when the server stops. */
export function leave(server: Server): void {
  const traffic = trafficOf.get(server);
  if (!traffic) return;
  traffic.leaving = true;
  for (const answers of traffic.connections.values()) for (const res of answers) res.shouldKeepAlive = false;
}

/**
 * Stops accepting, lets running requests finish for the given time, then cuts off the rest. A connection that was
 * answered before the stop keeps its promised time, since its client may just be sending the next request; the response
 * to that says it is the last. Once `hurry` is aborted, idle connections are closed. Returns whether everything
 * finished.
 */
export async function drain(server: Server, milliseconds: number, hurry?: AbortSignal): Promise<boolean> {
  leave(server);
  const { connections, isGiven } = trafficOf.get(server) ?? { connections: new Map<Socket, unknown>(), isGiven: false };
  let finished = true;
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  if (!isGiven) {
    await acceptWaiting(server);
    // The HTTP server's own `close` would end idle connections too, and no longer time out slow ones.
    NetServer.prototype.close.call(server, () => close());
  }
  const began = performance.now();
  // Connections become idle one by one as their requests end; Node does not count those that never sent anything.
  const sweep = setInterval(() => {
    if (hurry?.aborted) server.closeIdleConnections();
    if (isGiven && connections.size === 0) close();
    if (performance.now() - began < firstRequestMilliseconds) return;
    for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy();
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
 * Accepts the connections waiting in the system's queue, one in each turn of the event loop: their requests may have
 * been sent already, and closing would cut them off. Settles when the queue has been empty for a moment, in the turn
 * that found it empty.
 */
export async function acceptWaiting(server: NetServer): Promise<void> {
  let accepted = true;
  const note = () => {
    accepted = true;
  };
  server.on('connection', note);
  const began = performance.now();
  const since = () => performance.now() - began;
  while (accepted && since() < mostAcceptingMilliseconds) {
    accepted = false;
    if (since() < busyMilliseconds) await delay(quietMilliseconds);
    // On a busy machine the timer may be overdue; between it and this the event loop looks for connections.
    await turn();
  }
  server.off('connection', note);
}
