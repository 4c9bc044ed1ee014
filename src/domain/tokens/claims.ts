import { isDeepStrictEqual } from 'node:util';
import type { Services } from '../../services.ts';
import type { AskedClaims } from '../../store/authorization-parameters.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { TokenUser } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { type ClaimsMapping, claimOf, type MappableName, mappableClaims } from '../accounts/claims-mapping.ts';
import { fullName, isEmailVerified } from '../users/names.ts';
import { mappedNames, standardClaims } from './standard-claims.ts';
import { subjectOf } from './subject.ts';

/** Claims that every account tells, with the scope that each belongs to (OpenID Connect Core §5.4). */
const own: readonly (readonly [claim: string, scope: string])[] = [
  ...['name', 'given_name', 'family_name', 'preferred_username', 'updated_at'].map(
    (name) => [name, 'profile'] as const,
  ),
  ['email', 'email'],
  ['email_verified', 'email'],
  ['groups', 'groups'],
];

/** The scope of each claim about the user that there is; an account tells its own and those that it maps. */
export const claimScopes: ReadonlyMap<string, string> = new Map([
  ...own,
  ...Object.entries(mappableClaims).map(([name, { scope }]) => [claimOf(name as MappableName), scope] as const),
]);

/** The claims about the user that an account with this mapping tells. */
export function offeredClaims(mapping: ClaimsMapping): readonly string[] {
  return [...new Set([...own.map(([name]) => name), ...mappedNames(mapping)])];
}

/** Whether userinfo alone answers the claims of this scope, once there is an access token (OpenID Connect Core §5.4). */
export function isUserinfoScope(name: string): boolean {
  return ['profile', 'email', 'address', 'phone'].includes(name);
}

/** What decides which claims are told. */
interface Telling {
  /** Of the grant. */
  readonly scope: readonly string[];
  /** Those of its scopes whose claims are told without being requested one by one; all of them by default. */
  readonly told?: readonly string[];
  readonly asked?: AskedClaims | undefined;
}

/**
 * The claims about the user that the scope permits (OpenID Connect Core §5.4), and those requested one by one (§5.5).
 * `groups` holds role names. Absent values are left out, and so are requested claims without the requested value.
 */
export async function userClaims(
  { store, vault }: Pick<Services, 'store' | 'vault'>,
  account: Account,
  client: Pick<ClientRecord, 'sector'>,
  user: TokenUser,
  { scope, told = scope, asked = {} }: Telling,
): Promise<Record<string, unknown>> {
  const sub = subjectOf({ vault }, account, client, user);
  const wanted = new Set([...told, ...Object.keys(asked).map((name) => claimScopes.get(name) ?? '')]);
  const mapped = await standardClaims({ store }, account, user, (name) => wanted.has(name));
  const known: Record<string, unknown> = {
    ...mapped,
    ...profileClaims(user, scope, mapped['preferred_username']),
    ...emailClaims(user),
    ...(wanted.has('groups') && { groups: await roleNames({ store }, user) }),
  };
  const claims: Record<string, unknown> = { sub };
  for (const [name, value] of Object.entries(known)) {
    if (told.includes(claimScopes.get(name) ?? '') || isAsked(asked, name, value)) claims[name] = value;
  }
  return claims;
}

/** Whether a claim is requested by itself, with this value or any. */
function isAsked(asked: AskedClaims, name: string, value: unknown): boolean {
  const values = Object.hasOwn(asked, name) ? asked[name] : undefined;
  if (values === undefined || values === null) return values === null;
  return values.some((one) => isDeepStrictEqual(one, value));
}

/** The names of a user's roles, in order of assignment. */
export async function roleNames({ store }: Pick<Services, 'store'>, user: TokenUser): Promise<string[]> {
  return (await store.roles.ofUser(user.accountId, user.id)).map(({ name }) => name);
}

/** The user name. For a user without one, the e-mail address, if the scope includes it anyway. */
export function preferredName(user: TokenUser, scope: readonly string[]): string | null {
  if (!isNamed(user) && !scope.includes('email')) return null;
  return user.username ?? user.email;
}

/** Whether the user has a user name that is not the e-mail address. */
function isNamed({ username, email }: TokenUser): boolean {
  return username !== null && username.toLowerCase() !== email?.toLowerCase();
}

function emailClaims(user: TokenUser): Record<string, unknown> {
  return user.email === null ? {} : { email: user.email, email_verified: isEmailVerified(user) };
}

/** `mapped`: what stands in for the user name of a user without one. */
function profileClaims(user: TokenUser, scope: readonly string[], mapped: unknown): Record<string, unknown> {
  const name = fullName(user);
  const username = (isNamed(user) ? user.username : mapped) ?? preferredName(user, scope);
  return {
    ...(name && { name }),
    ...(user.firstname && { given_name: user.firstname }),
    ...(user.lastname && { family_name: user.lastname }),
    ...(username && { preferred_username: username }),
    updated_at: Math.floor(user.updatedAt / 1000),
  };
}
