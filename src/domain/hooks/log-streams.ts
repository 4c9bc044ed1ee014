/** Streams of log lines: who has one, how many there may be, and when one ends. */

import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { perKey } from '../per-key.ts';
import { type Feed, openFeed } from './log-feed.ts';
import { begin, deliver, type LogSink, type Stream, type StreamEnd, type StreamWish } from './log-stream.ts';
import type { HookRunner } from './runner.ts';

export const mostStreams = { ofAccount: 100, ofProcess: 1_000 } as const;
const checkMilliseconds = 5_000;
/** Each third check. */
const checksPerHeartbeat = 3;
const retryAfterSeconds = 30;

interface AccountStreams {
  readonly streams: Set<Stream>;
  feed: Promise<Feed>;
}

interface ProcessStreams {
  total: number;
  isStopping: boolean;
  readonly accounts: Map<number, AccountStreams>;
}

/** By runner: there is one in each process. */
const streamsOf = perKey<HookRunner, ProcessStreams>(() => ({ total: 0, isStopping: false, accounts: new Map() }));

/** From now on the process has no streams. */
export function endLogStreams(runner: HookRunner): void {
  const all = streamsOf(runner);
  all.isStopping = true;
  for (const { streams } of all.accounts.values()) for (const { end } of streams) end('stopping');
}

/** How many are open in this process. */
export function countLogStreams(runner: HookRunner): number {
  return streamsOf(runner).total;
}

/**
 * Takes a place. Throws `rate_limited` when there is none, and `unavailable` while the process stops. `run` must be
 * called, and settles with the reason when the stream has ended or its client has gone.
 */
export async function takeLogStream(
  services: Pick<Services, 'store' | 'hooks' | 'log'>,
  account: Pick<Account, 'id'>,
  wish: StreamWish,
): Promise<{ readonly run: (sink: LogSink, gone: AbortSignal) => Promise<StreamEnd | null> }> {
  const all = streamsOf(services.hooks);
  if (all.isStopping) throw new Failure('unavailable', { retryAfterSeconds: 1 });
  const isFull = (all.accounts.get(account.id)?.streams.size ?? 0) >= mostStreams.ofAccount;
  if (isFull || all.total >= mostStreams.ofProcess) {
    throw new Failure('rate_limited', { name: 'streams', retryAfterSeconds });
  }
  const { promise: ended, resolve: end } = Promise.withResolvers<StreamEnd>();
  const stream: Stream = { wish, sink: null, pending: [], end, ended };
  all.total += 1;
  const own = enter(services, all, account.id, stream);
  let feed: Feed;
  try {
    // Whoever reads the beginning of the answer misses no run from then on.
    feed = await own.feed;
  } catch (error) {
    leave(all, account.id, own, stream);
    throw error;
  }
  return {
    run: async (sink, gone) => {
      const timer = wish.seconds === null ? null : setTimeout(() => end('time'), wish.seconds * 1000).unref();
      const left = new Promise<null>((resolve) => {
        if (gone.aborted) resolve(null);
        else gone.addEventListener('abort', () => resolve(null), { once: true });
      });
      const begun = begin(services, account.id, feed, stream, sink).catch((error: unknown) => {
        services.log.warn('stream of log lines ended', { reason: error instanceof Error ? error.message : '' });
        end('unavailable');
      });
      try {
        return await Promise.race([ended, left]);
      } finally {
        end('stopping');
        leave(all, account.id, own, stream);
        if (timer) clearTimeout(timer);
        await begun;
      }
    },
  };
}

function enter(
  services: Pick<Services, 'store' | 'log'>,
  all: ProcessStreams,
  accountId: number,
  stream: Stream,
): AccountStreams {
  const known = all.accounts.get(accountId);
  if (known) {
    known.streams.add(stream);
    return known;
  }
  const streams = new Set([stream]);
  const fail = (error: unknown) => {
    services.log.warn('streams of log lines ended', { reason: error instanceof Error ? error.message : '' });
    if (all.accounts.get(accountId) === own) all.accounts.delete(accountId);
    for (const { end } of streams) end('unavailable');
  };
  const own: AccountStreams = {
    streams,
    feed: openFeed(services, accountId, (fed) => deliver(streams, fed), fail),
  };
  // Each stream waits for it and sees why there is none.
  own.feed.catch(() => {});
  all.accounts.set(accountId, own);
  void watch(own);
  return own;
}

function leave(all: ProcessStreams, accountId: number, own: AccountStreams, stream: Stream): void {
  if (!own.streams.delete(stream)) return;
  all.total -= 1;
  if (own.streams.size > 0) return;
  if (all.accounts.get(accountId) === own) all.accounts.delete(accountId);
  own.feed.then((feed) => feed.stop()).catch(() => {});
}

/** Asks every few seconds whether callers may still read, once for all streams of one token; heartbeats besides. */
async function watch(own: AccountStreams): Promise<void> {
  for (let round = 1; own.streams.size > 0; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, checkMilliseconds).unref());
    const byKey = Map.groupBy(own.streams, ({ wish }) => wish.key);
    for (const [, streams] of byKey) {
      const [first] = streams;
      const isAllowed = await first?.wish.isAllowed().catch(() => null);
      if (isAllowed === true) continue;
      for (const { end } of streams) end(isAllowed === false ? 'unauthorized' : 'unavailable');
    }
    if (round % checksPerHeartbeat !== 0) continue;
    const place = (await own.feed.catch(() => null))?.place();
    if (place !== undefined) for (const { sink } of own.streams) sink?.heartbeat(place);
  }
}
