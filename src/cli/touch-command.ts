import type { Command } from 'commander';
import { Failure } from '../domain/failure.ts';
import { addCommand, type Outlet } from './command.ts';
import { fields } from './output.ts';
import { withStore } from './session.ts';

const explanation = `
The service writes what depends on a row together with the row: an account's generation, by which each process knows
that what it keeps in memory is old, the number of APIs that an app is linked to, and the default policy. A statement of
your own does not. Run this after it; all is in force when the command exits.`;

export function addTouchCommand(group: Command, outlet: Outlet): void {
  const summary = 'after changes by hand: write what depends on them, and have every process read its accounts again';
  addCommand<{ account?: string }>(group, 'touch', summary, outlet, ({ options }) =>
    withStore(async (store) => {
      const all = await store.accounts.list();
      const touched = all.filter(({ subdomain }) => options.account === undefined || subdomain === options.account);
      if (options.account !== undefined && touched.length === 0) {
        throw new Failure('not_found', { name: 'account', message: `There is no account ${options.account}` });
      }
      for (const { id } of touched) await store.accounts.touch(id);
      const json = { accounts: touched.map(({ subdomain }) => subdomain) };
      return { json, text: fields(json) };
    }),
  )
    .option('--account <subdomain>', 'only this account; default: all')
    .addHelpText('after', explanation);
}
