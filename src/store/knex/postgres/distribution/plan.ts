/** The plan that distributes a database by account with Citus: settings, statements in order, and what to watch. */

import type { Part } from '../../schema/describe.ts';
import { droppedTriggers, obstaclesTo, referencesOf, refusingTriggers } from './obstacles.ts';
import { distributionColumn, type Placement, placementOf } from './placement.ts';

export interface Setting {
  readonly name: string;
  readonly value: string;
  readonly because: string;
}

export interface Statement {
  readonly sql: string;
  readonly because: string;
}

export interface DistributionPlan extends Placement {
  /** Why it cannot be carried out; nothing when it can. */
  readonly obstacles: readonly string[];
  /** Of every server, before it starts. */
  readonly settings: readonly Setting[];
  /** For the operator, on the coordinator: they name the operator's hosts. */
  readonly nodes: readonly Statement[];
  /** Before the others, once no process of the release before runs or will: it writes by these triggers. */
  readonly dropping: readonly Statement[];
  /** In this order, in one session on the coordinator, while the service is stopped. */
  readonly statements: readonly Statement[];
  /** To be used later, when shards are to move. */
  readonly moving: readonly Statement[];
  /** To look at while it works. */
  readonly watching: readonly Statement[];
}

/** More shards than nodes will ever be: a shard is what moves, and their number is given once. */
const shardCount = 64;

const settings: readonly Setting[] = [
  { name: 'shared_preload_libraries', value: 'citus', because: 'Citus plans statements; it must be the first library' },
  { name: 'wal_level', value: 'logical', because: 'shards move while they are written' },
  { name: 'max_prepared_transactions', value: '400', because: 'a commit on several nodes is prepared on each' },
  {
    name: 'citus.enable_repartition_joins',
    value: 'off',
    because: 'no statement of the service needs one: it would hide a statement that leaves its account',
  },
];

const nodes: readonly Statement[] = [
  { sql: 'create extension if not exists citus', because: 'on every node, in this database' },
  {
    sql: "select citus_set_coordinator_host('coordinator.internal', 5432)",
    because: 'the name by which the others reach it',
  },
  { sql: "select citus_add_node('worker-1.internal', 5432)", because: 'once for each worker' },
];

/** Tables after those that they refer to; what refers in a circle is left out. */
function inOrder(tables: readonly string[], parts: readonly Part[]): string[] {
  const references = referencesOf(parts).filter(({ table, to }) => table !== to && tables.includes(to));
  const ordered: string[] = [];
  for (let before = -1; before < ordered.length; ) {
    before = ordered.length;
    for (const table of tables) {
      const isFree = references.every((one) => one.table !== table || ordered.includes(one.to));
      if (isFree && !ordered.includes(table)) ordered.push(table);
    }
  }
  return ordered;
}

const literal = (table: string) => `'${table.replaceAll("'", "''")}'`;

function distribute(tables: readonly string[]): Statement[] {
  const [first, ...others] = tables;
  if (first === undefined) return [];
  return [
    {
      sql: `select create_distributed_table('${first}', '${distributionColumn}', colocate_with => 'none', shard_count => ${shardCount})`,
      because: 'the first one makes the shards that all others share',
    },
    ...others.map((table) => ({
      sql: `select create_distributed_table(${literal(table)}, '${distributionColumn}', colocate_with => '${first}')`,
      because: 'rows of an account lie on the node of its other rows',
    })),
  ];
}

function statementsFor(parts: readonly Part[], { distributed, reference }: Placement): Statement[] {
  const refusing = refusingTriggers(parts, { distributed, reference, local: [], unplaced: [] });
  return [
    ...(refusing.length > 0
      ? [
          {
            sql: 'set citus.enable_unsafe_triggers to on',
            because: `${refusing.join(', ')} stay: they refuse changes and read no rows, which Citus cannot know`,
          },
        ]
      : []),
    ...inOrder(reference, parts).map((table) => ({
      sql: `select create_reference_table(${literal(table)})`,
      because: 'every node has all rows',
    })),
    ...distribute(inOrder(distributed, parts)),
  ];
}

function later(first: string): Pick<DistributionPlan, 'moving' | 'watching'> {
  return {
    moving: [
      {
        sql: "select citus_rebalance_start(shard_transfer_mode => 'auto')",
        because: 'spreads shards after a worker was added',
      },
      { sql: 'select citus_rebalance_stop()', because: 'ends that; what has moved stays' },
      {
        sql: `select isolate_tenant_to_new_shard('${first}', 1, 'CASCADE', shard_transfer_mode => 'auto')`,
        because: 'gives a large account, here number 1, a shard of its own',
      },
      {
        sql: "select citus_move_shard_placement(102008, 'worker-1.internal', 5432, 'worker-2.internal', 5432, shard_transfer_mode => 'auto')",
        because: 'moves one shard with all that lies beside it',
      },
    ],
    watching: [
      {
        sql: 'select table_name, citus_table_type, distribution_column, colocation_id, shard_count from citus_tables',
        because: 'where each table lies: what --status compares',
      },
      {
        sql: 'select nodename, nodeport, sum(shard_size) as bytes from citus_shards group by nodename, nodeport',
        because: 'whether nodes are filled alike',
      },
      { sql: 'select * from citus_check_cluster_node_health()', because: 'whether each node reaches each other' },
      { sql: 'select * from citus_lock_waits', because: 'who waits for whom across nodes' },
      { sql: 'select * from citus_rebalance_status()', because: 'how far a move has come' },
      {
        sql: 'select count(*) from pg_prepared_xacts',
        because: 'on each node: commits that wait for another; it falls to 0',
      },
    ],
  };
}

/** From the parts of a schema, as the database describes it. Changes nothing. */
export function planOf(parts: readonly Part[]): DistributionPlan {
  const placement = placementOf(parts);
  const { distributed, reference } = placement;
  const circular = [distributed, reference].flatMap((tables) => {
    const ordered = inOrder(tables, parts);
    return tables.filter((table) => !ordered.includes(table));
  });
  return {
    ...placement,
    obstacles: [
      ...obstaclesTo(parts, placement),
      ...circular.map((table) => `${table} refers to a table that refers to it: none of them could be first`),
    ],
    settings,
    nodes,
    dropping: droppedTriggers(parts, placement).map(({ table, name }) => ({
      sql: `drop trigger ${name} on ${table}`,
      because: 'this release does by itself what it does',
    })),
    statements: statementsFor(parts, placement),
    ...later(inOrder(distributed, parts)[0] ?? 'users'),
  };
}
