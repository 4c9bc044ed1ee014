/**
 * How much each source of one account has had lately, in start-time fair queueing (Goyal, Vin and Cheng, 1996): every
 * request gets a start tag, and the lowest tag goes first. Tags count services, not seconds.
 */

/** So many services a source may be ahead of its fair share before the others go first. */
const credit = 8;
/**
 * What a refusal counts, in services: who is refused and comes again at once is soon behind who comes now and then.
 * Refusals count up to the credit, so that they keep nobody out for long.
 */
const refusal = 1 / 2;
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
  /** Whether the source of a request with this tag has had less than its share. */
  isQuiet(start: number): boolean;
  /** A request with this tag is served. */
  serve(start: number): void;
}

export function createSources(): Sources {
  /** By source the start tag of its next request; absent: `now`. */
  const next = new Map<string, number>();
  let now = 0;
  let servicesSinceMoved = 0;

  function remember(source: string, tag: number): void {
    next.delete(source);
    if (next.size >= mostRemembered) {
      const [oldest] = next.keys();
      if (oldest !== undefined) next.delete(oldest);
    }
    next.set(source, tag);
  }

  function moveTo(tag: number): void {
    now = tag;
    servicesSinceMoved = 0;
    for (const [source, tag] of next) if (tag <= now) next.delete(source);
  }

  return {
    startOf: (source) => Math.max(now, next.get(source) ?? now),
    charge: (source, start) => remember(source, start + 1),
    refuse(source, start) {
      remember(source, Math.max(start, Math.min(start + refusal, now + credit)));
    },
    isQuiet: (start) => start < now + credit,
    serve(start) {
      servicesSinceMoved += 1;
      if (start - credit > now) moveTo(start - credit);
      else if (servicesSinceMoved >= servicesToForgetOne) moveTo(now + 1);
    },
  };
}
