import type { LinkedServer } from '../../store/authorization-servers.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { isConsole } from '../clients/console-client.ts';
import { isAllowed, isAllowedAtApis, isConsentRemembered } from './consent.ts';
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
 * Whether an approval of a locked user still counts: whatever ends it locks the user as well. The servers that the
 * client is linked to now must be among what was allowed: by the consent, and for a client to which consent is
 * not remembered, by the approval itself.
 */
export async function isApprovedStill(
  tx: Pick<StoreVerbs, 'sessions' | 'authorizations'>,
  account: Pick<Account, 'settings'>,
  client: ClientRecord,
  user: UserRecord,
  { sid, approvedAt, asked, apiScopes }: Approval,
  serversOfClient: () => Promise<readonly LinkedServer[]>,
): Promise<boolean> {
  if (!isStillRegistered(client, asked)) return false;
  const { accountId, appId } = client;
  if (approvedAt !== null && (user.passwordChangedAt ?? 0) > approvedAt) return false;
  if (sid !== null && !(await tx.sessions.findByName(accountId, user.id, sid))) return false;
  // Nobody consents to the console.
  if (isConsole(client)) return true;
  const servers = await serversOfClient();
  if (!isConsentRemembered(account, client)) return isAllowedAtApis(asked, apiScopes, servers);
  const allowed = await tx.authorizations.findConsent(accountId, user.id, appId);
  return allowed !== null && isAllowed(asked, allowed, servers);
}
