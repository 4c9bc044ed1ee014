import { hash, randomBytes } from 'node:crypto';
import type { Account } from '../domain/accounts/account.ts';
import type { Limit, LimitName } from '../domain/accounts/limit-settings.ts';
import { Failure } from '../domain/failure.ts';
import type { LimitReport, LimitState, LimitSubject, Limits, PolicyLimit } from '../domain/limits.ts';
import { siteAround } from '../domain/network-source.ts';
import { SharedCounters } from './shared-counters.ts';
import { type Counter, keyWords, WindowCounters } from './window-counters.ts';

/** For windows of one length: three lengths are used by settings, and seven others by policies. */
const defaultMostKeys = 100_000;

/**
 * A site may use a limit as often as this many of its networks. Homes get up to 16 or 256 of the 65,536 networks of a
 * /48. Where a site is many customers (a hosting provider, a mobile network), fewer than 16 of them do not shut out the
 * others.
 */
const networksOfSite = 16;

type MembersOf<One> = One extends unknown ? keyof One : never;
type SubjectMember = MembersOf<Exclude<LimitSubject, Readonly<Record<string, never>>>>;

/** Everything that distinguishes subjects: if one were missing, different subjects would share a counter. */
const ranks = {
  source: 0,
  client: 1,
  grant: 2,
  registration: 3,
  credential: 4,
  apiKey: 5,
  user: 6,
  session: 7,
  hookType: 8,
  name: 9,
} as const satisfies Readonly<Record<SubjectMember, number>>;
const members = Object.keys(ranks) as readonly SubjectMember[];

/** The counters of the windows of one length. */
interface Windows {
  readonly own: WindowCounters;
  readonly shared: SharedCounters;
}

/**
 * The place of a subject under one limit, or of the site around its network. Without the secret nobody can tell which
 * subjects share a counter.
 */
interface Place {
  readonly windows: Windows;
  readonly limit: Limit;
  /**
   * Made from the account, the limit and the subject, with a secret of the process; valid until the next key is made.
   */
  readonly key: Uint32Array;
  /** The counter that it shares when there is no room for one of its own. */
  readonly sharedKey: string;
}

export interface LimitOptions {
  /** Milliseconds of a monotonic clock; default: that of the process. */
  readonly elapsed?: () => number;
  /** Maximum number of keys with their own counter, for windows of one length. */
  readonly mostKeys?: number;
  readonly report?: LimitReport;
}

/** The counters of a process, and how many keys they hold. */
interface BoundedLimits extends Limits {
  keptKeys(): number;
}

/**
 * Counters in the memory of this process, over fixed windows; each node counts for itself. The requests of an IPv6
 * network are also counted for the site that it is in. Strangers choose the keys, so their number is bounded: beyond
 * it, a new subject shares one of 256 counters with others, and a known one keeps its own until its window ends.
 */
