/**
 * How much each source of one account, and each network around it, has had lately: hierarchical start-time fair
 * queueing (Goyal, Vin and Cheng, 1996). Networks take turns, and so do the members of a network. Each competitor has a
 * start tag, and the lowest goes first. Tags count services, not seconds.
 */

/** How many services a competitor may be ahead of its fair share before the others go first. */
const credit = 8;
/** The cost of a refusal, in services, for a source that did not wait before it came again. */
const refusal = 1 / 2;
/** A source that comes again sooner than this after a refusal did not wait as told, and each refusal counts. */
const patienceMilliseconds = 900;
/** A refusal gives a source that waits and comes again a claim on a service; the claim decays over this time. */
const claimMilliseconds = 10_000;
/** The maximum lead over newcomers, in services, of a source that was served and not forgiven, and of its networks. */
const leadOfServed = 1;
/**
 * How long that maximum applies. Without it, many sources that are served repeatedly would claim as much as one that
 * never was.
 */
const servedMilliseconds = 600_000;
/** Without this, an endless flood of new sources would keep out everyone who comes twice. */
const servicesToForgetOne = 256;
/** Maximum number of sources and networks remembered for an account. */
const mostRemembered = 4096;

/** The virtual time of competitors on one level, in services. */
interface Level {
  /** The start tag of an unknown competitor. */
  present: number;
  servicesSinceMoved: number;
}

/** A source, or a network with its members. */
export interface Competitor {
  readonly among: Level;
  readonly within: Level;
  /** The start tag of its next service. */
  tag: number;
  refusedAt: number | null;
  /** Services that it may claim for its refusals, as of the last one. */
  claim: number;
  /** When it, or one of its members, was last served and not forgiven. */
  servedAt: number | null;
  /** The lead that refusals give to its waiting requests, in services. */
  lead: number;
  /** The maximum of that lead over newcomers. */
  mostLead: number;
}

/** The networks around a source, widest first, then the source itself. */
export type Path = readonly Competitor[];

export interface Sources {
  /** A request arrives. `names`: the networks around its source, widest first, then the source. */
  arrive(names: readonly string[]): Path;
  /** A request is turned away. */
  refuse(path: Path): void;
  /** The turn of a request begins. */
  serve(path: Path): void;
  /**
   * The turn ends. If it is forgiven, the source's services do not count, nor does its last service for its networks.
   */
  end(path: Path, isForgiven: boolean): void;
}

/** `clock` returns milliseconds. */
export function createSources(clock: () => number): Sources {
  const known = new Map<string, Competitor>();
  const widest = createLevel();

  function find(names: readonly string[]): Path {
    const path: Competitor[] = [];
    for (const name of names) {
      const among = path.at(-1)?.within ?? widest;
      path.push(known.get(name) ?? createCompetitor(among));
    }
    return path;
  }

  /** From the source up: a network is dropped after its members. */
  function remember(names: readonly string[], path: Path): void {
    for (const [index, one] of [...path.entries()].reverse()) {
      const name = names[index] ?? '';
      known.delete(name);
      known.set(name, one);
    }
    for (const oldest of known.keys()) {
      if (known.size <= mostRemembered) break;
      known.delete(oldest);
    }
  }

  function claimOf({ refusedAt, claim }: Competitor): number {
    if (refusedAt === null) return 0;
    return claim * Math.max(0, 1 - (clock() - refusedAt) / claimMilliseconds);
  }

  function isPatient({ refusedAt }: Competitor): boolean {
    return refusedAt === null || clock() - refusedAt >= patienceMilliseconds;
  }

  function isServed({ servedAt }: Competitor): boolean {
    return servedAt !== null && clock() - servedAt < servedMilliseconds;
  }

  return {
    arrive(names) {
      const path = find(names);
      remember(names, path);
      const one = sourceOf(path);
      one.lead = isPatient(one) ? claimOf(one) : 0;
      // At each level: a new address in a network that was served is no newcomer to other networks.
      for (const each of path) each.mostLead = isServed(each) ? leadOfServed : credit;
      return path;
    },
    refuse(path) {
      const one = sourceOf(path);
      if (isPatient(one)) one.claim = Math.min(credit, claimOf(one) + 1);
      else {
        one.claim = 0;
        one.tag = Math.max(tagOf(one), Math.min(tagOf(one) + refusal, one.among.present + credit));
      }
      one.refusedAt = clock();
    },
    serve(path) {
      for (const one of path) {
        const start = tagOf(one);
        one.tag = start + 1;
        advance(one.among, start);
      }
      Object.assign(sourceOf(path), { refusedAt: null, claim: 0, lead: 0 });
    },
    end(path, isForgiven) {
      if (isForgiven) {
        for (const one of path) one.tag -= 1;
        Object.assign(sourceOf(path), { tag: 0, refusedAt: null, claim: 0, servedAt: null });
      } else for (const one of path) one.servedAt = clock();
    },
  };
}

function createLevel(): Level {
  return { present: 0, servicesSinceMoved: 0 };
}

function createCompetitor(among: Level): Competitor {
  const history = { tag: 0, refusedAt: null, claim: 0, servedAt: null };
  return { among, within: createLevel(), ...history, lead: 0, mostLead: credit };
}

/** A request with this start tag was served. */
function advance(level: Level, start: number): void {
  level.servicesSinceMoved += 1;
  const isAhead = start - credit > level.present;
  if (!isAhead && level.servicesSinceMoved < servicesToForgetOne) return;
  level.present = isAhead ? start - credit : level.present + 1;
  level.servicesSinceMoved = 0;
}

/** The start tag of the next service. */
function tagOf({ among, tag }: Competitor): number {
  return Math.max(among.present, tag);
}

/** The rank of a waiting request of this source; the lowest goes first. */
export function standingOf(competitor: Competitor, { lead }: Competitor): number {
  return Math.max(tagOf(competitor) - lead, competitor.among.present - competitor.mostLead);
}

export function sourceOf(path: Path): Competitor {
  const source = path.at(-1);
  if (source === undefined) throw new Error('a path without a source');
  return source;
}

/** Whether a source and its networks have had less than their share. */
export function isQuiet(path: Path): boolean {
  return path.every((one) => tagOf(one) < one.among.present + credit);
}
