/** Objects with more rows than their removal clears itself, written past the store. */

import type { ConsumptionOutcome } from '../../src/store/consumption.ts';
import type { GrantRecord } from '../../src/store/grants.ts';
import type { ClearedSlice } from '../../src/store/removals.ts';
import { ask, execute } from '../support/rows.ts';
import { type Cast, now, present, unique } from './samples.ts';
import type { Subject } from './suite.ts';

/** More than a removal clears in its own transaction. */
export const many = 250;

/** Clears until nothing waits; throws where that fails. */
export async function clearAll({ store }: Pick<Subject, 'store'>): Promise<ClearedSlice[]> {
  const slices: ClearedSlice[] = [];
  for (let slice = await store.clearRemoved(100); slice; slice = await store.clearRemoved(100)) {
    if ('error' in slice) throw slice.error;
    slices.push(slice);
  }
  return slices;
}

export async function count({ url }: Subject, from: string): Promise<number> {
  const [row] = await ask(url, `select count(*) as number from ${from}`);
  return Number(row?.['number']);
}

/** Repeats a row with numbers from 1 in place of `:n`. */
export async function fill(
  { url }: Pick<Subject, 'url'>,
  table: string,
  columns: string,
  values: string,
  rows = many,
): Promise<void> {
  const numbers = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${rows})`;
  await execute(
    url,
    `insert into ${table} (${columns}) ${numbers} select ${values.replaceAll(':n', 'n')} from numbers`,
  );
}

/** `serverId`: the only API that they are for. */
export async function fillGrants(
  subject: Pick<Subject, 'url'>,
  { accountId, appId, userId }: Cast,
  rows = many,
  serverId: number | null = null,
): Promise<void> {
  const columns = `account_id, app_id, user_id, server_id, scope, amr, authenticated_at, generation, idle_expires_at,
    absolute_expires_at, created_at`;
  const values = `${accountId}, ${appId}, ${userId}, ${serverId}, '["openid"]', '[]', 0, 0, ${now * 2}, ${now * 2}, 0`;
  await fill(subject, 'grants', columns, values, rows);
}

/** So many users, by their ids. */
export async function fillUsers(subject: Subject, accountId: number): Promise<number[]> {
  const columns = 'account_id, username, username_key, status, invalid_login_attempts, created_at, updated_at';
  const prefix = unique('member');
  await fill(subject, 'users', columns, `${accountId}, '${prefix}' || :n, '${prefix}' || :n, 1, 0, 0, 0`);
  const found = await ask(subject.url, `select id from users where username like '${prefix}%' order by id`);
  return found.map(({ id }) => Number(id));
}

export async function consume({ store }: Subject, grant: GrantRecord): Promise<ConsumptionOutcome['outcome'] | string> {
  const [outcome] = await store.grants.consumeAll([present(grant)]);
  return outcome?.outcome === 'refused' ? outcome.reason : (outcome?.outcome ?? 'nothing');
}
