/**
 * Authorization requests that travel with the browser. Anyone can begin any number of sign-ins, so nothing is stored
 * before a user has authenticated.
 */

import type { Vault } from '../../services.ts';
import type { AuthorizationRequestRecord } from '../../store/authorizations.ts';
import type { Account } from '../accounts/account.ts';
import { minute } from '../durations.ts';
import { digestOf } from '../secrets.ts';

export const requestMilliseconds = 10 * minute;

/** The request is part of a URL and of every form; a larger one is stored as a row. */
const mostSealedCharacters = 3 * 1024;

/** Binds a sealed request to its use: other sealed texts do not open here. */
const place = 'authorization_requests|request';

/** The state of a request before a user has authenticated. */
export type NewRequest = Pick<
  AuthorizationRequestRecord,
  'browserDigest' | 'appId' | 'parameters' | 'createdAt' | 'expiresAt'
>;

/** The digest of a request that has no identifier. */
const nameless = '';

/** A request for which nobody has signed in yet. `requestId`: null for one that has none. */
export function unansweredRequest(
  account: Account,
  requestId: string | null,
  asked: NewRequest,
): AuthorizationRequestRecord {
  return {
    accountId: account.id,
    digest: requestId === null ? nameless : digestOf(requestId),
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

/** Whether the request has an identifier, with which a browser could continue it again. */
export function isNamed({ digest }: Pick<AuthorizationRequestRecord, 'digest'>): boolean {
  return digest !== nameless;
}

/** Seals the request into its own identifier; null when it is too large. Sealing twice never gives the same text. */
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

/** Opens an identifier from `sealRequest`; null for any other text. The request may have expired. */
export function unsealRequest(
  { vault }: { readonly vault: Pick<Vault, 'unseal'> },
  account: Account,
  requestId: string,
): AuthorizationRequestRecord | null {
  // The identifier of a row has no periods, so it is never deciphered.
  if (!requestId.includes('.') || requestId.length > mostSealedCharacters) return null;
  let opened: [number, number | null, string, AuthorizationRequestRecord['parameters']];
  try {
    opened = JSON.parse(vault.unseal(account.record, place, requestId).toString('utf8'));
  } catch {
    // Not sealed by this service for this account.
    return null;
  }
  const [createdAt, appId, browserDigest, parameters] = opened;
  const expiresAt = createdAt + requestMilliseconds;
  return unansweredRequest(account, requestId, { createdAt, expiresAt, appId, browserDigest, parameters });
}
