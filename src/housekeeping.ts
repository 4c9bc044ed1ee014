import { listAccounts } from './domain/accounts/accounts.ts';
import { rotateIfDue } from './domain/keys/signing-keys.ts';
import type { Services } from './services.ts';

const intervalMilliseconds = 60_000;
/** Bounds of one round: rows of each kind a statement deletes, statements, accounts looked at. */
const rowsAtOnce = 1_000;
const mostStatements = 20;
const accountsAtOnce = 100;

export interface Housekeeping {
  /** No further round begins; settles when the running one has ended. */
  stop(): Promise<void>;
}

type HousekeepingServices = Pick<Services, 'store' | 'clock' | 'vault' | 'addresses' | 'log'>;

/** Every minute: deletes what expired, publishes signing keys that are due and removes retired ones. */
export function startHousekeeping(
  services: HousekeepingServices,
  everyMilliseconds = intervalMilliseconds,
): Housekeeping {
  let running: Promise<void> | null = null;
  let nextAccount = 0;

  async function round(): Promise<void> {
    try {
      await purge(services);
      nextAccount = await tendKeys(services, nextAccount);
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
    },
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
async function tendKeys(services: HousekeepingServices, from: number): Promise<number> {
  const accounts = await listAccounts(services);
  const start = from < accounts.length ? from : 0;
  for (const account of accounts.slice(start, start + accountsAtOnce)) {
    const published = await rotateIfDue(services, account);
    if (published > 0)
      services.log.info('next signing keys published', { account: account.subdomain, count: published });
    const removed = await services.store.keys.removeRetired(account.id, services.clock.now());
    if (removed > 0) services.log.info('retired signing keys removed', { account: account.subdomain, count: removed });
  }
  return start + accountsAtOnce;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : 'not an error';
}
