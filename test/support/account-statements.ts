/**
 * Judges whether a statement stays with one account: whether each table that is distributed by account is read and
 * written at a value of `account_id`. The planner of PostgreSQL says so: it hands a value on to all that is joined by
 * it, and Citus looks at what it handed on. A subquery that stays one gets none from the columns that it is correlated
 * by, and Citus would ask all nodes for it (its issue 4644).
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { placementOf } from '../../src/store/knex/postgres/distribution/placement.ts';
import { expectedCrossings } from './expected-crossings.ts';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Parent Relationship'?: string;
  readonly 'Subplan Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'CTE Name'?: string;
  readonly Alias?: string;
  readonly Operation?: string;
  readonly Output?: readonly string[];
  readonly Plans?: readonly PlanNode[];
}

/** The tables of a database, as `judge` needs them. */
interface Tables {
  readonly distributed: ReadonlySet<string>;
  readonly reference: ReadonlySet<string>;
  /** The place of `account_id` among the columns of each. */
  readonly accountAt: ReadonlyMap<string, number>;
}

async function readTables(client: pg.Client): Promise<Tables> {
  const { rows } = await client.query<{ table: string; name: string; at: number }>(
    `select c.relname as table, a.attname as name, a.attnum - 1 as at from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and a.attnum > 0 and not a.attisdropped`,
  );
  const tables = [...new Set(rows.map(({ table }) => table))].map(
    (table) => ({ kind: 'table', table, name: null }) as const,
  );
  const columns = rows.map(({ table, name }) => ({ kind: 'column', table, name }) as const);
  const { distributed, reference } = placementOf([...tables, ...columns]);
  const accounts = rows.filter(({ name }) => name === 'account_id');
  return {
    distributed: new Set(distributed),
    reference: new Set(reference),
    accountAt: new Map(accounts.map(({ table, at }) => [table, at])),
  };
}

function within(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(within)];
}

/** The parts of a condition that must all hold. */
function conjuncts(condition: string): string[] {
  const text = condition.trim();
  let depth = 0;
  let from = 0;
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (depth === 0 && at < text.length - 1 && text.startsWith(' AND ', at)) {
      parts.push(text.slice(from, at));
      from = at + ' AND '.length;
    }
  }
  parts.push(text.slice(from));
  if (parts.length > 1) return parts.flatMap(conjuncts);
  const isWrapped = text.startsWith('(') && closes(text) === text.length - 1;
  return isWrapped ? conjuncts(text.slice(1, -1)) : [text];
}

/** Where the parenthesis at the beginning ends. */
function closes(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')' && --depth === 0) return at;
  }
  return -1;
}

function conditionsOf(node: PlanNode): string[] {
  return Object.entries(node).flatMap(([key, value]) =>
    /(Cond|Filter)$/.test(key) && typeof value === 'string' ? conjuncts(value) : [],
  );
}

const ofAccount = /^(?:\((.*)\)::(?:bigint|integer)|(.*))$/;
const isValue = /^(\$\d+|\(?'\d+'::bigint\)?|\d+)$/;
const named = /^("[^"]+"|\w+)\.account_id$/;

/** The row, by its alias, whose account a condition compares with a value. */
function boundBy(condition: string): string[] {
  const sides = condition.split(' = ');
  if (sides.length !== 2) return [];
  const [left = '', right = ''] = sides.map((side) => {
    const [, cast, plain] = ofAccount.exec(side.trim()) ?? [];
    return cast ?? plain ?? '';
  });
  const [alias, value] = named.test(left) ? [named.exec(left)?.[1], right] : [named.exec(right)?.[1], left];
  return alias !== undefined && isValue.test(value) ? [alias] : [];
}

interface Place {
  readonly alias: string;
  readonly table: string;
}

/** The rows of distributed tables that a part of a plan reads. */
function placesIn(node: PlanNode, { distributed }: Tables): Place[] {
  return within(node).flatMap(({ 'Node Type': type, 'Relation Name': table = '', Alias: alias = table }) =>
    type !== 'ModifyTable' && distributed.has(table) ? [{ alias, table }] : [],
  );
}

