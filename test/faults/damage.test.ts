/** D5: what cannot be read is refused with what, where and the remedy; nothing new is made in its place. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { Failure } from '../../src/domain/failure.ts';
import { damageOf, translate } from '../../src/store/knex/errors.ts';
import { type Installation, install } from '../support/process.ts';
import { openAccount } from '../support/running-account.ts';
import { isSampled, sampled } from '../support/sample.ts';
import { authorizePath, registerClient } from '../support/sign-in.ts';
import { until } from '../support/until.ts';
import { damages, damageTable, filesIn } from './damage.ts';

describe('D5: damaged files', () => {
  let installation: Installation;
  let data: string;
  let whole: string;
  before(async () => {
    installation = await install('sqlite');
    data = join(installation.folder, 'data');
    whole = join(installation.folder, 'whole');
    await installation.cli('account', 'create', 'acme');
    // Leaves its mark, which it does not make twice.
    await installation.cli('doctor');
    cpSync(data, whole, { recursive: true });
  });
  after(() => installation.dispose());

  function restore(): void {
    rmSync(data, { recursive: true });
    cpSync(whole, data, { recursive: true });
  }

  /** Digests of what is there; the log and its index come and go. */
  function contents(): Record<string, string> {
    const names = readdirSync(data).filter((name) => !/-(wal|shm)$/.test(name));
    const digest = (name: string) =>
      createHash('sha256')
        .update(readFileSync(join(data, name)))
        .digest('hex');
    return Object.fromEntries(names.sort().map((name) => [name, digest(name)]));
  }

  for (const [damaged, { title, apply, said, concerns }] of damages.entries()) {
    it(`${title}: serve, the commands, and doctor report it and change nothing`, async () => {
      restore();
      apply(filesIn(data));
      const found = contents();
      const reading = concerns === 'database' ? [['db', 'status']] : [];
      // The server opens its files like the commands do: it is tried with every sixth kind of damage, and the commands
      // by turns. The drill M4 has all of them.
      const server = isSampled(damaged, 6) ? [['serve']] : [];
      const opening = [['account', 'list'], ['doctor'], ...reading];
      const commands = [...server, ...sampled(opening, opening.length, damaged)];
      const run = ([name]: string[]) => (name === 'serve' ? installation.run : installation.ask);
      const outcomes = await Promise.all(commands.map((command) => run(command)(command)));
      for (const [index, { exitCode, stdout, stderr }] of outcomes.entries()) {
        assert.equal(exitCode, 1, `${commands[index]}: ${stdout}${stderr}`);
        assert.match(stdout + stderr, said);
        assert.doesNotMatch(stdout + stderr, /^\s+at /m);
      }
      assert.deepEqual(contents(), found);
    });
  }

  it('a damaged page does not prevent a start; reading it is 503, and the log, /readyz, and doctor report it', async (t) => {
    restore();
    const service = await installation.serve();
    const account = await openAccount(service);
    const client = await registerClient(account);
    await service.stop();
    damageTable(filesIn(data).database, 'authorization_requests');
    const again = await installation.serve();
    t.after(() => again.kill());
    assert.equal((await account.wire.call('GET', '/readyz')).status, 200);
    // Too large to travel in the address, so that it is stored.
    const stored = { state: 's'.repeat(2048), nonce: 'n'.repeat(200) };
    const answer = await account.send('GET', authorizePath(client, stored));
    assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '1']);
    const ready = await account.wire.call('GET', '/readyz');
    assert.deepEqual([ready.status, ready.body.checks.store], [503, 'the store is damaged: SQLITE_CORRUPT']);
    assert.equal((await account.send('GET', '/oauth2/jwks')).status, 200);
    const { exitCode, stdout } = await installation.ask(['doctor']);
    assert.equal(exitCode, 1);
    assert.match(stdout, /store +failed +.*damaged.*restore a backup/);
    account.close();
    assert.equal(await again.stop(), 0);
    // Read to its end: a line may come after the answer it tells of.
    assert.match(again.output(), /"reason":"the database is damaged: SQLITE_CORRUPT"/);
    assert.match(again.output(), /"status":503,.*"reason":"the store is damaged: SQLITE_CORRUPT"/);
  });

  it('a log truncated after the last commit is not mistaken for a complete one', async () => {
    restore();
    const service = await installation.serve();
    await installation.cli('account', 'create', 'kept');
    await service.kill();
    const { database } = filesIn(data);
    const log = readFileSync(`${database}-wal`);
    cpSync(`${database}-wal`, `${database}-wal.whole`);
    for (const cut of sampled([log.length >> 1, log.length - 1, 0], 3)) {
      writeFileSync(`${database}-wal`, log.subarray(0, cut));
      const { exitCode, stderr } = await installation.run(['serve']);
      assert.equal(exitCode, 1, stderr);
      assert.match(stderr, /gatehouse\.db-wal is damaged: only \d+ of \d+ committed pages can be read: restore/);
    }
    cpSync(`${database}-wal.whole`, `${database}-wal`);
    const names = (await installation.cli('account', 'list')).map(({ subdomain }: { subdomain: string }) => subdomain);
    assert.ok(names.includes('kept'));
  });

  it('no database and no master key is a new installation; a key alone is one only if the operator says so', async () => {
    rmSync(data, { recursive: true });
    assert.equal((await installation.ask(['db', 'status'])).exitCode, 1);
    assert.ok(!existsSync(filesIn(data).database));
    await installation.cli('account', 'create', 'acme');
    rmSync(filesIn(data).database);
    await installation.cli('db', 'migrate');
    assert.deepEqual(await installation.cli('account', 'list'), []);
    rmSync(filesIn(data).database);
    const service = await installation.serve({ demo: true });
    assert.equal(await service.stop(), 0);
    assert.match(service.output(), /"reason":"the database file was missing although the master key exists/);
  });
});

describe('D5 on PostgreSQL', () => {
  it('a damaged page or index is unavailable, and is reported as damage', () => {
    for (const code of ['XX001', 'XX002']) {
      const failure = translate(Object.assign(new Error('invalid page in block 7'), { code }));
      assert.ok(failure instanceof Failure && failure.code === 'unavailable');
      assert.equal(damageOf(failure), code);
    }
  });

  it('a database migrated by a newer release is refused; a running server continues', async (t) => {
    const installation = await install('postgres');
    t.after(() => installation.dispose());
    const service = await installation.serve();
    const client = new pg.Client({ connectionString: installation.databaseUrl });
    await client.connect();
    await client.query("insert into migrations (name, batch, migration_time) values ('9999_later', 9, now())");
    await client.end();
    // A check that takes a second on a busy machine is answered with 503.
    await until(async () => (await fetch(`${service.baseUrl}/readyz`)).status === 200);
    for (const command of [['serve'], ['account', 'list'], ['db', 'status'], ['db', 'migrate'], ['doctor']]) {
      const run = command[0] === 'serve' ? installation.run : installation.ask;
      const { exitCode, stdout, stderr } = await run(command);
      assert.equal(exitCode, 1);
      assert.match(stdout + stderr, /a newer release has migrated this database \(9999_later\)/);
    }
    assert.equal(await service.stop(), 0);
  });
});
