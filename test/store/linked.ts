/** Users, apps and roles for lists that follow links. */

import { openPostgres } from '../../src/store/knex/postgres/engine.ts';
import { openSqlite } from '../../src/store/knex/sqlite/engine.ts';
import type { ListFilter } from '../../src/store/listing.ts';
import type { StoreVerbs } from '../../src/store/store.ts';
import { ask } from '../support/rows.ts';
import { wayTo } from '../support/way.ts';
import { newAccount, newClient, newUser, now, unique } from './samples.ts';

export const linkedTo = (field: string, ...values: number[]): ListFilter => ({ field, test: 'in', values });

/** Users, apps and roles in a new account. */
export async function newLinked(store: StoreVerbs) {
  const { id: accountId } = await newAccount(store);
  const userIds: number[] = [];
  const appIds: number[] = [];
  const roleIds: number[] = [];
  for (let number = 0; number < 12; number += 1) {
    userIds.push((await newUser(store, accountId, { firstname: number % 2 === 0 ? 'Even' : 'Odd' })).id);
  }
  for (let number = 0; number < 6; number += 1) {
    appIds.push((await newClient(store, accountId)).appId);
    roleIds.push((await store.roles.create({ accountId, name: unique(), createdAt: now })).id);
  }
  return { accountId, userIds, appIds, roleIds };
}

/** Bypasses the verbs, which add one user at a time. */
export async function addUsers(url: string, accountId: number, count: number): Promise<number[]> {
  const open = url.startsWith('sqlite:') ? openSqlite : openPostgres;
  const engine = open({ ...wayTo(url), log: () => {}, waitMilliseconds: 60_000 });
  const common = { account_id: accountId, status: 1, invalid_login_attempts: 0, created_at: now, updated_at: now };
  const rows = Array.from({ length: count }, (_, index) => ({ ...common, email: `u${index}`, email_key: `u${index}` }));
  await engine.db.batchInsert('users', rows, 200);
  await engine.close();
  const [first] = await ask(url, `select id from users where account_id = ${accountId} and email = 'u0'`);
  // No other rows are added meanwhile.
  return rows.map((_, index) => Number(first?.['id']) + index);
}
