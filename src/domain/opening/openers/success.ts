import type { Services } from '../../../services.ts';
import type { StoreVerbs } from '../../../store/store.ts';
import type { Milliseconds } from '../../../store/time.ts';
import type { UserRecord } from '../../../store/users.ts';
import type { Account } from '../../accounts/account.ts';
import type { Actor } from '../../audit/context.ts';
import type { EventDetails } from '../../audit/event-details.ts';
import { recordEvent } from '../../audit/record.ts';

/** Records a successful sign-in on the user and in the trail. */
export async function recordSuccess(
  services: Pick<Services, 'clock' | 'vault'>,
  tx: StoreVerbs,
  account: Account,
  { id }: Pick<UserRecord, 'id'>,
  at: Milliseconds,
  detail: EventDetails['sign_in.succeeded'],
  actor: Actor | undefined,
): Promise<void> {
  await tx.users.update(account.id, id, { lastLogin: at });
  const target = { type: 'user', id } as const;
  await recordEvent(tx, services, account, { action: 'sign_in.succeeded', ...(actor && { actor }), target, detail });
}
