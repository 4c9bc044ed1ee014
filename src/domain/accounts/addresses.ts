import type { Account } from './account.ts';

/**
 * Where clients may have called a path of the account: at its own address, and at the one where the proxy asks for their
 * certificates.
 */
export function addressesOf({ baseUrl, settings }: Pick<Account, 'baseUrl' | 'settings'>, path: string): string[] {
  const origin = certificateOrigin(settings);
  return origin === null ? [baseUrl + path] : [baseUrl + path, origin + path];
}

/** The second of these addresses, where there is one (RFC 8705 §5). */
export function certificateOrigin({ mutualTls, mutualTlsOrigin }: Account['settings']): string | null {
  return mutualTls === 'off' ? null : mutualTlsOrigin;
}
