/** What is done with a user who exists. */

import type { Command } from 'commander';
import { Failure } from '../domain/failure.ts';
import { type ListFilter, matching } from '../domain/listing.ts';
import { requireRole } from '../domain/roles/full-role.ts';
import { readFullUser } from '../domain/users/full-user.ts';
import { foldIdentifier } from '../domain/users/identifiers.ts';
import { createInviteLink } from '../domain/users/invite-links.ts';
import { fullName } from '../domain/users/names.ts';
import { userStatusNames } from '../domain/users/user-status.ts';
import { removeUser } from '../domain/users/users.ts';
import { unlockUser } from '../domain/users/write-user.ts';
import { accountOption, addCommand, type OfAccount, type Outlet } from './command.ts';
import { addYesOption, type Confirmable, confirm } from './confirm.ts';
import { addLimitOption, type Limited, listItems, readLimit } from './listing.ts';
import { fields, isoTime, table } from './output.ts';
import { readOne } from './pairs.ts';
import { withAccount } from './session.ts';
import { called, type OfUser, ofUser, whom } from './whom.ts';

interface Filters {
  readonly email?: string;
  readonly username?: string;
  readonly status?: string;
  readonly role?: string;
}

/** Names are compared folded, as they are unique. Throws `value_invalid`. */
function readFilters({ email, username, status }: Filters): ListFilter[] {
  const filters: ListFilter[] = [];
  for (const [name, text] of Object.entries({ email, username })) {
    if (text === undefined) continue;
    const { values, ...filter } = matching(name, text);
    const key = foldIdentifier(String(values[0]));
    if (key === null) throw new Failure('value_invalid', { name, message: `no user can have this ${name}` });
    filters.push({ ...filter, values: [key] });
  }
  if (status !== undefined) {
    const named = readOne(status, 'status', Object.values(userStatusNames));
    const [number] = Object.entries(userStatusNames).find(([, name]) => name === named) ?? [];
    filters.push({ field: 'status', test: 'is', values: [Number(number)] });
  }
  return filters;
}

export function addUserLists(group: Command, outlet: Outlet): void {
  const list = addCommand<OfAccount & Limited & Filters>(group, 'list', 'list users', outlet, ({ options }) => {
    const limit = readLimit(options.limit);
    const filters = readFilters(options);
    return withAccount(options.account, async ({ store }, account) => {
      if (options.role !== undefined) {
        filters.push({ field: 'role', test: 'in', values: [(await requireRole(store, account, options.role)).id] });
      }
      const users = await listItems((query) => store.users.page(account.id, query), { sort: 'id', filters, limit });
      return {
        json: users.map(({ id, email, username, status }) => ({
          id,
          email,
          username,
          status: userStatusNames[status],
        })),
        text: table(
          ['id', 'email', 'username', 'status', 'name'],
          users.map((user) => [user.id, user.email, user.username, userStatusNames[user.status], fullName(user)]),
        ),
      };
    });
  });
  addLimitOption(list.requiredOption(...accountOption))
    .option('--email <email>', 'only users with this address; * at an end stands for anything')
    .option('--username <name>', 'only users with this user name; * at an end stands for anything')
    .option('--status <status>', `only users with this status: ${Object.values(userStatusNames).join(', ')}`)
    .option('--role <name>', 'only users with this role');
  const show = addCommand<OfUser>(group, 'show', 'show a user', outlet, ({ options }) => {
    const find = whom(options);
    return withAccount(options.account, async ({ store }, account) => {
      const user = await readFullUser(store, account, (await find(store, account)).id);
      const roles = await store.roles.ofUser(account.id, user.id);
      const policy = user.policyId === null ? null : await store.policies.find(account.id, user.policyId);
      const json = {
        id: user.id,
        email: user.email,
        username: user.username,
        firstname: user.firstname,
        lastname: user.lastname,
        status: userStatusNames[user.status],
        roles: roles.map(({ name }) => name),
        policy: policy?.name ?? null,
        created_at: isoTime(user.createdAt),
        last_login: isoTime(user.lastLogin),
        locked_until: isoTime(user.lockedUntil),
      };
      return { json: { ...json, custom_attributes: user.customAttributes }, text: fields(json) };
    });
  });
  ofUser(show);
}

export function addUserVerbs(group: Command, outlet: Outlet): void {
  const invite = addCommand<OfUser>(
    group,
    'invite',
    'create a link, for 72 hours, to the page on which a user chooses a password',
    outlet,
    ({ options }) => {
      const find = whom(options);
      return withAccount(options.account, async (services, account) => {
        const user = await find(services.store, account);
        const link = await createInviteLink(services, account, user);
        return { json: { email: options.email ?? user.email, link }, text: `${link}\n` };
      });
    },
  );
  ofUser(invite);
  const unlock = addCommand<OfUser>(
    group,
    'unlock',
    'end the pause after wrong passwords or codes',
    outlet,
    ({ options }) => {
      const find = whom(options);
      return withAccount(options.account, async (services, account) => {
        const user = await find(services.store, account);
        const { id, email } = user;
        await unlockUser(services, account, id, 'all');
        return { json: { id, email, unlocked: true }, text: `${called(user)} is unlocked\n` };
      });
    },
  );
  ofUser(unlock);
  const remove = addCommand<OfUser & Confirmable>(
    group,
    'delete',
    'delete a user with everything that was granted',
    outlet,
    ({ options }) => {
      const find = whom(options);
      return withAccount(options.account, async (services, account) => {
        const user = await find(services.store, account);
        const name = called(user);
        await confirm(`the user ${name} is deleted with everything that was granted`, options);
        await removeUser(services, account, user.id);
        return { json: { id: user.id, deleted: true }, text: `${name} is deleted\n` };
      });
    },
  );
  addYesOption(ofUser(remove));
}
