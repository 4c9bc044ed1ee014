/** The only way in which others than the user themselves create users: one, or many at once. */

import type { StoreVerbs } from '../../store/store.ts';
import type { Milliseconds } from '../../store/time.ts';
import { userStatuses } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { type AuditServices, recordEvent } from '../audit/record.ts';
import { heldUntil } from '../means/authority.ts';
import { requireFollowed } from '../policies/policies.ts';
import { giveRoles, replaceFirstRole } from '../roles/roles-of-user.ts';
import { type Names, readNames } from './names.ts';
import {
  cleared,
  fieldsOf,
  type PasswordServices,
  type Profile,
  readPassword,
  readProfile,
  requireManager,
  setAttributes,
  type UserInput,
} from './user-input.ts';

/** A user to be created, of whom nothing is stored yet. */
export interface NewUser {
  readonly input: UserInput;
  readonly names: Names;
  readonly profile: Partial<Profile>;
  readonly passwordDigest: string | null;
}

/** Throws `value_invalid` for an invalid value. */
export async function readNewUser(services: PasswordServices, account: Account, input: UserInput): Promise<NewUser> {
  const names = readNames(cleared(input.email) ?? null, cleared(input.username) ?? null);
  const profile = readProfile(input);
  return { input, names, profile, passwordDigest: (await readPassword(services, account, null, input)) ?? null };
}

/**
 * Creates users, each active with a password, else unactivated, unless a status is given; part of a transaction, which
 * must end if this fails. Returns their ids in order. Throws `value_invalid` for an unknown reference, `conflict` (name
 * `email` or `username`) when another user has the name.
 */
export async function addUsers(
  services: AuditServices,
  tx: StoreVerbs,
  account: Account,
  users: readonly NewUser[],
): Promise<readonly number[]> {
  const now = services.clock.now();
  for (const { profile } of users) {
    await requireManager(tx, account, profile);
    await requireFollowed(tx, account, profile);
  }
  const created = await tx.users.createAll(users.map((user) => recordOf(account, user, now)));
  const inputs = new Map(users.map(({ input }, place) => [created[place]?.id ?? Number.NaN, input]));
  for (const [id, input] of inputs) {
    const target = { type: 'user', id } as const;
    await recordEvent(tx, services, account, { action: 'user.created', target, detail: { fields: fieldsOf(input) } });
  }
  await setAttributes(tx, account, new Map([...inputs].map(([id, { customAttributes }]) => [id, customAttributes])));
  await giveRoles(services, tx, account, new Map([...inputs].map(([id, { roleIds }]) => [id, roleIds ?? []])), now);
  for (const [id, { roleId }] of inputs) {
    if (roleId !== undefined) await replaceFirstRole(services, tx, account, id, roleId || null, now);
  }
  return [...inputs.keys()];
}

function recordOf(account: Pick<Account, 'id'>, { input, names, profile, passwordDigest }: NewUser, now: Milliseconds) {
  const status = input.status ?? (passwordDigest === null ? userStatuses.unactivated : userStatuses.active);
  return {
    accountId: account.id,
    firstname: null,
    lastname: null,
    ...names,
    ...profile,
    status,
    passwordDigest,
    invalidLoginAttempts: 0,
    lockedUntil: null,
    lastLogin: null,
    passwordChangedAt: passwordDigest === null ? null : now,
    activatedAt: status === userStatuses.active ? now : null,
    createdAt: now,
    updatedAt: now,
    verifiedEmail: input.emailVerified ? names.email : null,
    emailHeldUntil: names.email === null ? null : heldUntil(input.authority, now),
  };
}
