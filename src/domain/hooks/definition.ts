/** Parses the input for a hook, member by member (the document's §2.3). */

import valid from 'semver/functions/valid.js';
import type { Services } from '../../services.ts';
import type { HookVariableRecord } from '../../store/hook-variables.ts';
import type { HookCondition, HookDefinition, HookOptions, HookType } from '../../store/hooks.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { latestContextVersion, readContextVersion } from './context-versions.ts';
import { readFunction } from './source.ts';
import {
  hookTypes,
  invalid,
  longestTimeoutSeconds,
  mostConditions,
  mostEnvVars,
  mostPackages,
  mostRetries,
} from './values.ts';

/** Members as sent; null is the same as left out. */
export interface HookInput {
  readonly type: string;
  readonly function: string;
  readonly disabled?: boolean | null | undefined;
  readonly runtime?: string | null | undefined;
  readonly retries?: number | null | undefined;
  readonly timeout?: number | null | undefined;
  /** The flags that were sent; none means no options. */
  readonly options?: Partial<HookOptions> | null | undefined;
  /** Names of variables. */
  readonly envVars?: readonly string[] | null | undefined;
  readonly packages?: Readonly<Record<string, string>> | null | undefined;
  readonly conditions?:
    | readonly { readonly source: string; readonly operator: string; readonly value: string }[]
    | null
    | undefined;
  readonly contextVersion?: string | null | undefined;
}

/** A definition in which variables are still referenced by name. */
export interface ReadHook {
  readonly definition: Omit<HookDefinition, 'variableIds'>;
  readonly envVars: readonly string[];
}

/** The definition if it is valid; throws `value_invalid` naming the member, and as `readFunction` does. Runs nothing. */
export async function readHook(
  services: Pick<Services, 'hooks' | 'hookRuntimes'>,
  account: Pick<Account, 'id'>,
  input: HookInput,
): Promise<ReadHook> {
  const type = readType(input.type);
  return {
    definition: {
      type,
      function: await readFunction(services, account, input.function),
      disabled: input.disabled ?? false,
      runtime: readRuntime(services.hookRuntimes, input.runtime ?? null),
      retries: readWhole('retries', input.retries ?? 0, 0, mostRetries),
      timeoutSeconds: readTimeout(type, input.timeout ?? 1),
      options: readOptions(input.options ?? {}),
      packages: readPackages(input.packages ?? {}),
      conditions: readConditions(type, input.conditions ?? []),
      contextVersion: readContextVersion(input.contextVersion ?? latestContextVersion),
    },
    envVars: readNames(input.envVars ?? []),
  };
}

/** Variables by name. Throws `value_invalid` for an unknown name. */
export async function findLinked(
  tx: Pick<StoreVerbs, 'hookVariables'>,
  account: Pick<Account, 'id'>,
  names: readonly string[],
): Promise<readonly HookVariableRecord[]> {
  if (names.length === 0) return [];
  const known = new Map((await tx.hookVariables.list(account.id)).map((variable) => [variable.name, variable]));
  return names.map((name, at) => {
    const variable = known.get(name);
    if (!variable)
      throw invalid(
        `env_vars.${at}`,
        'must be the name of a variable of this account; POST /api/2/hooks/envs makes one',
      );
    return variable;
  });
}

function readType(type: string): HookType {
  const known = hookTypes.find((one) => one === type);
  if (!known) throw invalid('type', `must be ${hookTypes.join(' or ')}`);
  return known;
}

/** The named runtime, or the default. Throws `value_invalid` for one that is not offered. */
export function readRuntime(runtimes: readonly string[], runtime: string | null): string {
  const [newest = ''] = runtimes;
  if (runtime === null) return newest;
  if (!runtimes.includes(runtime)) throw invalid('runtime', `must be ${runtimes.join(' or ')}`);
  return runtime;
}

function readWhole(name: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw invalid(name, least === most ? `must be ${least}` : `must be a whole number from ${least} to ${most}`);
}

function readTimeout(type: HookType, seconds: number): number {
  const most = longestTimeoutSeconds[type];
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= most) return seconds;
  throw invalid('timeout', `must be ${most === 1 ? 1 : `a whole number of seconds from 1 to ${most}`} for ${type}`);
}

function readOptions(given: Partial<HookOptions>): HookOptions | null {
  const none = {
    riskEnabled: false,
    locationEnabled: false,
    mfaDeviceInfoEnabled: false,
    failedLoginAttemptsEnabled: false,
  };
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return set.length === 0 ? null : { ...none, ...Object.fromEntries(set) };
}

function readNames(names: readonly string[]): readonly string[] {
  if (names.length > mostEnvVars) throw invalid('env_vars', `must have at most ${mostEnvVars} items`);
  for (const [at, name] of names.entries()) {
    if (names.indexOf(name) < at) throw invalid(`env_vars.${at}`, 'must not be repeated');
  }
  return names;
}

/** A package name in lower case, as the registry writes it; never a path, an address or a tag. */
const packageName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

function readPackages(packages: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(packages);
  if (entries.length > mostPackages) throw invalid('packages', `must have at most ${mostPackages} members`);
  for (const [name, version] of entries) {
    if (name.length > 214 || !packageName.test(name)) {
      throw invalid('packages', `contains an invalid package name: ${JSON.stringify(name.slice(0, 100))}`);
    }
    if (valid(version) !== version) {
      throw invalid(`packages.${name.slice(0, 100)}`, 'must be an exact version such as 1.2.3');
    }
  }
  return packages;
}

function readConditions(type: HookType, conditions: NonNullable<HookInput['conditions']>): readonly HookCondition[] {
  if (conditions.length > mostConditions) throw invalid('conditions', `must have at most ${mostConditions} items`);
  if (conditions.length > 0 && type !== 'pre-authentication') {
    throw invalid('conditions', 'must be empty for user-migration: the user is not known yet');
  }
  return conditions.map(({ source, operator, value }, at) => {
    if (source !== 'roles') throw invalid(`conditions.${at}.source`, 'must be roles');
    if (operator !== '~' && operator !== '!~') throw invalid(`conditions.${at}.operator`, 'must be ~ or !~');
    if (value === '' || value.length > 255) throw invalid(`conditions.${at}.value`, 'must have 1 to 255 characters');
    return { source, operator, value };
  });
}
