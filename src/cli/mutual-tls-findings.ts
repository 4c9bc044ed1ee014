/** Whether certificates of clients reach the accounts that count them (RFC 8705, RFC 9440). */

import type { Config } from '../config.ts';
import type { Account } from '../domain/accounts/account.ts';
import { certificateOrigin } from '../domain/accounts/addresses.ts';
import { degraded, type Finding, ok } from './finding.ts';

const layer = 'mutual TLS';

interface Doubt {
  readonly detail: string;
  readonly remedy: string;
}

/** What keeps them away, or null; `trustProxy` as the service has it. */
export function doubtMutualTls(
  { trustProxy }: Pick<Config, 'trustProxy'>,
  { subdomain, baseUrl, settings }: Pick<Account, 'subdomain' | 'baseUrl' | 'settings'>,
): Doubt | null {
  if (settings.mutualTls === 'off') return null;
  const set = `${subdomain} has mutual_tls=${settings.mutualTls}`;
  if (trustProxy.length === 0) {
    const detail = `${set}, but TRUST_PROXY is empty: requests with a certificate are answered 400`;
    return { detail, remedy: 'set TRUST_PROXY to the address of the proxy' };
  }
  const asked = certificateOrigin(settings) ?? baseUrl;
  if (asked.startsWith('https:')) return null;
  const detail = `${set}, but ${asked} has no TLS, and mutual_tls_origin names no other address`;
  return { detail, remedy: 'set mutual_tls_origin to the address where the proxy asks for certificates' };
}

/** One finding for all accounts that are well, and one for each other; none where nobody counts certificates. */
export function examineMutualTls(config: Pick<Config, 'trustProxy'>, accounts: readonly Account[]): Finding[] {
  const counting = accounts.filter(({ settings }) => settings.mutualTls !== 'off');
  const doubts = counting.map((account) => doubtMutualTls(config, account)).filter((doubt) => doubt !== null);
  const well = counting.length - doubts.length;
  return [
    ...(well > 0
      ? [ok(layer, `${well} ${well === 1 ? 'account takes' : 'accounts take'} certificates of clients`)]
      : []),
    ...doubts.map(({ detail, remedy }) => degraded(layer, detail, remedy)),
  ];
}
