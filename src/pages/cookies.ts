/** The two cookies of the hosted pages (RFC 6265): opaque, for this host only, unreadable to scripts. */

import type { Account } from '../domain/accounts/account.ts';
import type { BrowserState } from '../domain/login/authorization-request.ts';

/**
 * `sid` opens the session; `tx` binds sign-ins in progress to the browser. On https both carry the prefix `__Host-`,
 * which keeps a sibling account's host from setting them (RFC 6265bis §4.1.3.2).
 */
type CookieName = 'sid' | 'tx';

function isSecure(account: Account): boolean {
  return account.baseUrl.startsWith('https:');
}

function fullName(account: Account, name: CookieName): string {
  return isSecure(account) ? `__Host-${name}` : name;
}

/** The browser's cookies, for the sign-in `requestId`. */
export function browserState(
  account: Account,
  cookies: Readonly<Record<string, string | undefined>>,
  requestId: string | undefined,
): BrowserState {
  return {
    requestId,
    browserSecret: cookies[fullName(account, 'tx')],
    sessionSecret: cookies[fullName(account, 'sid')],
  };
}

/** A Set-Cookie value that clears the cookie. */
export function clearCookie(account: Account, name: CookieName): string {
  return `${setCookie(account, name, '')}; Max-Age=0`;
}

/** A Set-Cookie value: the cookie lasts until the browser closes, or the session ends. */
export function setCookie(account: Account, name: CookieName, secret: string): string {
  return `${fullName(account, name)}=${secret}; Path=/; HttpOnly; SameSite=Lax${isSecure(account) ? '; Secure' : ''}`;
}
