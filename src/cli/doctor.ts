/** What `gatehouse doctor` checks, layer by layer. It changes nothing except a mark in the database. */

import { existsSync } from 'node:fs';
import { createKeyFile } from '../adapters/key-file.ts';
import { type Config, ConfigMistakes } from '../config.ts';
import { isLoopback } from '../config-values.ts';
import { listAccounts } from '../domain/accounts/accounts.ts';
import { Failure } from '../domain/failure.ts';
import { inspectMasterKey } from '../domain/keys/master-key.ts';
import { openConfiguredStore } from '../open-store.ts';
import { judgeNode, majorOf } from '../runtime/floor.ts';
import { findAddresses } from '../served-address.ts';
import { doubtDatabaseFile, doubtProxy } from '../start-checks.ts';
import { sqliteFileOf } from '../store/database-url.ts';
import { requireKnown } from '../store/knex/index.ts';
import type { MigrationStatus, Store } from '../store/store.ts';
import { describeError } from './errors.ts';
import { degraded, type Finding, failed, off, ok } from './finding.ts';
import { examineGeoIp } from './geoip-findings.ts';
import { examineHooks, examinePackages, examineStoredRuntimes } from './hook-findings.ts';
import { readSettings } from './invocation.ts';
import { examineKeys } from './key-findings.ts';
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
    const stored = await examineStore(config);
    findings.push(...describeConfiguration({ ...config, addresses: stored.addresses }));
    findings.push(...examineListening(config), ...stored.findings);
    findings.push(await examineMail(config), await examineGeoIp(config));
    return [...findings, ...(await examineHooks(config)), ...(await examinePackages(config))];
  } catch (error) {
    if (!(error instanceof ConfigMistakes)) throw error;
    return [...findings, failed('configuration', error.message, 'correct these settings')];
  }
}

function examineNode(version: string): Finding {
  if (majorOf(version) < leastNodeMajor) return failed('node', version, `use Node ${leastNodeMajor} or newer`);
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

/** What the store says, and where accounts answer: as the last server on it, unless a setting says it. */
interface Stored extends Pick<Config, 'addresses'> {
  readonly findings: readonly Finding[];
}

async function examineStore(config: Config): Promise<Stored> {
  const { addresses } = config;
  const file = sqliteFileOf(config.databaseUrl);
  if (file !== null && !existsSync(file) && !existsSync(config.masterKeyFile)) {
    return {
      addresses,
      findings: [off('store', `${file} does not exist yet; the first start creates it`, 'npm start')],
    };
  }
  let store: Store | undefined;
  try {
    store = await openConfiguredStore(config);
    return await examineOpenStore(config, store);
  } catch (error) {
    return { addresses, findings: [describeRefusal(error)] };
  } finally {
    await store?.close();
  }
}

/** Our own errors name the subject; others come from the driver. */
function describeRefusal(error: unknown): Finding {
  const { message } = describeError(error);
  const about = error instanceof Failure ? error.detail.name : undefined;
  if (about === 'master key') return failed('master key', message, restoreKey);
  if (about === 'migrations') return failed('migrations', message, 'start the newer release');
  if (about === 'pooler') return failed('store', message, 'docs/operations.md, "Poolers"');
  if (about === 'store') return failed('store', message, restoreStore);
  return failed('store', message, 'check DATABASE_URL and that the database runs');
}

async function examineOpenStore(config: Config, store: Store): Promise<Stored> {
  const status = await store.status();
  const fault = await findFault(store, status);
  if (fault !== null) return { addresses: config.addresses, findings: fault };
  // A write proves that the store is writable and, on SQLite, that commits on the connection are durable.
  await store.facts.keep('doctor', 'wrote here');
  const addresses = await findAddresses(store, config);
  const { applied } = status;
  const pooled = config.databasePooling === 'session' ? '' : `, DATABASE_POOLING=${config.databasePooling}`;
  const durable = { sqlite: 'SQLite, WAL, synchronous=FULL', postgres: `PostgreSQL${pooled}, synchronous_commit=on` }[
    store.kind
  ];
  const open = doubtDatabaseFile(config);
  const findings = [
    ok('store', `${durable}; writable`),
    ...(open === null ? [] : [degraded('file mode', open, 'chmod 600 the file and its -wal and -shm files')]),
    ok('migrations', `${applied.length} applied, the newest is ${applied.at(-1)}`),
    await examineSearch(store),
    await examineMasterKey(config, store),
    ...(await examineAccounts({ ...config, addresses }, store)),
    ...(await examineStoredRuntimes(config, store)),
  ];
  return { addresses, findings };
}

/** Why the service does not start on this store; null where it does. */
async function findFault(store: Store, status: MigrationStatus): Promise<Finding[] | null> {
  requireKnown(status);
  const { applied, pending } = status;
  if (pending.length > 0) {
    const detail = `${applied.length} applied, ${pending.length} pending: ${pending.join(', ')}`;
    return [ok('store', store.kind), failed('migrations', detail, 'start the service, or: gatehouse db migrate')];
  }
  const faults = await store.findSchemaFaults();
  if (faults.length > 0) return [ok('store', store.kind), failed('migrations', faults.join('; '), restoreSchema)];
  const damage = await store.findDamage();
  return damage.length > 0 ? [failed('store', `damaged: ${damage.join('; ')}`, restoreStore)] : null;
}

async function examineMasterKey({ masterKeyFile }: Config, store: Store): Promise<Finding> {
  try {
    const key = await inspectMasterKey({ file: createKeyFile(masterKeyFile), store });
    if (key) return ok('master key', `${masterKeyFile}, mode 0600, opens this database`);
    return off('master key', `${masterKeyFile} does not exist yet; the first start creates it`, 'npm start');
  } catch (error) {
    return failed('master key', describeError(error).message, restoreKey);
  }
}

async function examineAccounts(config: Config, store: Store): Promise<Finding[]> {
  const accounts = await listAccounts({ store, addresses: config.addresses });
  return [...(await examineKeys(store, accounts)), ...examineMutualTls(config, accounts)];
}
