import assert from 'node:assert/strict';
import pg from 'pg';
import { type PostgresServer, startPostgres } from '../../support/postgres.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import { countOnPostgres, countOnSqlite, type Durability } from '../count-syncs.ts';
import { type Drill, type DrillOptions, type DrillResult, onEachDatabase } from '../drill.ts';
import { assertFewRefreshedAgain, doors, type Nodes, openNodes, tryRefresh } from '../nodes.ts';

const sessions = 32;

/** D2: every answer waits for the disk; simultaneous requests share one fsync. */
export const drill: Drill = {
  id: 'D2',
  title: `disk syncs per group of refreshes committed together, ${sessions} sessions at a time`,
  rounds: 200,
  quickRounds: null,
  quickDatabases: ['sqlite'],
  run: (options) =>
    onEachDatabase(
      (database) => (database === 'sqlite' ? runOnSqlite(options) : runOnPostgres(options)),
      options.databases,
    ),
};

/** Every session refreshes, once a round; throws when one is refused. */
async function refreshAll(nodes: Nodes, tokens: string[], rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all(
      tokens.map(async (token, index) => {
        const { outcome, got } = await tryRefresh(nodes, token, doors[index % 2] ?? doors[0]);
        assert.equal(outcome, 'success');
        tokens[index] = got ?? '';
      }),
    );
  }
  assertFewRefreshedAgain(nodes, tokens.length);
}

async function startTokens(nodes: Nodes): Promise<string[]> {
  return (await nodes.startSessions(sessions)).map(({ refresh_token }) => refresh_token);
}

async function runOnSqlite({ rounds }: DrillOptions): Promise<DrillResult> {
  const nodes = await openNodes('sqlite', [], 1);
  try {
    const tokens = await startTokens(nodes);
    const file = nodes.installation.databaseUrl.slice('sqlite:'.length);
    const warmUp = () => refreshAll(nodes, tokens, 1);
    const work = () => refreshAll(nodes, tokens, rounds);
    return judge('sqlite', rounds, await countOnSqlite(file, nodes.services[0]?.pid ?? 0, warmUp, work));
  } finally {
    await nodes.dispose();
  }
}

/** A server of its own: that of the tests does without syncs, and others use it. */
async function runOnPostgres({ rounds }: DrillOptions): Promise<DrillResult> {
  const server = startPostgres();
  try {
    await turnSyncsOn(server);
    const nodes = await openNodes('postgres', [], 1, { DATABASE_URL: server.url });
    try {
      const tokens = await startTokens(nodes);
      await nodes.services[0]?.stop();
      const work = async () => {
        const service = await nodes.installation.serve();
        await refreshAll(nodes, tokens, rounds);
        await service.stop();
      };
      return judge('postgres', rounds, await countOnPostgres(server.url, work));
    } finally {
      await nodes.dispose();
    }
  } finally {
    await server.stop();
  }
}

async function turnSyncsOn({ url }: PostgresServer): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('alter system set fsync to on');
  await client.query('select pg_reload_conf()');
  for (let value = 'off'; value !== 'on'; ) value = (await client.query('show fsync')).rows[0].fsync;
  await client.end();
}

/** Where syncs cannot be counted, the service's own check applies: a connection that does not wait is an error. */
function judge(database: DatabaseKind, rounds: number, { commits, syncs, whyNot }: Durability): DrillResult {
  const refreshes = rounds * sessions;
  const ratio = (value: number) => Number(value.toFixed(2));
  // PostgreSQL lets commits that come together share a flush; but a round begins when the one before it is answered.
  const fewest = database === 'sqlite' ? commits : rounds;
  const counted = syncs === null ? `not measured: ${whyNot}` : null;
  return {
    figures: {
      'refreshes answered': refreshes,
      'commit groups': commits,
      'refreshes per commit group': ratio(refreshes / commits),
      [database === 'sqlite' ? 'syncs to disk (strace)' : 'syncs to disk (pg_stat_io)']: counted ?? syncs ?? 0,
      'syncs per commit group': counted ?? ratio((syncs ?? 0) / commits),
      'refreshes per sync': counted ?? ratio(refreshes / (syncs ?? 0)),
    },
    holds: commits > 0 && commits <= refreshes && (syncs === null || syncs >= fewest),
  };
}
