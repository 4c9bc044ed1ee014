/** The queue of password digests under a flood, service by service: how soon somebody else gets a turn. */

import { createFairQueue, type Turn } from '../../../src/domain/fair-queue/fair-queue.ts';
import type { Share } from '../../../src/domain/fair-queue/share.ts';
import { shareOf } from '../../../src/domain/fair-queue/share.ts';

/** Turns that end in a second of the simulation, one after the other. Its time is counted in them. */
export const servicesASecond = 20;
const milliseconds = 1000 / servicesASecond;
const settled = () => new Promise(setImmediate);

export const account = { id: 1 };

/** One request of a flood, and what its sender does when it was served or turned away. */
interface Visit {
  readonly share: Share;
  readonly over?: (now: number, isServed: boolean) => void;
}

/** What a flood sends in the service `now`. */
export type Flood = (now: number) => readonly Visit[];

/** `rate` requests a second, whatever becomes of them. `from`: where the one with this number comes from. */
export function requests(rate: number, from: (number: number) => string): Flood {
  let sent = 0;
  return (now) => {
    const due = Math.floor(((now + 1) * rate) / servicesASecond) - sent;
    return Array.from({ length: due }, () => ({ share: shareOf(account, from(sent++)) }));
  };
}

/**
 * `count` connections: each has one request at a time, and sends the next `pause` services after that is over. `share`
 * is told how often the connection with this number was served.
 */
export function connections(count: number, pause: number, share: (number: number, served: number) => Share): Flood {
  const served = new Array<number>(count).fill(0);
  // They begin within the first second.
  const nextAt = Array.from({ length: count }, (_, number) => number % servicesASecond);
  return (now) => {
    const due = [...nextAt.keys()].filter((number) => (nextAt[number] ?? 0) <= now);
    return due.map((number) => {
      nextAt[number] = Number.POSITIVE_INFINITY;
      const over = (end: number, isServed: boolean) => {
        nextAt[number] = end + pause;
        if (isServed) served[number] = (served[number] ?? 0) + 1;
      };
      return { share: share(number, served[number] ?? 0), over };
    });
  };
}

/** A sequence that is the same in each run (Park and Miller, 1988), from 0 to below 1. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 0x7fffffff;
    return state / 0x7fffffff;
  };
}

export interface Run {
  readonly seconds: number;
  /** When the owner comes for the first time. */
  readonly ownerAfter: number;
  readonly seed: number;
  /** Every other password of the owner's is wrong. */
  readonly mistypes?: boolean;
}

/** Services from the first try of each of the owner's sign-ins until its turn ends. The owner waits as a 503 says. */
export async function signInsOf(owner: Share, flood: Flood, run: Run): Promise<number[]> {
  const { seconds, ownerAfter, seed, mistypes = false } = run;
  const random = seeded(seed);
  let now = 0;
  const queue = createFairQueue({ turns: 9, turnsForQuiet: 4, most: 65, clock: () => now * milliseconds, random });
  const turns: { readonly turn: Turn; readonly end: () => void }[] = [];
  const taken: number[] = [];
  let isWaiting = false;
  let nextTry = ownerAfter * servicesASecond;
  let since: number | null = null;

  function send({ share, over = () => {} }: Visit): void {
    void queue.enter(share).then((turn) => {
      const end = () => {
        turn?.end();
        over(now, turn !== null);
      };
      if (turn) turns.push({ turn, end });
      else end();
    });
  }

  function tryOwner(): void {
    if (isWaiting || now < nextTry) return;
    isWaiting = true;
    since ??= now;
    void queue.enter(owner).then((turn) => {
      if (turn) turns.push({ turn, end: () => signIn(turn) });
      else isWaiting = false;
      nextTry = now + servicesASecond;
    });
  }

  function signIn(turn: Turn): void {
    turn.end(!mistypes || taken.length % 2 === 1);
    taken.push(now - (since ?? now));
    since = null;
    isWaiting = false;
    nextTry = now + servicesASecond;
  }

  function serve(): void {
    const next = turns.toSorted((one, other) => one.turn.rank - other.turn.rank)[0];
    if (!next) return;
    turns.splice(turns.indexOf(next), 1);
    next.end();
  }

  for (; now < seconds * servicesASecond; now += 1) {
    const visits = flood(now);
    // The owner comes before, between or after those of the flood.
    const place = Math.floor(random() * (visits.length + 1));
    for (let number = 0; number <= visits.length; number += 1) {
      const visit = visits[number];
      if (number === place) {
        tryOwner();
        await settled();
      }
      if (visit) {
        send(visit);
        await settled();
      }
    }
    serve();
    await settled();
  }
  if (since !== null) taken.push(now - since);
  return taken;
}
