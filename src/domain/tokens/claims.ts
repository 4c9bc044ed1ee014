import type { Services } from '../../services.ts';
import type { TokenUser } from '../../store/records.ts';
import { fullName } from '../users/names.ts';

/** Claims about the user that the scope permits (OpenID Connect Core §5.4); `groups` holds role names. Absent values are left out. */
export async function userClaims(
  { store }: Pick<Services, 'store'>,
  user: TokenUser,
  scope: readonly string[],
): Promise<Record<string, unknown>> {
  const claims: Record<string, unknown> = { sub: subjectOf(user) };
  if (scope.includes('profile')) Object.assign(claims, profileClaims(user));
  if (scope.includes('email') && user.email !== null) claims['email'] = user.email;
  if (scope.includes('groups')) claims['groups'] = await roleNames({ store }, user);
  return claims;
}

/** The names of a user's roles, in order of assignment. */
export async function roleNames({ store }: Pick<Services, 'store'>, user: TokenUser): Promise<string[]> {
  return (await store.roles.ofUser(user.accountId, user.id)).map(({ name }) => name);
}

/** The subject of all tokens about this user; a string (OpenID Connect Core §2). */
export function subjectOf(user: Pick<TokenUser, 'id'>): string {
  return String(user.id);
}

function profileClaims(user: TokenUser): Record<string, unknown> {
  const name = fullName(user);
  const username = user.username ?? user.email;
  return {
    ...(name && { name }),
    ...(user.firstname && { given_name: user.firstname }),
    ...(user.lastname && { family_name: user.lastname }),
    ...(username && { preferred_username: username }),
    updated_at: Math.floor(user.updatedAt / 1000),
  };
}
