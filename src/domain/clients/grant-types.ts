/** Which grant types a client has: those it registered for, less what a client of its kind never gets. */

import type { ClientRecord } from '../../store/clients.ts';
import type { AccountSettings } from '../accounts/settings.ts';
import { Failure } from '../failure.ts';
import { deviceGrant, exchangeGrant, type GrantType, knownGrantTypes } from './known-values.ts';

/** As much of a client as decides it. */
type GrantTypeHolder = Pick<ClientRecord, 'grantTypes' | 'registeredBy' | 'linkedServers'>;

/**
 * What a client that registered in the open may have: only what a user decides about on a page of ours. It never has
 * tokens of its own, and no password passes through it; it exchanges tokens once an operator linked it to an API
 * authorization server.
 */
const openGrantTypes: ReadonlySet<GrantType> = new Set([
  'authorization_code',
  'implicit',
  'refresh_token',
  deviceGrant,
] satisfies GrantType[]);

/** What runs only where the account turned it on. */
const switches = { password: 'passwordGrant', implicit: 'implicitGrant' } as const;

/** The grant types that the account offers. */
export function offeredGrantTypes(settings: Pick<AccountSettings, (typeof switches)[keyof typeof switches]>) {
  const switched = Object.keys(switches) as (keyof typeof switches)[];
  const isSwitched = (grantType: GrantType) => Object.hasOwn(switches, grantType);
  return [
    ...knownGrantTypes.filter((one) => !isSwitched(one)),
    ...switched.filter((one) => settings[switches[one]]),
  ] satisfies GrantType[];
}

/**
 * Whether a client of this kind can be registered for the grant type, be it for use once it is linked. Nobody gets the
 * implicit flow in the open from an account that has it off: turned on later, it is for clients that ask then.
 */
export function canRegisterFor(
  { registeredBy, implicitGrant }: Pick<ClientRecord, 'registeredBy'> & Pick<AccountSettings, 'implicitGrant'>,
  grantType: GrantType,
): boolean {
  if (registeredBy === 'token') return true;
  if (grantType === 'implicit') return implicitGrant;
  return openGrantTypes.has(grantType) || grantType === exchangeGrant;
}

/**
 * Whether the client may use the grant type now, whatever its row holds: it may be older than the rule. Every use of a
 * client's grant types asks here, or with the functions below.
 */
export function hasGrantType(client: GrantTypeHolder, grantType: GrantType): boolean {
  if (!client.grantTypes.includes(grantType)) return false;
  if (client.registeredBy === 'token' || openGrantTypes.has(grantType)) return true;
  return grantType === exchangeGrant && client.linkedServers > 0;
}

/** The grant types that the client may use now, in the order in which they are stored. */
export function grantTypesOf(client: GrantTypeHolder): readonly GrantType[] {
  return client.grantTypes.filter((grantType) => hasGrantType(client, grantType));
}

/** Throws `client_not_authorized` (RFC 6749 §5.2, `unauthorized_client`). */
export function requireGrantType(client: GrantTypeHolder, grantType: GrantType): void {
  if (!hasGrantType(client, grantType)) throw new Failure('client_not_authorized');
}
