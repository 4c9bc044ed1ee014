/** Authorization requests and their codes, as the floors on both databases read and answer them. */

import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export const codeMilliseconds = 60_000;
export const sessionMilliseconds = 86_400_000;

/** What a browser brings from a client. */
export interface AskedCode {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scope: string;
  readonly state: string;
  readonly challenge: string;
}

/** The same of a client that may send it; `client` is its row. */
export interface GrantedCode extends AskedCode {
  readonly client: number | string;
}

/** Null for a request of another kind. */
export function readCodeRequest(query: string): AskedCode | null {
  const sent = Object.fromEntries(new URLSearchParams(query));
  const { client_id = '', redirect_uri = '', scope = '', state = '', code_challenge = '' } = sent;
  const isKnown = sent['response_type'] === 'code' && sent['code_challenge_method'] === 'S256';
  if (!isKnown) return null;
  return { clientId: client_id, redirectUri: redirect_uri, scope, state, challenge: code_challenge };
}

/** The secret in a cookie; empty without one. */
export function cookieOf(headers: IncomingHttpHeaders, name: 'sid' | 'tx'): string {
  return new RegExp(`(?:^|; )${name}=([\\w-]+)`).exec(headers.cookie ?? '')?.[1] ?? '';
}

/** Where the browser goes with its code. */
export function locationWith(code: string, { redirectUri, state }: AskedCode): string {
  return `${redirectUri}?${new URLSearchParams({ code, state, iss: 'http://floor' })}`;
}

export function challengeOf(verifier = ''): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