/** Common tables and subqueries, each with the part of the plan that makes its rows. */
function derived(plan: PlanNode): { readonly alias: string; readonly from: PlanNode }[] {
  const all = within(plan);
  return all.flatMap((node) => {
    const { 'Node Type': type, Alias: alias = '', 'CTE Name': name } = node;
    const child = node.Plans?.[0];
    if (type === 'Subquery Scan' && child) return [{ alias, from: child }];
    const made = type === 'CTE Scan' && all.find((one) => one['Subplan Name'] === `CTE ${name}`);
    return made ? [{ alias, from: made }] : [];
  });
}

/** What an insert takes the account from; null for rows whose values the recorder compares. */
function insertedFrom(node: PlanNode, { accountAt }: Tables): string | null {
  const source = node.Plans?.find((one) => one['Parent Relationship'] === 'Outer');
  return source?.Output?.[accountAt.get(node['Relation Name'] ?? '') ?? -1] ?? '';
}

/** What leaves the account, in words; none when the plan stays with one. */
function leaving(plan: PlanNode, tables: Tables): string[] {
  const places = placesIn(plan, tables);
  const bound = new Set(within(plan).flatMap(conditionsOf).flatMap(boundBy));
  for (const { alias, from } of derived(plan)) {
    // Rows that were made from rows of one account alone are of that account.
    const read = placesIn(from, tables);
    if (read.length > 0 && read.every((one) => bound.has(one.alias))) bound.add(alias);
  }
  const read = places.filter(({ alias }) => !bound.has(alias)).map(({ table, alias }) => `reads ${table} (${alias})`);
  const writes = within(plan).filter((one) => one['Node Type'] === 'ModifyTable');
  const inserts = writes.filter(({ Operation, 'Relation Name': table = '' }) => {
    return Operation === 'Insert' && tables.distributed.has(table);
  });
  const added = inserts.flatMap((node) => {
    const from = insertedFrom(node, tables) ?? '';
    const alias = named.exec(from)?.[1];
    const isOne = isValue.test(ofAccount.exec(from)?.[1] ?? from) || from.startsWith('"*VALUES*".');
    return isOne || (alias !== undefined && bound.has(alias)) ? [] : [`adds to ${node['Relation Name']} from ${from}`];
  });
  const written = writes.map((node) => node['Relation Name'] ?? '');
  const everywhere = written.filter((table) => tables.reference.has(table));
  const mixes = everywhere.length > 0 && written.some((table) => tables.distributed.has(table));
  return [...read, ...added, ...(mixes ? [`writes ${everywhere.join(', ')} beside an account's rows`] : [])];
}

export interface Judge {
  /** What of a statement leaves its account; null for one that does not fit this schema. */
  leaving(text: string): Promise<string[] | null>;
  close(): Promise<void>;
}

/** `url`: of a migrated database that nothing else uses. */
export async function openJudge(url: string): Promise<Judge> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // With indexes alone the plan says what each step compares.
  await client.query('set enable_seqscan to off; set enable_bitmapscan to off');
  const tables = await readTables(client);
  return {
    leaving: async (text) => {
      const plan = await client.query(`explain (generic_plan, verbose, format json) ${text}`).then(
        ({ rows }) => rows[0]['QUERY PLAN'][0].Plan as PlanNode,
        () => null,
      );
      return plan && leaving(plan, tables);
    },
    close: () => client.end(),
  };
}

const asOneLine = (text: string) => text.replaceAll('"', '').replaceAll(/\s+/g, ' ').trim();

/** The statements of a run that leave their account and are on no list. */
export async function findCrossings(folder: string, url: string): Promise<string[]> {
  const judge = await openJudge(url);
  try {
    const found: string[] = [];
    for (const name of readdirSync(folder).toSorted()) {
      const text = readFileSync(join(folder, name), 'utf8');
      const words = name.endsWith('.differ')
        ? ['was sent with the numbers of several accounts']
        : ((await judge.leaving(text)) ?? []);
      const line = asOneLine(text);
      if (words.length > 0 && !expectedCrossings.some(({ where }) => where.test(line))) {
        found.push(`${words.join(', ')}:\n  ${line}`);
      }
    }
    return found;
  } finally {
    await judge.close();
  }
}
