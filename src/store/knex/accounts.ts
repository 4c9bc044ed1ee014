import type { Knex } from 'knex';
import type { AccountRecord, AccountStore } from '../accounts.ts';
import { fixedRead, readRow } from './fixed-reads.ts';
import { raiseAll } from './raising.ts';
import * as rows from './rows.ts';
import type { DbRow } from './shape.ts';
import { together } from './transact.ts';

/** One row per host of each account, or one with null for an account without hosts. */
function read(found: readonly DbRow[]): AccountRecord[] {
  const accounts = new Map<unknown, { row: DbRow; hosts: string[] }>();
  for (const row of found) {
    const account = accounts.get(row['id']) ?? { row, hosts: [] };
    if (typeof row['host'] === 'string') account.hosts.push(row['host']);
    accounts.set(row['id'], account);
  }
  return [...accounts.values()].map(({ row, hosts }) => ({ ...rows.accounts.read(row), hosts }));
}

function select(db: Knex): Knex.QueryBuilder {
  return db('accounts')
    .leftJoin('account_hosts', 'account_hosts.account_id', 'accounts.id')
    .select('accounts.*', 'account_hosts.host')
    .orderBy(['accounts.id', 'account_hosts.position']);
}

async function insertHosts(db: Knex, accountId: number, hosts: readonly string[]): Promise<void> {
  if (hosts.length === 0) return;
  await db('account_hosts').insert(hosts.map((host, position) => ({ account_id: accountId, host, position })));
}

const generationOf = fixedRead('generation', 'select generation from accounts where id = ?');

/** `Store.generation`. */
export async function findGeneration(db: Knex, accountId: number): Promise<number | null> {
  const row = await readRow(db, generationOf, accountId);
  return row ? Number(row['generation']) : null;
}

export function accountVerbs(db: Knex): AccountStore {
  const one = async (query: Knex.QueryBuilder) => read(await query)[0] ?? null;
  return {
    create: ({ hosts, ...account }) =>
      together(db, async (tx) => {
        const [row] = await tx('accounts').insert(rows.accounts.write(account)).returning('*');
        await insertHosts(tx, row.id, hosts);
        return { ...rows.accounts.read(row), hosts };
      }),
    find: (id) => one(select(db).where('accounts.id', id)),
    findBySubdomain: (subdomain) => one(select(db).where('accounts.subdomain', subdomain)),
    findByHost: (host) =>
      one(select(db).where('accounts.id', db('account_hosts').select('account_id').where('host', host))),
    list: async () => read(await select(db)),
    update: (id, { hosts, ...changes }) =>
      together(db, async (tx) => {
        const row = rows.accounts.write(changes);
        if (Object.keys(row).length > 0) await tx('accounts').where('id', id).update(row);
        if (hosts && (await tx('accounts').where('id', id).first('id'))) {
          await tx('account_hosts').where('account_id', id).delete();
          await insertHosts(tx, id, hosts);
        }
        return read(await select(tx).where('accounts.id', id))[0] ?? null;
      }),
    touch: (id) => together(db, (tx) => raiseAll(tx, id)),
  };
}
