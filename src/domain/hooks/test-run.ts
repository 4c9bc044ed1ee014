/** A run without effects. */

import { randomUUID } from 'node:crypto';
import type { HookOutcome } from '../../store/hook-executions.ts';
import type { StoredHook } from '../../store/hooks.ts';
import type { Account } from '../accounts/account.ts';
import { parseAnswer } from './answers.ts';
import { type Judged, judge } from './judge.ts';
import { faultLine, outputLines } from './log-lines.ts';
import { type Callable, prepareHook, type RunnableHook, type RunServices, runOnce } from './one-run.ts';
import { requireHook } from './read-hooks.ts';
import type { HookRunResult } from './runner.ts';
import { invalid } from './values.ts';
import { findBuilds, isReady, statusOf } from './versions.ts';

export interface TestRun {
  readonly outcome: HookOutcome;
  /** The function's answer, uninterpreted; null when it failed. */
  readonly value: unknown;
  readonly error: { readonly name: string; readonly message: string } | null;
  readonly output: readonly string[];
  readonly dropped: number;
  readonly durationMilliseconds: number;
}

/** Of a function that is empty. */
export const emptyRun: TestRun = {
  outcome: 'success',
  value: null,
  error: null,
  output: [],
  dropped: 0,
  durationMilliseconds: 0,
};

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
  const runnable = await prepareHook(services, account, stored, await store.hookVariables.list(account.id));
  if (runnable.source === '') return emptyRun;
  return describeRun(services, account, runnable, await runOnce(services, account, runnable, context));
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

/** How a run ended, in the words of the log. */
export async function describeRun(
  { store, clock }: Pick<RunServices, 'store' | 'clock'>,
  account: Pick<Account, 'id'>,
  { stored, masking }: Pick<Callable, 'stored'> & Pick<RunnableHook, 'masking'>,
  result: HookRunResult,
): Promise<TestRun & Pick<Judged, 'answer'>> {
  const value = result.ending === 'success' ? parseAnswer(result.value) : undefined;
  const [runId, now] = [randomUUID(), clock.now()];
  const { lines, dropped } = outputLines(runId, result, now, masking);
  const error = result.error && { name: masking(result.error.name), message: masking(result.error.message) };
  const policies = new Set((await store.policies.list(account.id)).map(({ id }) => id));
  const failed = { outcome: result.ending, answer: null, invalid: null };
  const { outcome, answer, invalid } = result.ending === 'success' ? judge(stored.hook.type, value, policies) : failed;
  const output = invalid ? [...lines, faultLine(runId, now, invalid)] : lines;
  const durationMilliseconds = Math.max(0, Math.round(result.durationMilliseconds));
  return { outcome, answer, value: value ?? null, error, output, dropped, durationMilliseconds };
}
