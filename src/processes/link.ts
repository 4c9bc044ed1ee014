/** A process of a service that a supervisor started: how it gets connections and orders. */

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import packageJson from '../../package.json' with { type: 'json' };
import { takeGiven } from '../drain.ts';
import type { Processes } from '../http/health.ts';
import type { Metrics } from '../metrics/registry.ts';
import { mostConnections } from '../server.ts';
import type { Place } from './count.ts';
import type { Order, Report } from './messages.ts';

/** What a process does when it is told to. */
export interface Obeying {
  readonly server: Server;
  /** Not ready any more. */
  readonly leave: () => void;
  /** Finishes what runs; settles when all is closed. */
  readonly finish: (hurry: AbortSignal) => Promise<void>;
  readonly crash: (error: unknown) => void;
}

export interface Link {
  readonly place: Place;
  /** Takes connections and orders from now on. */
  serve(obeying: Obeying): void;
  /** The metrics of all processes. */
  page(): Promise<string>;
  /** As the supervisor told it last. */
  processes(): Processes;
}

/**
 * The process ends by order of its supervisor alone: signals to all processes of a terminal or a control group would
 * otherwise stop it before the service is said to stop.
 */
export function openLink(place: Place, metrics: Pick<Metrics, 'text' | 'snapshot'>): Link {
  const hurry = new AbortController();
  const pages = new Map<number, (text: string) => void>();
  let asked = 0;
  let lastTaken = 0;
  let processes: Processes = { wanted: place.of, serving: 1 };
  let obeying: Obeying | null = null;
  let take: ((socket: Socket) => void) | null = null;
  let isEnding = false;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});

  function say(report: Report, sent: () => void = () => {}): void {
    if (process.send) process.send(report, undefined, undefined, sent);
    else sent();
  }

  async function end(): Promise<void> {
    if (isEnding) return;
    isEnding = true;
    if (!obeying) process.exit(1);
    await obeying.finish(hurry.signal);
    const last = await metrics.snapshot();
    say({ report: 'last', metrics: last }, () => process.exit(0));
  }

  function obey(order: Order, socket: Socket | undefined): void {
    switch (order.order) {
      case 'connection':
        // Said before anything is read, which happens in a later turn.
        lastTaken = order.id;
        say({ report: 'taken', id: order.id });
        if (socket) take?.(socket);
        break;
      case 'has':
        // Node drops a message whose connection could not be received. Those after it come in order.
        if (lastTaken !== order.id) say({ report: 'missed', id: order.id });
        break;
      case 'leave':
        obeying?.leave();
        break;
      case 'hurry':
        hurry.abort();
        break;
      case 'end':
        if (order.hurry) hurry.abort();
        end().catch((error) => obeying?.crash(error));
        break;
      case 'ping':
        say({ report: 'pong' });
        break;
      case 'measure': {
        const { id } = order;
        void metrics.snapshot().then((now) => say({ report: 'measured', id, metrics: now }));
        break;
      }
      case 'page':
        pages.get(order.id)?.(order.text);
        pages.delete(order.id);
        break;
      case 'processes':
        processes = { wanted: order.wanted, serving: order.serving };
        break;
    }
  }

  process.on('message', (message, socket) => obey(message as Order, socket as Socket | undefined));
  // A start that fails ends the process: waiting for orders alone does not keep it up.
  process.channel?.unref();
  // Nobody gives it connections any more, and the next supervisor starts its own.
  process.once('disconnect', () => {
    hurry.abort();
    for (const answer of pages.values()) void metrics.text().then(answer);
    end().catch((error) => obeying?.crash(error));
  });

  return {
    place,
    serve(given) {
      obeying = given;
      process.channel?.ref();
      take = takeGiven(given.server, mostConnections());
      say({ report: 'ready', version: packageJson.version });
    },
    page: () =>
      new Promise((resolve) => {
        asked += 1;
        pages.set(asked, resolve);
        say({ report: 'page', id: asked });
      }),
    processes: () => processes,
  };
}
