/** Rate limits whose clock the test moves, and networks that they count. */

import assert from 'node:assert/strict';
import type { Account } from '../../src/domain/accounts/account.ts';
import { Failure } from '../../src/domain/failure.ts';
import type { LimitSubject, Limits, Taken } from '../../src/domain/limits.ts';
import { networkSourceOf } from '../../src/domain/network-source.ts';
import { createLimits, type LimitOptions } from '../../src/http/rate-limit.ts';

export const minute = 60_000;
/** For tests that do not need the real number. */
export const few = 1_000;
/** The number of networks that fill all places: each takes one, and its site another. */
export const filling = few / 2;
export const shared = 256;

export function accountOf(id: number): Account {
  const limit = { points: 2, windowSeconds: 60 };
  const roomy = { points: 1_000_000, windowSeconds: 60 };
  return {
    id,
    settings: { limits: { 'sign-in': limit, 'client-auth': limit, reset: limit, par: roomy } },
  } as unknown as Account;
}

export const account = accountOf(1);

/** One network for each number, each at its own site. */
export function network(index: number): LimitSubject {
  return { source: networkSourceOf(`2400:${(index >> 16).toString(16)}:${(index & 0xffff).toString(16)}:1::1`) };
}

/** Networks of one site. */
export function neighbour(index: number): LimitSubject {
  return { source: networkSourceOf(`2001:db8:1:${index.toString(16)}::1`) };
}

/** Seconds that a refusal says to wait; 0 when there is none. */
export async function waitOf(take: () => Promise<unknown>): Promise<number> {
  try {
    await take();
    return 0;
  } catch (error) {
    assert.ok(error instanceof Failure && error.code === 'rate_limited');
    return error.detail.retryAfterSeconds ?? 0;
  }
}

/** What one of a subject's calls took. */
export async function taken(limits: Limits, subject: LimitSubject): Promise<Taken> {
  return (await limits.take(account, 'sign-in', subject)) ?? assert.fail('the limit is off');
}

/** Limits with a clock of their own, which the test moves. */
export function openLimits(options: LimitOptions = {}) {
  let time = 5 * minute;
  const limits = createLimits({ ...options, elapsed: () => time });
  const take = (subject: LimitSubject, whose = account) => waitOf(() => limits.take(whose, 'sign-in', subject));
  const left = async (subject: LimitSubject) => (await limits.state(account, 'sign-in', subject))?.remaining;
  const wait = (milliseconds: number) => {
    time += milliseconds;
  };
  /** Counts once for each of `count` networks, starting with number `first`. */
  async function flood(count: number, first = 0, whose = account): Promise<void> {
    for (let index = first; index < first + count; index += 1) await take(network(index), whose);
  }
  return { limits, take, left, wait, flood };
}
