import type { Services } from '../../../services.ts';
import type { SessionRecord } from '../../../store/sessions.ts';
import type { StoreVerbs } from '../../../store/store.ts';
import type { Account } from '../../accounts/account.ts';

/**
 * Lets the device with this code in as the user of the session, who allowed `apiScopes` at APIs; false when it has expired or somebody decided before.
 */
export function allowDevice(
  { clock }: Pick<Services, 'clock'>,
  tx: Pick<StoreVerbs, 'deviceCodes'>,
  account: Account,
  digest: string,
  { userId, amr, authenticatedAt, sid }: SessionRecord,
  apiScopes: readonly string[],
): Promise<boolean> {
  const now = clock.now();
  const decision = { decision: 'allow', userId, amr, authenticatedAt, sid, decidedAt: now, apiScopes } as const;
  return tx.deviceCodes.decide(account.id, digest, decision, now);
}
