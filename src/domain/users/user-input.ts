/** Input for creating or changing a user, parsed member by member. */

import type { Services } from '../../services.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserDetails, UserRecord, UserState, UserStatus } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { setFields } from '../audit/events.ts';
import { Failure } from '../failure.ts';
import type { Authority } from '../means/authority.ts';
import { effectivePolicy, policyOfNewUser } from '../policies/effective-policy.ts';
import { readText } from '../text.ts';
import { importDigest } from './imported-passwords.ts';
import { digestAnyPassword, digestNewPassword } from './set-password.ts';

type Text = string | null | undefined;

/** Undefined members stay as they are; null and the empty text clear, and so does 0 for numbers. */
export interface UserInput {
  readonly email?: Text;
  /** Whether the address, this one or the one that stays, was verified elsewhere. */
  readonly emailVerified?: boolean | undefined;
  readonly username?: Text;
  readonly firstname?: Text;
  readonly lastname?: Text;
  readonly title?: Text;
  readonly department?: Text;
  readonly company?: Text;
  readonly phone?: Text;
  readonly comment?: Text;
  readonly externalId?: Text;
  readonly preferredLocaleCode?: Text;
  readonly groupId?: number | null | undefined;
  readonly managerUserId?: number | null | undefined;
  readonly policyId?: number | null | undefined;
  readonly status?: UserStatus | undefined;
  readonly state?: UserState | undefined;
  /** All roles of the user. */
  readonly roleIds?: readonly number[] | null | undefined;
  /** For an existing user: replaces the role that was assigned first. */
  readonly roleId?: number | null | undefined;
  /** Values by short name. */
  readonly customAttributes?: Readonly<Record<string, string | null>> | null | undefined;
  readonly password?: Text;
  readonly passwordConfirmation?: Text;
  readonly passwordAlgorithm?: Text;
  readonly salt?: Text;
  /** If false, a password that breaks the rules is accepted. */
  readonly validatePolicy: boolean;
  /** What the caller may do. */
  readonly authority: Authority;
}

/** The names of the given members, for the trail. */
export function fieldsOf(input: UserInput): string[] {
  return setFields({ ...input, validatePolicy: undefined, authority: undefined });
}

/** A text: undefined leaves it, the empty text clears it. */
export function cleared(text: Text): string | null | undefined {
  return text === '' ? null : text;
}

function readOptional(name: string, text: Text, most?: number): string | null {
  const value = cleared(text) ?? null;
  return value === null ? null : readText(name, value, most);
}

export type Profile = Omit<UserDetails, 'invitationSentAt'> & {
  readonly firstname: string | null;
  readonly lastname: string | null;
};

const numbers = ['groupId', 'managerUserId', 'policyId'] as const satisfies readonly (keyof Profile)[];

/** Texts of the profile that have the same name everywhere. */
export const plainTexts = {
  firstname: 'firstname',
  lastname: 'lastname',
  title: 'title',
  department: 'department',
  company: 'company',
  phone: 'phone',
} as const;

/** By wire name. The type requires every member of the profile: one that is not mapped does not compile. */
const texts = {
  ...plainTexts,
  externalId: 'external_id',
  preferredLocaleCode: 'preferred_locale_code',
} as const satisfies Record<Exclude<keyof Profile, (typeof numbers)[number] | 'comment' | 'state'>, string>;

/** The given members, in stored form. Throws `value_invalid` with the wire name. */
export function readProfile(input: UserInput): Partial<Profile> {
  const profile: Record<string, string | number | null> = {};
  for (const [member, name] of Object.entries(texts)) {
    const text = input[member as keyof typeof texts];
    if (text !== undefined) profile[member] = readOptional(name, text);
  }
  if (input.comment !== undefined) profile['comment'] = readOptional('comment', input.comment, 1024);
  for (const member of numbers) {
    const value = input[member];
    // Clients that cannot leave a number out send 0.
    if (value !== undefined) profile[member] = value === 0 ? null : value;
  }
  if (input.state !== undefined) profile['state'] = input.state;
  return profile as Partial<Profile>;
}

