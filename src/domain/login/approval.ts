import type { ClientRecord } from '../../store/clients.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { UserRecord } from '../../store/users.ts';
import { linkedServersOf } from '../tokens/audience.ts';
import { isAllowed } from './consent.ts';
import { type AskedOfRegistration, isStillRegistered } from './still-registered.ts';

/** What an authorization code or an approved device depends on. */
export interface Approval {
  /** The session in which it was approved, and when; null if an older release did not store that. */
  readonly sid: string | null;
  readonly approvedAt: Milliseconds | null;
  readonly asked: AskedOfRegistration;
}

/**
 * Whether an approval still counts. The user must be locked: everything that ends what the approval depends on locks
 * the user too. Consent to an open-registered client is not stored: the user is asked each time.
 */
export async function isApprovedStill(
  tx: Pick<StoreVerbs, 'sessions' | 'authorizations' | 'authorizationServers'>,
  client: ClientRecord,
  user: UserRecord,
  { sid, approvedAt, asked }: Approval,
): Promise<boolean> {
  if (!isStillRegistered(client, asked)) return false;
  const { accountId, appId, registeredBy } = client;
  if (approvedAt !== null && (user.passwordChangedAt ?? 0) > approvedAt) return false;
  if (sid !== null && !(await tx.sessions.has(accountId, user.id, sid))) return false;
  if (registeredBy === 'open') return true;
  const allowed = await tx.authorizations.findConsent(accountId, user.id, appId);
  return allowed !== null && isAllowed(asked, allowed, await linkedServersOf({ store: tx }, client));
}
