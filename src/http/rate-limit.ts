import { hash, randomBytes } from 'node:crypto';
import type { Account } from '../domain/accounts/account.ts';
import type { Limit, LimitName } from '../domain/accounts/limit-settings.ts';
import { Failure } from '../domain/failure.ts';
import type { LimitState, LimitSubject, Limits } from '../domain/limits.ts';
import { SharedCounters } from './shared-counters.ts';
import { type Counter, keyWords, WindowCounters } from './window-counters.ts';

/** Of windows of one length, of which there are three. */
const defaultMostKeys = 100_000;

/** The counters of the windows of one length. */
interface Windows {
  readonly own: WindowCounters;
  readonly shared: SharedCounters;
}

/** A subject under one limit, as it is kept: nobody who lacks the secret can say which subjects share a counter. */
interface Place {
  readonly windows: Windows;
  readonly limit: Limit;
  /** Of the account, the limit and the subject, under a secret of the process; good until the next is made. */
  readonly key: Uint32Array;
  /** The counter that it shares when there is no room for one of its own. */
  readonly sharedKey: string;
}

export interface LimitOptions {
  /** Milliseconds of a clock that never goes back; that of the process unless a test says otherwise. */
  readonly elapsed?: () => number;
  /** Keys with a counter of their own, of windows of one length. */
  readonly mostKeys?: number;
}

/** The counters of a process, and how many keys they keep. */
interface BoundedLimits extends Limits {
  keptKeys(): number;
}

/**
 * Counters in the memory of this process, over fixed windows; each node counts for itself. Strangers choose the keys, so
 * their number is bounded: beyond it a subject that is not counted yet shares one of 256 counters with others, and one
 * that is keeps its own until its window ends.
 */
export function createLimits({
  elapsed = () => performance.now(),
  mostKeys = defaultMostKeys,
}: LimitOptions = {}): BoundedLimits {
  const secret = randomBytes(32).toString('base64url');
  const byLength = new Map<number, Windows>();
  // One for all: nothing waits between making a key and using it.
  const key = new Uint32Array(keyWords);
  const bytes = new Uint8Array(key.buffer);

  function windowsOf(windowSeconds: number): Windows {
    const existing = byLength.get(windowSeconds);
    if (existing) return existing;
    const milliseconds = windowSeconds * 1000;
    const windows = { own: new WindowCounters(milliseconds, mostKeys), shared: new SharedCounters(milliseconds) };
    byLength.set(windowSeconds, windows);
    return windows;
  }

  /** Null where the limit is off. */
  function placeOf(account: Account, name: LimitName, subject: LimitSubject): Place | null {
    const limit = account.settings.limits[name];
    if (!limit) return null;
    const digest = hash('sha256', `${secret} ${account.id} ${name} ${textOf(subject)}`, 'binary');
    for (let index = 0; index < bytes.length; index += 1) bytes[index] = digest.charCodeAt(index);
    // The words of the key choose its place among its own kind; the byte after them, which counter it shares.
    const sharedKey = `${account.id} ${name} ${digest.charCodeAt(bytes.length)}`;
    return { windows: windowsOf(limit.windowSeconds), limit, key, sharedKey };
  }

  function find({ windows: { own, shared }, key, sharedKey }: Place, now: number): Counter | null {
    return own.find(key, now) ?? (own.hasRoom(now) ? null : shared.find(sharedKey, now));
  }

  function begin({ windows: { own, shared }, key, sharedKey }: Place, now: number): Counter {
    return own.hasRoom(now) ? own.begin(key, now) : shared.begin(sharedKey, now);
  }

  return {
    async take(account, name, subject) {
      const place = placeOf(account, name, subject);
      if (!place) return null;
      const now = elapsed();
      const counter = find(place, now) ?? begin(place, now);
      if (counter.count >= place.limit.points) {
        const { resetSeconds } = stateOf(counter, place.limit, now);
        throw new Failure('rate_limited', { retryAfterSeconds: Math.max(1, resetSeconds), reason: `limit ${name}` });
      }
      counter.count += 1;
      return {
        ...stateOf(counter, place.limit, now),
        // To the same counter: by now the subject may have one of its own, or have lost it.
        async giveBack() {
          if (counter.count > 0) counter.count -= 1;
        },
      };
    },
    async reset(account, name, subject) {
      const place = placeOf(account, name, subject);
      // A shared counter holds what others did as well: it stays.
      place?.windows.own.remove(place.key);
    },
    async state(account, name, subject) {
      const place = placeOf(account, name, subject);
      if (!place) return null;
      const now = elapsed();
      return stateOf(find(place, now), place.limit, now);
    },
    keptKeys: () => [...byLength.values()].reduce((sum, { own, shared }) => sum + own.size + shared.size, 0),
  };
}

/** The parts of a subject are ids of ours and sources: there is no space in them. */
function textOf(subject: LimitSubject): string {
  const members: Partial<Record<string, string | number>> = subject;
  const { source, client, registration, credential, apiKey, user, hookType } = members;
  return [source, client, registration, credential, apiKey, user, hookType].map((member) => member ?? '').join(' ');
}

function stateOf(counter: Counter | null, { points, windowSeconds }: Limit, now: number): LimitState {
  if (!counter) return { limit: points, remaining: points, resetSeconds: windowSeconds };
  // No more than the window: the sum that `endsAt` is may be a fraction of a millisecond too large.
  const resetSeconds = Math.min(windowSeconds, Math.ceil((counter.endsAt - now) / 1000));
  return { limit: points, remaining: Math.max(0, points - counter.count), resetSeconds };
}
