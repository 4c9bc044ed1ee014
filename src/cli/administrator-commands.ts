import type { Command } from 'commander';
import { removeAdministrator, setAdministrator } from '../domain/administrators/administrators.ts';
import { administratorScopes } from '../domain/callers/scopes.ts';
import { accountOption, addCommand, addGroup, collect, type OfAccount, type Outlet } from './command.ts';
import { addYesOption, type Confirmable, confirm } from './confirm.ts';
import { addLimitOption, type Limited, listItems, readLimit } from './listing.ts';
import { fields, isoTime, table } from './output.ts';
import { withAccount } from './session.ts';
import { called, type OfUser, ofUser, whom } from './whom.ts';

export function addAdministratorCommands(program: Command, outlet: Outlet): void {
  const group = addGroup(program, 'administrator', 'users who manage the account at its console');
  const add = addCommand<OfUser & { scope: string[] }>(
    group,
    'add',
    'give a user scopes of the management API, in place of those that the user has',
    outlet,
    ({ options }) => {
      const find = whom(options);
      return withAccount(options.account, async (services, account) => {
        const user = await find(services.store, account);
        const { scopes } = await setAdministrator(services, account, user.id, options.scope);
        return { json: { user_id: user.id, scopes }, text: fields({ user: called(user), scopes }) };
      });
    },
  );
  ofUser(add).requiredOption('--scope <scope>', `${administratorScopes.join(', ')}; may be repeated`, collect);
  addList(group, outlet);
  const remove = addCommand<OfUser & Confirmable>(
    group,
    'remove',
    'take all scopes from a user',
    outlet,
    ({ options }) => {
      const find = whom(options);
      return withAccount(options.account, async (services, account) => {
        const user = await find(services.store, account);
        await confirm(`${called(user)} is no administrator any more`, options);
        await removeAdministrator(services, account, user.id);
        return { json: { user_id: user.id, removed: true }, text: `${called(user)} is no administrator any more\n` };
      });
    },
  );
  addYesOption(ofUser(remove));
}

function addList(group: Command, outlet: Outlet): void {
  const list = addCommand<OfAccount & Limited>(group, 'list', 'list administrators', outlet, ({ options }) => {
    const limit = readLimit(options.limit);
    return withAccount(options.account, async ({ store }, account) => {
      const wanted = { sort: 'user_id', filters: [], limit };
      const found = await listItems((query) => store.administrators.page(account.id, query), wanted);
      const rows: (string | number)[][] = [];
      for (const { userId, scopes, createdAt } of found) {
        const user = await store.users.find(account.id, userId);
        rows.push([userId, user ? called(user) : '', scopes.join(', '), isoTime(createdAt)]);
      }
      return {
        json: found.map(({ userId, scopes, createdAt }) => ({
          user_id: userId,
          scopes,
          created_at: isoTime(createdAt),
        })),
        text: table(['id', 'user', 'scopes', 'since'], rows),
      };
    });
  });
  addLimitOption(list.requiredOption(...accountOption));
}
