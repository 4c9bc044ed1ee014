/** One stream of log lines: what a former stream missed, and then each new run. */

import type { Services } from '../../services.ts';
import type { FedRun, Feed } from './log-feed.ts';

/** Runs that a stream which goes on after another one gets at most from before. */
const mostMissed = 1_000;
/** Runs that may come while those from before are sent. */
const mostPending = 200;

/** Why a stream ends by itself. */
export type StreamEnd = 'unauthorized' | 'stopping' | 'unavailable' | 'time';

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

/** One open stream. */
export interface Stream {
  readonly wish: StreamWish;
  sink: LogSink | null;
  /** Runs that came while those from before are sent; null: it has caught up. */
  pending: FedRun[] | null;
  readonly end: (why: StreamEnd) => void;
  readonly ended: Promise<StreamEnd>;
}

/** Hands a run to all streams that want it. */
export function deliver(streams: ReadonlySet<Stream>, fed: FedRun): void {
  for (const stream of streams) {
    const { pending, sink, wish } = stream;
    if (wish.hookId !== null && wish.hookId !== fed.run.hookId) continue;
    if (pending === null) sink?.run(fed);
    else if (pending.length < mostPending) pending.push(fed);
    else stream.end('unavailable');
  }
}

/** Sends what a former stream missed, and then what came meanwhile. */
export async function begin(
  { store }: Pick<Services, 'store'>,
  accountId: number,
  feed: Feed,
  stream: Stream,
  sink: LogSink,
): Promise<void> {
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
