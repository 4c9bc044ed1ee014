/** What `gatehouse doctor` checks, layer by layer. It changes nothing except a mark in the database. */

import { existsSync } from 'node:fs';
import { systemClock } from '../adapters/clock.ts';
import { createKeyFile } from '../adapters/key-file.ts';
import { type Config, ConfigMistakes } from '../config.ts';
import { isLoopback } from '../config-values.ts';
import type { Account } from '../domain/accounts/account.ts';
import { listAccounts } from '../domain/accounts/accounts.ts';
import { Failure } from '../domain/failure.ts';
import { inspectMasterKey } from '../domain/keys/master-key.ts';
import { keyAlgorithms, listKeys } from '../domain/keys/signing-keys.ts';
import { openConfiguredStore } from '../open-store.ts';
import { judgeNode, majorOf } from '../runtime/floor.ts';
import { doubtDatabaseFile, doubtProxy } from '../start-checks.ts';
import { sqliteFileOf } from '../store/database-url.ts';
import { requireKnown } from '../store/knex/index.ts';
import type { Store } from '../store/store.ts';
import { describeError } from './errors.ts';
import { degraded, type Finding, fatal, off, ok } from './finding.ts';
import { examineGeoIp } from './geoip-findings.ts';
import { examineHooks, examinePackages, examineStoredRuntimes } from './hook-findings.ts';
import { readSettings } from './invocation.ts';
import { examineMail } from './mail-findings.ts';
import { examineMutualTls } from './mutual-tls-findings.ts';
import { examineSearch } from './search-findings.ts';

const leastNodeMajor = 24;
const restoreKey = 'restore the file from your backup, mode 0600';
const restoreSchema = 'docs/operations.md, "Migrations"';
const restoreStore = 'restore a backup: docs/operations.md, "When the database is damaged"';

/** Examines what the environment configures. */
export async function examine(nodeVersion: string): Promise<Finding[]> {
  const findings = [examineNode(nodeVersion)];
  try {
    const config = readSettings();
    findings.push(...describeConfiguration(config));
    findings.push(...examineListening(config), ...(await examineStore(config)));
    findings.push(await examineMail(config), await examineGeoIp(config));
    return [...findings, ...(await examineHooks(config)), ...(await examinePackages(config))];
  } catch (error) {
    if (!(error instanceof ConfigMistakes)) throw error;
    return [...findings, fatal('configuration', error.message, 'correct these settings')];
  }
}

function examineNode(version: string): Finding {
  if (majorOf(version) < leastNodeMajor) return fatal('node', version, `use Node ${leastNodeMajor} or newer`);
  const { reason, remedy } = judgeNode(version);
  return reason === null || remedy === null ? ok('node', version) : degraded('node', `${version}, ${reason}`, remedy);
}

function describeConfiguration({ addresses, envFile, warnings }: Config): Finding[] {
  const from = envFile === null ? '' : `, settings of ${envFile}`;
  return [
    ok('configuration', `accounts at ${addresses.publicScheme}://<subdomain>.${addresses.serviceDomain}${from}`),
    ...warnings.map((warning) => degraded('configuration', warning, 'change it, or ignore this if it is meant so')),
  ];
}

function examineListening({ host, port, addresses, trustProxy, insecureHttp, metricsToken }: Config): Finding[] {
  const at = `${host}:${port}`;
  const listening = isLoopback(host)
    ? ok('listening address', `${at}, this machine only`)
    : insecureHttp
      ? off(
          'listening address',
          `${at}, plain http to the network`,
          'put a TLS proxy in front of it and unset INSECURE_HTTP',
        )
      : ok('listening address', `${at}, behind a proxy with TLS`);
  const doubt = doubtProxy({ addresses, trustProxy });
  const forwarding =
    doubt !== null
      ? degraded('proxy addresses', doubt, 'set TRUST_PROXY to the address of the proxy')
      : trustProxy.length > 0
        ? ok('proxy addresses', trustProxy.join(', '))
        : off('proxy addresses', 'none: X-Forwarded headers are ignored', null);
  const metrics =
    metricsToken === null
      ? off('metrics token', 'none: /metrics answers this machine only', null)
      : ok('metrics token', 'set');
  return [listening, forwarding, metrics];
}

