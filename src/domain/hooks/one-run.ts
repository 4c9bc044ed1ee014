/** One run of a function, without interpretation: what it needs, and the two ways to run it. */

import type { Services } from '../../services.ts';
import type { HookVariableRecord } from '../../store/hook-variables.ts';
import type { StoredHook } from '../../store/hooks.ts';
import type { Account } from '../accounts/account.ts';
import { type Masking, maskingOf } from './log-lines.ts';
import type { HookRun, HookRunResult } from './runner.ts';
import { sourceOf } from './source.ts';
import { takeRun } from './take-run.ts';
import { openVariables } from './variables.ts';

export type RunServices = Pick<
  Services,
  'store' | 'clock' | 'vault' | 'limits' | 'hooks' | 'hookWaitMilliseconds' | 'packageBuilds' | 'geoip' | 'log'
>;
/** A hook that is about to run, with the values of its variables. */
export interface RunnableHook {
  readonly stored: StoredHook;
  readonly source: string;
  readonly packages: string | null;
  readonly variables: Readonly<Record<string, string>>;
  readonly masking: Masking;
}

/** What of it decides how it is run. */
export interface Callable extends Pick<RunnableHook, 'source' | 'packages' | 'variables'> {
  readonly stored: {
    readonly hook: Pick<StoredHook['hook'], 'type'>;
    readonly definition: Pick<StoredHook['definition'], 'runtime' | 'timeoutSeconds'>;
  };
}

/** `secrets`: other texts to mask in the log. */
export async function prepareHook(
  services: Pick<Services, 'vault' | 'packageBuilds'>,
  account: Account,
  stored: StoredHook,
  known: readonly HookVariableRecord[],
  secrets: readonly string[] = [],
): Promise<RunnableHook> {
  const { variableIds, packageBuildId } = stored.definition;
  const linked = known.filter(({ id }) => variableIds.includes(id));
  const variables = openVariables(services, account, linked);
  const masking = maskingOf([...Object.values(variables), ...secrets]);
  const packages = packageBuildId === null ? null : await services.packageBuilds.read(account.id, packageBuildId);
  return { stored, source: sourceOf(stored.definition.function), packages, variables, masking };
}

/** One run without interpretation; `unavailable` if no place is free in time. */
export async function runOnce(
  services: RunServices,
  account: Account,
  hook: Omit<RunnableHook, 'masking'>,
  context: unknown,
): Promise<HookRunResult> {
  if (!(await takeRun(services, account, hook.stored.hook.type))) return unavailable;
  return services.hooks.run(callOf(account, hook, context));
}

/** One run of a draft, in a process for drafts; it does not count against the account's runs. */
export function runDraft(
  services: Pick<Services, 'hooks'>,
  account: Account,
  draft: Callable,
  context: unknown,
): Promise<HookRunResult> {
  return services.hooks.run({ ...callOf(account, draft, context), isDraft: true });
}

function callOf(
  { id: accountId }: Account,
  { stored, source, packages, variables }: Callable,
  context: unknown,
): HookRun {
  const { runtime, timeoutSeconds } = stored.definition;
  return {
    accountId,
    runtime,
    source,
    packages,
    context: JSON.stringify(context),
    variables,
    timeoutMilliseconds: timeoutSeconds * 1000,
    isForStranger: stored.hook.type === 'user-migration',
  };
}

/** No run was possible in time. */
export const unavailable: HookRunResult = {
  ending: 'unavailable',
  value: 'null',
  error: null,
  output: [],
  dropped: 0,
  durationMilliseconds: 0,
};
