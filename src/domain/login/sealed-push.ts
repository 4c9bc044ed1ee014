/**
 * Pushed requests of clients that nobody has agreed to yet: sealed into their own reference, since nothing is stored for
 * such a client.
 */

import type { Vault } from '../../services.ts';
import type { PushedRequestRecord } from '../../store/authorizations.ts';
import type { Account } from '../accounts/account.ts';

type Pushed = Pick<PushedRequestRecord, 'parameters' | 'expiresAt'>;

/** Binds a sealed request to its use: other sealed texts do not open here. */
const place = 'pushed_requests|request';

/** As long as the contract allows a `request_uri`, without what it begins with. */
const mostSealedCharacters = 1_900;

/** Null when the request is too large. Sealing twice never gives the same text. */
export function sealPushed(
  { vault }: { readonly vault: Pick<Vault, 'seal'> },
  account: Account,
  clientId: string,
  { parameters, expiresAt }: Pushed,
): string | null {
  const text = JSON.stringify([expiresAt, clientId, parameters]);
  const sealed = vault.seal(account.record, place, Buffer.from(text));
  return sealed.length <= mostSealedCharacters ? sealed : null;
}

/** Opens what `sealPushed` sealed for this client; null for any other text. It may have expired. */
export function unsealPushed(
  { vault }: { readonly vault: Pick<Vault, 'unseal'> },
  account: Account,
  clientId: string,
  reference: string,
): Pushed | null {
  // The reference of a row has no periods, so it is never deciphered.
  if (!reference.includes('.') || reference.length > mostSealedCharacters) return null;
  let opened: [number, string, Pushed['parameters']];
  try {
    opened = JSON.parse(vault.unseal(account.record, place, reference).toString('utf8'));
  } catch {
    // Not sealed by this service for this account.
    return null;
  }
  const [expiresAt, owner, parameters] = opened;
  return owner === clientId ? { parameters, expiresAt } : null;
}
