/** Environment and file → one frozen Config. The only reader of `process.env`; all mistakes are reported at once. */

import { dirname, join } from 'node:path';
import type { SmtpServer } from './adapters/mail.ts';
import { type DatabaseConfig, readDatabase } from './config-database.ts';
import { findExposure } from './config-exposure.ts';
import { doubtEnvironment, findUnknown } from './config-names.ts';
import {
  hostnameOf,
  isLoopback,
  type LogLevel,
  logLevels,
  parseCollector,
  parseConfinement,
  parseDomain,
  parseDrain,
  parseEgress,
  parseLevel,
  parseListening,
  parsePort,
  parseProxies,
  parseRegistry,
  parseRuntimes,
  parseScheme,
  parseSender,
  parseShare,
  parseSmtp,
  parseStartPage,
  parseSwitch,
  parseToken,
} from './config-values.ts';
import { normalizeHost } from './domain/accounts/hosts.ts';
import type { EgressRules } from './domain/egress.ts';
import type { HookRuntime } from './domain/hooks/runner.ts';
import { openEnvFile } from './env-file.ts';
import type { Addresses } from './services.ts';
import type { SettingName } from './settings.ts';

export interface Config extends DatabaseConfig {
  readonly port: number;
  readonly host: string;
  readonly addresses: Addresses;
  /** A setting says at least a part of `addresses`; else they are the defaults. */
  readonly saysAddresses: boolean;
  /** Plain http beyond loopback was explicitly allowed. */
  readonly insecureHttp: boolean;
  readonly masterKeyFile: string;
  /** Addresses and networks whose `X-Forwarded-*` headers count. */
  readonly trustProxy: readonly string[];
  /** Runtime identifiers that hooks may name; the first is the default. */
  readonly hookRuntimes: readonly HookRuntime[];
  /** Where the functions of hooks may send requests. */
  readonly hookEgress: EgressRules;
  /** Where the service itself may send requests that others cause. */
  readonly egress: EgressRules;
  /** Where packages of hooks come from: a URL, `npm` for npm's own configuration, or `none`. */
  readonly npmRegistry: string;
  /** `unconfined`: packages of hooks are built even where builds cannot be confined. */
  readonly hookPackages: 'confined' | 'unconfined';
  /** A file in MaxMind's format; null for the included one. */
  readonly geoipDatabase: string | null;
  /** Null: messages are written into `mailFolder`. */
  readonly smtp: SmtpServer | null;
  readonly mailFrom: string;
  readonly mailFolder: string;
  readonly logLevel: LogLevel;
  readonly metricsToken: string | null;
  /** Where traces go (OTLP over HTTP), without a slash at its end, and which share of them; null: there are none. */
  readonly traces: { readonly endpoint: string; readonly share: number } | null;
  /** How long after SIGTERM requests are still served while `/readyz` reports not ready. */
  readonly drainSeconds: number;
  /** Where `/` leads. */
  readonly startPage: 'account' | 'docs';
  /** The file that settings were read from; null without one. */
  readonly envFile: string | null;
  /** What does not stop anything, but is probably not meant so. */
  readonly warnings: readonly string[];
}

const defaultMasterKeyFile = 'data/master.key';
const publicEgress: EgressRules = { public: true, hosts: [] };
const egressForm = 'public, none, or hosts (api.example.com, http://10.0.0.5:8080) separated by commas';

type Environment = Readonly<Record<string, string | undefined>>;

/** All mistakes in the environment. */
export class ConfigMistakes extends Error {
  override readonly name = 'ConfigMistakes';
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(mistakes.join('; '));
    this.mistakes = mistakes;
  }
}

/**
 * Reads every setting: of the process's environment and of the file that `--env-file` names or that lies beside the
 * data, where the environment wins; or of the `given` environment alone. Throws `ConfigMistakes`. Never repeats a value
 * that may hold a secret.
 */
