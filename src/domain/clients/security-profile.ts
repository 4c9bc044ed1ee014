/**
 * FAPI 2.0 Security Profile: what it asks of a client beyond what everybody must do. It applies to all clients of an
 * account with `security_profile=fapi2`, and elsewhere to those that registered with this member.
 */

import type { AssertionAlgorithm } from '../../store/client-metadata.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { SigningAlgorithm } from '../../store/keys.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { assertionAlgorithms } from './client-keys.ts';
import { profiledAuthMethods, provesKey } from './client-methods.ts';

type Settled = Pick<Account, 'settings'>;
type Profiled = Pick<ClientRecord, 'extra'>;

/** How long the former refresh token is answered: an answer that got lost must not end the grant (§5.3.2.1). */
const graceSeconds = 60;

export function followsFapi({ settings }: Settled, { extra }: Profiled): boolean {
  return settings.securityProfile === 'fapi2' || extra.security_profile === 'fapi2';
}

/** §5.4.1: all but RS256. */
export function profiledAlgorithms<Algorithm extends string>(all: readonly Algorithm[], isFapi: boolean) {
  return isFapi ? all.filter((one) => one !== 'RS256') : all;
}

/** The algorithms that the client may sign with. */
export function clientAlgorithms(account: Settled, client: Profiled): readonly AssertionAlgorithm[] {
  return profiledAlgorithms(assertionAlgorithms, followsFapi(account, client));
}

/** The algorithm of what is signed for the client: PS256 in place of RS256, of which it is the successor. */
export function signingAlgorithmFor(
  account: Settled,
  client: Profiled,
  registered: SigningAlgorithm,
): SigningAlgorithm {
  return registered === 'RS256' && followsFapi(account, client) ? 'PS256' : registered;
}

/** §5.3.2.2: requests are pushed. */
export function mustPush(account: Settled, client: Profiled): boolean {
  return client.extra.require_pushed_authorization_requests === true || followsFapi(account, client);
}

export function refreshGraceSecondsOf(account: Settled, client: Profiled): number {
  const { refreshGraceSeconds } = account.settings;
  return followsFapi(account, client) ? Math.max(refreshGraceSeconds, graceSeconds) : refreshGraceSeconds;
}

/** §5.3.2.1: a client authenticates by its key. Throws `security_profile`. */
export function requireProfiledMethod(
  account: Settled,
  client: Profiled & Pick<ClientRecord, 'authMethod'>,
  challenged: boolean,
): void {
  if (provesKey(client.authMethod) || !followsFapi(account, client)) return;
  const methods = profiledAuthMethods(account.settings).join(' or ');
  throw new Failure('security_profile', {
    challenged,
    message: `FAPI 2.0 applies to this client, so it must authenticate by ${methods}`,
  });
}

/** §5.3.2.2: https, or http on a loopback host for a native application (RFC 8252 §7.3); what is wrong, or null. */
export function profiledRedirectFault(
  uri: string,
  { applicationType }: Pick<ClientRecord, 'applicationType'>,
): string | null {
  if (uri.startsWith('https:') || (uri.startsWith('http:') && applicationType === 'native')) return null;
  return 'must be https, or http on a loopback host for a native application (FAPI 2.0)';
}
