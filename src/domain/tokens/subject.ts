import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { TokenUser } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';

/**
 * What a client knows a user by in all tokens; a string (OpenID Connect Core §2, §8). For one whose subject type is
 * `pairwise` nothing tells whose it is but the account's key, and clients of one sector alone see the same (§8.1).
 */
export function subjectOf(
  { vault }: Pick<Services, 'vault'>,
  { record }: Pick<Account, 'record'>,
  { sector }: Pick<ClientRecord, 'sector'>,
  { id }: Pick<TokenUser, 'id'>,
): string {
  return sector === null ? String(id) : vault.mac(record, 'pairwise subject', `${sector} ${id}`).toString('base64url');
}

/**
 * What a client knows a session by, in id tokens and logout tokens (OpenID Connect Back-Channel Logout 1.0 §2.1). One
 * name for all would tell clients of two sectors that their users are one.
 */
export function sessionNameOf(
  { vault }: Pick<Services, 'vault'>,
  { record }: Pick<Account, 'record'>,
  { sector }: Pick<ClientRecord, 'sector'>,
  { sid }: Pick<SessionRecord, 'sid'>,
): string {
  return sector === null ? sid : vault.mac(record, 'pairwise session', `${sector} ${sid}`).toString('base64url');
}
