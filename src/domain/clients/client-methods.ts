/** The ways in which clients authenticate (RFC 7591 §2, OpenID Connect Core §9). */

import type { ClientAuthMethod } from '../../store/client-metadata.ts';
import type { ClientRecord } from '../../store/clients.ts';

/** Those of the document's §2.1. */
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
 * Whether anybody can speak as the client, or register another like it: nothing that it does vouches for who does it, and
 * what one source does through all such clients has a common bound.
 */
export function isAnybodys({ authMethod, registeredBy }: Pick<ClientRecord, 'authMethod' | 'registeredBy'>): boolean {
  return authMethod === 'none' || registeredBy === 'open';
}

/** Whether a client can show who it is (RFC 6749 §2.1); one whose secret was not made yet cannot. */
export function isConfidential({
  authMethod,
  secretDigest,
}: Pick<ClientRecord, 'authMethod' | 'secretDigest'>): boolean {
  return authMethod === 'private_key_jwt' || secretDigest !== null;
}
