import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Installation, install } from '../../support/process.ts';
import { ask } from '../../support/rows.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import { type Drill, type DrillOptions, type DrillResult, onEachDatabase } from '../drill.ts';

const usersPerRound = 1000;
const firstMilliseconds = 4000;

/** I1: an import that is killed and run again; the figures have its rate. */
export const drill: Drill = {
  id: 'I1',
  title: 'user import of a thousand users per round, killed and run again: each is there once, with one event',
  rounds: 1000,
  quickRounds: null,
  run: (options) => onEachDatabase((database) => runOn(database, options), options.databases),
};

async function runOn(database: DatabaseKind, { rounds, log }: DrillOptions): Promise<DrillResult> {
  const installation = await install(database);
  try {
    await installation.cli('account', 'create', 'acme');
    await installation.cli('role', 'create', '--account', 'acme', 'staff');
    await write(join(installation.folder, 'people.csv'), rounds * usersPerRound);
    const startedAt = performance.now();
    const kills = await importKilled(installation, log);
    const seconds = (performance.now() - startedAt) / 1000;
    const numberOf = async (question: string) => Number((await ask(installation.databaseUrl, question))[0]?.['number']);
    const users = await numberOf('select count(*) as number from users');
    const roles = await numberOf('select count(*) as number from role_users');
    const events = await numberOf("select count(*) as number from events where action = 'user.created'");
    const { verified } = await installation.cli('audit', 'verify', '--account', 'acme');
    return {
      figures: {
        users,
        kills,
        'seconds, kills and new starts included': Math.round(seconds),
        'users a second': Math.round(users / seconds),
      },
      holds: users === rounds * usersPerRound && roles === users && events === users && verified,
    };
  } finally {
    await installation.dispose();
  }
}

/** With hashed passwords and a role, as an export of another service has them. */
async function write(file: string, count: number): Promise<void> {
  const stream = createWriteStream(file);
  stream.write('email,username,firstname,lastname,external_id,roles,password_hash,password_algorithm,password_salt\n');
  for (let number = 0; number < count; number += 1) {
    const hash = number.toString(16).padStart(64, '0');
    const line = `person${number}@example.com,person${number},Ada,Lovelace ${number},ext-${number},staff,${hash},salt+sha256,salt\n`;
    if (!stream.write(line)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'finish');
}

/** Runs the command until it ends by itself; each run before is killed. Answers how many were. */
async function importKilled(installation: Installation, log: DrillOptions['log']): Promise<number> {
  for (let [kills, patience] = [0, firstMilliseconds]; ; kills += 1, patience *= 4) {
    const child = installation.start(['user', 'import', 'people.csv', '--account', 'acme', '--json']);
    let errors = '';
    child.stdout.resume();
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString();
    });
    const ended = once(child, 'close') as Promise<[number | null]>;
    if ((await Promise.race([ended, delay(patience, null)])) === null) child.kill('SIGKILL');
    const [exitCode] = await ended;
    if (exitCode === 0) return kills;
    if (exitCode !== null) throw new Error(`the import ended with ${exitCode}: ${errors}`);
    log(`killed after ${patience} ms`);
  }
}
