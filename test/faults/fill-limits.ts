/**
 * Counts so many keys, dealt out to all limits, in counters as the service makes them, and tells its parent how much
 * memory that took. To be started with `--expose-gc`.
 *
 *     node --expose-gc test/faults/fill-limits.ts <keys>
 */

import type { Account } from '../../src/domain/accounts/account.ts';
import { type LimitName, limitSettings } from '../../src/domain/accounts/limit-settings.ts';
import type { LimitSubject, Limits } from '../../src/domain/limits.ts';
import { networkSourceOf } from '../../src/domain/network-source.ts';
import { createLimits } from '../../src/http/rate-limit.ts';

/** The report to the parent; bytes. */
export interface Filled {
  readonly keptKeys: number;
  readonly residentBytes: number;
  readonly heapBytes: number;
  /** Of typed arrays, which are not on the heap. */
  readonly arrayBytes: number;
}

/** Warm-up: the number of calls for few keys. */
const calls = 500_000;
const few = 1_000;

const names = Object.keys(limitSettings).map((name) => name.slice('limit.'.length) as LimitName);

/** Windows as they are unless set, and nobody is refused: refusals are garbage, and would take most of the time. */
const account = {
  id: 1,
  settings: {
    limits: Object.fromEntries(
      names.map((name) => {
        const { parse, fallback } = limitSettings[`limit.${name}`];
        return [name, { ...parse(fallback), points: 1e9 }];
      }),
    ),
  },
} as unknown as Account;

/** Addresses and client ids in turn, all different. */
function subjectOf(number: number): LimitSubject {
  if (number % 2 === 0) return { credential: `client-${number.toString(36).padStart(36, '0')}` };
  return { source: networkSourceOf(`2001:db8:${(number >> 16).toString(16)}:${(number & 0xffff).toString(16)}::1`) };
}

function collected(): NodeJS.MemoryUsage {
  globalThis.gc?.();
  return process.memoryUsage();
}

async function take(limits: Limits, number: number): Promise<void> {
  // Both kinds of keys for every limit.
  const name = names[(number >> 1) % names.length] as LimitName;
  await limits.take(account, name, subjectOf(number));
}

const keys = Number(process.argv[2]);
// What calls leave in a process in any case is already there.
const others = createLimits();
for (let call = 0; call < calls; call += 1) await take(others, call % few);
const before = collected();
const limits = createLimits();
for (let number = 0; number < keys; number += 1) await take(limits, number);
const after = collected();
const filled: Filled = {
  keptKeys: limits.keptKeys(),
  residentBytes: after.rss - before.rss,
  heapBytes: after.heapUsed - before.heapUsed,
  arrayBytes: after.arrayBuffers - before.arrayBuffers,
};
process.send?.(filled);
