import type { Account } from './domain/accounts/account.ts';
import { listAccounts } from './domain/accounts/accounts.ts';
import { expireClients, type Swept } from './domain/clients/expire-clients.ts';
import { removeRetiredKeys, rotateIfDue } from './domain/keys/rotate-keys.ts';
import type { Services } from './services.ts';

const intervalMilliseconds = 60_000;
/** Bounds of one round: rows of each kind a statement deletes, statements, accounts looked at. */
const rowsAtOnce = 1_000;
const mostStatements = 20;
const accountsAtOnce = 100;
const clientsAtOnce = 500;
/** Tables that grew a lot since are planned for as what they were. */
const statisticsMilliseconds = 3_600_000;
/** A clock that gained so much in one round was set; and for so long it is not believed. */
const mostAheadMilliseconds = 10 * 60_000;
const doubtMilliseconds = 3_600_000;

export interface Housekeeping {
  /** No further round begins; settles when the running one has ended and what was counted is stored. */
  stop(): Promise<void>;
}

type HousekeepingServices = Pick<
  Services,
  'store' | 'clock' | 'vault' | 'addresses' | 'counts' | 'logoutNotices' | 'changeNotices' | 'resetMails' | 'log'
>;

/**
 * Every minute: stores what was counted, wakes the workers that tell clients of sessions that ended, tell users of
 * changes and send links that were asked for, deletes what expired, publishes signing keys that are due, and removes
 * retired keys and unused clients of open registrations. Every hour: tells the database's planner how large tables are.
 * Deletes nothing for an hour after the clock jumped ahead, `monotonic` telling the time: what a wrong clock takes for
 * expired would be gone.
 */
export function startHousekeeping(
  services: HousekeepingServices,
  everyMilliseconds = intervalMilliseconds,
  monotonic: () => number = () => performance.now(),
): Housekeeping {
  const isTrusted = watchClock(services, monotonic);
  let running: Promise<void> | null = null;
  let nextAccount = 0;
  let nextClient: Swept | null = null;
  let describedAt = Number.NEGATIVE_INFINITY;

  async function round(): Promise<void> {
    await flush(services);
    // A client or a mail server that does not answer holds up nothing of what follows.
    for (const worker of [services.logoutNotices, services.changeNotices, services.resetMails]) worker.wake();
    if (!isTrusted()) return;
    try {
      await purge(services);
      if (monotonic() - describedAt >= statisticsMilliseconds) {
        describedAt = monotonic();
        await services.store.refreshStatistics();
      }
      const accounts = await listAccounts(services);
      nextAccount = await tendKeys(services, accounts, nextAccount);
      nextClient = await tendClients(services, accounts, nextClient);
    } catch (error) {
      services.log.error('housekeeping failed', { stack: stackOf(error) });
    }
  }

  const timer = setInterval(() => {
    running ??= round().finally(() => {
      running = null;
    });
  }, everyMilliseconds).unref();

  return {
    async stop() {
      clearInterval(timer);
      await running;
      await flush(services);
    },
  };
}

async function flush({ counts, log }: HousekeepingServices): Promise<void> {
  try {
    await counts.flush();
  } catch (error) {
    log.error('counts not stored', { stack: stackOf(error) });
  }
}

/** Whether the clock has run as a clock does, or has kept its new time for an hour. */
function watchClock({ clock, log }: HousekeepingServices, monotonic: () => number): () => boolean {
  let start = clock.now() - monotonic();
  let doubtedSince: number | null = null;
  return () => {
    const ahead = clock.now() - monotonic() - start;
    if (ahead > mostAheadMilliseconds) {
      if (doubtedSince === null) {
        doubtedSince = monotonic();
        log.warn('clock jumped ahead', { reason: 'nothing is deleted for an hour', milliseconds: Math.round(ahead) });
      }
      if (monotonic() - doubtedSince < doubtMilliseconds) return false;
    }
    doubtedSince = null;
    start += ahead;
    return true;
  };
}

async function purge({ store, clock, log }: HousekeepingServices): Promise<void> {
  let count = 0;
  for (let statement = 0; statement < mostStatements; statement += 1) {
    const deleted = await store.purge(clock.now(), rowsAtOnce);
    count += deleted;
    if (deleted < rowsAtOnce) break;
  }
  if (count > 0) log.info('expired rows deleted', { count });
}

/** Looks at some accounts, from where the last round ended; answers where the next one begins. */
async function tendKeys(services: HousekeepingServices, accounts: readonly Account[], from: number): Promise<number> {
  const start = from < accounts.length ? from : 0;
  for (const account of accounts.slice(start, start + accountsAtOnce)) {
    const published = await rotateIfDue(services, account);
    if (published > 0)
      services.log.info('next signing keys published', { account: account.subdomain, count: published });
    const removed = await removeRetiredKeys(services, account);
    if (removed > 0) services.log.info('retired signing keys removed', { account: account.subdomain, count: removed });
  }
  return start + accountsAtOnce;
}

/** Looks at some clients of open registrations, from where the last round ended. */
async function tendClients(
  services: HousekeepingServices,
  accounts: readonly Account[],
  from: Swept | null,
): Promise<Swept | null> {
  const { removed, reached } = await expireClients(services, accounts, from, clientsAtOnce);
  if (removed > 0) services.log.info('unused clients removed', { count: removed });
  return reached;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : 'not an error';
}
