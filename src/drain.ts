/** A stop that finishes what is running, and cuts off nobody who was let in. */

import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';

/** What a stop has to know of a server. */
export interface Traffic {
  /**
   * Open connections, and the answers on each that are not finished. Arrays, since sets and maps whose members come and
   * go with each request keep those that are gone alive: V8 ties each of their tables to the next, and one that has
   * outlived a collection of the young generation holds all that follow.
   */
  readonly connections: Map<Socket, ServerResponse[]>;
  /** Every answer ends its connection: others are to serve the next request. */
  leaving: boolean;
}

const trafficOf = new WeakMap<Server, Traffic>();

/** So long a connection that was opened before the stop may still bring its first request. */
const firstRequestMilliseconds = 500;

/** A stop goes on accepting until no connection came for the one; after the other, for a turn of the event loop. */
const quietMilliseconds = 50;
const busyMilliseconds = 1000;
const mostAcceptingMilliseconds = 2000;

/** Keeps what a stop will have to know; the server adds its answers. */
export function watchTraffic(server: Server): Traffic {
  const traffic: Traffic = { connections: new Map(), leaving: false };
  trafficOf.set(server, traffic);
  server.on('connection', (socket) => {
    traffic.connections.set(socket, []);
    socket.once('close', () => traffic.connections.delete(socket));
  });
  return traffic;
}

/** From now on every answer ends its connection, so that a balancer has none left when the server stops. */
export function leave(server: Server): void {
  const traffic = trafficOf.get(server);
  if (!traffic) return;
  traffic.leaving = true;
  for (const answers of traffic.connections.values()) for (const res of answers) res.shouldKeepAlive = false;
}

/**
 * Accepts no more, lets what is running finish for as long as said, then cuts what is left. A connection that was
 * answered before the stop keeps the time that it was promised: its client may be sending the next request just now,
 * and its answer says that it is the last. Once `hurry` is aborted, idle connections are closed. Answers whether all
 * finished.
 */
export async function drain(server: Server, milliseconds: number, hurry?: AbortSignal): Promise<boolean> {
  leave(server);
  await acceptWaiting(server);
  const connections = trafficOf.get(server)?.connections ?? new Map<Socket, unknown>();
  let finished = true;
  // The HTTP server's own `close` would end idle connections too, and no longer look after slow ones.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  const began = performance.now();
  // Connections become idle one by one as their requests end; Node does not count those that never said a word.
  const sweep = setInterval(() => {
    if (hurry?.aborted) server.closeIdleConnections();
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
 * Accepts the connections that wait in the system's queue, one in each turn of the event loop: their requests may have
 * been sent, and closing would cut them off. Settles, in the turn that found the queue empty, when none came for a moment.
 */
async function acceptWaiting(server: Server): Promise<void> {
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
