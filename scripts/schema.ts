/** The schemas that all migrations produce, each on a database of its own. */

import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../src/store/knex/engine.ts';
import { applyPending } from '../src/store/knex/migrate.ts';
import { openPostgres } from '../src/store/knex/postgres/engine.ts';
import { writeSchema } from '../src/store/knex/schema/compare.ts';
import { openSqlite } from '../src/store/knex/sqlite/engine.ts';
import { fastFolder } from '../test/support/fast-folder.ts';
import { startPostgres } from '../test/support/postgres.ts';

/** The files of `generated`, name to content. */
export async function describeSchemas(): Promise<[string, string][]> {
  const folder = mkdtempSync(join(fastFolder(), 'gatehouse-schema-'));
  const server = startPostgres(fastFolder());
  const options = { log: () => {}, waitMilliseconds: 60_000 };
  try {
    return [
      await describe(openSqlite({ ...options, url: `sqlite:${join(folder, 'schema.db')}` })),
      await describe(openPostgres({ ...options, url: server.url })),
    ];
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

async function describe(engine: Engine): Promise<[string, string]> {
  try {
    await engine.exclusively(applyPending);
    const schema = await engine.describeSchema(engine.db);
    return [`schema-${engine.kind}.txt`, writeSchema(schema)];
  } finally {
    await engine.db.destroy();
  }
}
