/**
 * What is stored of a run so that a draft can be run with the same context: sealed, and kept as long as the run's
 * record.
 */

import type { Services } from '../../services.ts';
import type { HookExecutionRecord, HookOutcome } from '../../store/hook-executions.ts';
import type { Account } from '../accounts/account.ts';

export interface ReplayRecord {
  /** What the function received, without passwords. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly outcome: HookOutcome;
  readonly answer: { readonly says: string; readonly policyId?: number } | null;
}

export function sealReplay(
  { vault }: Pick<Services, 'vault'>,
  account: Pick<Account, 'record'>,
  requestId: string,
  record: ReplayRecord,
): string {
  return vault.seal(account.record, replayPlace(requestId), Buffer.from(JSON.stringify(record)));
}

/** A chosen policy is kept for the comparison in a replay; a migrated user's data is not. */
export function shownAnswer(answer: unknown): ReplayRecord['answer'] {
  if (typeof answer !== 'object' || answer === null || !('says' in answer)) return null;
  const { says, policyId } = answer as { says: string; policyId?: number };
  return { says, ...(policyId !== undefined && { policyId }) };
}

/** Null when nothing was stored. */
export function openReplay(
  { vault }: Pick<Services, 'vault'>,
  account: Pick<Account, 'record'>,
  { requestId, sealedReplay }: Pick<HookExecutionRecord, 'requestId' | 'sealedReplay'>,
): ReplayRecord | null {
  if (sealedReplay === null) return null;
  return JSON.parse(vault.unseal(account.record, replayPlace(requestId), sealedReplay).toString('utf8'));
}

function replayPlace(requestId: string): string {
  return `hook_executions|sealed_replay|${requestId}`;
}
