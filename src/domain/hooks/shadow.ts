/** A draft that runs beside a hook and changes nothing: the log of the hook says where the two differ. */

import type { Account } from '../accounts/account.ts';
import { type PolicyAnswer, parseAnswer } from './answers.ts';
import { noteLine } from './log-lines.ts';
import { type Asked, type Ran, type RunnableHook, type RunServices, runOnce } from './run-hook.ts';
import { sourceOf } from './source.ts';

/**
 * Runs `live`, and the draft at the same time where there is one; a sign-in waits for both, the draft having the time of
 * the hook. `policyId` is the policy in force before.
 */
export async function withShadow(
  services: RunServices,
  account: Account,
  hook: RunnableHook,
  asked: Asked<PolicyAnswer>,
  policyId: number,
  live: () => Promise<Ran<PolicyAnswer>>,
): Promise<Ran<PolicyAnswer>> {
  const { shadowFunction } = hook.stored.hook;
  if (shadowFunction === null) return live();
  const draft = runDraft(services, account, { ...hook, source: sourceOf(shadowFunction) }, asked, policyId);
  const [ran, drafted] = await Promise.all([live(), draft]);
  const lived = describe(ran.answer, ran.outcome, policyId);
  const last = ran.executions.at(-1);
  if (drafted === lived || !last) return ran;
  const text = `shadow: the draft ends with ${drafted}, this version with ${lived}`;
  const events = [...last.events, noteLine(last.requestId, services.clock.now(), 'WARN', text)];
  return { ...ran, executions: [...ran.executions.slice(0, -1), { ...last, events }] };
}

async function runDraft(
  services: RunServices,
  account: Account,
  draft: RunnableHook,
  asked: Asked<PolicyAnswer>,
  policyId: number,
): Promise<string> {
  const result = await runOnce(services, account, draft, asked.contextOf(asked.correlationId));
  if (result.ending !== 'success') return result.ending;
  const value = parseAnswer(result.value);
  const answer = value === undefined ? null : asked.read(value);
  return describe(answer, 'invalid_result', policyId);
}

/** How a sign-in goes on, in words. */
export function describe(answer: PolicyAnswer | null, outcome: string, policyId: number): string {
  if (answer === null) return outcome;
  switch (answer.says) {
    case 'keep':
      return `policy ${policyId}`;
    case 'choose':
      return `policy ${answer.policyId}`;
    case 'refuse':
      return 'a refusal';
  }
}
