/** What the answer of a run comes to, outside a sign-in. */

import type { HookOutcome } from '../../store/hook-executions.ts';
import type { HookType } from '../../store/hooks.ts';
import { type InvalidAnswer, isInvalid, malformed, readPolicyAnswer } from './answers.ts';
import { readMigrationAnswer } from './migration-answer.ts';
import { type ReplayRecord, shownAnswer } from './replay-records.ts';

export interface Judged {
  readonly outcome: HookOutcome;
  /** What the answer means; null where there is none, or it means nothing. */
  readonly answer: ReplayRecord['answer'];
  /** Null for an answer that means something. */
  readonly invalid: InvalidAnswer | null;
}

/** `value` is undefined for an answer that is malformed; `policies` are those of the account. */
export function judge(type: HookType, value: unknown, policies: Pick<ReadonlySet<number>, 'has'>): Judged {
  const answer = value === undefined ? malformed : read(type, value, policies);
  if (isInvalid(answer)) return { outcome: 'invalid_result', answer: null, invalid: answer };
  return { outcome: answer.says === 'refuse' ? 'refused' : 'success', answer: shownAnswer(answer), invalid: null };
}

function read(type: HookType, value: unknown, policies: Pick<ReadonlySet<number>, 'has'>) {
  return type === 'user-migration' ? readMigrationAnswer(value) : readPolicyAnswer(value, policies);
}
