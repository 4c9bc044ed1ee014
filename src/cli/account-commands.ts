import type { Command } from 'commander';
import type { Account } from '../domain/accounts/account.ts';
import { createAccount, listAccounts, setAccount } from '../domain/accounts/accounts.ts';
import { showSettings } from '../domain/accounts/settings.ts';
import { type Answer, addCommand, addGroup, collect, type Outlet } from './command.ts';
import { note, readSettings } from './invocation.ts';
import { doubtMutualTls } from './mutual-tls-findings.ts';
import { fields, table } from './output.ts';
import { readPairs } from './pairs.ts';
import { withAccount, withServices } from './session.ts';
import { settingsText } from './settings-text.ts';

const settingHelp = `
Settings:
${settingsText(showSettings(), ({ name, fallback }) => `${name} (default: ${fallback || 'none'})`)}`;

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
  addCommand(group, 'show <subdomain>', 'show an account, and each setting with what it means', outlet, (call) =>
    withAccount(call.args[0] as string, async (_services, account) => explained(account)),
  );
  addCommand(
    group,
    'set <subdomain> <pairs...>',
    'change settings: key=value; key= restores the default',
    outlet,
    (call) =>
      withServices(async (services) => {
        const pairs = readPairs(call.args[1] as string[]);
        const account = await setAccount(services, call.args[0] as string, pairs);
        const isAsked = Object.keys(pairs).some((name) => name.startsWith('mutual_tls'));
        const doubt = isAsked ? doubtMutualTls(readSettings(), account) : null;
        if (doubt) note(`warning: ${doubt.detail}; ${doubt.remedy}`);
        return one(account);
      }),
  ).addHelpText('after', settingHelp);
}

function represent({ id, subdomain, baseUrl, hosts }: Account) {
  return { account_id: id, subdomain, base_url: baseUrl, hosts };
}

/** With the value in force of each setting, by name. */
function withSettings(account: Account) {
  const settings = showSettings(account.record.settings).map(({ name, value }) => [name, value]);
  return { ...represent(account), name: account.name, settings: Object.fromEntries(settings) };
}

function one(account: Account): Answer {
  return { json: withSettings(account), text: fields({ ...represent(account), ...account.record.settings }) };
}

function explained(account: Account): Answer {
  const shown = showSettings(account.record.settings);
  const settings = settingsText(shown, ({ name, value, fallback }) =>
    value === fallback ? `${name}=${value}` : `${name}=${value} (default: ${fallback || 'none'})`,
  );
  return { json: withSettings(account), text: `${fields({ ...represent(account), name: account.name })}\n${settings}` };
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
