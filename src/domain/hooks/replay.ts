/** Replays: a hook, or a function that is not written to it yet, is run with the context of a recorded run. */

import type { HookExecutionRecord, HookOutcome } from '../../store/hook-executions.ts';
import type { HookVersionRecord, StoredHook } from '../../store/hooks.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import { readDraft } from './drafts.ts';
import { prepareHook, type RunServices, runDraft, unavailable } from './one-run.ts';
import { requireHook } from './read-hooks.ts';
import { openReplay, type ReplayRecord } from './replay-records.ts';
import { executionMilliseconds } from './run-hook.ts';
import { encodeSource, readFunction } from './source.ts';
import { takeRun } from './take-run.ts';
import { describeRun, emptyRun, findRunning, type TestRun } from './test-run.ts';
import { invalid } from './values.ts';
import { findBuilds, isReady } from './versions.ts';

type Answer = ReplayRecord['answer'];

/** What is run; null: the version in force. */
export type ReplayOf =
  | { readonly version: number }
  | { readonly draft: true }
  /** Base64. */
  | { readonly function: string }
  | null;

export interface ReplayedRun {
  readonly context: ReplayRecord['context'];
  readonly recorded: { readonly outcome: HookOutcome; readonly answer: Answer; readonly output: readonly string[] };
  readonly replayed: TestRun & { readonly answer: Answer };
  /** Both ended alike, with the same answer. */
  readonly same: boolean;
}

/**
 * Runs it with the context of a recorded run of the hook and its variables of now, and counts it towards the account's
 * runs. It has no effect on anything. Throws `not_found`, `value_invalid` when no replay data of the run was kept or
 * what is to be run cannot.
 */
export async function replayRun(
  services: RunServices,
  account: Account,
  uuid: string,
  requestId: string,
  of: ReplayOf,
): Promise<ReplayedRun> {
  const { store } = services;
  const { hook } = await requireHook(store, account, uuid);
  const execution = await findExecution(services, account, requestId);
  if (execution?.hookId !== hook.id) throw unknownRun();
  const record = openReplay(services, account, execution);
  if (!record) throw invalid('run', 'cannot be replayed: its context was not kept');
  const stored = await findRunnable(services, account, uuid, of);
  const runnable = await prepareHook(services, account, stored, await store.hookVariables.list(account.id));
  const run = async () => {
    const mayRun = await takeRun(services, account, hook.type);
    return mayRun ? runDraft(services, account, runnable, record.context) : unavailable;
  };
  const replayed =
    runnable.source === ''
      ? { ...emptyRun, answer: { says: 'keep' } }
      : await describeRun(services, account, runnable, await run());
  const target = { type: 'hook', id: hook.id } as const;
  const detail = { hook_id: hook.uuid, execution_id: requestId };
  await store.transaction((tx) => recordEvent(tx, services, account, { action: 'hook.replayed', target, detail }));
  const { outcome, answer, context } = record;
  const same = outcome === replayed.outcome && words(answer) === words(replayed.answer);
  return { context, recorded: { outcome, answer, output: execution.events }, replayed, same };
}

/** The record of a run that is still shown. */
async function findExecution(
  { store, clock }: Pick<RunServices, 'store' | 'clock'>,
  account: Account,
  requestId: string,
): Promise<HookExecutionRecord | null> {
  const execution = await store.hookExecutions.find(account.id, requestId);
  const isKept = execution !== null && execution.createdAt > clock.now() - executionMilliseconds;
  return isKept ? execution : null;
}

function unknownRun(): Failure {
  return new Failure('not_found', { name: 'run', message: 'there is no such run' });
}

/** The hook with what is to be run as its definition. */
async function findRunnable(services: RunServices, account: Account, uuid: string, of: ReplayOf): Promise<StoredHook> {
  if (of !== null && 'version' in of) return findVersion(services, account, uuid, of.version);
  const stored = await findRunning(services, account, uuid);
  if (of === null) return stored;
  const encoded = 'draft' in of ? (await draftOf(services, account, uuid)).function : of.function;
  return { ...stored, definition: { ...stored.definition, function: await readFunction(services, account, encoded) } };
}

async function draftOf({ store }: RunServices, account: Account, uuid: string) {
  try {
    return await readDraft(store, account, uuid);
  } catch (error) {
    if (error instanceof Failure && error.detail.name === 'draft') throw invalid('draft', 'is not set for this hook');
    throw error;
  }
}

async function findVersion(
  services: RunServices,
  account: Account,
  uuid: string,
  version: number,
): Promise<StoredHook> {
  const { hook } = await requireHook(services.store, account, uuid);
  const definition: HookVersionRecord | null = await services.store.hooks.findVersion(account.id, hook.id, version);
  if (!definition) throw invalid('version', 'must be one that is kept');
  if (isReady(definition, await findBuilds(services, account.id, [definition]))) return { hook, definition };
  throw invalid('version', 'cannot run: its packages are not built');
}

/** How a run ended, in comparable form. */
interface Told {
  readonly outcome: HookOutcome;
  readonly result: string | null;
}

interface Replayed {
  readonly recorded: Told;
  readonly draft: Told & { readonly output: readonly string[]; readonly durationMilliseconds: number };
  readonly same: boolean;
}

/** The same for the command line: a text, and a run of whichever hook. */
export async function replay(
  services: RunServices,
  account: Account,
  requestId: string,
  source: string,
): Promise<Replayed> {
  const encoded = await readFunction(services, account, encodeSource(source));
  const execution = await findExecution(services, account, requestId);
  const uuid = execution && (await services.store.hooks.findUuid(account.id, execution.hookId));
  if (!uuid) throw unknownRun();
  const { recorded, replayed, same } = await replayRun(services, account, uuid, requestId, { function: encoded });
  const { output, durationMilliseconds, outcome } = replayed;
  return {
    recorded: { outcome: recorded.outcome, result: words(recorded.answer) },
    draft: { outcome, result: words(replayed.answer), output, durationMilliseconds },
    same,
  };
}

function words(answer: Answer): string | null {
  if (answer === null) return null;
  if (answer.policyId !== undefined) return `policy ${answer.policyId}`;
  return { keep: 'keeps the policy', refuse: 'refuses', migrate: 'makes a user' }[answer.says] ?? null;
}
