/**
 * Writes what depends on a write (dependants.ts), behind it in the same transaction. Every statement that is built with
 * Knex passes here, so that no function of the store has to think of it.
 */

import type { Knex } from 'knex';
import { chunks } from './chunks.ts';
import { accountColumn, type Dependant, dependantOf, type Write } from './dependants.ts';
import { dialectOf } from './dialect.ts';
import type { DbRow } from './shape.ts';
import { addToCount, recountUsers } from './user-counts.ts';
import { numbersIn, type Statement, writeOf } from './written.ts';

type Rows = (table: string) => Knex.QueryBuilder;

interface Wrote {
  readonly client: Knex.Client;
  readonly statement: Statement;
  readonly write: Write;
  readonly answer: unknown;
}

function rowsOn(client: Knex.Client): Rows {
  return (table) => client.queryBuilder().from(table);
}

/** By any number: who compares it looks only whether it is the same. */
async function raiseGeneration(client: Knex.Client, accountId: number): Promise<void> {
  await rowsOn(client)('accounts').where('id', accountId).increment('generation', 1);
}

/** A trigger for older releases adds it as well, so it may be there. */
async function addDefaultPolicy(client: Knex.Client, accountId: number): Promise<void> {
  const rows = rowsOn(client);
  const account: DbRow | undefined = await rows('accounts').where('id', accountId).first('created_at');
  if (!account || (await rows('policies').where({ account_id: accountId, is_default: 1 }).first('id'))) return;
  const times = { created_at: account['created_at'], updated_at: account['created_at'] };
  await rows('policies').insert({ account_id: accountId, name: 'Default', is_default: 1, ...times });
}

/** Names the account itself: a distributed database hands it on to no subquery. */
const linkedServers = `(select count(*) from authorization_server_clients l
  where l.account_id = ? and l.app_id = clients.app_id)`;

/**
 * Counts again instead of adding, so that a trigger for older releases, which adds, does no harm. The rows are locked
 * first: the count is a statement of its own, which sees the links of everyone who had them locked.
 */
async function countLinkedServers(client: Knex.Client, accountId: number, appIds: readonly number[]): Promise<void> {
  const clients = () => rowsOn(client)('clients').where('account_id', accountId).whereIn('app_id', appIds);
  await dialectOf({ client }).lock(() => clients().orderBy('app_id').select('app_id'), 'forNoKeyUpdate');
  await clients().update({ linked_servers: client.raw(linkedServers, [accountId]) });
}

/** Everything that depends on the rows of an account. False when there is no such account. */
export async function raiseAll({ client }: Knex, accountId: number): Promise<boolean> {
  const rows = rowsOn(client);
  if ((await rows('accounts').where('id', accountId).first('id')) === undefined) return false;
  await addDefaultPolicy(client, accountId);
  const wrong = rows('clients')
    .where('account_id', accountId)
    .whereRaw(`linked_servers <> ${linkedServers}`, [accountId]);
  const found: { app_id: number }[] = await wrong.select('app_id');
  const appIds = found.map((row) => Number(row.app_id));
  for await (const some of chunks(appIds)) await countLinkedServers(client, accountId, some);
  // Locks the account's row: of two that count at once, the second sees what the first has added.
  await raiseGeneration(client, accountId);
  await recountUsers(client, accountId);
  return true;
}

/** Users that a statement adds; below 0, that it takes away: they are not counted any more. */
function addedUsers({ operation, rows }: Write, answer: unknown, accountId: number): number {
  if (operation === 'insert') return rows.filter((row) => Number(row['account_id']) === accountId).length;
  return -(Array.isArray(answer) ? answer.length : Number(answer));
}

const raise: Readonly<Record<Dependant, (wrote: Wrote, accountId: number) => Promise<void>>> = {
  generation: ({ client }, accountId) => raiseGeneration(client, accountId),
  default_policy: ({ client }, accountId) => addDefaultPolicy(client, accountId),
  linked_servers: ({ client, statement, write, answer }, accountId) =>
    countLinkedServers(client, accountId, numbersIn(statement, write, 'app_id', answer)),
  user_count: ({ client, write, answer }, accountId) =>
    addToCount(client, accountId, addedUsers(write, answer, accountId)),
};

/** No row was changed. An insert does not say. */
function isVain({ operation }: Write, answer: unknown): boolean {
  if (operation === 'insert') return false;
  return Array.isArray(answer) ? answer.length === 0 : answer === 0;
}

/** Whether it is the client of a transaction. */
function isTransacting(client: Knex.Client): boolean {
  return 'transacting' in client && client.transacting === true;
}

/** What `Knex.Client.runner` answers: it sends one statement. */
export interface Runner {
  run(): Promise<unknown>;
}

/** The runner, which also writes what depends on the statement. Outside a transaction it makes one of both. */
export function raising<Given extends Runner>(client: Knex.Client, statement: Statement, runner: Given): Given {
  const write = writeOf(statement);
  const on = write && dependantOf(write);
  if (!write || !on) return runner;
  const send = runner.run.bind(runner);
  const inTransaction = async () => {
    const answer = await send();
    if (isVain(write, answer)) return answer;
    for (const accountId of numbersIn(statement, write, accountColumn(write.table), answer)) {
      await raise[on]({ client, statement, write, answer }, accountId);
    }
    return answer;
  };
  const inOwn = () =>
    client.transaction(async (tx: Knex.Transaction) => statement.clone().transacting(tx), {}, undefined);
  return Object.assign(runner, { run: isTransacting(client) ? inTransaction : async () => inOwn() });
}
