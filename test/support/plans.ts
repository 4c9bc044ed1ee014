/**
 * Reads the plan of every statement that a test file sends, on either database, and fails the file where one looks
 * through more rows than it needs: a statement that is quick on the few rows of a test stops a service of many. One
 * that finds what is removed, whose row may be there still, fails it as well, and so does one that writes past what
 * depends on its table. Imported by whatever opens a store.
 */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { readsRemoved } from './expected-readers.ts';
import { expectedScans } from './expected-scans.ts';
import { isUnraised } from './unraised-writes.ts';

/** The variable that names a folder to the test files of one run: what one of them has read the others need not. */
export const plansVariable = 'GATEHOUSE_TEST_PLANS';

const testFolder = fileURLToPath(new URL('..', import.meta.url));

const sent = { sqlite: new Set<string>(), postgres: new Set<string>() };
type Kind = keyof typeof sent;

/** Whether a test asks the driver itself: it looks through tables as it likes. Two frames are this file's own. */
function isOfTest(): boolean {
  return new Error('asked here').stack?.split('\n')[4]?.includes(testFolder) === true;
}

function record(kind: Kind, sql: unknown): void {
  if (typeof sql !== 'string' || !/^\s*(select|update|delete|with|insert)\b/i.test(sql)) return;
  if (!sent[kind].has(sql) && !isOfTest()) sent[kind].add(sql);
}

const prepare = Sqlite.prototype.prepare;
const postMessage = Worker.prototype.postMessage;
const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;

function watch(): void {
  Sqlite.prototype.prepare = function (this: Sqlite.Database, sql: string) {
    record('sqlite', sql);
    return prepare.call(this, sql);
  } as typeof prepare;
  // What is read in a thread is prepared there.
  Worker.prototype.postMessage = function (this: Worker, ...given: Parameters<typeof postMessage>) {
    record('sqlite', given[0]?.sql);
    return postMessage.apply(this, given);
  };
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [first] = args;
    record('postgres', typeof first === 'object' && first !== null && 'text' in first ? first.text : first);
    return query.apply(this, args);
  } as typeof pg.Client.prototype.query;
}

/** A step of a plan that scans a table or all rows of an account. */
interface Scan {
  readonly table: string;
  readonly step: string;
}

/** A page of a list, in the order of the index: it ends at the limit. */
function isPage(sql: string, sorts: boolean): boolean {
  return /\blimit\b/i.test(sql) && !sorts;
}

/** Rows that the statement itself brings along or has found already. */
function isOwn(step: string): boolean {
  const own = /^SCAN (CONSTANT ROW|\d+ CONSTANT ROWS|one|wanted|told|ended|own|ranked|part_\d+|\w+ VIRTUAL TABLE)\b/;
  // The second one is SQLite's name for what a window looks at.
  return own.test(step) || /^SCAN (\d+-ROW VALUES CLAUSE|\(subquery-\d+\))/.test(step);
}

/** The scans of SQLite's plan; null for a statement that this schema does not have. */
function scansOnSqlite(connection: Sqlite.Database, sql: string): Scan[] | null {
  let plan: { readonly detail: string }[];
  try {
    const explain = prepare.call(connection, `explain query plan ${sql}`);
    plan = explain.all(parametersOf(sql)) as { detail: string }[];
  } catch {
    return null;
  }
  const page = isPage(
    sql,
    plan.some(({ detail }) => detail.startsWith('USE TEMP B-TREE FOR ORDER BY')),
  );
  return plan.flatMap(({ detail: step }) => {
    const [, verb, table = ''] = /^(SCAN|SEARCH) (\S+)/.exec(step) ?? [];
    const isNarrow = verb === 'SEARCH' && !/\(account_id=\?\)/.test(step);
    return verb === undefined || isNarrow || page || isOwn(step) ? [] : [{ table, step }];
  });
}

