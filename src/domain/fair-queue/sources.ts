/**
 * How much each source of one account, and each network around it, has had lately, in start-time fair queueing (Goyal,
 * Vin and Cheng, 1996), hierarchical: the networks take turns, and within a network those that it consists of. Each
 * competitor has a start tag, and the lowest goes first. Tags count services, not seconds.
 */

/** So many services a competitor may be ahead of its fair share before the others go first. */
const credit = 8;
/** What a refusal counts, in services, for a source that did not wait before it came again. */
const refusal = 1 / 2;
/** A source that comes again sooner after a refusal does not wait as it was told, and each refusal counts. */
const patienceMilliseconds = 900;
/** A refusal is a claim on a service, for a source that waits and comes again; so long, less and less. */
const claimMilliseconds = 10_000;
/** Where a source was served, and not forgiven, it and its networks claim no more than to go so far before newcomers. */
const leadOfServed = 1;
/** For so long. Else many that are served again and again would claim as much as one that never was. */
const servedMilliseconds = 600_000;
/** Without this an endless flood of new sources would keep out everyone who comes twice. */
const servicesToForgetOne = 256;
/** Sources and networks that are remembered for an account. */
const mostRemembered = 4096;

/** The time of those who compete with one another, in services. */
interface Level {
  /** The start tag of a competitor that is not known. */
  present: number;
  servicesSinceMoved: number;
}

/** A source, or a network with those in it. */
export interface Competitor {
  readonly among: Level;
  readonly within: Level;
  /** The start tag of its next service. */
  tag: number;
  refusedAt: number | null;
  /** Services that it may claim for its refusals, at the last of them. */
  claim: number;
  /** When it, or one in it, was last served and not forgiven. */
  servedAt: number | null;
  /** How far its refusals put those ahead who wait now, in services. */
  lead: number;
  /** How far before newcomers they go at most. */
  mostLead: number;
}

/** The networks around a source, the widest first, and the source itself as the last. */
export type Path = readonly Competitor[];

export interface Sources {
  /** A request arrives. `names`: of the networks around its source, the widest first, and of the source as the last. */
  arrive(names: readonly string[]): Path;
  /** A request is turned away. */
  refuse(path: Path): void;
  /** The turn of a request begins. */
  serve(path: Path): void;
  /** It ends. Where it is forgiven, nothing that the source had counts, nor its last service against its networks. */
  end(path: Path, isForgiven: boolean): void;
}

/** `clock` tells milliseconds. */
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

  /** From the source up: a network is forgotten after those in it. */
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
      // At each level: who takes another address of a network that was served is no newcomer to those outside it.
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
export function tagOf({ among, tag }: Competitor): number {
  return Math.max(among.present, tag);
}

/** Where a competitor stands with a request of this source that waits: the lowest goes first. */
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
