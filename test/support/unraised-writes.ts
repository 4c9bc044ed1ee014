/**
 * Which statements may write a table that something depends on without passing Knex's builder, behind which the store
 * writes what depends on it (src/store/knex/raising.ts).
 */

import { type Dependant, dependants } from '../../src/store/knex/dependants.ts';

const expected: readonly { readonly where: RegExp; readonly because: string }[] = [
  {
    where: /^insert into clients \(/,
    because: 'it writes what depends on new rows itself, or asks first whether anything does (hot.ts)',
  },
  {
    where: /^with "?added"? as \(insert into "?users"? \(.* "?counted"? as \(insert into "?user_counts"? \(/,
    because: 'it counts them itself (postgres/hot.ts)',
  },
  { where: /^insert into users \(/, because: 'it counts new users itself (sqlite/hot.ts)' },
  { where: /^update accounts set generation = generation \+ 1 where /, because: 'this is what depends on the rows' },
  {
    where:
      /^(insert into policies .* from accounts$|update clients set updated_at = created_at$|update hooks set shadow_set_at = updated_at where shadow_function is not null$|update policies set otp_required = 0 where otp_required <> 0$|delete from (clients|authorization_servers) where \(account_id, \w+\) in \(select account_id, object_id from removals where kind = )/,
    because: 'a migration: the generation of every account moves when it ends',
  },
];

const write = /\b(insert|update|delete)\s+(?:into\s+|from\s+)?(\w+)/gi;

interface Effect {
  readonly on: Dependant;
  readonly columns?: readonly string[];
}

/** Whether something depends on such a write; an update may name the columns that matter. */
function matters(text: string, operation: string, table: string): boolean {
  const effects = Object.entries(dependants).find(([name]) => name === table)?.[1] ?? {};
  const effect: Effect | undefined = Object.entries<Effect>(effects).find(([name]) => name === operation)?.[1];
  if (!effect) return false;
  return operation !== 'update' || !effect.columns || effect.columns.some((column) => text.includes(column));
}

/** Whether it is written as text and not listed. Knex puts the names of tables in quotation marks. */
export function isUnraised(sql: string): boolean {
  const text = sql.replaceAll(/\s+/g, ' ').trim();
  const found = [...text.matchAll(write)].some(([, operation = '', table = '']) =>
    matters(text, operation.toLowerCase(), table.toLowerCase()),
  );
  return found && !expected.some(({ where }) => where.test(text));
}
