import { createLog } from '../adapters/log.ts';
import { type Config, readConfig } from '../config.ts';
import { createServices } from '../create-services.ts';
import type { Account } from '../domain/accounts/account.ts';
import { requireAccount } from '../domain/accounts/accounts.ts';
import { Failure } from '../domain/failure.ts';
import type { Services } from '../services.ts';
import { openStore } from '../store/knex/index.ts';
import type { Store } from '../store/store.ts';

/** Runs `work` over the configured store, which is closed afterwards. */
export async function withStore<Result>(work: (store: Store, config: Config) => Promise<Result>): Promise<Result> {
  const config = readConfig();
  const store = await openStore({ url: config.databaseUrl });
  try {
    return await work(store, config);
  } finally {
    await store.close();
  }
}

/** Runs `work` with the services of a server: a new database is set up, one of another release is left alone. */
export function withServices<Result>(work: (services: Services) => Promise<Result>): Promise<Result> {
  return withStore(async (store, config) => {
    await prepareStore(store);
    const log = createLog({ level: 'warn', destination: { write: (line) => process.stderr.write(line) } });
    return work(await createServices(config, store, log));
  });
}

/** Runs `work` for the account of this subdomain. Throws `not_found`. */
export function withAccount<Result>(
  subdomain: string,
  work: (services: Services, account: Account) => Promise<Result>,
): Promise<Result> {
  return withServices(async (services) => work(services, await requireAccount(services, subdomain)));
}

async function prepareStore(store: Store): Promise<void> {
  const { applied, pending } = await store.status();
  if (pending.length === 0) return;
  // A server of the former release may be running on it.
  if (applied.length > 0) {
    const message = `the database lacks ${pending.length} migrations of this release; run: gatehouse db migrate`;
    throw new Failure('unavailable', { message });
  }
  await store.migrate();
}
