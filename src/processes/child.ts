/** A process of the service, as its supervisor sees it. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Snapshot } from '../metrics/together.ts';
import type { Taker } from './handout.ts';
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
/** For the metrics of one that is busy. */
const measureMilliseconds = 900;
/** For what a dead one still has in its pipes: something that it started may hold them open. */
const lastWordsMilliseconds = 1_000;

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
  readonly taken: (child: Child) => void;
  /** It asks for the metrics of all. */
  readonly page: () => Promise<string>;
  readonly patience?: ChildPatience | undefined;
}

export function startChild(options: ChildOptions): Child {
  const { command, write, taken, page, patience = defaultPatience } = options;
  const [script, ...args] = command;
  const started = fork(script, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const ready = Promise.withResolvers<boolean>();
  let isReady = false;
  let isEnding = false;
  let version = '';
  let reason: string | null = null;
  let unanswered = 0;
  let asked = 0;
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
      send({ order: 'connection', id: asked }, socket);
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
        taken(child);
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

/** What it said before its end, on its channel and in its lines, may be read after it. */
async function endOf(started: ChildProcess): Promise<Omit<Ending, 'reason'>> {
  const closed = once(started, 'close').catch(() => {});
  const disconnected = started.connected ? once(started, 'disconnect').catch(() => {}) : null;
  const ending = await new Promise<Omit<Ending, 'reason'>>((resolve) => {
    started.once('exit', (code, signal) => resolve({ code, signal }));
    // One that could not be started has no number, and does not exit.
    started.once('error', () => started.pid === undefined && resolve({ code: 1, signal: null }));
  });
  await Promise.race([Promise.all([closed, disconnected]), delay(lastWordsMilliseconds, null, { ref: false })]);
  return ending;
}

/** Lines of several processes must not mix. */
function forwardLines({ stdout }: ChildProcess, write: (lines: string) => void): void {
  let rest = '';
  stdout?.setEncoding('utf8');
  stdout?.on('data', (chunk: string) => {
    const end = chunk.lastIndexOf('\n') + 1;
    if (end > 0) write(rest + chunk.slice(0, end));
    rest = end > 0 ? chunk.slice(end) : rest + chunk;
  });
  stdout?.on('end', () => rest !== '' && write(`${rest}\n`));
}
