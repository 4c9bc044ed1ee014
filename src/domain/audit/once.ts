/** Records recurring events only once in a while, because events stay in the trail for ever. */

import { hour } from '../durations.ts';

/** Maximum per account, kind and hour, since strangers cause these entries. */
const defaultMost = 2_000;
/** Maximum of these about one thing and from one source, so that nobody uses them up alone. */
const defaultMostAbout = 8;
const defaultMostFrom = 200;

/** Something that happened to a thing. */
export interface Happening {
  /** What each kind is told of is bounded by itself. */
  readonly kind: string;
  /** The thing. */
  readonly about: string;
  /** What happened to it, with everything that distinguishes occurrences. */
  readonly what: string;
  /** The network that it came from; null for none. */
  readonly source: string | null;
  /** How often about this thing; default: as for all kinds. */
  readonly mostAbout?: number;
}

export interface Once {
  /** Whether to record it: the first time within an hour, which begins with it, while there is room. */
  isFirst(accountId: number, happening: Happening): boolean;
  /** Takes back that it was recorded. */
  forget(accountId: number, happening: Happening): void;
}

export interface OnceOptions {
  /** Milliseconds of a monotonic clock; default: that of the process. */
  readonly elapsed?: () => number;
  readonly most?: number;
  readonly mostAbout?: number;
  readonly mostFrom?: number;
}

interface Told {
  readonly endsAt: number;
  readonly happening: Happening;
}

/** In the memory of this process: each node records for itself. */
export function createOnceAnHour(options: OnceOptions = {}): Once {
  const { elapsed = () => performance.now(), most = defaultMost } = options;
  const { mostAbout = defaultMostAbout, mostFrom = defaultMostFrom } = options;
  // All hours are equally long, so they end in the order in which they began.
  const accounts = new Map<number, Map<string, Told>>();

  function removeEnded(told: Map<string, Told>, now: number): void {
    for (const [key, { endsAt }] of told) {
      if (endsAt > now) return;
      told.delete(key);
    }
  }

  function hasRoom(told: Map<string, Told>, { kind, about, source, mostAbout: own }: Happening): boolean {
    let [ofKind, ofThing, fromSource] = [0, 0, 0];
    for (const { happening } of told.values()) {
      if (happening.kind !== kind) continue;
      ofKind += 1;
      if (happening.about === about) ofThing += 1;
      if (happening.source === source) fromSource += 1;
    }
    return ofKind < most && ofThing < (own ?? mostAbout) && fromSource < mostFrom;
  }

  return {
    isFirst: (accountId, happening) => {
      const now = elapsed();
      const told = accounts.get(accountId) ?? new Map<string, Told>();
      removeEnded(told, now);
      const key = keyOf(happening);
      if (told.has(key) || !hasRoom(told, happening)) return false;
      accounts.set(accountId, told.set(key, { endsAt: now + hour, happening }));
      return true;
    },
    forget: (accountId, happening) => {
      accounts.get(accountId)?.delete(keyOf(happening));
    },
  };
}

function keyOf({ kind, about, what }: Happening): string {
  return `${kind} ${about} ${what}`;
}
