import { once } from 'node:events';

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createKeyFile } from '../../../src/adapters/key-file.ts';
import { systemRandom } from '../../../src/adapters/random.ts';
import { recordEvent } from '../../../src/domain/audit/record.ts';
import { openMasterKey } from '../../../src/domain/keys/master-key.ts';
import { createVault } from '../../../src/domain/keys/vault.ts';
import { openStore } from '../../../src/store/knex/index.ts';
import { freshDatabase } from '../../support/postgres.ts';
import { type Installation, install } from '../../support/process.ts';
import { ask, execute } from '../../support/rows.ts';
import type { Drill, DrillOptions, DrillResult } from '../drill.ts';

/** In each round; the full size of the promise is 1,000 rounds. */
const usersPerRound = 1000;
const eventsPerRound = 5000;
const eventsAtOnce = 1000;
/** Before each kill a copy runs so much longer than the one before. */
const firstMilliseconds = 1500;

/** D7, third part: SQLite to PostgreSQL and back, killed again and again. */
export const drill: Drill = {
  id: 'D7C',
  title: 'db copy of a thousand users and five thousand events per round, killed and run again: every row arrives',
  rounds: 1000,
  quickRounds: null,
  run,
};

async function run({ rounds, log }: DrillOptions): Promise<DrillResult> {
  const installation = await install('sqlite');
  const database = await freshDatabase();
  const back = `sqlite:${join(installation.folder, 'back.db')}`;
  try {
    await installation.cli('account', 'create', 'acme');
    await installation.cli('user', 'create', '--account', 'acme', '--email', 'ada@example.com');
    const filled = await timed(() => fill(installation, rounds));
    log(`filled in ${filled.seconds} s`);
    const there = await copyKilled(installation, installation.databaseUrl, database.url, log);
    const again = await copyKilled(installation, database.url, back, log);
    const countOf = ({ tables }: Copied, name: string) => tables.find(({ table }) => table === name)?.rows ?? 0;
    const total = ({ tables }: Copied) => tables.reduce((sum, { rows }) => sum + rows, 0);
    return {
      figures: {
        users: countOf(there.copied, 'users'),
        events: countOf(there.copied, 'events'),
        'rows in all': total(there.copied),
        'seconds from SQLite to PostgreSQL, kills included': there.seconds,
        'kills on the way there': there.kills,
        'seconds from PostgreSQL to SQLite, kills included': again.seconds,
        'kills on the way back': again.kills,
      },
      holds:
        there.copied.resumed &&
        again.copied.resumed &&
        countOf(there.copied, 'users') === rounds * usersPerRound &&
        countOf(there.copied, 'events') >= rounds * eventsPerRound &&
        JSON.stringify(sorted(there.copied)) === JSON.stringify(sorted(again.copied)),
    };
  } finally {
    await database.drop();
    await installation.dispose();
  }
}

interface Copied {
  readonly tables: readonly { readonly table: string; readonly rows: number }[];
  readonly resumed: boolean;
}

function sorted({ tables }: Copied) {
  return tables.toSorted((one, other) => (one.table < other.table ? -1 : 1));
}

async function timed<Result>(work: () => Promise<Result>): Promise<{ result: Result; seconds: number }> {
  const startedAt = performance.now();
  const result = await work();
  return { result, seconds: Math.round((performance.now() - startedAt) / 100) / 10 };
}

/** Copies of the one user, and a trail of real events. */
async function fill({ folder, databaseUrl }: Installation, rounds: number): Promise<void> {
  const store = await openStore({ url: databaseUrl });
  try {
    const key = await openMasterKey({
      file: createKeyFile(join(folder, 'data/master.key')),
      store,
      random: systemRandom,
    });
    const services = { store, vault: createVault(key, systemRandom), clock: { now: Date.now } };
    const [record] = await store.accounts.list();
    if (!record) throw new Error('there is no account to fill');
    const { id } = record;
    const [first] = await store.users.list(id);
    if (!first) throw new Error('there is no user to copy');
    for (let made = 0; made < rounds * eventsPerRound; made += eventsAtOnce) {
      await store.transaction(async (tx) => {
        const event = {
          action: 'user.changed',
          target: { type: 'user', id: first.id },
          detail: { fields: [] },
        } as const;
        for (let one = 0; one < eventsAtOnce; one += 1) await recordEvent(tx, services, { id, record }, event);
      });
    }
    await multiply(databaseUrl, rounds * usersPerRound - 1);
  } finally {
    await store.close();
  }
}

/** Copies of the one user, made inside SQLite: a million take seconds. */
async function multiply(databaseUrl: string, count: number): Promise<void> {
  const names = (await ask(databaseUrl, "select name from pragma_table_info('users')")).map(({ name }) => String(name));
  const email = "'copy' || n || '@example.com'";
  const own: Readonly<Record<string, string>> = { id: 'id + n', email, email_key: email };
  await execute(
    databaseUrl,
    `with recursive copies (n) as (select 1 union all select n + 1 from copies where n < ${count})
      insert into users (${names.join(', ')}) select ${names.map((name) => own[name] ?? name).join(', ')}
      from copies cross join (select * from users limit 1)`,
  );
}

/** Runs the command until it ends by itself; each run before is killed with SIGKILL. */
async function copyKilled(installation: Installation, from: string, to: string, log: DrillOptions['log']) {
  let kills = 0;
  const { result: copied, seconds } = await timed(async () => {
    for (let patience = firstMilliseconds; ; patience *= 2) {
      const child = installation.start(['db', 'copy', from, to, '--json']);
      let [output, errors] = ['', ''];
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
      const ended = once(child, 'close') as Promise<[number | null]>;
      const soonest = await Promise.race([ended, delay(patience, null)]);
      if (soonest === null) child.kill('SIGKILL');
      const [exitCode] = await ended;
      if (exitCode === 0) return JSON.parse(output) as Copied;
      if (exitCode !== null) throw new Error(`the copy ended with ${exitCode}: ${errors}`);
      kills += 1;
      log(`killed after ${patience} ms`);
    }
  });
  return { copied, seconds, kills };
}
