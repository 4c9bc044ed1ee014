import { createLog } from '../adapters/log.ts';
import type { Config } from '../config.ts';
import { createServices } from '../create-services.ts';
import type { Account } from '../domain/accounts/account.ts';
import { requireAccount } from '../domain/accounts/accounts.ts';
import { actAs } from '../domain/audit/context.ts';
import { Failure } from '../domain/failure.ts';
import { createLazyRunner } from '../hook-runner/lazy.ts';
import { openConfiguredStore, waysOf } from '../open-store.ts';
import { findAddresses } from '../served-address.ts';
import type { Addresses, Services } from '../services.ts';
import { withoutSecrets } from '../store/database-url.ts';
import { openStore, requireKnown } from '../store/knex/index.ts';
import type { Store } from '../store/store.ts';
import { note, readSettings } from './invocation.ts';

/**
 * Runs `work` with the configured store, which is closed afterwards. Throws `unavailable` when it does not exist,
 * unless `create` is set.
 */
export async function withStore<Result>(
  work: (store: Store, config: Config) => Promise<Result>,
  { create = false } = {},
): Promise<Result> {
  const config = readSettings();
  sayWhere(config, null);
  const store = await openStore({ url: config.databaseUrl, ...waysOf(config), create });
  return closing(store, () => work(store, config));
}

/** Runs `work` and closes the store. */
export async function closing<Result>(store: Store, work: (store: Store) => Promise<Result>): Promise<Result> {
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Which database a command uses, before it says anything about what is in it, and where its accounts answer. */
function sayWhere({ databaseUrl, envFile, warnings }: Config, addresses: Addresses | null): void {
  for (const warning of warnings) note(`warning: ${warning}`);
  const where = [
    `database ${withoutSecrets(databaseUrl)}`,
    ...(addresses ? [`accounts at ${addresses.publicScheme}://<subdomain>.${addresses.serviceDomain}`] : []),
    ...(envFile === null ? [] : [`settings of ${envFile}`]),
  ];
  note(`using ${where.join(', ')}`);
}

const origin = { actor: { type: 'command_line', id: null }, source: null, requestId: null } as const;

/** Runs `work` with the services of a server: a new database is initialized, one of another release is not touched. */
export async function withServices<Result>(work: (services: Services) => Promise<Result>): Promise<Result> {
  const { store: opened, config } = await openPrepared(readSettings());
  return closing(opened, async (store) => {
    const log = createLog({ level: 'warn', destination: { write: (line) => process.stderr.write(line) } });
    const created = await createServices(config, store, log, createLazyRunner);
    // Packages are built by servers: a command would end before its build does.
    const services = { ...created, packageBuilds: { ...created.packageBuilds, wake: () => {} } };
    try {
      return await actAs(origin, () => work(services));
    } finally {
      await services.hooks.close();
    }
  });
}

/** The store, ready to use, and the settings with the address at which accounts are answered. */
async function openPrepared(settings: Config): Promise<{ readonly store: Store; readonly config: Config }> {
  let store: Store | null = null;
  let addresses: Addresses | null = null;
  let isNew = false;
  try {
    store = await openConfiguredStore(settings);
    isNew = await prepareStore(store);
    addresses = await findAddresses(store, settings);
    return { store, config: { ...settings, addresses } };
  } catch (error) {
    await store?.close();
    throw error;
  } finally {
    sayWhere(settings, addresses);
    // Whoever meant another folder learns of it.
    if (isNew) note('this is a new installation: the database was not there, or was empty');
  }
}

/** Runs `work` for the account of this subdomain. Throws `not_found`. */
export function withAccount<Result>(
  subdomain: string,
  work: (services: Services, account: Account) => Promise<Result>,
): Promise<Result> {
  return withServices(async (services) => work(services, await requireAccount(services, subdomain)));
}

/** Whether it was empty, and is that of a new installation now. */
async function prepareStore(store: Store): Promise<boolean> {
  const status = await store.status();
  requireKnown(status);
  const { applied, pending } = status;
  if (pending.length === 0) return false;
  // A server of the former release may be using it.
  if (applied.length > 0) {
    const message = `the database lacks ${pending.length} migrations of this release; run: gatehouse db migrate`;
    throw new Failure('unavailable', { message });
  }
  await store.migrate();
  return true;
}
