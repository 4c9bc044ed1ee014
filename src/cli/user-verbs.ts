/** What is done with a user who exists. */

import type { Command } from 'commander';
import { Failure } from '../domain/failure.ts';
import { type ListFilter, matching } from '../domain/listing.ts';
import { requireRole } from '../domain/roles/full-role.ts';
import { readFullUser } from '../domain/users/full-user.ts';
import { foldIdentifier } from '../domain/users/identifiers.ts';
import { requireInviteLink } from '../domain/users/invite-links.ts';
import { fullName } from '../domain/users/names.ts';
import { userStatusNames } from '../domain/users/user-status.ts';
import { removeUser, requireUser } from '../domain/users/users.ts';
import { unlockUser } from '../domain/users/write-user.ts';
import { accountOption, addCommand, type OfAccount, type Outlet } from './command.ts';
import { addYesOption, type Confirmable, confirm } from './confirm.ts';
import { addLimitOption, type Limited, listItems, readLimit } from './listing.ts';
import { fields, isoTime, table } from './output.ts';
import { readOne } from './pairs.ts';
import { withAccount } from './session.ts';

type OfUser = OfAccount & { readonly email: string };

function ofUser(command: Command): Command {
  return command.requiredOption(...accountOption).requiredOption('--email <email>', 'whom');
}

interface Filters {
  readonly email?: string;
  readonly status?: string;
  readonly role?: string;
}

/** Addresses are compared folded, as they are unique. Throws `value_invalid`. */
function readFilters({ email, status }: Filters): ListFilter[] {
  const filters: ListFilter[] = [];
  if (email !== undefined) {
    const { values, ...filter } = matching('email', email);
    const key = foldIdentifier(String(values[0]));
    if (key === null) throw new Failure('value_invalid', { name: 'email', message: 'email is not an address' });
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
        json: users.map(({ id, email, status }) => ({ id, email, status: userStatusNames[status] })),
        text: table(
          ['id', 'email', 'username', 'status', 'name'],
          users.map((user) => [user.id, user.email, user.username, userStatusNames[user.status], fullName(user)]),
        ),
      };
    });
  });
  addLimitOption(list.requiredOption(...accountOption))
    .option('--email <email>', 'only users with this address; * at an end stands for anything')
    .option('--status <status>', `only users with this status: ${Object.values(userStatusNames).join(', ')}`)
    .option('--role <name>', 'only users with this role');
  const show = addCommand<OfUser>(group, 'show', 'show a user', outlet, ({ options }) =>
    withAccount(options.account, async ({ store }, account) => {
      const user = await readFullUser(store, account, (await requireUser(store, account, options.email)).id);
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
    }),
  );
  ofUser(show);
}

export function addUserVerbs(group: Command, outlet: Outlet): void {
  const invite = addCommand<OfUser>(
    group,
    'invite',
    'create a link, for 72 hours, to the page on which a user chooses a password',
    outlet,
    ({ options }) =>
      withAccount(options.account, async (services, account) => {
        await requireUser(services.store, account, options.email);
        const link = await requireInviteLink(services, account, options.email);
        return { json: { email: options.email, link }, text: `${link}\n` };
      }),
  );
  ofUser(invite);
  const unlock = addCommand<OfUser>(group, 'unlock', 'end the pause after wrong passwords', outlet, ({ options }) =>
    withAccount(options.account, async (services, account) => {
      const { id, email } = await requireUser(services.store, account, options.email);
      await unlockUser(services, account, id, 'all');
      return { json: { id, email, unlocked: true }, text: `${email} is unlocked\n` };
    }),
  );
  ofUser(unlock);
  const remove = addCommand<OfUser & Confirmable>(
    group,
    'delete',
    'delete a user with everything that was granted',
    outlet,
    ({ options }) =>
      withAccount(options.account, async (services, account) => {
        const { id, email } = await requireUser(services.store, account, options.email);
        await confirm(`the user ${email} is deleted with everything that was granted`, options);
        await removeUser(services, account, id);
        return { json: { id, deleted: true }, text: `${email} is deleted\n` };
      }),
  );
  addYesOption(ofUser(remove));
}
