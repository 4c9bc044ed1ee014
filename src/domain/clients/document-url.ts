/**
 * Clients that are known by a metadata document (OAuth Client ID Metadata Document, draft-ietf-oauth-client-id-metadata-
 * document): their `client_id` is its https address. Identifiers of registered clients are hexadecimal, so the two never
 * meet.
 */

import type { Account } from '../accounts/account.ts';

/** In characters, as the contracts allow a `client_id`. */
export const longestDocumentUrl = 255;

/** Whether the `client_id` is an address, of whatever quality. */
export function isDocumentId(clientId: string): boolean {
  return clientId.startsWith('https://');
}

/** Why an address cannot be a `client_id`, or null (§3 of the draft; with a longer path than `/`, as MCP asks). */
export function documentUrlFault(text: string): string | null {
  if (text.length > longestDocumentUrl) return `is longer than ${longestDocumentUrl} characters`;
  if (text.includes('#')) return 'has a fragment';
  const parsed = /^[\x21-\x7e]+$/.test(text) ? URL.parse(text) : null;
  if (parsed?.protocol !== 'https:') return 'is not an https URL';
  if (/^[^/?]*@/.test(text.slice('https://'.length))) return 'has a user part';
  // Dot segments, in whatever spelling, hosts in capitals or other notations, and port 443 would be written otherwise.
  if (parsed.href !== text) return 'is not written in normal form: a path, no dot segments, no default port';
  return parsed.pathname === '/' ? 'has no path' : null;
}

/** Whether the account takes the client with this identifier now. All registered ones are taken. */
export function isWelcome({ settings }: Pick<Account, 'settings'>, clientId: string): boolean {
  const { documentHosts: hosts } = settings;
  if (!isDocumentId(clientId) || hosts === 'any') return true;
  return hosts !== 'off' && hosts.includes(URL.parse(clientId)?.host ?? '');
}