/** Positional ones; where a statement names them, an object with all of them. */
function parametersOf(sql: string): Record<string, number> | number[] {
  const named = [...sql.matchAll(/[@$:]([a-zA-Z]\w*)/g)].map(([, name]) => [name, 1] as const);
  if (named.length > 0) return Object.fromEntries(named);
  return Array.from({ length: sql.split('?').length - 1 }, () => 1);
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/**
 * What no index of PostgreSQL's can serve. Which one it takes depends on the rows that there are, and these tables are
 * empty: that an index leads further than to the account is judged by SQLite, which has the same ones.
 */
async function scansOnPostgres(client: pg.Client, sql: string): Promise<Scan[] | null> {
  const plan = await client.query(`explain (generic_plan, format json) ${sql}`).then(
    ({ rows }) => rows[0]['QUERY PLAN'][0].Plan as PlanNode,
    () => null,
  );
  if (plan === null) return null;
  const unserved = nodesOf(plan).filter((node) => node['Node Type'] === 'Seq Scan');
  return unserved.map((node) => ({ table: node['Relation Name'] ?? '', step: `Seq Scan on ${node['Relation Name']}` }));
}

/** The text as it was written: SQLite gets parameters as expressions, so that it plans a statement once. */
const asWritten = (sql: string) => sql.replaceAll('+?', '?');

/** Unexpected scans of statements that no other file of this run has checked. */
function unexpected(kind: Kind, sql: string, scans: readonly Scan[] | null): string[] {
  const text = asWritten(sql).replaceAll(/[`"]/g, '').replaceAll(/\s+/g, ' ');
  const isListed = ({ table }: Scan) => expectedScans.some(({ of, where }) => of.test(table) && where.test(text));
  return (scans ?? []).filter((scan) => !isListed(scan)).map(({ step }) => `${kind}: ${step}\n  ${text}`);
}

function isFirst(kind: Kind, sql: string): boolean {
  const folder = process.env[plansVariable];
  if (folder === undefined) return true;
  const name = createHash('sha256').update(`${kind} ${sql}`).digest('hex');
  try {
    writeFileSync(join(folder, name), '', { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

/** Migrated databases that nothing else uses. */
export interface EmptyDatabases {
  /** The bytes of SQLite's file. */
  readonly sqlite: () => Promise<Buffer>;
  /** The URL of one on PostgreSQL. */
  readonly postgres: () => Promise<string>;
}

/** The unexpected plans of these statements. */
export async function readPlans(
  statements: Readonly<Record<Kind, Iterable<string>>>,
  databases: EmptyDatabases,
): Promise<string[]> {
  const found: string[] = [];
  const [onSqlite, onPostgres] = [[...statements.sqlite], [...statements.postgres]];
  if (onSqlite.length > 0) {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-plans-'));
    writeFileSync(join(folder, 'plans.db'), await databases.sqlite());
    const connection = new Sqlite(join(folder, 'plans.db'));
    for (const sql of onSqlite) found.push(...unexpected('sqlite', sql, scansOnSqlite(connection, sql)));
    connection.close();
    rmSync(folder, { recursive: true });
  }
  if (onPostgres.length > 0) {
    const client = new pg.Client({ connectionString: await databases.postgres() });
    await client.connect();
    // The tables are empty: by itself the planner would read them through.
    await client.query('set enable_seqscan to off; set enable_bitmapscan to off');
    for (const sql of onPostgres) found.push(...unexpected('postgres', sql, await scansOnPostgres(client, sql)));
    await client.end();
  }
  return found;
}

/**
 * From here on all statements of this test file are read at its end. Does nothing in a process that is no test file.
 */
export function watchPlans(databases: EmptyDatabases): void {
  if (process.env['NODE_TEST_CONTEXT'] === undefined || !/\.test\.m?[jt]s$/.test(process.argv[1] ?? '')) return;
  watch();
  after(async () => {
    const first = (kind: Kind) => [...sent[kind]].filter((sql) => isFirst(kind, sql));
    const found = await readPlans({ sqlite: first('sqlite'), postgres: first('postgres') }, databases);
    assert.deepEqual(found, [], `statements that look through a table:\n${found.join('\n')}`);
    const unheeding = [...sent.sqlite, ...sent.postgres].filter((sql) => readsRemoved(asWritten(sql)) !== null);
    assert.deepEqual(unheeding, [], `statements that find what is removed:\n${unheeding.join('\n')}`);
    const unraised = [...sent.sqlite, ...sent.postgres].filter(isUnraised);
    assert.deepEqual(unraised, [], `statements past what depends on their tables:\n${unraised.join('\n')}`);
  });
}
