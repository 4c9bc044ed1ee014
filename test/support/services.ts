/** Services for tests: real vault, signer and passwords over the store given, a clock that moves, a log it can read. */

import { randomBytes } from 'node:crypto';
import { createPasswords } from '../../src/adapters/argon2.ts';
import { createHookEgress, createOwnEgress } from '../../src/adapters/egress/policies.ts';
import { createLog } from '../../src/adapters/log.ts';
import { createPasskeys } from '../../src/adapters/passkeys.ts';
import { systemRandom } from '../../src/adapters/random.ts';
import { createTotp } from '../../src/adapters/totp.ts';
import type { Account } from '../../src/domain/accounts/account.ts';
import { createAccount, setAccount } from '../../src/domain/accounts/accounts.ts';
import { countWatcher, createDailyCounts } from '../../src/domain/audit/daily-counts.ts';
import { createOnceAnHour } from '../../src/domain/audit/once.ts';
import { createClientDocuments } from '../../src/domain/clients/client-documents.ts';
import { createClientKeys } from '../../src/domain/clients/client-keys.ts';
import { gatherReads } from '../../src/domain/gathered-reads.ts';
import { gatherWrites } from '../../src/domain/gathered-writes.ts';
import type { PackageBuilder } from '../../src/domain/hooks/package-builds.ts';
import { createPackageQueue, type PackageQueue } from '../../src/domain/hooks/package-queue.ts';
import { tryBuiltWith } from '../../src/domain/hooks/try-built.ts';
import { type GenerateKeyPair, generateKeyPair } from '../../src/domain/keys/key-pairs.ts';
import { sealingKey } from '../../src/domain/keys/sealing.ts';
import { createSigner } from '../../src/domain/keys/signer.ts';
import { createVault } from '../../src/domain/keys/vault.ts';
import type { Mail } from '../../src/domain/mail.ts';
import { createChangeNotices } from '../../src/domain/means/notices.ts';
import { looksOfRequests } from '../../src/domain/one-look.ts';
import { createResetMails } from '../../src/domain/password-reset/mails.ts';
import { createRefusals } from '../../src/domain/refusals/refusals.ts';
import { createLogoutNotices } from '../../src/domain/sign-out/notices.ts';
import { createLazyRunner } from '../../src/hook-runner/lazy.ts';
import { createHookRunner } from '../../src/hook-runner/runner.ts';
import { createLimits } from '../../src/http/rate-limit.ts';
import { meterStore } from '../../src/metrics/metered-store.ts';
import type { Meters } from '../../src/metrics/meters.ts';
import { limitReport, meterMailer, passwordReport } from '../../src/metrics/reports.ts';
import type { Clock, Services } from '../../src/services.ts';
import { cacheLookups } from '../../src/store/cached.ts';
import type { Store } from '../../src/store/store.ts';
import { watchStore } from '../../src/store/watched.ts';
import { traceHooks, traceMailer, traceSigner, traceStore } from '../../src/tracing/traced.ts';
import type { Tracing } from '../../src/tracing/tracing.ts';
import { scriptedBuilds } from './scripted-builds.ts';
import { sharedPair } from './shared-pair.ts';

/** A clock that advances by a millisecond each time it is read, as a real one may between two reads. */
export interface TestClock extends Clock {
  advance(milliseconds: number): void;
  /** Stands still but for `advance` while the test keeps what this answers (`using`), which expects an exact time. */
  hold(): Disposable;
}

export interface TestServices extends Services {
  readonly clock: TestClock;
  /** Lines of the log, parsed. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** Messages that went out, oldest first. */
  readonly mails: Mail[];
  readonly generateKeyPair: GenerateKeyPair;
  readonly packageBuilds: PackageQueue;
}

/** No request leaves a test, unless it says where to. */
const nowhere = { public: false, hosts: [], isOwnHost: () => false };

/**
 * The same RSA pair for every account. An account cannot get it twice: tests of rotation pass `generateKeyPair` of the
 * domain instead.
 */
export const sharedKeyPair: GenerateKeyPair = (alg, bits) =>
  alg === 'ES256' ? generateKeyPair(alg, bits) : sharedPair(bits);

/** A clock that runs as that of a browser does, whose proofs say when they were made. */
export function runningClock(): TestClock {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    advance: (milliseconds) => {
      ahead += milliseconds;
    },
    hold: () => {
      throw new Error('a clock that runs cannot be held');
    },
  };
}

