/** Floods before the queue of password digests, second by second: how soon somebody from a quiet source gets a turn. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFairQueue, type Share, type Turn } from '../../../src/domain/fair-queue/fair-queue.ts';
import { shareOf } from '../../../src/domain/fair-queue/share.ts';

/** Turns that end in a second of the simulation, one after the other. */
const servicesASecond = 20;
const milliseconds = 1000 / servicesASecond;
const settled = () => new Promise(setImmediate);
const account = { id: 1 };

/** A sequence that is the same in each run (Park and Miller, 1988), from 0 to below 1. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 0x7fffffff;
    return state / 0x7fffffff;
  };
}

interface Flood {
  /** Requests a second. */
  readonly rate: number;
  /** Where the request with this number comes from. */
  readonly from: (number: number) => string;
}

/** Services from the first try of each of the owner's sign-ins until its turn ends. The owner waits as a 503 says. */
async function signInsOf(owner: Share, { rate, from }: Flood, seconds: number, seed = 1): Promise<number[]> {
  const random = seeded(seed);
  let now = 0;
  const queue = createFairQueue({ turns: 9, turnsForQuiet: 4, most: 65, clock: () => now * milliseconds, random });
  const turns: { readonly turn: Turn; readonly isOwner: boolean }[] = [];
  const taken: number[] = [];
  let sent = 0;
  let isWaiting = false;
  let nextTry = 3 * servicesASecond;
  let since: number | null = null;

  function send(): void {
    void queue.enter(shareOf(account, from(sent++))).then((turn) => {
      if (turn) turns.push({ turn, isOwner: false });
    });
  }

  function tryOwner(): void {
    if (isWaiting || now < nextTry) return;
    isWaiting = true;
    since ??= now;
    void queue.enter(owner).then((turn) => {
      if (turn) turns.push({ turn, isOwner: true });
      else isWaiting = false;
      nextTry = now + servicesASecond;
    });
  }

  function serve(): void {
    const next = turns.toSorted((one, other) => one.turn.rank - other.turn.rank)[0];
    if (!next) return;
    turns.splice(turns.indexOf(next), 1);
    next.turn.end(next.isOwner);
    if (next.isOwner && since !== null) {
      taken.push(now - since);
      since = null;
      isWaiting = false;
      nextTry = now + servicesASecond;
    }
  }

  for (; now < seconds * servicesASecond; now += 1) {
    const due = Math.floor(((now + 1) * rate) / servicesASecond) - sent;
    // The owner comes before, between or after those of the flood.
    const place = Math.floor(random() * (due + 1));
    for (let number = 0; number <= due; number += 1) {
      if (number === place) tryOwner();
      else send();
      await settled();
    }
    serve();
    await settled();
  }
  if (since !== null) taken.push(now - since);
  return taken;
}

const owner = shareOf(account, '198.51.100.7');
const hex = (number: number) => number.toString(16);
const inOneNetwork = (number: number) => `2001:db8:1:${hex(number % 65_536)}::1`;
const anywhere = (number: number) => `2001:${hex(0x1000 + (number % 50_000))}:1:1::1`;

/** Every sign-in is done so many seconds after its first try, and there are as many as then fit. */
async function assertWithin(mostSeconds: number, flood: Flood, who = owner): Promise<void> {
  const seconds = 40;
  for (const seed of [1, 2, 3]) {
    const taken = await signInsOf(who, flood, seconds, seed);
    const slowest = Math.max(...taken);
    assert.ok(slowest <= mostSeconds * servicesASecond, `${slowest} services; all: ${taken.join()}`);
    assert.ok(taken.length >= (seconds - 3) / (mostSeconds + 1) - 1, `${taken.length} sign-ins`);
  }
}

for (const rate of [40, 160, 400]) {
  test(`${rate} requests a second, each from another /64 of one /48, keep a quiet source out for 3 s at most`, () =>
    assertWithin(3, { rate, from: inOneNetwork }));

  test(`${rate} requests a second, each from another /32, keep a quiet source out for 5 s at most`, () =>
    assertWithin(5, { rate, from: anywhere }));
}

test('1,000 sources without pause at 80 requests a second keep a quiet source out for 3 s at most', () =>
  assertWithin(3, { rate: 80, from: (number) => anywhere(number % 1000) }));

test('1,000 sources that pause for 5 s keep a quiet source out for 5 s at most', () =>
  assertWithin(5, { rate: 200, from: (number) => anywhere(number % 1000) }));

test('1,000 addresses of one /16 at 80 requests a second keep another address in it out for 6 s at most', () =>
  assertWithin(
    6,
    { rate: 80, from: (number) => `203.0.${(number % 1000) >> 2}.${number % 4}` },
    shareOf(account, '203.0.253.1'),
  ));

test('a /48 with a flood has the share of one address', async () => {
  const taken = await signInsOf(owner, { rate: 160, from: inOneNetwork }, 40);
  assert.ok(taken.length >= 30, `${taken.length} sign-ins of one a second`);
});
