/** Which grant types a client has: those that it registered, without those that a client of its kind never gets. */

import type { ClientRecord } from '../../store/clients.ts';
import type { AccountSettings } from '../accounts/settings.ts';
import { Failure } from '../failure.ts';
import { deviceGrant, exchangeGrant, type GrantType, knownGrantTypes } from './known-values.ts';

/** The members of a client that decide its grant types. */
type GrantTypeHolder = Pick<ClientRecord, 'grantTypes' | 'registeredBy' | 'subjectType' | 'linkedServers'>;

/**
 * The grant types that an open-registered client may have: only those in which a user decides on one of our pages. Such
 * a client never has tokens of its own and never handles a password. It may exchange tokens once an operator has linked
 * it to an API authorization server.
 */
const openGrantTypes: ReadonlySet<GrantType> = new Set([
  'authorization_code',
  'implicit',
  'refresh_token',
  deviceGrant,
] satisfies GrantType[]);

/** Grant types that only work if the account turned them on. */
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
 * Whether a client of this kind can register the grant type, even if it can use it only after it is linked. Open
 * registration does not give the implicit flow while the account has it off: if it is turned on later, it is for
 * clients that register then.
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
 * Whether a client with these subjects may have the grant type: an open-registered one with pairwise subjects may not
 * have the device grant. Without a redirect nothing proves that it controls the host whose sector it names.
 */
export function fitsSubjects(
  { registeredBy, subjectType }: Pick<ClientRecord, 'registeredBy' | 'subjectType'>,
  grantType: GrantType,
): boolean {
  return registeredBy === 'token' || subjectType === 'public' || grantType !== deviceGrant;
}

/**
 * Whether the client may use the grant type now, whatever its row holds: the row may be older than the rule. Every
 * check of a client's grant types goes through this function or those below.
 */
export function hasGrantType(client: GrantTypeHolder, grantType: GrantType): boolean {
  if (!client.grantTypes.includes(grantType) || !fitsSubjects(client, grantType)) return false;
  if (client.registeredBy === 'token' || openGrantTypes.has(grantType)) return true;
  return grantType === exchangeGrant && client.linkedServers > 0;
}

/** The grant types that the client may use now, in stored order. */
export function grantTypesOf(client: GrantTypeHolder): readonly GrantType[] {
  return client.grantTypes.filter((grantType) => hasGrantType(client, grantType));
}

/** Throws `client_not_authorized` (RFC 6749 §5.2, `unauthorized_client`). */
export function requireGrantType(client: GrantTypeHolder, grantType: GrantType): void {
  if (!hasGrantType(client, grantType)) throw new Failure('client_not_authorized');
}
