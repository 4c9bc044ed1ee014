/** The known values of client metadata members. */

import type { ResponseType } from '../../store/client-metadata.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { SigningAlgorithm } from '../../store/keys.ts';

/** The values in the document's §2.1. */
export const documentedGrantTypes = [
  'authorization_code',
  'implicit',
  'password',
  'refresh_token',
  'client_credentials',
] as const;
/** RFC 8628 §3.4. */
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
/** RFC 8693 §2.1. */
export const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
/** All grant types. The type is derived from this list, and the table of handlers must cover it. */
export const knownGrantTypes = [...documentedGrantTypes, deviceGrant, exchangeGrant] as const;
export type GrantType = (typeof knownGrantTypes)[number];
export const knownResponseTypes: readonly ResponseType[] = ['code', 'id_token token', 'id_token'];
export const subjectTypes = ['public', 'pairwise'] as const satisfies ClientRecord['subjectType'][];
export const signingAlgorithms = ['RS256', 'PS256', 'ES256'] as const satisfies SigningAlgorithm[];
