/**
 * The functions and views of Citus 13 that a plan names, with the parameters that they have there and without their
 * effect, but that a table is noted as distributed: so that PostgreSQL checks the form of each call.
 */

import type pg from 'pg';

const stubs = `
  create schema stub;
  create type stub.shard_transfer_mode as enum ('auto', 'force_logical', 'block_writes');
  create type stub.distribution_type as enum ('hash', 'range', 'append');
  create table stub.citus_tables (table_name regclass, citus_table_type text, distribution_column text,
    colocation_id int, shard_count bigint);
  create table stub.pg_dist_node (nodename text, nodeport int, isactive boolean, shouldhaveshards boolean);
  create table stub.citus_shards (nodename text, nodeport int, shard_size bigint);
  create table stub.citus_lock_waits (waiting_gpid bigint);
  create table stub.calls (number int generated always as identity, called text);
  create function stub.create_distributed_table(table_name regclass, distribution_column text,
    distribution_type stub.distribution_type default 'hash', colocate_with text default 'default',
    shard_count int default null) returns void language sql as $$
      insert into stub.calls (called) values ('distributed ' || table_name);
      insert into stub.citus_tables select table_name, 'distributed', distribution_column,
        coalesce((select colocation_id from stub.citus_tables t where t.table_name::text = colocate_with),
          (select count(*) + 1 from stub.citus_tables)), shard_count $$;
  create function stub.create_reference_table(table_name regclass) returns void language sql as $$
      insert into stub.calls (called) values ('reference ' || table_name);
      insert into stub.citus_tables values (table_name, 'reference', null, 0, 1) $$;
  create function stub.citus_set_coordinator_host(host text, port int default 5432, node_role text default 'primary',
    node_cluster name default 'default') returns void language sql as '';
  create function stub.citus_add_node(nodename text, nodeport int, groupid int default -1,
    noderole text default 'primary', nodecluster name default 'default') returns int language sql as 'select 1';
  create function stub.citus_rebalance_start(rebalance_strategy name default null, drain_only boolean default false,
    shard_transfer_mode stub.shard_transfer_mode default 'auto') returns bigint language sql as 'select 1::bigint';
  create function stub.citus_rebalance_stop() returns void language sql as '';
  create function stub.citus_rebalance_status(verbose boolean default false)
    returns table (job_id bigint, state text) language sql as $$ select 1::bigint, 'running' $$;
  create function stub.isolate_tenant_to_new_shard(table_name regclass, tenant_id anyelement,
    cascade_option text default '', shard_transfer_mode stub.shard_transfer_mode default 'auto')
    returns bigint language sql as 'select 1::bigint';
  create function stub.citus_move_shard_placement(shard_id bigint, source_node_name text, source_node_port int,
    target_node_name text, target_node_port int, shard_transfer_mode stub.shard_transfer_mode default 'auto')
    returns void language sql as '';
  create function stub.citus_check_cluster_node_health() returns table (from_nodename text, from_nodeport int,
    to_nodename text, to_nodeport int, result boolean) language sql as $$ select 'a', 1, 'b', 2, true $$;
  set local search_path to public, stub`;

/** Runs `work` in a transaction that has the stubs, and undoes it. */
export async function withStubs<Result>(client: pg.Client, work: () => Promise<Result>): Promise<Result> {
  await client.query('begin');
  try {
    await client.query(stubs);
    return await work();
  } finally {
    await client.query('rollback');
  }
}
