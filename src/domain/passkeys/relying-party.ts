import type { Services } from '../../services.ts';
import type { StoredPasskey } from '../../store/passkeys.ts';
import type { Account } from '../accounts/account.ts';
import type { PasskeyReference, RelyingParty } from './port.ts';

/**
 * The account as browsers and authenticators know it: its own host only, so that no other account's passkey works here.
 */
export function relyingPartyOf({ baseUrl, name }: Account): RelyingParty {
  const { hostname, origin } = new URL(baseUrl);
  return { id: hostname, name, origin };
}

/**
 * The user's identifier for authenticators: the same for all passkeys of the user, and without information about the
 * user (WebAuthn Level 3 §14.6.1).
 */
export function userHandleOf(
  { vault }: Pick<Services, 'vault'>,
  { record }: Pick<Account, 'record'>,
  userId: number,
): Buffer {
  return vault.mac(record, 'passkey user handle', `${userId}`);
}

export function referenceTo({ passkey: { credentialId, transports } }: StoredPasskey): PasskeyReference {
  return { credentialId, transports };
}
