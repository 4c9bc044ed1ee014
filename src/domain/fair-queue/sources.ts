/**
 * How much each source of one account has had lately, in start-time fair queueing (Goyal, Vin and Cheng, 1996): every
 * request gets a start tag, and the lowest tag goes first. Tags count services, not seconds.
 */

/** So many services a source may be ahead of its fair share before the others go first. */
const credit = 8;
/** What a refusal counts, in services: who comes for the first time goes before those who were refused. */
const refusal = 1 / 2;
/** A source that comes again sooner after a refusal does not wait as it was told, and each refusal counts. */
const patienceMilliseconds = 900;
/** Without this an endless flood of new sources would keep out everyone who comes twice. */
const servicesToForgetOne = 256;
/** Sources that are remembered for an account. */
const mostRemembered = 2048;

export interface Sources {
  /** The start tag that a request of this source would get. */
  startOf(source: string): number;
  /** A request with this tag waits. */
  charge(source: string, start: number): void;
  /** The source's last request, which had or would have had this tag, is turned away. */
  refuse(source: string, start: number): void;
  /** Nothing that the source had counts. */
  forgive(source: string): void;
  /** Whether the source of a request with this tag has had less than its share. */
  isQuiet(start: number): boolean;
  /** A request with this tag is served. */
  serve(start: number): void;
}

interface Known {
  /** The start tag of the next request. */
  readonly start: number;
  readonly refusedAt: number | null;
}

/** `clock` tells milliseconds. */
export function createSources(clock: () => number): Sources {
  const known = new Map<string, Known>();
  /** The start tag of a source that is not known. */
  let present = 0;
  let servicesSinceMoved = 0;

  function remember(source: string, one: Known): void {
    known.delete(source);
    if (known.size >= mostRemembered) {
      const [oldest] = known.keys();
      if (oldest !== undefined) known.delete(oldest);
    }
    known.set(source, one);
  }

  function moveTo(tag: number): void {
    present = tag;
    servicesSinceMoved = 0;
    for (const [source, { start }] of known) if (start <= present) known.delete(source);
  }

  return {
    startOf: (source) => Math.max(present, known.get(source)?.start ?? present),
    charge: (source, start) => remember(source, { start: start + 1, refusedAt: known.get(source)?.refusedAt ?? null }),
    refuse(source, start) {
      const now = clock();
      const before = known.get(source)?.refusedAt ?? null;
      const isPatient = before !== null && now - before >= patienceMilliseconds;
      const charged = Math.max(start, Math.min(start + refusal, present + credit));
      remember(source, { start: isPatient ? start : charged, refusedAt: now });
    },
    forgive: (source) => void known.delete(source),
    isQuiet: (start) => start < present + credit,
    serve(start) {
      servicesSinceMoved += 1;
      if (start - credit > present) moveTo(start - credit);
      else if (servicesSinceMoved >= servicesToForgetOne) moveTo(present + 1);
    },
  };
}
