import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { migrationNames } from '../../../src/store/knex/migrations/index.ts';
import { newCast, newGrant, now } from '../../store/samples.ts';
import { type DatabaseKind, openTestStore, type TestStore } from '../../support/stores.ts';
import { type Drill, type DrillOptions, type DrillResult, onEachDatabase } from '../drill.ts';

const rowsPerRound = 1000;
const tables = ['grants', 'access_tokens'] as const;

/** D7, second half: each round is a thousand grants and as many access tokens, all there from the beginning. */
export const drill: Drill = {
  id: 'D7M',
  title: 'migrations down and up again with a thousand grants and tokens per round: every row is kept',
  rounds: 1000,
  // `migrations.test.ts` goes each of them up and down with rows.
  quickRounds: null,
  run: (options) => onEachDatabase((database) => runOn(database, options)),
};

async function runOn(database: DatabaseKind, { rounds }: DrillOptions): Promise<DrillResult> {
  const opened = await openTestStore(database);
  const { store } = opened;
  try {
    const cast = await newCast(store);
    const { id: grantId } = await newGrant(store, cast);
    const token = { ...cast, grantId, scope: ['openid'], issuedAt: now, expiresAt: now, revokedAt: null };
    await store.grants.addAccessToken({ ...token, digest: 'digest' });
    await copyRows(opened, rounds * rowsPerRound - 1);
    const before = await describeRows(opened);
    const down = await timed(() => store.rollback(migrationNames.length - 1));
    const up = await timed(() => store.migrate());
    const after = await describeRows(opened);
    const allDown = await timed(() => store.rollback(migrationNames.length));
    const allUp = await timed(() => store.migrate());
    const kept = before.every((text, index) => text === after[index]);
    return {
      figures: {
        rows: rounds * rowsPerRound * tables.length,
        'rows kept': kept ? 'all, unchanged' : `${after} of ${before}`,
        'seconds down to the first migration': down,
        'seconds up again': up,
        'seconds down to nothing': allDown,
        'seconds up from nothing': allUp,
      },
      holds: kept,
    };
  } finally {
    await opened.dispose();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return Math.round(performance.now() - startedAt) / 1000;
}

/** Copies the first row of each table, with new ids. */
async function copyRows(opened: TestStore, count: number): Promise<void> {
  for (const table of tables) {
    const found = await query(opened, `select * from ${table} limit 1`);
    const columns = Object.keys(found[0] ?? {}).filter((name) => name !== 'id');
    const names = columns.join(', ');
    const copies =
      opened.store.kind === 'postgres'
        ? `generate_series(1, ${count}) as copies`
        : `(with recursive copies (n) as (select 1 union all select n + 1 from copies where n < ${count}) select n from copies)`;
    const values = columns.map((name) => `original.${name}`).join(', ');
    await query(
      opened,
      `insert into ${table} (${names}) select ${values} from ${copies} cross join (select * from ${table} limit 1) as original`,
    );
  }
}

/** Number and sums of the rows of each table. */
function describeRows(opened: TestStore): Promise<string[]> {
  return Promise.all(
    tables.map(async (table) =>
      JSON.stringify(await query(opened, `select count(*), sum(id), sum(user_id) from ${table}`)),
    ),
  );
}

async function query({ url }: TestStore, statement: string): Promise<Record<string, unknown>[]> {
  if (url.startsWith('sqlite:')) {
    const db = new Sqlite(url.slice('sqlite:'.length));
    try {
      const prepared = db.prepare(statement);
      if (prepared.reader) return prepared.all() as Record<string, unknown>[];
      prepared.run();
      return [];
    } finally {
      db.close();
    }
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
