/** The variables that the functions of hooks read. */

import type { Command } from 'commander';
import type { Account } from '../domain/accounts/account.ts';
import { Failure } from '../domain/failure.ts';
import { changeVariable, createVariable, removeVariable } from '../domain/hooks/variables.ts';
import type { Services } from '../services.ts';
import { accountOption, addCommand, addGroup, type OfAccount, type Outlet, readSecret } from './command.ts';
import { addYesOption, type Confirmable, confirm } from './confirm.ts';
import { listItems } from './listing.ts';
import { isoTime, table } from './output.ts';
import { readPairs } from './pairs.ts';
import { withAccount } from './session.ts';

export function addVariableCommands(group: Command, outlet: Outlet): void {
  const variables = addGroup(group, 'env', 'variables that the functions of hooks read');
  addCommand<OfAccount>(variables, 'list', 'list variables; values are not shown', outlet, ({ options }) =>
    withAccount(options.account, async ({ store }, account) => {
      const all = await store.hookVariables.list(account.id);
      const json = all.map(({ name, updatedAt }) => ({ name, updated_at: isoTime(updatedAt) }));
      return {
        json,
        text: table(
          ['name', 'updated'],
          json.map(({ name, updated_at: at }) => [name, at]),
        ),
      };
    }),
  ).requiredOption(...accountOption);
  addCommand<OfAccount>(
    variables,
    'set <name=value>',
    'create a variable, or change its value; name=- reads it from standard input',
    outlet,
    async ({ args: [pair], options }) => {
      const [[name, text] = ['', '']] = Object.entries(readPairs([String(pair)]));
      const value = await readSecret(name, text);
      return withAccount(options.account, async (services, account) => {
        const known = await findVariable(services, account, name);
        if (known) await changeVariable(services, account, known.uuid, { value });
        else await createVariable(services, account, name, value);
        return { json: { name, created: !known }, text: `${name} is ${known ? 'changed' : 'created'}\n` };
      });
    },
  ).requiredOption(...accountOption);
  const remove = addCommand<OfAccount & Confirmable>(
    variables,
    'delete <name>',
    'delete a variable',
    outlet,
    ({ args: [name], options }) =>
      withAccount(options.account, async (services, account) => {
        const known = await findVariable(services, account, String(name));
        if (!known) throw new Failure('not_found', { name: 'variable', message: `there is no variable ${name}` });
        const hooks = await listItems((query) => services.store.hooks.page(account.id, query), { sort: 'created_at' });
        const readers = hooks.filter(({ definition }) => definition.variableIds.includes(known.id));
        if (readers.length > 0) {
          const uuids = readers.map(({ hook }) => hook.uuid).join(', ');
          const message = `${known.name} is read by the hooks ${uuids}: push versions without it first`;
          throw new Failure('conflict', { name: 'variable', message });
        }
        await confirm(`the variable ${known.name} is deleted`, options);
        await removeVariable(services, account, known.uuid);
        return { json: { name: known.name, deleted: true }, text: `${known.name} is deleted\n` };
      }),
  );
  addYesOption(remove.requiredOption(...accountOption));
}

async function findVariable({ store }: Pick<Services, 'store'>, account: Account, name: string) {
  return (await store.hookVariables.list(account.id)).find((one) => one.name === name);
}
