/**
 * Authorization requests that travel with the browser: nothing is stored for a browser that has not shown who its user
 * is, since anybody can begin as many sign-ins as they like.
 */

import type { Vault } from '../../services.ts';
import type { AuthorizationRequestRecord } from '../../store/authorizations.ts';
import type { Account } from '../accounts/account.ts';
import { minute } from '../durations.ts';
import { digestOf } from '../secrets.ts';

export const requestMilliseconds = 10 * minute;

/** A link to a page of ours and each of its forms carry the request; a larger one is a row in the store. */
const mostSealedCharacters = 3 * 1024;

/** Where a sealed request belongs: nothing else that is sealed opens here. */
const place = 'authorization_requests|request';

/** What is known of a request before its user has shown who they are. */
type NewRequest = Pick<
  AuthorizationRequestRecord,
  'browserDigest' | 'appId' | 'parameters' | 'createdAt' | 'expiresAt'
>;

/** A request in which nobody has signed in. */
export function unansweredRequest(account: Account, requestId: string, asked: NewRequest): AuthorizationRequestRecord {
  return {
    accountId: account.id,
    digest: digestOf(requestId),
    ...asked,
    authenticatedAt: null,
    sid: null,
    decision: null,
    decidedBy: null,
    passwordUserId: null,
    passwordCheckedAt: null,
    hookPolicyId: null,
    hookPolicyUserId: null,
    hookTraits: null,
    methods: null,
  };
}

/** The request as its own identifier; null when it is too large to travel. No two are the same text. */
export function sealRequest(
  { vault }: { readonly vault: Pick<Vault, 'seal'> },
  account: Account,
  asked: NewRequest,
): string | null {
  const { browserDigest, appId, parameters, createdAt } = asked;
  const text = JSON.stringify([createdAt, appId, browserDigest, parameters]);
  const sealed = vault.seal(account.record, place, Buffer.from(text));
  return sealed.length <= mostSealedCharacters ? sealed : null;
}

/** Opens what `sealRequest` sealed; null for any other text. It may have expired. */
export function unsealRequest(
  { vault }: { readonly vault: Pick<Vault, 'unseal'> },
  account: Account,
  requestId: string,
): AuthorizationRequestRecord | null {
  // The identifier of a row has no periods: it costs no deciphering.
  if (!requestId.includes('.') || requestId.length > mostSealedCharacters) return null;
  let opened: [number, number | null, string, AuthorizationRequestRecord['parameters']];
  try {
    opened = JSON.parse(vault.unseal(account.record, place, requestId).toString('utf8'));
  } catch {
    // Not what this service sealed for this account, whatever is wrong with it.
    return null;
  }
  const [createdAt, appId, browserDigest, parameters] = opened;
  const expiresAt = createdAt + requestMilliseconds;
  return unansweredRequest(account, requestId, { createdAt, expiresAt, appId, browserDigest, parameters });
}
