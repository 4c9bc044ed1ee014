/** Reads where tables lie, and carries out a plan, on one connection to the coordinator. */

import type pg from 'pg';
import { Failure } from '../../../../domain/failure.ts';
import type { Part } from '../../schema/describe.ts';
import { requireIdle } from '../idle.ts';
import { schemaParts } from '../schema.ts';
import { type DistributionPlan, planOf } from './plan.ts';

type Client = Pick<pg.Client, 'query'>;

export async function readPlan(client: Client): Promise<DistributionPlan> {
  const { rows } = await client.query<Part>(schemaParts);
  return planOf(rows);
}

export interface TableStatus {
  readonly table: string;
  readonly wanted: 'distributed' | 'reference' | 'local';
  readonly found: string;
}

export interface DistributionStatus {
  /** The version of Citus; null without it. */
  readonly citus: string | null;
  readonly workers: readonly string[];
  readonly tables: readonly TableStatus[];
  /** Whether every table lies as the plan wants it. */
  readonly isDistributed: boolean;
}

interface CitusTable {
  readonly name: string;
  readonly type: string;
  readonly column: string | null;
  readonly together: string;
}

const citusTables = `select table_name::text as name, citus_table_type as type, distribution_column as column,
  colocation_id::text as together from citus_tables`;

const workers = `select nodename || ':' || nodeport as name from pg_dist_node
  where isactive and shouldhaveshards order by nodename, nodeport`;

async function isVisible(client: Client, relation: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [relation]);
  return rows[0]?.found === true;
}

/** What Citus itself says; everything is local where it is not installed. */
export async function readStatus(client: Client): Promise<DistributionStatus> {
  const plan = await readPlan(client);
  const { rows: versions } = await client.query<{ version: string }>(
    "select extversion as version from pg_extension where extname = 'citus'",
  );
  const isThere = await isVisible(client, 'citus_tables');
  const found = isThere ? (await client.query<CitusTable>(citusTables)).rows : [];
  const nodes = isThere ? (await client.query<{ name: string }>(workers)).rows : [];
  const byName = new Map(found.map((one) => [one.name.replace(/^.*\./, '').replaceAll('"', ''), one]));
  // All distributed tables must share the shards of one of them.
  const together = found.find(({ type }) => type === 'distributed')?.together;
  const statusOf = (table: string, wanted: TableStatus['wanted']): TableStatus => {
    const { type = 'local', column = null, together: shared } = byName.get(table) ?? {};
    if (type !== 'distributed') return { table, wanted, found: type };
    if (column !== 'account_id') return { table, wanted, found: `distributed by ${column}` };
    return { table, wanted, found: shared === together ? type : 'distributed apart' };
  };
  const tables = [
    ...plan.distributed.map((table) => statusOf(table, 'distributed')),
    ...plan.reference.map((table) => statusOf(table, 'reference')),
    ...plan.local.map((table) => statusOf(table, 'local')),
  ];
  return {
    citus: versions[0]?.version ?? (isThere ? 'unknown' : null),
    workers: nodes.map(({ name }) => name),
    tables,
    isDistributed: tables.every((one) => one.wanted === one.found),
  };
}

function refused(message: string): Failure {
  return new Failure('unavailable', { name: 'database', message });
}

async function requireFit(client: Client, { obstacles }: DistributionPlan): Promise<DistributionStatus> {
  const [first] = obstacles;
  const more = obstacles.length > 1 ? `; and ${obstacles.length - 1} more` : '';
  if (first !== undefined)
    throw refused(`the schema does not fit: ${first}${more}. See: gatehouse db distribute --plan`);
  const status = await readStatus(client);
  if (status.citus === null) throw refused('Citus is not installed in this database: create extension citus');
  if (status.workers.length === 0) throw refused('no worker is known: select citus_add_node(…)');
  await requireIdle(client);
  return status;
}

/** What the operator has confirmed. */
export interface Confirmed {
  /** No process of the release before runs or will: the triggers that it writes by may go. */
  readonly dropTriggers: boolean;
}

function requireConfirmed({ dropping }: DistributionPlan, { dropTriggers }: Confirmed): void {
  if (dropping.length === 0 || dropTriggers) return;
  const why = 'processes of the release before write by them';
  throw refused(`${dropping.length} triggers are to be dropped (${why}): when none runs or will, add --drop-triggers`);
}

/**
 * The statements that were sent. A setting goes with each of them, in one message, which is one transaction: behind a
 * pooler of transactions the next one may have another session. What a former call has done is left: it can be called
 * again after an error.
 */
export async function apply(client: Client, confirmed: Confirmed, report: (sql: string) => void): Promise<string[]> {
  const plan = await readPlan(client);
  const { tables } = await requireFit(client, plan);
  requireConfirmed(plan, confirmed);
  const done = new Set(tables.filter(({ wanted, found }) => wanted === found).map(({ table }) => table));
  const wrong = tables.find(({ wanted, found }) => wanted !== found && found !== 'local');
  if (wrong)
    throw refused(
      `${wrong.table} is ${wrong.found} and not ${wrong.wanted}: select undistribute_table('${wrong.table}')`,
    );
  const sent: string[] = [];
  let settings = '';
  for (const { sql } of [...plan.dropping, ...plan.statements]) {
    const [, table] = /_table\('(\w+)'/.exec(sql) ?? [];
    if (table !== undefined && done.has(table)) continue;
    if (sql.startsWith('set ')) {
      settings += sql.replace('set ', 'set local ').concat('; ');
      continue;
    }
    const whole = settings + sql;
    report(whole);
    await client.query(whole);
    sent.push(whole);
  }
  return sent;
}
