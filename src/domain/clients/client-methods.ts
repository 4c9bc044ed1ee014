/** The ways in which clients authenticate (RFC 7591 §2, OpenID Connect Core §9). */

import type { ClientAuthMethod } from '../../store/client-metadata.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { AccountSettings } from '../accounts/settings.ts';

/** The methods in the document's §2.1. */
export const documentedAuthMethods = [
  'client_secret_basic',
  'client_secret_post',
  'none',
] as const satisfies ClientAuthMethod[];

/** By the certificate of the connection (RFC 8705 §2). */
const certificateMethods = ['tls_client_auth', 'self_signed_tls_client_auth'] as const satisfies ClientAuthMethod[];

/** All of them; the management API numbers them so. */
export const authMethods = [
  ...documentedAuthMethods,
  'private_key_jwt',
  ...certificateMethods,
] as const satisfies ClientAuthMethod[];

export function usesCertificate(method: string | undefined): boolean {
  return certificateMethods.some((one) => one === method);
}

/** Whether clients of the method show that they have a key, and send no secret. */
export function provesKey(method: ClientAuthMethod): boolean {
  return method === 'private_key_jwt' || usesCertificate(method);
}

type Offering = Pick<AccountSettings, 'mutualTls'>;

/** Those that the account offers: anybody can write a subject, so it counts only where the proxy verified the chain. */
export function offeredAuthMethods({ mutualTls }: Offering): readonly ClientAuthMethod[] {
  if (mutualTls === 'off') return authMethods.filter((method) => !usesCertificate(method));
  return mutualTls === 'verified' ? authMethods : authMethods.filter((method) => method !== 'tls_client_auth');
}

/** Of them those that FAPI 2.0 allows (§5.3.2.1). */
export function profiledAuthMethods(offering: Offering): readonly ClientAuthMethod[] {
  return offeredAuthMethods(offering).filter(provesKey);
}

/** Whether clients of the method get a secret. */
export function hasSecret(method: ClientAuthMethod): boolean {
  return method !== 'none' && !provesKey(method);
}

/**
 * Whether anyone can act as the client, or register another like it. Nothing that such a client does proves who does
 * it, and all of them together share one limit per source.
 */
export function isAnybodys({ authMethod, registeredBy }: Pick<ClientRecord, 'authMethod' | 'registeredBy'>): boolean {
  return authMethod === 'none' || registeredBy === 'open';
}

/** Whether a client can authenticate (RFC 6749 §2.1); a client whose secret was not generated yet cannot. */
export function isConfidential({
  authMethod,
  secretDigest,
}: Pick<ClientRecord, 'authMethod' | 'secretDigest'>): boolean {
  return provesKey(authMethod) || secretDigest !== null;
}
