/** A process that migrates the store at argv[2], or (argv[3] `die`) is killed in the middle of it. */

import * as first from '../../src/store/knex/migrations/0001_first.ts';
import { openPostgres } from '../../src/store/knex/postgres/engine.ts';
import { openSqlite } from '../../src/store/knex/sqlite/engine.ts';
import { openPatientStore } from '../support/stores.ts';
import { wayTo } from '../support/way.ts';

const [url = '', how = ''] = process.argv.slice(2);
if (how === 'die') {
  const open = url.startsWith('sqlite:') ? openSqlite : openPostgres;
  await open({ ...wayTo(url), log: () => {}, waitMilliseconds: 60_000 }).exclusively(async (tx) => {
    await first.up(tx);
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => {});
  });
} else {
  const store = await openPatientStore(url);
  await store.migrate();
  await store.close();
}