export function createLimits({
  elapsed = () => performance.now(),
  mostKeys = defaultMostKeys,
  report,
}: LimitOptions = {}): BoundedLimits {
  const secret = randomBytes(32).toString('base64url');
  const byLength = new Map<number, Windows>();
  // One of each for all calls: nothing waits between making a key and using it.
  const ownKey = new Uint32Array(keyWords);
  const siteKey = new Uint32Array(keyWords);

  function windowsOf(windowSeconds: number): Windows {
    const existing = byLength.get(windowSeconds);
    if (existing) return existing;
    const milliseconds = windowSeconds * 1000;
    const windows = { own: new WindowCounters(milliseconds, mostKeys), shared: new SharedCounters(milliseconds) };
    byLength.set(windowSeconds, windows);
    return windows;
  }

  /**
   * The place of the subject itself, and that of the site around its network, if there is one; none if the limit is
   * off.
   */
  function placesOf(account: Account, limited: LimitName | PolicyLimit, subject: LimitSubject): readonly Place[] {
    const limit = typeof limited === 'string' ? account.settings.limits[limited] : limited;
    if (!limit) return [];
    const name = nameOf(limited);
    const own = placeOf(account, name, limit, textOf(subject), ownKey);
    const site = 'source' in subject ? siteAround(subject.source) : null;
    if (site === null) return [own];
    const ofSite = { ...limit, points: limit.points * networksOfSite };
    return [own, placeOf(account, `${name} site`, ofSite, textOf({ ...subject, source: site }), siteKey)];
  }

  function placeOf({ id }: Account, name: string, limit: Limit, subject: string, key: Uint32Array): Place {
    const bytes = new Uint8Array(key.buffer);
    const digest = hash('sha256', `${secret} ${id} ${name} ${subject}`, 'binary');
    for (let index = 0; index < bytes.length; index += 1) bytes[index] = digest.charCodeAt(index);
    // The key's words choose its own counter; the byte after them chooses the shared one.
    const sharedKey = `${id} ${name} ${digest.charCodeAt(bytes.length)}`;
    return { windows: windowsOf(limit.windowSeconds), limit, key, sharedKey };
  }

  function find({ windows: { own, shared }, key, sharedKey }: Place, now: number): Counter | null {
    return own.find(key, now) ?? (own.hasRoom(now) ? null : shared.find(sharedKey, now));
  }

  function begin({ windows: { own, shared }, key, sharedKey }: Place, now: number): Counter {
    return own.hasRoom(now) ? own.begin(key, now) : shared.begin(sharedKey, now);
  }

  function stateAt(places: readonly Place[], now: number): LimitState | null {
    return leastOf(places.map((place) => stateOf(find(place, now), place.limit, now)));
  }

  /** Throws when none is left. */
  function require<State extends LimitState | null>(limited: LimitName | PolicyLimit, state: State): State {
    if (state?.remaining !== 0) return state;
    const name = nameOf(limited);
    report?.refused(name);
    const retryAfterSeconds = Math.max(1, state.resetSeconds);
    throw new Failure('rate_limited', { retryAfterSeconds, reason: `limit ${name}` });
  }

  return {
    async take(account, limited, subject) {
      const places = placesOf(account, limited, subject);
      const now = elapsed();
      // Checked before counting: a refused request uses up nothing, and makes no counter.
      if (require(limited, stateAt(places, now)) === null) return null;
      const counted = places.map((place) => {
        // Looked up again: the place before may have taken the last room.
        const counter = find(place, now) ?? begin(place, now);
        counter.count += 1;
        return { counter, state: stateOf(counter, place.limit, now) };
      });
      const least = leastOf(counted.map(({ state }) => state));
      return (
        least && {
          ...least,
          // Subtracts from the same counters: by now the subject may have got or lost its own.
          async giveBack() {
            for (const { counter } of counted) if (counter.count > 0) counter.count -= 1;
          },
        }
      );
    },
    async requireLeft(account, limited, subject) {
      return require(limited, stateAt(placesOf(account, limited, subject), elapsed()));
    },
    async reset(account, limited, subject) {
      const [own] = placesOf(account, limited, subject);
      // A shared counter and that of the site include what others did, so they stay.
      own?.windows.own.remove(own.key);
    },
    async state(account, limited, subject) {
      return stateAt(placesOf(account, limited, subject), elapsed());
    },
    keptKeys: () => [...byLength.values()].reduce((sum, { own, shared }) => sum + own.size + shared.size, 0),
  };
}

function nameOf(limited: LimitName | PolicyLimit): LimitName | PolicyLimit['name'] {
  return typeof limited === 'string' ? limited : limited.name;
}

/** The parts of a subject are our ids and sources, which contain no space; a name, which may, is last. */
function textOf(subject: Partial<Record<SubjectMember, string | number>>): string {
  return members.map((member) => subject[member] ?? '').join(' ');
}

/** The state with the least left; of equals, the one that ends last. Null if there are none. */
function leastOf(states: readonly LimitState[]): LimitState | null {
  const [least = null] = states.toSorted(
    (one, other) => one.remaining - other.remaining || other.resetSeconds - one.resetSeconds,
  );
  return least;
}

function stateOf(counter: Counter | null, { points, windowSeconds }: Limit, now: number): LimitState {
  if (!counter) return { limit: points, remaining: points, resetSeconds: windowSeconds };
  // At most the window: `endsAt` is a sum and may be a fraction of a millisecond too large.
  const resetSeconds = Math.min(windowSeconds, Math.ceil((counter.endsAt - now) / 1000));
  return { limit: points, remaining: Math.max(0, points - counter.count), resetSeconds };
}
