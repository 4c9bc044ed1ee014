import type { Account } from './domain/accounts/account.ts';
import { listAccounts } from './domain/accounts/accounts.ts';
import { expireClients, type Swept } from './domain/clients/expire-clients.ts';
import { stackOf } from './domain/describe.ts';
import { hour, minute } from './domain/durations.ts';
import { type PurgeReport, purgeContinually } from './domain/expired-rows.ts';
import { restUnlessAborted } from './domain/paced.ts';
import { createTrustedTime } from './domain/trusted-time.ts';
import { indexContinually } from './domain/users/index-continually.ts';
import { createTending, lookAtMessages, type RoundReport } from './housekeeping-round.ts';
import type { Services } from './services.ts';

const intervalMilliseconds = minute;
/** Of one round. */
const clientsAtOnce = 500;
/** The planner would otherwise use the old sizes of tables that have grown. */
const statisticsMilliseconds = hour;

export interface Housekeeping {
  /** Begins no further round or slice; settles when the running one has ended and the counts are stored. */
  stop(): Promise<void>;
}

type HousekeepingServices = Pick<
  Services,
  | 'store'
  | 'clock'
  | 'vault'
  | 'addresses'
  | 'counts'
  | 'refusals'
  | 'logoutNotices'
  | 'changeNotices'
  | 'resetMails'
  | 'log'
>;

export interface HousekeepingOptions {
  /** Receives the progress of deletions. */
  readonly report: PurgeReport;
  /** Receives how keys, trails and messages stand. */
  readonly roundReport: RoundReport;
  /** The interval between the beginnings of two rounds. */
  readonly everyMilliseconds?: number;
  /** Monotonic milliseconds. */
  readonly monotonic?: () => number;
  /** Waits between slices; returns at once when `signal` is aborted. */
  readonly rest?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Every minute: stores counts; adds up how many users accounts have; wakes the workers that notify clients of ended
 * sessions, notify users of changes and send requested links; publishes due signing keys; removes retired keys and
 * unused open-registered clients. Every hour: updates the planner's statistics. Continually: deletes expired rows;
 * indexes the texts of users. Deletes nothing for an hour after the clock jumped ahead.
 */
export function startHousekeeping(
  services: HousekeepingServices,
  {
    report,
    roundReport,
    everyMilliseconds = intervalMilliseconds,
    monotonic = () => performance.now(),
    rest = restUnlessAborted,
  }: HousekeepingOptions,
): Housekeeping {
  const trustedNow = createTrustedTime(services, monotonic);
  const stopping = new AbortController();
  const tend = createTending(services, roundReport);
  let running: Promise<void> | null = null;
  let nextClient: Swept | null = null;
  let describedAt = Number.NEGATIVE_INFINITY;

  async function round(): Promise<void> {
    await flush(services);
    await foldCounts(services);
    // A client or a mail server that does not answer must not delay the rest.
    for (const worker of [services.logoutNotices, services.changeNotices, services.resetMails]) worker.wake();
    try {
      await lookAtMessages(services, roundReport);
      if (trustedNow() === null) return;
      if (monotonic() - describedAt >= statisticsMilliseconds) {
        describedAt = monotonic();
        await services.store.refreshStatistics();
      }
      const accounts = await listAccounts(services);
      await tend(accounts);
      nextClient = await tendClients(services, accounts, nextClient);
    } catch (error) {
      services.log.error('housekeeping failed', { stack: stackOf(error) });
    }
  }

  const { signal } = stopping;
  const purging = purgeContinually(services, {
    trustedNow,
    monotonic,
    report,
    signal,
    rest: (milliseconds) => rest(milliseconds, signal),
  });
  const indexing = indexContinually(services, {
    monotonic,
    signal,
    rest: (milliseconds) => rest(milliseconds, signal),
  });
  const timer = setInterval(() => {
    running ??= round().finally(() => {
      running = null;
    });
  }, everyMilliseconds).unref();

  return {
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await Promise.all([running, purging, indexing]);
      await flush(services);
    },
  };
}

async function flush({ counts, refusals, log }: HousekeepingServices): Promise<void> {
  try {
    await counts.flush();
  } catch (error) {
    log.error('counts not stored', { stack: stackOf(error) });
  }
  try {
    await refusals.flush();
  } catch (error) {
    log.error('refusals not stored', { stack: stackOf(error) });
  }
}

async function foldCounts({ store, log }: HousekeepingServices): Promise<void> {
  try {
    await store.foldCounts();
  } catch (error) {
    log.error('counts of users not folded', { stack: stackOf(error) });
  }
}

/** Checks some open-registered clients, starting where the last round ended. */
async function tendClients(
  services: HousekeepingServices,
  accounts: readonly Account[],
  from: Swept | null,
): Promise<Swept | null> {
  const { removed, reached } = await expireClients(services, accounts, from, clientsAtOnce);
  if (removed > 0) services.log.info('unused clients removed', { count: removed });
  return reached;
}
