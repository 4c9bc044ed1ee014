/** Streams of log lines: who has one, how many there may be, and when one ends. */

import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { type FedRun, type Feed, openFeed } from './log-feed.ts';
import type { HookRunner } from './runner.ts';

export const mostStreams = { ofAccount: 100, ofProcess: 1_000 } as const;
/** Runs that a stream which goes on after another one gets at most from before. */
const mostMissed = 1_000;
/** Runs that may come while those from before are sent. */
const mostPending = 200;
const checkMilliseconds = 5_000;
/** Each third check. */
const checksPerHeartbeat = 3;
const retryAfterSeconds = 30;

/** Why a stream ends by itself. */
type StreamEnd = 'unauthorized' | 'stopping' | 'unavailable' | 'time';

/** What is written to; nothing is kept for a client that does not read. */
export interface LogSink {
  /** The run, with the place from which another stream goes on. */
  run(fed: FedRun): void;
  /** There were more runs since the place than are sent. */
  gap(): void;
  heartbeat(place: number): void;
  /** Settles when there is room, or the client has gone. */
  room(): Promise<void>;
  readonly isClosed: () => boolean;
}

export interface StreamWish {
  /** Only runs of this hook; null: of all. */
  readonly hookId: number | null;
  /** The place that the last event of another stream named; null: from now on. */
  readonly after: number | null;
  /** Ends after this time; null: when something else ends it. */
  readonly seconds: number | null;
  /** Equal for streams of which one answer of `isAllowed` holds for all. */
  readonly key: string;
  /** Whether the caller may still read. */
  readonly isAllowed: () => Promise<boolean>;
}

interface Stream {
  readonly wish: StreamWish;
  sink: LogSink | null;
  /** Runs that came while those from before are sent; null: it has caught up. */
  pending: FedRun[] | null;
  readonly end: (why: StreamEnd) => void;
  readonly ended: Promise<StreamEnd>;
}

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
const open = new WeakMap<HookRunner, ProcessStreams>();

function streamsOf(runner: HookRunner): ProcessStreams {
  const known = open.get(runner) ?? { total: 0, isStopping: false, accounts: new Map() };
  open.set(runner, known);
  return known;
}

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
export function takeLogStream(
  services: Pick<Services, 'store' | 'hooks' | 'log'>,
  account: Pick<Account, 'id'>,
  wish: StreamWish,
): { readonly run: (sink: LogSink, gone: AbortSignal) => Promise<StreamEnd | null> } {
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
  return {
    run: async (sink, gone) => {
      const timer = wish.seconds === null ? null : setTimeout(() => end('time'), wish.seconds * 1000).unref();
      const left = new Promise<null>((resolve) => {
        if (gone.aborted) resolve(null);
        else gone.addEventListener('abort', () => resolve(null), { once: true });
      });
      const begun = begin(services, account.id, own, stream, sink).catch((error: unknown) => {
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

function deliver(streams: ReadonlySet<Stream>, fed: FedRun): void {
  for (const stream of streams) {
    const { pending, sink, wish } = stream;
    if (wish.hookId !== null && wish.hookId !== fed.run.hookId) continue;
    if (pending === null) sink?.run(fed);
    else if (pending.length < mostPending) pending.push(fed);
    else stream.end('unavailable');
  }
}

/** Sends what a former stream missed, and then what came meanwhile. */
async function begin(
  { store }: Pick<Services, 'store'>,
  accountId: number,
  own: AccountStreams,
  stream: Stream,
  sink: LogSink,
): Promise<void> {
  const feed = await own.feed;
  const { after, hookId } = stream.wish;
  const sent = new Set<number>();
  if (after !== null) {
    const missed = await store.hookExecutions.listNewest(accountId, after, mostMissed + 1);
    if (missed.length > mostMissed) sink.gap();
    const wanted = missed.slice(0, mostMissed).filter((one) => hookId === null || one.hookId === hookId);
    for await (const fed of feed.read(wanted.map(({ id }) => id).reverse())) {
      for (const one of fed) {
        sent.add(one.run.id);
        sink.run(one);
      }
      await sink.room();
      if (sink.isClosed()) return;
    }
  }
  for (const one of stream.pending ?? []) if (!sent.has(one.run.id)) sink.run(one);
  stream.sink = sink;
  stream.pending = null;
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
