import type { ClientRecord } from '../../store/clients.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { UserRecord } from '../../store/users.ts';
import { linkedServersOf } from '../tokens/audience.ts';
import { isAllowed, isAllowedAtApis } from './consent.ts';
import { type AskedOfRegistration, isStillRegistered } from './still-registered.ts';

/** What an authorization code or an approved device depends on. */
export interface Approval {
  /** The session in which it was approved, and when; null if an older release did not store that. */
  readonly sid: string | null;
  readonly approvedAt: Milliseconds | null;
  readonly asked: AskedOfRegistration;
  /** What was allowed at APIs; none where an older release kept the decision. */
  readonly apiScopes: readonly string[];
}

/**
 * Whether an approval counts still, of a user who is locked: whoever ends what it rests on locks the user as well. An API
 * that was linked since must be in what was allowed: that is the consent, and for a client that anyone registered, of
 * which none is kept, the approval by itself.
 */
export async function isApprovedStill(
  tx: Pick<StoreVerbs, 'sessions' | 'authorizations' | 'authorizationServers'>,
  client: ClientRecord,
  user: UserRecord,
  { sid, approvedAt, asked, apiScopes }: Approval,
): Promise<boolean> {
  if (!isStillRegistered(client, asked)) return false;
  const { accountId, appId, registeredBy } = client;
  if (approvedAt !== null && (user.passwordChangedAt ?? 0) > approvedAt) return false;
  if (sid !== null && !(await tx.sessions.findByName(accountId, user.id, sid))) return false;
  const servers = await linkedServersOf({ store: tx }, client);
  if (registeredBy === 'open') return isAllowedAtApis(asked, apiScopes, servers);
  const allowed = await tx.authorizations.findConsent(accountId, user.id, appId);
  return allowed !== null && isAllowed(asked, allowed, servers);
}
