/** A run without effects. */

import { randomUUID } from 'node:crypto';
import type { HookOutcome } from '../../store/hook-executions.ts';
import type { HookType, StoredHook } from '../../store/hooks.ts';
import type { Account } from '../accounts/account.ts';
import { parseAnswer, readPolicyAnswer } from './answers.ts';
import { outputLines } from './log-lines.ts';
import { readMigrationAnswer } from './migration-answer.ts';
import { requireHook } from './read-hooks.ts';
import { prepareHook, type RunServices, runOnce } from './run-hook.ts';
import { invalid } from './values.ts';
import { findBuilds, isReady, statusOf } from './versions.ts';

interface TestRun {
  readonly outcome: HookOutcome;
  /** The function's answer, uninterpreted; null when it failed. */
  readonly value: unknown;
  readonly error: { readonly name: string; readonly message: string } | null;
  readonly output: readonly string[];
  readonly dropped: number;
  readonly durationMilliseconds: number;
}

/**
 * Runs the version in force once with this context, even if the hook is disabled. Throws `not_found`, and
 * `value_invalid` while no version can run.
 */
export async function testHook(
  services: RunServices,
  account: Account,
  uuid: string,
  context: Readonly<Record<string, unknown>>,
): Promise<TestRun> {
  const { store } = services;
  const stored = await findRunning(services, account, uuid);
  const { hook } = stored;
  const runnable = await prepareHook(services, account, stored, await store.hookVariables.list(account.id));
  if (runnable.source === '') {
    return { outcome: 'success', value: null, error: null, output: [], dropped: 0, durationMilliseconds: 0 };
  }
  const runId = randomUUID();
  const result = await runOnce(services, account, runnable, context);
  const value = result.ending === 'success' ? parseAnswer(result.value) : undefined;
  const { lines, dropped } = outputLines(runId, result, services.clock.now(), runnable.masking);
  const error = result.error && {
    name: runnable.masking(result.error.name),
    message: runnable.masking(result.error.message),
  };
  const policies = new Set((await store.policies.list(account.id)).map(({ id }) => id));
  const outcome = result.ending === 'success' ? judge(hook.type, value, policies) : result.ending;
  const durationMilliseconds = Math.max(0, Math.round(result.durationMilliseconds));
  return { outcome, value: value ?? null, error, output: lines, dropped, durationMilliseconds };
}

/** The hook with its running version. Throws `not_found`, `value_invalid` when no version can run. */
export async function findRunning(
  services: Pick<RunServices, 'store' | 'packageBuilds'>,
  account: Account,
  uuid: string,
): Promise<StoredHook> {
  const { hook, definition: newest } = await requireHook(services.store, account, uuid);
  const builds = await findBuilds(services, account.id, [newest]);
  if (isReady(newest, builds)) return { hook, definition: newest };
  const former = await services.store.hooks.findVersion(account.id, hook.id, hook.runningVersion ?? 0);
  if (former) return { hook, definition: former };
  const failure = builds.get(newest.packageBuildId ?? 0)?.failure;
  const status = statusOf(newest, false, builds);
  if (failure) throw invalid('hook', `cannot run (${status}): ${failure}`);
  throw invalid('hook', `cannot run: its packages are not built (${status})`);
}

function judge(type: HookType, value: unknown, policies: ReadonlySet<number>): HookOutcome {
  const answer = type === 'user-migration' ? readMigrationAnswer(value) : readPolicyAnswer(value, policies);
  if (answer === null) return 'invalid_result';
  return answer.says === 'refuse' ? 'refused' : 'success';
}
