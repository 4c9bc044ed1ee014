import type { Command } from 'commander';
import { unknownAccount } from '../domain/accounts/accounts.ts';
import type { AccountRecord, AccountStore } from '../store/accounts.ts';
import { addCommand, type Outlet } from './command.ts';
import { fields } from './output.ts';
import { withStore } from './session.ts';

const explanation = `
The service writes what depends on a row together with the row: an account's generation, by which each process knows
that what it keeps in memory is old, the number of APIs that an app is linked to, and the default policy. A statement of
your own does not. Run this after it; all is in force when the command exits.`;

async function find(accounts: AccountStore, subdomain: string): Promise<AccountRecord> {
  const account = await accounts.findBySubdomain(subdomain);
  if (!account) throw unknownAccount(subdomain);
  return account;
}

export function addTouchCommand(group: Command, outlet: Outlet): void {
  const summary = 'after changes by hand: write what depends on them, and have every process read its accounts again';
  addCommand<{ account?: string }>(group, 'touch', summary, outlet, ({ options }) =>
    withStore(async ({ accounts }) => {
      const touched = options.account === undefined ? await accounts.list() : [await find(accounts, options.account)];
      for (const { id } of touched) await accounts.touch(id);
      const json = { accounts: touched.map(({ subdomain }) => subdomain) };
      return { json, text: fields(json) };
    }),
  )
    .option('--account <subdomain>', 'only this account; default: all')
    .addHelpText('after', explanation);
}
