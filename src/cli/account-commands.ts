import type { Command } from 'commander';
import type { Account } from '../domain/accounts/account.ts';
import { createAccount, listAccounts, setAccount } from '../domain/accounts/accounts.ts';
import { settingNames } from '../domain/accounts/settings.ts';
import { type Answer, addCommand, addGroup, collect, type Outlet, readPairs } from './command.ts';
import { fields, table } from './output.ts';
import { withServices } from './session.ts';

export function addAccountCommands(program: Command, outlet: Outlet): void {
  const group = addGroup(program, 'account', 'customers of the service');
  addCommand<{ name?: string; host?: string[] }>(group, 'create <subdomain>', 'create an account', outlet, (call) =>
    withServices(async (services) => {
      const { name, host } = call.options;
      return one(await createAccount(services, { subdomain: call.args[0] as string, name, hosts: host }));
    }),
  )
    .option('--name <name>', 'shown on the hosted pages; the subdomain by default')
    .option('--host <host>', 'extra host that the account answers on; may be repeated', collect);
  addCommand(group, 'list', 'list all accounts', outlet, () =>
    withServices(async (services) => many(await listAccounts(services))),
  );
  addCommand(
    group,
    'set <subdomain> <pairs...>',
    'change settings: key=value; key= restores the default',
    outlet,
    (call) =>
      withServices(async (services) =>
        one(await setAccount(services, call.args[0] as string, readPairs(call.args[1] as string[]))),
      ),
  ).addHelpText('after', `\nSettings: ${settingNames.join(', ')}`);
}

function represent({ id, subdomain, baseUrl, hosts }: Account) {
  return { account_id: id, subdomain, base_url: baseUrl, hosts };
}

function one(account: Account): Answer {
  return { json: represent(account), text: fields({ ...represent(account), ...account.record.settings }) };
}

function many(accounts: readonly Account[]): Answer {
  return {
    json: accounts.map(represent),
    text: table(
      ['id', 'subdomain', 'base url', 'hosts'],
      accounts.map(({ id, subdomain, baseUrl, hosts }) => [id, subdomain, baseUrl, hosts.join(', ')]),
    ),
  };
}
