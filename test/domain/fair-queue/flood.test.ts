/**
 * Floods before the queue of password digests: how soon somebody from a quiet source gets a turn. `npm run drill -- M7`
 * tries each with three seeds, more rates, and the largest, which cost the square of their size.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Share } from '../../../src/domain/fair-queue/share.ts';
import { shareOf } from '../../../src/domain/fair-queue/share.ts';
import { isSampled, isWhole, sampled } from '../../support/sample.ts';
import { account, connections, type Flood, type Run, requests, servicesASecond, signInsOf } from './simulation.ts';

const owner = shareOf(account, '198.51.100.7');
const hex = (number: number) => number.toString(16);
const inOneNetwork = (number: number) => `2001:db8:1:${hex(number % 65_536)}::1`;
const anywhere = (number: number) => `2001:${hex(0x1000 + (number % 50_000))}:1:1::1`;

interface Case extends Partial<Omit<Run, 'seconds' | 'seed'>> {
  readonly who?: Share;
}

/** Every sign-in completes within this many seconds of its first try, and as many complete as then fit. */
async function assertWithin(mostSeconds: number, flood: () => Flood, { who = owner, ...run }: Case = {}) {
  const { ownerAfter = 3 } = run;
  const seconds = ownerAfter + 37;
  for (const seed of sampled([1, 2, 3], 3)) {
    const taken = await signInsOf(who, flood(), { ...run, seconds, ownerAfter, seed });
    const slowest = Math.max(...taken);
    assert.ok(slowest <= mostSeconds * servicesASecond, `${slowest} services; all: ${taken.join()}`);
    assert.ok(taken.length >= (seconds - ownerAfter) / (mostSeconds + 1) - 1, `${taken.length} sign-ins`);
  }
}

for (const rate of sampled([160, 40, 400], 3)) {
  test(`${rate} requests a second, each from another /64 of one /48, delay a quiet source by 3 s at most`, () =>
    assertWithin(3, () => requests(rate, inOneNetwork)));

  test(`${rate} requests a second, each from another /32, delay a quiet source by 5 s at most`, () =>
    assertWithin(5, () => requests(rate, anywhere)));
}

test('1,000 sources at 80 requests a second without pause delay a quiet source by 3 s at most', () =>
  assertWithin(3, () => requests(80, (number) => anywhere(number % 1000))));

test('1,000 sources that pause for 5 s delay a quiet source by 5 s at most', () =>
  assertWithin(5, () => requests(200, (number) => anywhere(number % 1000))));

test('1,000 addresses of one /16 at 80 requests a second delay another address in it by 6 s at most', () =>
  assertWithin(6, () => requests(80, (number) => `203.0.${(number % 1000) >> 2}.${number % 4}`), {
    who: shareOf(account, '203.0.253.1'),
  }));

test('a /48 that floods gets the share of one address', async () => {
  const flood = requests(160, inOneNetwork);
  const taken = await signInsOf(owner, flood, { seconds: 40, ownerAfter: 3, seed: 1 });
  assert.ok(taken.length >= 30, `${taken.length} sign-ins of one a second`);
});

const mistyping = [
  ['160 requests a second, each from another /32,', () => requests(160, anywhere)],
  ['1,000 sources that pause for 12 s', () => requests(80, (number) => anywhere(number % 1000))],
] as const;
for (const [what, flood] of sampled(mistyping, 2)) {
  test(`${what} delay a mistyping owner by 5 s at most`, () => assertWithin(5, flood, { mistypes: true }));
}

const inOtherNetworks = (number: number) => `198.51.${number % 200}.${number >> 3}`;

/** Sources with wrong passwords that wait as a 503 says and come again. */
const patient = (count: number, from: (number: number, served: number) => string) => () =>
  connections(count, servicesASecond - 1, (number, served) => shareOf(account, from(number, served)));

for (const [what, count, from, address] of [
  ['networks', 100, anywhere, '198.51.100.7'],
  ...(isWhole ? [['networks', 300, anywhere, '198.51.100.7'] as const] : []),
  ...(isWhole ? [['networks', 1000, anywhere, '198.51.100.7'] as const] : []),
  ...(isWhole ? [["addresses in the owner's /16", 300, inOtherNetworks, '198.51.250.7'] as const] : []),
  ["/64 networks in the owner's /48", 300, inOneNetwork, '2001:db8:1:ffff::1'],
] as const) {
  // Until each of them was served nothing tells the owner from them.
  const ownerAfter = count / servicesASecond + 5;
  test(`${count} ${what} that wait as told delay the owner by 5 s at most`, () =>
    assertWithin(5, patient(count, from), { who: shareOf(account, address), ownerAfter }));
}

for (const count of isWhole ? [300, 1000] : [300]) {
  const from = (number: number, served: number) => `2001:${hex(0x1000 + number)}:1:${hex(served)}::1`;
  test(`${count} networks that wait as told, and take another /64 once served, do not delay it longer`, () =>
    assertWithin(5, patient(count, from), { ownerAfter: count / servicesASecond + 5 }));
}

/** One connection to each of a number of other accounts. */
const acrossAccounts = (count: number, from: (number: number) => string) => () =>
  connections(count, 1, (number) => shareOf({ id: 2 + number }, from(number)));

for (const [index, [what, from, address]] of (
  [
    ['one address', () => '203.0.113.66', '198.51.100.7'],
    ["one address in the owner's /24", () => '198.51.100.66', '198.51.100.7'],
    ['the /64 networks of a /48', inOneNetwork, '198.51.100.7'],
    ['the addresses of a /16', (number: number) => `203.0.${number % 200}.${number >> 3}`, '198.51.100.7'],
  ] as const
).entries()) {
  if (!isSampled(index, 2)) continue;
  // Three hundred take fifty times as long as seventy.
  for (const count of isWhole ? [70, 300] : [70]) {
    // A queue of 65 takes 3.3 s.
    test(`one connection to each of ${count} accounts from ${what} delays nobody in another by 5 s`, () =>
      assertWithin(5, acrossAccounts(count, from), { who: shareOf(account, address) }));
  }
}