async function examineStore(config: Config): Promise<Finding[]> {
  const file = sqliteFileOf(config.databaseUrl);
  if (file !== null && !existsSync(file) && !existsSync(config.masterKeyFile)) {
    return [off('store', `${file} does not exist yet; the first start creates it`, 'npm start')];
  }
  let store: Store | undefined;
  try {
    store = await openConfiguredStore(config);
    return await examineOpenStore(config, store);
  } catch (error) {
    return [describeRefusal(error)];
  } finally {
    await store?.close();
  }
}

/** Our own errors name the subject; others come from the driver. */
function describeRefusal(error: unknown): Finding {
  const { message } = describeError(error);
  const about = error instanceof Failure ? error.detail.name : undefined;
  if (about === 'master key') return fatal('master key', message, restoreKey);
  if (about === 'migrations') return fatal('migrations', message, 'start the newer release');
  if (about === 'pooler') return fatal('store', message, 'docs/operations.md, "Poolers"');
  if (about === 'store') return fatal('store', message, restoreStore);
  return fatal('store', message, 'check DATABASE_URL and that the database runs');
}

async function examineOpenStore(config: Config, store: Store): Promise<Finding[]> {
  const status = await store.status();
  requireKnown(status);
  const { applied, pending } = status;
  if (pending.length > 0) {
    const detail = `${applied.length} applied, ${pending.length} pending: ${pending.join(', ')}`;
    return [ok('store', store.kind), fatal('migrations', detail, 'gatehouse db migrate')];
  }
  const faults = await store.findSchemaFaults();
  if (faults.length > 0) return [ok('store', store.kind), fatal('migrations', faults.join('; '), restoreSchema)];
  const damage = await store.findDamage();
  if (damage.length > 0) return [fatal('store', `damaged: ${damage.join('; ')}`, restoreStore)];
  // A write proves that the store is writable and, on SQLite, that commits on the connection are durable.
  await store.facts.keep('doctor', 'wrote here');
  const pooled = config.databasePooling === 'session' ? '' : `, DATABASE_POOLING=${config.databasePooling}`;
  const durable = { sqlite: 'SQLite, WAL, synchronous=FULL', postgres: `PostgreSQL${pooled}, synchronous_commit=on` }[
    store.kind
  ];
  const open = doubtDatabaseFile(config);
  return [
    ok('store', `${durable}; writable`),
    ...(open === null ? [] : [degraded('file mode', open, 'chmod 600 the file and its -wal and -shm files')]),
    ok('migrations', `${applied.length} applied`),
    await examineSearch(store),
    await examineMasterKey(config, store),
    ...(await examineAccounts(config, store)),
    ...(await examineStoredRuntimes(config, store)),
  ];
}

async function examineMasterKey({ masterKeyFile }: Config, store: Store): Promise<Finding> {
  try {
    const key = await inspectMasterKey({ file: createKeyFile(masterKeyFile), store });
    if (key) return ok('master key', `${masterKeyFile}, mode 0600, opens this database`);
    return off('master key', `${masterKeyFile} does not exist yet; the first start creates it`, 'npm start');
  } catch (error) {
    return fatal('master key', describeError(error).message, restoreKey);
  }
}

async function examineAccounts(config: Config, store: Store): Promise<Finding[]> {
  const accounts = await listAccounts({ store, addresses: config.addresses });
  return [...(await examineKeys(store, accounts)), ...examineMutualTls(config, accounts)];
}

async function examineKeys(store: Store, accounts: readonly Account[]): Promise<Finding[]> {
  const clock = systemClock;
  const now = clock.now();
  let newest = 0;
  const without: string[] = [];
  for (const account of accounts) {
    const keys = await listKeys({ store, clock }, account);
    const signing = keyAlgorithms.filter((alg) => keys.some((key) => key.alg === alg && key.state === 'signing'));
    if (signing.length < keyAlgorithms.length) without.push(account.subdomain);
    newest = Math.max(newest, account.record.createdAt, ...keys.map(({ publishedAt }) => publishedAt));
  }
  const keys =
    without.length === 0
      ? ok('signing keys', `${accounts.length} accounts, each with ${keyAlgorithms.join(' and ')}`)
      : fatal(
          'signing keys',
          `missing in ${without.join(', ')}`,
          `gatehouse keys rotate --emergency --account ${without[0]}`,
        );
  const time = new Date(now).toISOString();
  const behind = newest > now;
  return [
    keys,
    behind
      ? degraded('clock', `${time}, before the newest record`, 'set the clock of this machine')
      : ok('clock', time),
  ];
}
