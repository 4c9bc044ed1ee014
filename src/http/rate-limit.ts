import { randomBytes } from 'node:crypto';
import type { Limit, LimitName } from '../domain/accounts/limit-settings.ts';
import { Failure } from '../domain/failure.ts';
import type { Portion } from '../domain/limit-portions/portion.ts';
import type { Portions } from '../domain/limit-portions/portions.ts';
import type { LimitReport, LimitState, Limits, PolicyLimit } from '../domain/limits.ts';
import { createPlaces, nameOf, type Place } from './limit-places.ts';
import type { Counter } from './window-counters.ts';

/** For windows of one length: three lengths are used by settings, and seven others by policies. */
const defaultMostKeys = 100_000;
/** A node that knows too little of the others has heard of them by then. */
const heldSeconds = 1;

export interface LimitOptions {
  /** Milliseconds of a monotonic clock; default: that of the process. */
  readonly elapsed?: () => number;
  /** Maximum number of keys with their own counter, for windows of one length. */
  readonly mostKeys?: number;
  readonly report?: LimitReport | undefined;
  /** Goes into what subjects are told apart by: the same in all nodes that share limits; default: one of the process. */
  readonly secret?: string;
  /** What this node shares with others; default: nothing. */
  readonly portions?: Portions | null;
}

/** The counters of a process, and how many keys they hold. */
interface BoundedLimits extends Limits {
  keptKeys(): number;
}

/** What an event was counted in, and the state then. */
interface Counted {
  readonly place: Place;
  readonly counter: Counter;
  readonly portion: Portion | null;
  readonly state: LimitState;
}

/**
 * Counters in the memory of this process, over fixed windows; what other nodes counted is added as it becomes known
 * (`portions`). The requests of an IPv6 network are also counted for the site that it is in, and those of an API
 * credential or key for all of the account. Strangers choose the keys, so their number is bounded: beyond it, a new
 * subject shares one of 256 counters with others, and a known one keeps its own until its window ends.
 */
export function createLimits({
  elapsed = () => performance.now(),
  mostKeys = defaultMostKeys,
  report,
  secret = randomBytes(32).toString('base64url'),
  portions = null,
}: LimitOptions = {}): BoundedLimits {
  const places = createPlaces(secret, mostKeys);

  /** What is known of the current window with other nodes; null where this node counts alone. */
  function portionOf({ windows, key, digest }: Place, now: number): Portion | null {
    const portion = portions?.find(digest) ?? null;
    if (!portion || portion.endsAt > now) return portion;
    // It has ended for all nodes, here perhaps before its time.
    windows.own.remove(key);
    return null;
  }

  function findShared({ windows: { own, shared }, sharedKey }: Place, now: number): Counter | null {
    return own.hasRoom(now) ? null : shared.find(sharedKey, now);
  }

  function stateAt(place: Place, now: number): LimitState {
    const { windows, key, limit } = place;
    const portion = portionOf(place, now);
    if (portion) return portionState(portion, limit, now);
    return stateOf(windows.own.find(key, now) ?? findShared(place, now), limit, now);
  }

  function portionState(portion: Portion, limit: Limit, now: number): LimitState {
    const state = stateOf(portion, limit, now);
    if (!portion.isHeld(limit.points, now)) return state;
    portions?.ask(portion, now);
    return { ...state, remaining: 0, resetSeconds: heldSeconds };
  }

  /** Counts in the counter of its own, if there is one or room for one. */
  function count(place: Place, now: number): Counted {
    const { windows, key, limit, sharedKey } = place;
    // Looked up again: the place before may have taken the last room.
    const own = windows.own.find(key, now) ?? (windows.own.hasRoom(now) ? windows.own.begin(key, now) : null);
    const counter = own ?? windows.shared.find(sharedKey, now) ?? windows.shared.begin(sharedKey, now);
    counter.count += 1;
    if (own) portions?.note(place, own, limit.points, now);
    const portion = own && portionOf(place, now);
    const state = portion ? portionState(portion, limit, now) : stateOf(counter, limit, now);
    return { place, counter, portion, state };
  }

  /** Throws when none is left. */
  function require<State extends LimitState | null>(limited: LimitName | PolicyLimit, state: State): State {
    if (state?.remaining !== 0) return state;
    const name = nameOf(limited);
    report?.refused(name);
    throw new Failure('rate_limited', { retryAfterSeconds: Math.max(1, state.resetSeconds), reason: `limit ${name}` });
  }

  function leastAt(found: readonly Place[], now: number): LimitState | null {
    return leastOf(found.map((place) => ({ place, state: stateAt(place, now) })));
  }

  return {
    async take(account, limited, subject) {
      const found = places.of(account, limited, subject);
      const now = elapsed();
      // Checked before counting: a refused request uses up nothing, and makes no counter.
      if (require(limited, leastAt(found, now)) === null) return null;
      const counted = found.map((place) => count(place, now));
      const least = leastOf(counted);
      return (
        least && {
          ...least,
          // Subtracts from the same counters: by now the subject may have got or lost its own.
          async giveBack() {
            for (const { counter, portion } of counted) {
              if (counter.count > 0) counter.count -= 1;
              if (portion?.isDue) portions?.ask(portion, elapsed());
            }
          },
        }
      );
    },
    async requireLeft(account, limited, subject) {
      return require(limited, leastAt(places.of(account, limited, subject), elapsed()));
    },
    async reset(account, limited, subject) {
      const [own] = places.of(account, limited, subject);
      if (!own) return;
      const now = elapsed();
      const portion = portionOf(own, now);
      // A shared counter and that of the site include what others did, so they stay.
      if (!portion) return own.windows.own.remove(own.key);
      portion.clear();
      portions?.ask(portion, now);
    },
    async state(account, limited, subject) {
      return leastAt(places.of(account, limited, subject), elapsed());
    },
    keptKeys: places.keptKeys,
  };
}

/** The state with the least left; of equals, the one that ends last. Null if there are none. */
function leastOf(found: readonly Pick<Counted, 'place' | 'state'>[]): LimitState | null {
  const heard = found.filter(({ place, state }) => !place.isSilent || state.remaining === 0);
  const [least = null] = heard
    .map(({ state }) => state)
    .toSorted((one, other) => one.remaining - other.remaining || other.resetSeconds - one.resetSeconds);
  return least;
}

function stateOf(counter: Counter | null, { points, windowSeconds }: Limit, now: number): LimitState {
  if (!counter) return { limit: points, remaining: points, resetSeconds: windowSeconds };
  // At most the window: `endsAt` is a sum and may be a fraction of a millisecond too large.
  const resetSeconds = Math.min(windowSeconds, Math.ceil((counter.endsAt - now) / 1000));
  return { limit: points, remaining: Math.max(0, points - counter.count), resetSeconds };
}
