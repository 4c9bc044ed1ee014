import { createLocalJWKSet, errors, jwtVerify } from 'jose';
import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { signingAlgorithms } from '../clients/known-values.ts';

/** The user and the client that an id token of this account names. */
export interface IdTokenHint {
  readonly subject: string;
  readonly clientId: string;
}

/**
 * Parses an id token that a client sends back (OpenID Connect RP-Initiated Logout 1.0 §2); it may have expired. Null
 * for any other text, including tokens of another kind, account or key.
 */
export async function readIdTokenHint(
  { signer }: Pick<Services, 'signer'>,
  account: Account,
  text: string,
): Promise<IdTokenHint | null> {
  const keys = createLocalJWKSet({ keys: [...(await signer.published(account))] });
  try {
    const { payload } = await jwtVerify(text, keys, {
      algorithms: [...signingAlgorithms],
      typ: 'JWT',
      issuer: account.baseUrl,
      requiredClaims: ['aud', 'sub', 'auth_time'],
      // No expiry is in the past at time zero; id tokens have no `nbf`.
      currentDate: new Date(0),
    });
    const { sub, aud } = payload;
    return typeof sub === 'string' && typeof aud === 'string' ? { subject: sub, clientId: aud } : null;
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}
