/** The processes of a service: as many as there should be, one in each place. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../services.ts';
import { type Child, type ChildPatience, type Ending, startChild } from './child.ts';
import type { Place } from './count.ts';
import type { Handout } from './handout.ts';
import type { Order } from './messages.ts';
import { createPages } from './pages.ts';

/** Before a place is filled again: doubled with each process that ends soon after its start. */
const firstPauseMilliseconds = 100;
const longestPauseMilliseconds = 30_000;
/** A process that served so long was sound. */
const soundMilliseconds = 60_000;

export interface FleetOptions {
  readonly count: number;
  /** The command of the process for a place; `isFirst` once, for the first of all. */
  readonly commandOf: (place: Place, isFirst: boolean) => readonly [script: string, ...args: string[]];
  readonly handout: Handout;
  readonly log: Log;
  readonly write: (lines: string) => void;
  readonly patience?: ChildPatience;
}

export interface Fleet {
  /** Starts the first process, alone: it prepares the database for the others. Answers null when it serves. */
  startFirst(): Promise<Ending | null>;
  /** Starts the others. */
  fill(): void;
  /** Replaces each process by a new one, one after the other; the former ones go on where a new one does not start. */
  replace(): Promise<void>;
  /** The service will stop: says so to all processes, those included that are still to come. */
  leave(): void;
  tell(order: Order): void;
  /** Ends them all; settles when they are gone. */
  end(hurry: () => boolean): Promise<void>;
  kill(): void;
}

/** What stands in a place. */
interface Post {
  readonly place: Place;
  child: Child | null;
  pauseMilliseconds: number;
}

export function createFleet({ count, commandOf, handout, log, write, patience }: FleetOptions): Fleet {
  const posts = Array.from(
    { length: count },
    (_, index): Post => ({ place: { number: index + 1, of: count }, child: null, pauseMilliseconds: 0 }),
  );
  const children = new Set<Child>();
  const pages = createPages(children, log);
  let isLeaving = false;
  let isStopping = false;
  let replacing: Promise<void> | null = null;
  let again = false;

  function start(post: Post, isFirst = false): Child {
    const startedAt = performance.now();
    const child = startChild({
      command: commandOf(post.place, isFirst),
      write,
      handout,
      page: pages.read,
      patience,
    });
    children.add(child);
    void child.ready.then((isReady) => {
      if (!isReady) return;
      if (isLeaving) child.send({ order: 'leave' });
      tellCount();
    });
    void child.ended.then((ending) => {
      children.delete(child);
      pages.ended(child);
      handout.lost(child);
      const isMissed = post.child === child && !isStopping;
      if (isMissed || ending.reason !== null) {
        log.error('process ended', { pid: child.pid, reason: explain(ending) });
      }
      if (post.child === child) post.child = null;
      if (isMissed) fillAgain(post, performance.now() - startedAt);
      tellCount();
    });
    return child;
  }

  function fillAgain(post: Post, lived: number): void {
    post.pauseMilliseconds =
      lived >= soundMilliseconds || post.pauseMilliseconds === 0
        ? firstPauseMilliseconds
        : Math.min(longestPauseMilliseconds, post.pauseMilliseconds * 2);
    setTimeout(() => {
      if (!isStopping && post.child === null) void occupy(post);
    }, post.pauseMilliseconds);
  }

  /** Returns how it ended where it never served. */
  async function occupy(post: Post, isFirst = false): Promise<Ending | null> {
    const child = start(post, isFirst);
    post.child = child;
    if (!(await child.ready)) return child.ended;
    handout.join(child);
    return null;
  }

  async function replaceOne(post: Post): Promise<boolean> {
    const next = start(post);
    if (!(await next.ready)) {
      const ending = await next.ended;
      if (!isStopping) {
        log.error('processes not replaced', { reason: `a new one did not start: ${explain(ending)}` });
      }
      return false;
    }
    const former = post.child;
    post.child = next;
    handout.join(next);
    if (former) {
      handout.leave(former);
      former.end(false);
      await former.ended;
    }
    return true;
  }

  async function replaceAll(): Promise<void> {
    const startedAt = performance.now();
    for (const post of posts) {
      if (isLeaving || isStopping || !(await replaceOne(post))) return;
    }
    const version = posts[0]?.child?.version() ?? '';
    log.info('processes replaced', { count, version, milliseconds: Math.round(performance.now() - startedAt) });
  }

  function tell(order: Order): void {
    for (const child of children) if (child.isReady()) child.send(order);
  }

  function tellCount(): void {
    const serving = posts.filter(({ child }) => child?.isReady()).length;
    tell({ order: 'processes', wanted: count, serving });
  }

  return {
    async startFirst() {
      const [first] = posts;
      if (!first) return null;
      // One that ends at once ends the service: its place is not filled again.
      isStopping = true;
      const ending = await occupy(first, true);
      isStopping = false;
      // Whoever ends by itself has said why.
      if (ending && ending.code === null) log.error('process ended', { reason: explain(ending) });
      return ending;
    },
    fill() {
      for (const post of posts) if (post.child === null) void occupy(post);
    },
    async replace() {
      again = true;
      replacing ??= (async () => {
        while (again) {
          again = false;
          await replaceAll();
        }
        replacing = null;
      })();
      await replacing;
    },
    leave() {
      isLeaving = true;
      tell({ order: 'leave' });
    },
    tell,
    async end(hurry) {
      isStopping = true;
      while (children.size > 0) {
        for (const child of children) {
          handout.leave(child);
          if (!child.isEnding()) child.end(hurry());
        }
        // One that a replacement had just started is told in the next round.
        await Promise.race([Promise.all([...children].map((child) => child.ended)), delay(100)]);
      }
      // Books are closed after the end of a process.
      await replacing;
    },
    kill() {
      for (const child of children) child.kill();
    },
  };
}

function explain({ code, signal, reason }: Ending): string {
  return reason ?? signal ?? `exit code ${code}`;
}
