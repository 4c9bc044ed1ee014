/**
 * A draft that runs beside a hook without effect: the hook's log says where the two differ. It runs after the sign-in
 * has its answer, for one sign-in of an account at a time; sign-ins that arrive meanwhile are skipped.
 */

import type { HookOutcome, ToldOutcome } from '../../store/hook-executions.ts';
import type { Account } from '../accounts/account.ts';
import { reasonOf } from '../describe.ts';
import { perKey } from '../per-key.ts';
import { isInvalid, malformed, type PolicyAnswer, parseAnswer } from './answers.ts';
import { noteLine } from './log-lines.ts';
import { type RunnableHook, type RunServices, runDraft } from './one-run.ts';
import type { Asked, NewExecution } from './run-hook.ts';
import type { HookRunner } from './runner.ts';

/** Number of accounts whose drafts may run at the same time. */
const mostAccounts = 4;

/** A draft and the run that it is compared with. */
export interface Shadow {
  readonly draft: RunnableHook;
  readonly asked: Asked<PolicyAnswer>;
  /** The policy in force before. */
  readonly policyId: number;
  readonly requestId: string;
  /** How the sign-in continued. */
  readonly lived: ToldOutcome;
}

/** By runner and account. */
const underWay = perKey<HookRunner, Map<number, Promise<void>>>(() => new Map());

/** Settles when no draft runs. */
export async function shadowsSettled(runner: HookRunner): Promise<void> {
  const running = underWay(runner);
  while (running.size > 0) await Promise.all(running.values());
}

/** Stores the records of a sign-in with `write`, then runs the drafts without anyone waiting for them. */
export async function withShadows(
  services: RunServices,
  account: Account,
  shadows: readonly Shadow[],
  executions: readonly NewExecution[],
  write: (executions: readonly NewExecution[]) => Promise<void>,
): Promise<void> {
  if (shadows.length === 0) return write(executions);
  const running = underWay(services.hooks);
  if (running.has(account.id) || running.size >= mostAccounts) return write(passedOver(executions, shadows));
  const written = write(executions);
  const drafts = written
    .then(() => runDrafts(services, account, shadows))
    .catch((error: unknown) => {
      services.log.warn('draft not compared', { reason: reasonOf(error) });
    })
    .finally(() => running.delete(account.id));
  running.set(account.id, drafts);
  await written;
}

function passedOver(executions: readonly NewExecution[], shadows: readonly Shadow[]): readonly NewExecution[] {
  return executions.map((execution) => {
    const { requestId, createdAt, events } = execution;
    if (!shadows.some((shadow) => shadow.requestId === requestId)) return execution;
    const text = 'shadow: the draft did not run: it was still running beside another sign-in';
    return { ...execution, events: [...events, noteLine(requestId, createdAt, 'WARN', text)] };
  });
}

async function runDrafts(services: RunServices, account: Account, shadows: readonly Shadow[]): Promise<void> {
  for (const { draft, asked, policyId, requestId, lived: live } of shadows) {
    const { id: hookId, shadowSetAt: setAt } = draft.stored.hook;
    if (setAt === null) continue;
    const result = await runDraft(services, account, draft, asked.contextOf(requestId));
    const value = result.ending === 'success' ? parseAnswer(result.value) : undefined;
    const read = value === undefined ? malformed : asked.read(value);
    const answer = isInvalid(read) ? null : read;
    const drafted = tellOutcome(answer, result.ending === 'success' ? 'invalid_result' : result.ending, policyId);
    const text = `shadow: the draft ends with ${inWords(drafted)}, this version with ${inWords(live)}`;
    const line = noteLine(requestId, services.clock.now(), 'WARN', text);
    const difference = inWords(drafted) === inWords(live) ? null : { live, draft: drafted, line };
    await services.store.hookExecutions.addComparison({ accountId: account.id, hookId, setAt, requestId, difference });
  }
}

/** How a sign-in continues. `policyId`: the policy that it has so far. */
export function tellOutcome(answer: PolicyAnswer | null, outcome: HookOutcome, policyId: number): ToldOutcome {
  if (answer === null) return { outcome, policyId: null };
  switch (answer.says) {
    case 'keep':
      return { outcome: 'success', policyId };
    case 'choose':
      return { outcome: 'success', policyId: answer.policyId };
    case 'refuse':
      return { outcome: 'refused', policyId: null };
  }
}

function inWords({ outcome, policyId }: ToldOutcome): string {
  if (policyId !== null) return `policy ${policyId}`;
  return outcome === 'refused' ? 'a refusal' : outcome;
}
