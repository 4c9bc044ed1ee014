/** The ways in which clients authenticate (RFC 7591 §2, OpenID Connect Core §9). */

import type { ClientAuthMethod } from '../../store/client-metadata.ts';
import type { ClientRecord } from '../../store/clients.ts';

/** The methods in the document's §2.1. */
export const documentedAuthMethods = [
  'client_secret_basic',
  'client_secret_post',
  'none',
] as const satisfies ClientAuthMethod[];

export const authMethods = [...documentedAuthMethods, 'private_key_jwt'] as const satisfies ClientAuthMethod[];

/** Whether clients of the method get a secret. */
export function hasSecret(method: ClientAuthMethod): boolean {
  return method !== 'none' && method !== 'private_key_jwt';
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
  return authMethod === 'private_key_jwt' || secretDigest !== null;
}
