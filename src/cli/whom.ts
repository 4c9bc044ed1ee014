/** Naming a user on the command line: by e-mail address, or by user name, which users without an address have. */

import { type Command, CommanderError } from 'commander';
import type { Account } from '../domain/accounts/account.ts';
import { requireNamedUser, requireUser } from '../domain/users/users.ts';
import type { StoreVerbs } from '../store/store.ts';
import type { UserRecord } from '../store/users.ts';
import { accountOption, type OfAccount } from './command.ts';

export interface Whom {
  readonly email?: string | undefined;
  readonly username?: string | undefined;
}

export type OfUser = OfAccount & Whom;

/** Finds the user; throws `not_found`. */
type Find = (store: Pick<StoreVerbs, 'users'>, account: Pick<Account, 'id'>) => Promise<UserRecord>;

export function ofUser(command: Command): Command {
  return command
    .requiredOption(...accountOption)
    .option('--email <email>', 'whom, by e-mail address')
    .option('--username <name>', 'whom, by user name');
}

/** A line that names nobody is incomplete, and its writer gets the help. */
export function requireNames({ email, username }: Whom): void {
  if (email !== undefined || username !== undefined) return;
  throw new CommanderError(2, 'gatehouse.whom', 'error: --email or --username must be given');
}

export function whom({ email, username }: Whom): Find {
  requireNames({ email, username });
  if (email !== undefined && username !== undefined) {
    throw new CommanderError(2, 'gatehouse.whom', 'error: --email and --username cannot both be given');
  }
  return (store, account) =>
    email === undefined ? requireNamedUser(store, account, username ?? '') : requireUser(store, account, email);
}

/** As people know the user. */
export function called({ id, email, username }: Pick<UserRecord, 'id' | 'email' | 'username'>): string {
  return email ?? username ?? `user ${id}`;
}
