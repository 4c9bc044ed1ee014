import type { Services } from '../../services.ts';
import type { AskedClaims } from '../../store/authorization-parameters.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { TokenUser } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { fullName, isEmailVerified } from '../users/names.ts';
import { subjectOf } from './subject.ts';

/** The scope that each claim about the user belongs to (OpenID Connect Core §5.4). */
export const claimScopes: ReadonlyMap<string, string> = new Map([
  ...['name', 'given_name', 'family_name', 'preferred_username', 'updated_at'].map(
    (name) => [name, 'profile'] as const,
  ),
  ['email', 'email'],
  ['email_verified', 'email'],
  ['groups', 'groups'],
]);

/** Whether userinfo alone answers the claims of this scope, once there is an access token (OpenID Connect Core §5.4). */
export function isUserinfoScope(name: string): boolean {
  return name === 'profile' || name === 'email';
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
  { scope, told = scope, asked }: Telling,
): Promise<Record<string, unknown>> {
  const claims: Record<string, unknown> = { sub: subjectOf({ vault }, account, client, user) };
  if (told.includes('profile')) Object.assign(claims, profileClaims(user, scope));
  if (told.includes('email')) Object.assign(claims, emailClaims(user));
  if (told.includes('groups')) claims['groups'] = await roleNames({ store }, user);
  if (asked) await addAsked({ store }, user, claims, scope, asked);
  return claims;
}

async function addAsked(
  { store }: Pick<Services, 'store'>,
  user: TokenUser,
  claims: Record<string, unknown>,
  scope: readonly string[],
  asked: AskedClaims,
): Promise<void> {
  const known = { ...profileClaims(user, scope), ...emailClaims(user) };
  if ('groups' in asked) known['groups'] = await roleNames({ store }, user);
  for (const [name, values] of Object.entries(asked)) {
    const value = known[name];
    const fits = values === null || values.some((one) => JSON.stringify(one) === JSON.stringify(value));
    // A claim that the scope permits is included whatever its value.
    if (value !== undefined && fits) claims[name] ??= value;
  }
}

/** The names of a user's roles, in order of assignment. */
export async function roleNames({ store }: Pick<Services, 'store'>, user: TokenUser): Promise<string[]> {
  return (await store.roles.ofUser(user.accountId, user.id)).map(({ name }) => name);
}

/** The user name. For a user without one, the e-mail address, if the scope includes it anyway. */
export function preferredName({ username, email }: TokenUser, scope: readonly string[]): string | null {
  const isAddress = username === null || username.toLowerCase() === email?.toLowerCase();
  if (isAddress && !scope.includes('email')) return null;
  return username ?? email;
}

function emailClaims(user: TokenUser): Record<string, unknown> {
  return user.email === null ? {} : { email: user.email, email_verified: isEmailVerified(user) };
}

function profileClaims(user: TokenUser, scope: readonly string[]): Record<string, unknown> {
  const name = fullName(user);
  const username = preferredName(user, scope);
  return {
    ...(name && { name }),
    ...(user.firstname && { given_name: user.firstname }),
    ...(user.lastname && { family_name: user.lastname }),
    ...(username && { preferred_username: username }),
    updated_at: Math.floor(user.updatedAt / 1000),
  };
}