export function readConfig(given?: Environment, namedFile?: string): Config {
  const own = given ?? process.env;
  const file = given ? null : openEnvFile(namedFile, dirname(filled(own)['MASTER_KEY_FILE'] ?? defaultMasterKeyFile));
  const environment = file ? { ...file.values, ...filled(own) } : own;
  const doubts = doubtEnvironment(own);
  const mistakes = [...doubts.mistakes];
  if (file) mistakes.push(...file.mistakes, ...findUnknown(file.path, Object.keys(file.values)));

  function read<Value>(
    name: SettingName,
    fallback: Value,
    parse: (text: string) => Value | undefined,
    must: string,
  ): Value {
    const text = environment[name];
    if (text === undefined || text === '') return fallback;
    const value = parse(text);
    if (value === undefined) mistakes.push(`${name} must be ${must}`);
    return value ?? fallback;
  }

  const port = read('PORT', 3000, parsePort, 'a port from 1 to 65535');
  const host = read('HOST', '127.0.0.1', parseListening, 'an IP address or a host name, without a port (that is PORT)');
  const insecureHttp = read('INSECURE_HTTP', false, parseSwitch, '0 or 1');
  const publicScheme = read('PUBLIC_SCHEME', isLoopback(host) ? 'http' : 'https', parseScheme, 'http or https');
  const domain = read('SERVICE_DOMAIN', `localhost:${port}`, parseDomain, domainRule);
  const masterKeyFile = read('MASTER_KEY_FILE', defaultMasterKeyFile, (text) => text, 'a file name');
  const trustProxy = read(
    'TRUST_PROXY',
    [],
    parseProxies,
    'addresses and networks (10.0.0.0/8) separated by commas, and must not include all addresses',
  );
  const collector = read<string | null>(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    null,
    parseCollector,
    'an http or https URL without credentials and without a query',
  );
  const share = read('OTEL_TRACES_SAMPLER_ARG', 1, parseShare, 'a number from 0 to 1');
  const config: Config = {
    port,
    host,
    addresses: Object.freeze({ publicScheme, serviceDomain: normalizeHost({ publicScheme }, domain) }),
    saysAddresses: addressSettings.some((name) => (environment[name] ?? '') !== ''),
    insecureHttp,
    ...readDatabase(read),
    masterKeyFile,
    trustProxy: Object.freeze(trustProxy),
    hookRuntimes: Object.freeze(
      read(
        'HOOK_RUNTIMES',
        [Object.freeze({ name: 'jsruntime12.x', node: null })],
        parseRuntimes,
        'identifiers (letters, digits, dots and hyphens) separated by commas, each with an optional =/path/of/node',
      ),
    ),
    hookEgress: read('HOOK_EGRESS', publicEgress, parseEgress, egressForm),
    egress: read('EGRESS', publicEgress, parseEgress, egressForm),
    npmRegistry: read('NPM_REGISTRY', 'npm', parseRegistry, 'none, or an http or https URL without credentials'),
    hookPackages: read('HOOK_PACKAGES', 'confined', parseConfinement, 'confined or unconfined'),
    geoipDatabase: read<string | null>('GEOIP_DATABASE', null, (text) => text, 'a file name'),
    smtp: read<SmtpServer | null>('SMTP_URL', null, parseSmtp, 'smtp:// or smtps:// with a host'),
    mailFrom: read(
      'MAIL_FROM',
      `no-reply@${hostnameOf(domain)}`,
      parseSender,
      'an address, or a name with an address in angle brackets',
    ),
    mailFolder: join(dirname(masterKeyFile), 'mail'),
    logLevel: read('LOG_LEVEL', 'info', parseLevel, logLevels.join(' or ')),
    metricsToken: read<string | null>('METRICS_TOKEN', null, parseToken, '16 to 256 characters without spaces'),
    traces: collector === null ? null : Object.freeze({ endpoint: collector, share }),
    drainSeconds: read('DRAIN_SECONDS', 2, parseDrain, 'whole seconds from 0 to 300'),
    startPage: read('START_PAGE', 'account', parseStartPage, 'account or docs'),
    envFile: file?.path ?? null,
    warnings: Object.freeze([...doubts.warnings, ...(file?.warnings ?? [])]),
  };
  const exposed = findExposure(config);
  if (exposed) mistakes.push(exposed);
  if (mistakes.length > 0) throw new ConfigMistakes(mistakes);
  return Object.freeze(config);
}

/** What people write instead: an address with its scheme, and underscores. */
const domainRule = 'a host name with an optional port, such as id.example.com: letters, digits, hyphens and dots';
const addressSettings: readonly SettingName[] = ['SERVICE_DOMAIN', 'PUBLIC_SCHEME', 'PORT', 'HOST'];

/** A variable that is set but empty, as Compose files pass unset ones, counts as unset. */
function filled(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, text]) => text !== undefined && text !== ''));
}
