/** A process of the service, as its supervisor sees it. */

import { fork } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Snapshot } from '../metrics/together.ts';
import type { Handout, Taker } from './handout.ts';
import { endOf, forwardLines } from './last-words.ts';
import type { Order, Report } from './messages.ts';

/** How long a process may take; milliseconds. */
export interface ChildPatience {
  /** A process that serves and answers nothing for `mostUnanswered` of these is as good as dead. */
  readonly ping: number;
  /** To finish in, once it is told to end: its drain takes 10 s at most. */
  readonly end: number;
}

const defaultPatience: ChildPatience = { ping: 5_000, end: 25_000 };
const mostUnanswered = 6;
/** Before a process is asked for a connection that it has not taken; a missed one is given again no sooner. */
const takeMilliseconds = 250;
/** For the metrics of one that is busy. */
const measureMilliseconds = 900;

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why it was ended from here; null when it ended by itself or was told to. */
  readonly reason: string | null;
}

export interface Child extends Taker {
  readonly pid: number | undefined;
  /** Whether it came to serve; false when it ended before. */
  readonly ready: Promise<boolean>;
  /** Settles when it is gone and all that it said was heard. */
  readonly ended: Promise<Ending>;
  isReady(): boolean;
  /** Of what it runs, once it is ready. */
  version(): string;
  /** Whether it was told to end. */
  isEnding(): boolean;
  send(order: Order): void;
  end(hurry: boolean): void;
  kill(): void;
  /** Reads its metrics; settles soon, also where it does not answer. */
  measure(): Promise<void>;
  /** Those that were read last, for a page or at its end. */
  measured(): Snapshot;
}

export interface ChildOptions {
  /** The script and its arguments. */
  readonly command: readonly [script: string, ...args: string[]];
  /** Receives whole lines of its standard output. */
  readonly write: (lines: string) => void;
  readonly handout: Pick<Handout, 'taken' | 'missed'>;
  /** It asks for the metrics of all. */
  readonly page: () => Promise<string>;
  readonly patience?: ChildPatience | undefined;
}

export function startChild(options: ChildOptions): Child {
  const { command, write, handout, page, patience = defaultPatience } = options;
  const [script, ...args] = command;
  const started = fork(script, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const ready = Promise.withResolvers<boolean>();
  let isReady = false;
  let isEnding = false;
  let version = '';
  let reason: string | null = null;
  let unanswered = 0;
  let asked = 0;
  let given = 0;
  let taking: NodeJS.Timeout | undefined;
  let last: Snapshot = [];
  const measuring = new Map<number, () => void>();
  forwardLines(started, write);
  // What cannot be sent is told by its end.
  started.on('error', () => {});

  function send(order: Order, socket?: Socket): void {
    if (started.connected) started.send(order, socket, { keepOpen: true }, () => {});
  }

  const pinging = setInterval(() => {
    // Migrations of a file, and the programs of hooks, may hold up the event loop of a start for minutes.
    if (!isReady) return;
    unanswered += 1;
    if (unanswered > mostUnanswered) {
      reason = `no answer for ${(mostUnanswered * patience.ping) / 1000} s`;
      started.kill('SIGKILL');
    } else send({ order: 'ping' });
  }, patience.ping);

  const child: Child = {
    pid: started.pid,
    ready: ready.promise,
    ended: endOf(started).then((ending) => {
      clearInterval(pinging);
      clearTimeout(taking);
      isReady = false;
      ready.resolve(false);
      for (const resolve of measuring.values()) resolve();
      return { ...ending, reason };
    }),
    isReady: () => isReady,
    version: () => version,
    isEnding: () => isEnding,
    send,
    give: (socket) => {
      asked += 1;
      given = asked;
      const order = { order: 'has', id: given } as const;
      send({ order: 'connection', id: given }, socket);
      taking = setTimeout(() => send(order), takeMilliseconds);
    },
    end(hurry) {
      if (!isReady) {
        started.kill('SIGKILL');
        return;
      }
      isEnding = true;
      send({ order: 'end', hurry });
      const timer = setTimeout(() => {
        reason = 'it did not end in time';
        started.kill('SIGKILL');
      }, patience.end);
      started.once('exit', () => clearTimeout(timer));
    },
    kill: () => void started.kill('SIGKILL'),
    measure() {
      return new Promise((resolve) => {
        asked += 1;
        const id = asked;
        const finish = () => {
          clearTimeout(timer);
          measuring.delete(id);
          resolve();
        };
        const timer = setTimeout(finish, measureMilliseconds);
        measuring.set(id, finish);
        send({ order: 'measure', id });
      });
    },
    measured: () => last,
  };

  started.on('message', (message) => {
    const said = message as Report;
    switch (said.report) {
      case 'ready':
        isReady = true;
        version = said.version;
        ready.resolve(true);
        break;
      case 'taken':
        clearTimeout(taking);
        handout.taken(child);
        break;
      case 'missed':
        if (said.id === given) handout.missed(child);
        break;
      case 'pong':
        unanswered = 0;
        break;
      case 'measured':
        // Later than promised it would be newer than what a page shows.
        if (measuring.has(said.id)) last = said.metrics;
        measuring.get(said.id)?.();
        break;
      case 'last':
        last = said.metrics;
        break;
      case 'page': {
        const { id } = said;
        void page().then((text) => send({ order: 'page', id, text }));
        break;
      }
    }
  });
  return child;
}
