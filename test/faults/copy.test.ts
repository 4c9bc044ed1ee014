/** `gatehouse db copy` on the command line: what it refuses, what no server starts on, and what works on the copy. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freshDatabase } from '../support/postgres.ts';
import { type Installation, install } from '../support/process.ts';
import { execute } from '../support/rows.ts';
import { openAccount } from '../support/running-account.ts';
import { refresh } from '../support/sign-in.ts';

describe('gatehouse db copy', () => {
  let installation: Installation;
  before(async () => {
    installation = await install('sqlite');
  });
  after(() => installation.dispose());

  async function refusal(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
    const { exitCode, stderr } = await (args[0] === 'serve'
      ? installation.run(args, { env })
      : installation.ask(args, env));
    assert.equal(exitCode, 1, stderr);
    return stderr;
  }

  it('moves an installation from SQLite to PostgreSQL and back: the same clients refresh the same tokens', async (t) => {
    const database = await freshDatabase();
    t.after(() => database.drop());
    const from = 'sqlite:data/gatehouse.db';
    const back = `sqlite:${join(installation.folder, 'back.db')}`;
    const service = await installation.serve();
    const account = await openAccount(service, ['grant.password=on']);
    t.after(() => account.close());
    const { client, tokens } = await account.signIn();
    assert.match(await refusal(['db', 'copy', from, database.url]), /is in use: stop the service first/);
    assert.equal(await service.stop(), 0);

    const copied = await installation.cli('db', 'copy', from, database.url);
    const rows = new Map(copied.tables.map(({ table, rows }: { table: string; rows: number }) => [table, rows]));
    assert.deepEqual([rows.get('accounts'), rows.get('users'), copied.resumed], [1, 1, false]);
    assert.equal(copied.trails[0].events, rows.get('events'));
    assert.match(await refusal(['db', 'copy', from, database.url]), /the target is not empty \(it has rows in \w+\)/);
    const moved = await installation.serve({ env: { DATABASE_URL: database.url } });
    const next = await refresh(account, client, tokens.refresh_token);
    assert.equal(next.status, 200);
    assert.equal(await moved.stop(), 0);

    const { exitCode, stdout } = await installation.ask(['db', 'copy', database.url, back]);
    assert.equal(exitCode, 0);
    assert.match(stdout, /^users +1$/m);
    assert.match(stdout, /VERIFIED TRAIL/);
    const returned = await installation.serve({ env: { DATABASE_URL: back } });
    assert.equal((await refresh(account, client, next.body.refresh_token)).status, 200);
    // Its number follows those that were given before.
    const create = ['user', 'create', '--account', account.subdomain, '--email', 'new@example.com', '--json'];
    const created = await installation.ask(create, { DATABASE_URL: back });
    assert.equal(JSON.parse(created.stdout).id, 2, created.stderr);
    assert.equal(await returned.stop(), 0);
  });

  it('no server and no command opens an unfinished copy', async () => {
    await installation.cli('db', 'copy', 'sqlite:data/gatehouse.db', 'sqlite:half.db');
    await execute(
      `sqlite:${join(installation.folder, 'half.db')}`,
      "insert into facts values ('unfinished_copy', '{}')",
    );
    const env = { DATABASE_URL: 'sqlite:half.db' };
    // The server last: it would not end by itself.
    for (const command of [['account', 'list'], ['serve']]) {
      assert.match(await refusal(command, env), /an unfinished copy: run gatehouse db copy again/);
    }
  });

  it('an empty PostgreSQL database beside a master key is refused, as an empty file is', async (t) => {
    const database = await freshDatabase();
    t.after(() => database.drop());
    const env = { DATABASE_URL: database.url };
    assert.match(await refusal(['serve'], env), /the database is empty although there is a master key/);
    assert.equal((await installation.ask(['db', 'migrate'], env)).exitCode, 0);
    assert.deepEqual((await installation.ask(['account', 'list', '--json'], env)).stdout.trim(), '[]');
  });

  it('names what it cannot copy', async () => {
    const copy = (...args: string[]) => refusal(['db', 'copy', ...args]);
    assert.match(await copy('data/gatehouse.db', 'sqlite:x.db'), /from must be sqlite:<file> or postgres:/);
    assert.match(await copy('sqlite:x.db', 'sqlite:x.db'), /to is the same database as from/);
    assert.match(await copy('sqlite:none.db', 'sqlite:x.db'), /none\.db does not exist/);
    const nowhere = new URL((await freshDatabase()).url);
    nowhere.pathname = '/nowhere';
    const said = await copy('sqlite:data/gatehouse.db', nowhere.href);
    assert.match(said, /to \(postgres:\S+\/nowhere\) cannot be used: .*there is no such database/);
    assert.ok(!said.includes(nowhere.password));
    assert.match(await copy(nowhere.href, 'sqlite:x.db'), /from \(postgres:\S+\/nowhere\) cannot be used/);
  });
});
