import type { Services } from '../../../services.ts';
import type { SessionRecord } from '../../../store/sessions.ts';
import type { StoreVerbs } from '../../../store/store.ts';
import type { Account } from '../../accounts/account.ts';

/** Approves the device with this code for the user of the session; false when it has expired or was decided already. */
export function allowDevice(
  { clock }: Pick<Services, 'clock'>,
  tx: Pick<StoreVerbs, 'deviceCodes'>,
  account: Account,
  digest: string,
  { userId, amr, authenticatedAt, sid }: SessionRecord,
): Promise<boolean> {
  const now = clock.now();
  const decision = { decision: 'allow', userId, amr, authenticatedAt, sid, decidedAt: now } as const;
  return tx.deviceCodes.decide(account.id, digest, decision, now);
}