/** Throws `value_invalid` when the manager is not a user of the account. */
export async function requireManager(
  tx: Pick<StoreVerbs, 'users'>,
  account: Pick<Account, 'id'>,
  { managerUserId }: Partial<Profile>,
): Promise<void> {
  if (managerUserId == null || (await tx.users.find(account.id, managerUserId))) return;
  const message = `unknown user in manager_user_id: ${managerUserId}`;
  throw new Failure('value_invalid', { name: 'manager_user_id', message });
}

/** What a new password is judged and digested by. */
export type PasswordServices = Pick<Services, 'passwords'> & { readonly store: Pick<StoreVerbs, 'policies' | 'roles'> };

/**
 * The digest of the new password; undefined when none is given. `former` is null for a new user; for an existing user
 * the policy in force before the change decides. Throws `value_invalid`.
 */
export async function readPassword(
  services: PasswordServices,
  account: Account,
  former: UserRecord | null,
  input: UserInput,
): Promise<string | undefined> {
  const { password, passwordConfirmation, passwordAlgorithm, salt, validatePolicy } = input;
  if (passwordConfirmation && passwordConfirmation !== password) {
    const message = 'password_confirmation does not match password';
    throw new Failure('value_invalid', { name: 'password_confirmation', message });
  }
  if (!password) return undefined;
  if (passwordAlgorithm) return importDigest(passwordAlgorithm, salt ?? '', password);
  if (!validatePolicy) return digestAnyPassword(services, account, password);
  const policy = former
    ? await effectivePolicy(services, account, former, null)
    : await policyOfNewUser(services, account, input.policyId, input.roleIds ?? []);
  const nameOf = (member: 'email' | 'username' | 'firstname' | 'lastname') =>
    cleared(input[member]) ?? former?.[member] ?? null;
  const owner = {
    email: nameOf('email'),
    username: nameOf('username'),
    firstname: nameOf('firstname'),
    lastname: nameOf('lastname'),
  };
  return digestNewPassword(services, account, owner, policy, password);
}

/**
 * Stores the custom attributes of users by their ids; part of a transaction. Throws `value_invalid` for an undefined
 * short name.
 */
export async function setAttributes(
  tx: Pick<StoreVerbs, 'attributes'>,
  account: Pick<Account, 'id'>,
  given: ReadonlyMap<number, UserInput['customAttributes']>,
): Promise<void> {
  if (![...given.values()].some((values) => values && Object.keys(values).length > 0)) return;
  const known = await attributeIdsOf(tx, account);
  const values = [...given].flatMap(([userId, values]) =>
    readAttributes(known, values).map((value) => ({ userId, ...value })),
  );
  await tx.attributes.setValues(account.id, values);
}

/** Ids by short name. */
export async function attributeIdsOf(
  tx: Pick<StoreVerbs, 'attributes'>,
  { id }: Pick<Account, 'id'>,
): Promise<ReadonlyMap<string, number>> {
  return new Map((await tx.attributes.list(id)).map(({ shortname, id }) => [shortname, id]));
}

/** Throws `value_invalid` for an undefined short name, and for a value that is too long. */
export function requireAttributes(known: ReadonlyMap<string, number>, values: UserInput['customAttributes']): void {
  readAttributes(known, values);
}

function readAttributes(known: ReadonlyMap<string, number>, values: UserInput['customAttributes']) {
  return Object.entries(values ?? {}).map(([shortname, value]) => {
    const name = `custom_attributes.${shortname.slice(0, 64)}`;
    const attributeId = known.get(shortname);
    if (attributeId !== undefined) return { attributeId, value: readOptional(name, value) };
    const message = shortname === '' ? 'custom_attributes has an empty short name' : `${name} is not defined`;
    throw new Failure('value_invalid', { name, message });
  });
}
