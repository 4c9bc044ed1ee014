import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { TokenUser } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';

/**
 * The identifier of a user in all tokens of a client; a string (OpenID Connect Core §2, §8). For the subject type
 * `pairwise` it cannot be traced to the user without the account's key, and only clients of one sector see the same one
 * (§8.1).
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
 * The name of a session in a client's id tokens and logout tokens (OpenID Connect Back-Channel Logout 1.0 §2.1). A
 * common name would tell clients of two sectors that they have the same user.
 */
export function sessionNameOf(
  { vault }: Pick<Services, 'vault'>,
  { record }: Pick<Account, 'record'>,
  { sector }: Pick<ClientRecord, 'sector'>,
  { sid }: Pick<SessionRecord, 'sid'>,
): string {
  return sector === null ? sid : vault.mac(record, 'pairwise session', `${sector} ${sid}`).toString('base64url');
}