/** A clock that begins at the given time (now, unless said). */
export function testClock(start: number = Date.now()): TestClock {
  let time = start;
  let holds = 0;
  return {
    now: () => {
      if (holds === 0) time += 1;
      return time;
    },
    advance: (milliseconds) => {
      time += milliseconds;
    },
    hold: () => {
      holds += 1;
      return {
        [Symbol.dispose]: () => {
          holds -= 1;
        },
      };
    },
  };
}

export interface TestParts extends Partial<TestServices> {
  /** Builds the packages of hooks; without one, builds are ended by the test's own hand. */
  readonly packageBuilder?: PackageBuilder;
  /** Measures what the service itself would measure. */
  readonly meters?: Meters;
  /** Traces what the service itself would trace. */
  readonly tracing?: Tracing;
}

/** Services over a migrated store; `overrides` replaces parts. Master key and pepper are new with each call. */
export async function testServices(
  opened: Store,
  { packageBuilder, meters, tracing, ...overrides }: TestParts = {},
): Promise<TestServices> {
  const clock = overrides.clock ?? testClock();
  const counts = createDailyCounts({ store: opened, clock });
  const cached = watchStore(cacheLookups(opened, looksOfRequests), [countWatcher(counts)]);
  const measured = meters ? meterStore(cached, meters) : cached;
  const traced = tracing && traceStore(tracing);
  const gathered = gatherReads(gatherWrites(traced ? traced.batches(measured) : measured));
  const store = traced ? traced.requests(gathered) : gathered;
  const vault = createVault(sealingKey(randomBytes(32)), systemRandom);
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ level: 'debug', destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const egress = overrides.egress ?? createOwnEgress(nowhere);
  const mails: Mail[] = [];
  const given = overrides.mailer ?? { send: async (mail: Mail) => void mails.push(mail) };
  const sender = meters ? meterMailer(given, meters) : given;
  const mailer = tracing ? traceMailer(sender, tracing) : sender;
  const limits = overrides.limits ?? createLimits(meters && { report: limitReport(meters) });
  const ownSigner = createSigner({ store, clock, vault: overrides.vault ?? vault });
  const signer = tracing ? traceSigner(ownSigner, tracing) : ownSigner;
  const addresses = overrides.addresses ?? { serviceDomain: 'gatehouse.example', publicScheme: 'https' };
  const runner =
    overrides.hooks ??
    createLazyRunner(() =>
      createHookRunner({ fetch: async () => ({ refused: 'forbidden' }), mostProcesses: 6, waitMilliseconds: 60_000 }),
    );
  const hooks = tracing ? traceHooks(runner, tracing) : runner;
  return {
    addresses,
    store,
    clock,
    random: systemRandom,
    vault,
    signer,
    logoutNotices: createLogoutNotices({ store, clock, vault, signer, egress, addresses, log }),
    mails,
    // Not woken by changes: a test has them sent when it looks.
    changeNotices: createChangeNotices({ store, clock, mailer, addresses, log }),
    resetMails: createResetMails({ store, clock, random: systemRandom, vault, limits, mailer, addresses, log }),
    passwords: createPasswords({
      pepper: randomBytes(32),
      cores: 2,
      cost: { memoryCost: 8, timeCost: 1 },
      report: meters && passwordReport(meters),
    }),
    totp: createTotp(),
    limits,
    passkeys: createPasskeys(),
    counts,
    onceAnHour: createOnceAnHour(),
    // Not stored by themselves: a test has it done when it looks.
    refusals: createRefusals({ store, clock }, () => {}),
    packageBuilds: packageBuilder
      ? createPackageQueue({ store, clock, log }, packageBuilder, tryBuiltWith({ store, vault, hooks, log }))
      : scriptedBuilds(),
    hookRuntimes: ['jsruntime12.x'],
    hookWaitMilliseconds: 100,
    egress,
    clientKeys: createClientKeys({ egress, clock }),
    clientDocuments: createClientDocuments({ egress, clock, limits, log }),
    hookEgress: createHookEgress(nowhere),
    geoip: { countryOf: async () => null, examine: async () => ({ file: 'none', reason: null }) },
    peopleFiles: () => import('../../src/adapters/people-files.ts'),
    log,
    generateKeyPair: sharedKeyPair,
    lines,
    ...overrides,
    mailer,
    hooks,
  };
}

/** An account with the given settings, by default with a new subdomain. */
export async function createTestAccount(
  services: TestServices,
  given: { readonly subdomain?: string; readonly settings?: Readonly<Record<string, string>> } = {},
): Promise<Account> {
  const subdomain = given.subdomain ?? `t${randomBytes(6).toString('hex')}`;
  const account = await createAccount(services, { subdomain, name: `Test ${subdomain}` });
  return given.settings ? setAccount(services, subdomain, given.settings) : account;
}
