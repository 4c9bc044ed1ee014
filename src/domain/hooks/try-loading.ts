/**
 * Loads a function once before it counts: one that exports no handler would fail at every sign-in, and lock out
 * everybody where `hook_failure` is `deny`.
 */

import type { Services } from '../../services.ts';
import type { HookVariableRecord } from '../../store/hook-variables.ts';
import type { HookDefinition, HookVersionRecord } from '../../store/hooks.ts';
import type { Account } from '../accounts/account.ts';
import { second } from '../durations.ts';
import { type Masking, maskingOf } from './log-lines.ts';
import type { HookLoading } from './runner.ts';
import { sourceOf } from './source.ts';
import { invalid } from './values.ts';
import { openVariables } from './variables.ts';

/** Longer than a run has: a busy machine must not let a function pass that this could refuse. */
const timeoutMilliseconds = 5 * second;

export interface Loaded {
  /** Why it cannot be a hook; null if it can. A clause about `function`. */
  readonly fault: string | null;
  /** Why that could not be found out; else null. It may be for lack of a variable that is added later. */
  readonly warning: string | null;
}

const fine: Loaded = { fault: null, warning: null };

type Loadable = Pick<HookDefinition, 'function' | 'runtime'> & { readonly packages: string | null };

/** `variables`: those that the function is linked to. */
export async function tryLoading(
  services: Pick<Services, 'vault' | 'hooks'>,
  account: Pick<Account, 'id' | 'record'>,
  { function: encoded, runtime, packages }: Loadable,
  variables: readonly HookVariableRecord[],
): Promise<Loaded> {
  if (encoded === '') return fine;
  const values = openVariables(services, account, variables);
  const loading = await services.hooks.load({
    accountId: account.id,
    runtime,
    source: sourceOf(encoded),
    packages,
    variables: values,
    timeoutMilliseconds,
  });
  return judge(loading, maskingOf(Object.values(values)));
}

/** Returns the warning. Throws `value_invalid` for a function without a handler. */
export async function requireHandler(...loaded: Parameters<typeof tryLoading>): Promise<string | null> {
  const { fault, warning } = await tryLoading(...loaded);
  if (fault !== null) throw invalid('function', fault);
  return warning;
}

/** The same for a stored version; one whose packages are not built is tried when they are. */
export async function requireStoredHandler(
  services: Pick<Services, 'store' | 'vault' | 'hooks' | 'packageBuilds'>,
  account: Pick<Account, 'id' | 'record'>,
  version: HookVersionRecord,
): Promise<string | null> {
  const { packageBuildId } = version;
  const packages = packageBuildId === null ? null : await services.packageBuilds.read(account.id, packageBuildId);
  if (packageBuildId !== null && packages === null) return null;
  const variables = await linkedVariables(services, account, version);
  return requireHandler(services, account, { ...version, packages }, variables);
}

export async function linkedVariables(
  { store }: Pick<Services, 'store'>,
  account: Pick<Account, 'id'>,
  { variableIds }: Pick<HookDefinition, 'variableIds'>,
): Promise<readonly HookVariableRecord[]> {
  if (variableIds.length === 0) return [];
  return (await store.hookVariables.list(account.id)).filter(({ id }) => variableIds.includes(id));
}

function judge(loading: HookLoading, masking: Masking): Loaded {
  if (loading.says === 'handler') return fine;
  if (loading.says === 'no_handler') return { fault: masking(faultOf(loading.exported)), warning: null };
  const { ending, error } = loading;
  const why = error === null ? endings[ending] : `it threw ${masking(`${error.name}: ${error.message}`)}`;
  return { fault: null, warning: `the function could not be loaded: ${why}` };
}

const endings = {
  error: 'it threw',
  timeout: 'it did not end in time',
  out_of_memory: 'it needed too much memory',
  crashed: 'its process ended',
  unavailable: 'no process for it could be started here',
} satisfies Record<Exclude<HookLoading, { says: 'handler' | 'no_handler' }>['ending'], string>;

function faultOf(exported: readonly string[] | null): string {
  const remedy = 'write exports.handler = async (context) => { … }';
  if (exported === null) return `exports no handler, but is one itself: ${remedy}`;
  if (exported.includes('handler')) return `exports a handler that is not a function: ${remedy}`;
  if (exported.length === 0) return `exports no handler: ${remedy}`;
  return `exports no handler, but ${exported.join(', ')}: ${remedy}`;
}
