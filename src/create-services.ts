import { availableParallelism } from 'node:os';
import { createPasswords } from './adapters/argon2.ts';
import { systemClock } from './adapters/clock.ts';
import { createHookEgress, createOwnEgress, createRegistryEgress } from './adapters/egress/policies.ts';
import { createGeoIp } from './adapters/geoip.ts';
import { createKeyFile } from './adapters/key-file.ts';
import { createMailer } from './adapters/mail.ts';
import { registryOfNpm } from './adapters/npm-configuration.ts';
import { createPasskeys } from './adapters/passkeys.ts';
import { systemRandom } from './adapters/random.ts';
import { createTotp } from './adapters/totp.ts';
import type { Config } from './config.ts';
import { isServiceHost } from './domain/accounts/accounts.ts';
import { countWatcher, createDailyCounts } from './domain/audit/daily-counts.ts';
import { createOnceAnHour } from './domain/audit/once.ts';
import { createClientDocuments } from './domain/clients/client-documents.ts';
import { createClientKeys } from './domain/clients/client-keys.ts';
import { gatherReads } from './domain/gathered-reads.ts';
import { gatherWrites } from './domain/gathered-writes.ts';
import type { PackageBuilder } from './domain/hooks/package-builds.ts';
import { createPackageQueue, type PackageQueue } from './domain/hooks/package-queue.ts';
import type { HookRunner } from './domain/hooks/runner.ts';
import { tryBuiltWith } from './domain/hooks/try-built.ts';
import { openMasterKey, openPepper } from './domain/keys/master-key.ts';
import { createSigner } from './domain/keys/signer.ts';
import { createSigningQueue } from './domain/keys/signing-queue.ts';
import { createVault } from './domain/keys/vault.ts';
import type { LimitRounds } from './domain/limit-portions/rounds.ts';
import { shareLimits } from './domain/limit-portions/share.ts';
import { createChangeNotices } from './domain/means/notices.ts';
import { looksOfRequests } from './domain/one-look.ts';
import { createResetMails } from './domain/password-reset/mails.ts';
import { flushSoon } from './domain/refusals/flush-soon.ts';
import { createRefusals } from './domain/refusals/refusals.ts';
import { createLogoutNotices } from './domain/sign-out/notices.ts';
import type { Worker } from './domain/worker.ts';
import { createPackageBuilder } from './hook-packages/build.ts';
import { limits as packageLimits } from './hook-packages/protocol.ts';
import { createGuestFetch } from './hook-runner/guest-fetch.ts';
import { createHookRunner, type HookProcessRunner } from './hook-runner/runner.ts';
import { createLimits } from './http/rate-limit.ts';
import { meterStore } from './metrics/metered-store.ts';
import type { Meters } from './metrics/meters.ts';
import { limitReport, limitRoundsReport, meterMailer, passwordReport } from './metrics/reports.ts';
import type { Log, Services } from './services.ts';
import { cacheLookups } from './store/cached.ts';
import type { Store } from './store/store.ts';
import { watchStore } from './store/watched.ts';
import {
  detachWorker,
  traceEgress,
  traceHookEgress,
  traceHooks,
  traceMailer,
  traceSigner,
  traceStore,
} from './tracing/traced.ts';
import type { Tracing } from './tracing/tracing.ts';

/** When the hook runner is opened: at once, where functions will be run. */
type OpenRunner = (open: () => HookProcessRunner) => HookRunner;

/** Services of a program that can work for them in the background. */
export interface ServedServices extends Services {
  readonly packageBuilds: PackageQueue;
  /** Null where one process has the database for itself. */
  readonly limitRounds: LimitRounds | null;
}

/** Who looks on: nobody, unless said. */
export interface Watched {
  readonly meters?: Meters;
  readonly tracing?: Tracing | null;
  /** By how many processes the machine is shared. */
  readonly sharedBy?: number;
}

