import type { Command } from 'commander';
import type { Account } from '../domain/accounts/account.ts';
import { Failure } from '../domain/failure.ts';
import { requireRoleIds } from '../domain/roles/full-role.ts';
import type { UserInput } from '../domain/users/user-input.ts';
import { type SettableStatus, settableStatuses, userStatusNames } from '../domain/users/user-status.ts';
import { createUser, unlockUser, updateUser } from '../domain/users/write-user.ts';
import type { StoreVerbs } from '../store/store.ts';
import type { UserRecord } from '../store/users.ts';
import { type Answer, accountOption, addCommand, addGroup, collect, type Outlet, readSecret } from './command.ts';
import { fields } from './output.ts';
import { keysOf, type PairReaders, readMembers, readWords } from './pairs.ts';
import { addPeopleCommands } from './people-commands.ts';
import { withAccount } from './session.ts';
import { addUserLists, addUserVerbs } from './user-verbs.ts';
import { type OfUser, ofUser, requireNames, whom } from './whom.ts';

interface NewUserOptions {
  readonly account: string;
  readonly email?: string;
  readonly username?: string;
  readonly password?: string;
  readonly firstname?: string;
  readonly lastname?: string;
  readonly role?: readonly string[];
}

export function addUserCommands(program: Command, outlet: Outlet): void {
  const group = addGroup(program, 'user', 'people who sign in');
  addCommand<NewUserOptions>(
    group,
    'create',
    'create a user: active with a password, otherwise unactivated',
    outlet,
    async (call) => {
      const { account: subdomain, password, role: roles, ...names } = call.options;
      requireNames(names);
      const changes = {
        ...pickNames(names),
        roles,
        ...(password !== undefined && { password: await readPassword(password) }),
      };
      return withAccount(subdomain, async (services, account) =>
        one(await createUser(services, account, await inputOf(services.store, account, changes))),
      );
    },
  )
    .requiredOption(...accountOption)
    .option('--email <email>', 'e-mail address')
    .option('--username <name>', 'another name to sign in with, or the only one')
    .option('--password <password>', '8 to 256 characters; - reads it from standard input')
    .option('--firstname <name>', 'first name')
    .option('--lastname <name>', 'last name')
    .option('--role <name>', 'a role that the user gets; may be repeated', collect);
  const set = addCommand<OfUser>(group, 'set <pairs...>', 'change a user: key=value', outlet, async (call) => {
    const find = whom(call.options);
    const changes = await readMembers<UserChanges>(call.args[0] as string[], readers);
    return withAccount(call.options.account, async (services, account) => {
      const { id, status } = await find(services.store, account);
      const input = await inputOf(services.store, account, changes);
      const changed = await updateUser(services, account, id, input);
      // For an active user this is how an operator ends a pause.
      if (changes.status === 'active' && status === settableStatuses.active) {
        await unlockUser(services, account, id, input.authority);
      }
      return one(changed);
    });
  });
  ofUser(set).addHelpText('after', `${keysOf(readers)}\nstatus is ${Object.keys(settableStatuses).join(', ')}`);
  addUserLists(group, outlet);
  addUserVerbs(group, outlet);
  addPeopleCommands(group, outlet);
}

function pickNames({ email, username, firstname, lastname }: Omit<NewUserOptions, 'account' | 'password' | 'role'>) {
  return { email, username, firstname, lastname };
}

/** Members to set, as typed; null clears. */
interface UserChanges {
  readonly email?: string | null | undefined;
  readonly username?: string | null | undefined;
  readonly password?: string;
  readonly firstname?: string | null | undefined;
  readonly lastname?: string | null | undefined;
  readonly status?: SettableStatus;
  /** Names of all roles that the user will have. */
  readonly roles?: readonly string[] | undefined;
}

/** The input for the domain, with the ids of the roles; throws `not_found` for an unknown one. */
async function inputOf(
  store: Pick<StoreVerbs, 'roles'>,
  account: Pick<Account, 'id'>,
  { roles, status, ...members }: UserChanges,
): Promise<UserInput> {
  return {
    ...members,
    ...(status && { status: settableStatuses[status] }),
    ...(roles && { roleIds: await requireRoleIds(store, account, roles) }),
    validatePolicy: true,
    authority: 'all',
  };
}

/** How each key of `user set` becomes a change; an empty value clears where that is possible. */
const readers: PairReaders<UserChanges> = {
  email: (text) => ({ email: text || null }),
  username: (text) => ({ username: text || null }),
  firstname: (text) => ({ firstname: text || null }),
  lastname: (text) => ({ lastname: text || null }),
  password: async (text) => ({ password: await readPassword(text) }),
  status: (text) => ({ status: readStatus(text) }),
  roles: (text) => ({ roles: readWords(text) }),
};

async function readPassword(text: string): Promise<string> {
  const password = await readSecret('password', text);
  if (password) return password;
  throw new Failure('value_invalid', { name: 'password', message: 'password is empty' });
}

function readStatus(text: string): SettableStatus {
  if (Object.hasOwn(settableStatuses, text)) return text as SettableStatus;
  const message = `status must be one of ${Object.keys(settableStatuses).join(', ')}`;
  throw new Failure('value_invalid', { name: 'status', message });
}

function one({ id, email, username, status }: UserRecord): Answer {
  const json = { id, email, username, status: userStatusNames[status] };
  return { json, text: fields(json) };
}
