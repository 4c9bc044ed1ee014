/** Replays: a function is run with the context of a recorded run, before it is written to the hook. */

import { randomUUID } from 'node:crypto';
import type { HookOutcome } from '../../store/hook-executions.ts';
import type { HookType } from '../../store/hooks.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import { parseAnswer, readPolicyAnswer } from './answers.ts';
import { encodeDraft } from './drafts.ts';
import { outputLines } from './log-lines.ts';
import { readMigrationAnswer } from './migration-answer.ts';
import { openReplay, type ReplayRecord } from './replay-records.ts';
import { prepareHook, type RunServices, runDraft } from './run-hook.ts';
import { findRunning } from './test-run.ts';
import { invalid } from './values.ts';

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

/**
 * Runs a draft with the context of a recorded run and the hook's current variables and packages. It has no effect on
 * anything. Throws `not_found` for an unknown run or hook, `value_invalid` when no replay data of the run was kept.
 */
export async function replay(
  services: RunServices,
  account: Account,
  requestId: string,
  source: string,
): Promise<Replayed> {
  const { store } = services;
  const encoded = encodeDraft(services, source);
  const execution = await store.hookExecutions.find(account.id, requestId);
  const known = execution && (await store.hooks.findUuid(account.id, execution.hookId));
  if (!execution || !known) throw new Failure('not_found', { name: 'run', message: 'there is no such run' });
  const record = openReplay(services, account, execution);
  if (!record) throw invalid('run', 'cannot be replayed: its context was not kept');
  const { hook, definition } = await findRunning(services, account, known);
  const draft = { hook, definition: { ...definition, function: encoded } };
  const runnable = await prepareHook(services, account, draft, await store.hookVariables.list(account.id));
  const result = await runDraft(services, account, runnable, record.context);
  const value = result.ending === 'success' ? parseAnswer(result.value) : undefined;
  const policies = new Set((await store.policies.list(account.id)).map(({ id }) => id));
  const told = tell(hook.type, result.ending, value, policies);
  const { lines } = outputLines(randomUUID(), result, services.clock.now(), runnable.masking);
  const target = { type: 'hook', id: hook.id } as const;
  const detail = { hook_id: hook.uuid, execution_id: requestId };
  await recordEvent(store, services, account, { action: 'hook.replayed', target, detail });
  const recorded = { outcome: record.outcome, result: words(record.answer) };
  return {
    recorded,
    draft: { ...told, output: lines, durationMilliseconds: Math.max(0, Math.round(result.durationMilliseconds)) },
    same: recorded.outcome === told.outcome && recorded.result === told.result,
  };
}

function tell(
  type: HookType,
  ending: Exclude<HookOutcome, 'refused' | 'invalid_result'>,
  value: unknown,
  policies: ReadonlySet<number>,
): Told {
  if (ending !== 'success') return { outcome: ending, result: null };
  const answer = type === 'user-migration' ? readMigrationAnswer(value) : readPolicyAnswer(value, policies);
  if (answer === null) return { outcome: 'invalid_result', result: null };
  return { outcome: answer.says === 'refuse' ? 'refused' : 'success', result: words(answer) };
}

function words(answer: ReplayRecord['answer']): string | null {
  if (answer === null) return null;
  if (answer.policyId !== undefined) return `policy ${answer.policyId}`;
  return { keep: 'keeps the policy', refuse: 'refuses', migrate: 'makes a user' }[answer.says] ?? null;
}