/** Everything the domain asks for, over a migrated store. Throws when the master key is not the database's. */
export async function createServices(
  config: Config,
  opened: Store,
  log: Log,
  openRunner: OpenRunner = (open) => open(),
  { meters, tracing, sharedBy = 1 }: Watched = {},
): Promise<ServedServices> {
  const traced = tracing && traceStore(tracing);
  const clock = systemClock;
  const counts = createDailyCounts({ store: opened, clock });
  const measured = seen(watchStore(cacheLookups(opened, looksOfRequests), [countWatcher(counts)]), meters, meterStore);
  const signing = createSigningQueue();
  const gathered = gatherReads(gatherWrites(traced ? traced.batches(measured) : measured, signing));
  const store = traced ? traced.requests(gathered) : gathered;
  const random = systemRandom;
  const masterKey = await openMasterKey({ file: createKeyFile(config.masterKeyFile), store, random });
  const pepper = await openPepper(masterKey, { store, random });
  const vault = createVault(masterKey, random);
  const isOwnHost = (host: string) => isServiceHost({ store, addresses: config.addresses }, host);
  const hookEgress = seen(createHookEgress({ ...config.hookEgress, isOwnHost }), tracing, traceHookEgress);
  const egress = seen(createOwnEgress({ ...config.egress, isOwnHost }), tracing, (own, by) =>
    traceEgress(own, by, config.egress.hosts),
  );
  const signer = seen(createSigner({ store, clock, vault }, signing), tracing, traceSigner);
  const { addresses, smtp, mailFrom, mailFolder } = config;
  const shared = shareLimits({ store: opened, pepper, log, report: meters && limitRoundsReport(meters) });
  const limits = createLimits({ ...shared, report: meters && limitReport(meters) });
  const sender = createMailer({ smtp, from: mailFrom, folder: mailFolder });
  const mailer = seen(seen(sender, meters, meterMailer), tracing, traceMailer);
  const runner = openRunner(() =>
    createHookRunner({ fetch: createGuestFetch(hookEgress), runtimes: config.hookRuntimes, sharedBy }),
  );
  const hooks = seen(runner, tracing, traceHooks);
  const detached = (worker: Worker) => seen(worker, tracing, detachWorker);
  return {
    addresses,
    store,
    clock,
    random,
    vault,
    signer,
    logoutNotices: detached(createLogoutNotices({ store, clock, vault, signer, egress, addresses, log })),
    mailer,
    changeNotices: detached(createChangeNotices({ store, clock, mailer, addresses, log })),
    resetMails: detached(createResetMails({ store, clock, random, vault, limits, mailer, addresses, log })),
    passwords: createPasswords({
      pepper,
      cores: availableParallelism(),
      sharedBy,
      report: meters && passwordReport(meters),
    }),
    totp: createTotp(),
    limits,
    limitRounds: shared?.rounds ?? null,
    passkeys: createPasskeys(),
    counts,
    onceAnHour: createOnceAnHour(),
    refusals: createRefusals({ store, clock }, flushSoon(log)),
    hookRuntimes: config.hookRuntimes.map(({ name }) => name),
    hookWaitMilliseconds: 2_000,
    egress,
    clientKeys: createClientKeys({ egress, clock }),
    clientDocuments: createClientDocuments({ egress, clock, limits, log }),
    hookEgress,
    hooks,
    packageBuilds: createPackageQueue(
      { store, clock, log },
      packageBuilderOf(config),
      tryBuiltWith({ store, vault, hooks, log }),
    ),
    geoip: createGeoIp(config.geoipDatabase, log),
    // A service that nobody sends files to does not load their libraries.
    peopleFiles: () => import('./adapters/people-files.ts'),
    log,
  };
}

/** The same part, wrapped for who looks on, if anybody does. */
function seen<Part, By>(part: Part, by: By | null | undefined, wrap: (part: Part, by: By) => Part): Part {
  return by ? wrap(part, by) : part;
}

/** What builds packages, from where the setting says; null where they are switched off. */
export function packageBuilderOf(config: Pick<Config, 'npmRegistry' | 'hookPackages'>): PackageBuilder | null {
  if (config.npmRegistry === 'none') return null;
  const registry = config.npmRegistry === 'npm' ? registryOfNpm() : config.npmRegistry;
  const egress = createRegistryEgress(registry, packageLimits);
  return createPackageBuilder({ registry, egress, isOpen: config.hookPackages === 'unconfined' });
}
