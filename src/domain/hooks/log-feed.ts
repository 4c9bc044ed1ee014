/**
 * The new runs of an account, as all its open streams get them: one look into the store serves them all, and only while
 * somebody listens. Nodes need not tell each other: each looks for itself.
 */

import type { Services } from '../../services.ts';
import type { HookExecutionRecord } from '../../store/hook-executions.ts';

/** A run is with everybody who listens within a second: two of these, and what the store takes. */
const pollMilliseconds = 400;
/**
 * PostgreSQL numbers rows before their commit, so one may appear after another of a larger number. For this long the
 * numbers below those that were seen are looked at again.
 */
const overlapMilliseconds = 5_000;
/** Runs of the overlap; with more than a thousand a second a late one may be missed. */
const mostRecent = 5_000;
/** Runs that are read at once: each may have 64 KB of lines. */
const readAtOnce = 20;

/** A run with the identifier of its hook, and the place from which another stream would go on after it. */
export interface FedRun {
  readonly run: HookExecutionRecord;
  readonly hookUuid: string;
  readonly place: number;
}

export interface Feed {
  /** From here on a stream misses nothing. */
  place(): number;
  /** The runs with these numbers that are still there, a few at a time. */
  read(ids: readonly number[]): AsyncGenerator<readonly FedRun[], void, undefined>;
  stop(): void;
}

/**
 * Looks until it is stopped; `deliver` gets each run once, oldest first. `fail` is called once when the store does not
 * answer, and nothing is delivered afterwards.
 */
export async function openFeed(
  { store }: Pick<Services, 'store'>,
  accountId: number,
  deliver: (fed: FedRun) => void,
  fail: (error: unknown) => void,
): Promise<Feed> {
  const isInOrder = store.kind === 'sqlite';
  const names = new Map<number, string>();
  /** When each was seen first, by number. */
  const recent = new Map<number, number>();
  let safe = (await store.hookExecutions.listNewest(accountId, 0, 1))[0]?.id ?? 0;
  let isStopped = false;
  let timer: NodeJS.Timeout | null = null;

  async function nameOf(hookId: number): Promise<string | null> {
    const known = names.get(hookId) ?? (await store.hooks.findUuid(accountId, hookId));
    if (known !== null) names.set(hookId, known);
    return known;
  }

  async function* read(ids: readonly number[]): AsyncGenerator<readonly FedRun[], void, undefined> {
    for (let from = 0; from < ids.length; from += readAtOnce) {
      const fed: FedRun[] = [];
      for (const run of await store.hookExecutions.read(accountId, ids.slice(from, from + readAtOnce))) {
        const hookUuid = await nameOf(run.hookId);
        // The log of a hook that was deleted cannot be read.
        if (hookUuid !== null) fed.push({ run, hookUuid, place: isInOrder ? run.id : Math.min(safe, run.id) });
      }
      yield fed;
    }
  }

  async function look(): Promise<void> {
    const found = await store.hookExecutions.listNewest(accountId, safe, mostRecent);
    const now = performance.now();
    const fresh = found.flatMap(({ id }) => (recent.has(id) ? [] : id)).reverse();
    for (const id of fresh) recent.set(id, now);
    for await (const fed of read(fresh)) for (const one of fed) if (!isStopped) deliver(one);
    const settled = isInOrder ? fresh : [...recent].flatMap(([id, at]) => (now - at >= overlapMilliseconds ? id : []));
    safe = settled.reduce((most, id) => Math.max(most, id), safe);
    for (const id of recent.keys()) if (id <= safe) recent.delete(id);
  }

  function lookAgain(): void {
    timer = setTimeout(() => {
      look().then(
        () => {
          if (!isStopped) lookAgain();
        },
        (error: unknown) => {
          if (!isStopped) fail(error);
        },
      );
    }, pollMilliseconds).unref();
  }

  lookAgain();
  return {
    place: () => safe,
    read,
    stop() {
      isStopped = true;
      if (timer) clearTimeout(timer);
    },
  };
}
