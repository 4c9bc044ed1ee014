import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord, UserUpdate } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { type FullUser, readFullUser } from './full-user.ts';
import { cleared, type UserInput } from './user-input.ts';

/** The locked user, where a change leaves everything as it is; else null. */
export async function findUnchanged(
  tx: Pick<StoreVerbs, 'users' | 'roles' | 'attributes'>,
  account: Pick<Account, 'id'>,
  user: UserRecord,
  changes: UserUpdate,
  input: Pick<UserInput, 'roleIds' | 'roleId' | 'customAttributes'>,
): Promise<FullUser | null> {
  // The keys are those of the names.
  const { emailKey: _email, usernameKey: _username, ...members } = changes;
  const isOther = (held: object) =>
    Object.entries(members).some(([name, value]) => name in held && held[name as keyof typeof held] !== value);
  if (isOther(user)) return null;
  const held = await readFullUser(tx, account, user.id);
  if (isOther(held) || !hasRoles(held, input)) return null;
  const attributes = Object.entries(input.customAttributes ?? {});
  const isSame = attributes.every(([name, text]) => held.customAttributes[name] === (cleared(text) ?? null));
  return isSame ? held : null;
}

function hasRoles({ roleIds: held }: FullUser, { roleIds, roleId }: Pick<UserInput, 'roleIds' | 'roleId'>): boolean {
  const wanted = new Set(roleIds ?? []);
  if (roleIds !== undefined && (wanted.size !== held.length || !held.every((id) => wanted.has(id)))) return false;
  return roleId === undefined || (roleId || null) === (held[0] ?? null);
}
