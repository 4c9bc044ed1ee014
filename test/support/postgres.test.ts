import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { freshDatabase, postgresUrl, serverVariable } from './postgres.ts';
import { until } from './until.ts';

async function ask(url: string, statement: string): Promise<Record<string, unknown>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(statement);
    return rows[0] ?? {};
  } finally {
    await client.end();
  }
}

test('the server is a real PostgreSQL that listens only on loopback', async () => {
  assert.equal(new URL(postgresUrl()).hostname, '127.0.0.1');
  const answer = await ask(
    postgresUrl(),
    `SELECT current_setting('listen_addresses') AS listens, current_setting('unix_socket_directories') AS sockets,
            current_setting('server_encoding') AS encoding, version()`,
  );
  assert.match(String(answer['version']), /^PostgreSQL \d+/);
  assert.deepEqual([answer['listens'], answer['sockets'], answer['encoding']], ['127.0.0.1', '', 'UTF8']);
});

test('new databases are empty and separate, and are gone after the drop', async () => {
  const [first, second] = await Promise.all([freshDatabase(), freshDatabase()]);
  await ask(first.url, 'CREATE TABLE thing (id integer)');
  const found = await ask(second.url, "SELECT count(*)::int AS tables FROM pg_tables WHERE schemaname = 'public'");
  assert.equal(found['tables'], 0);

  const lingering = new pg.Client({ connectionString: first.url });
  lingering.on('error', () => undefined);
  await lingering.connect();
  await Promise.all([first.drop(), second.drop()]);
  await assert.rejects(ask(first.url, 'SELECT 1'), /does not exist/);
  await assert.rejects(ask(second.url, 'SELECT 1'), /does not exist/);
});

test('a server ends with the process that started it, even if that is killed', async () => {
  const program = `
    import pg from 'pg';
    import { postgresUrl } from './postgres.ts';
    const client = new pg.Client({ connectionString: postgresUrl() });
    await client.connect();
    const { rows } = await client.query("SELECT current_setting('data_directory') AS folder");
    process.stdout.write(JSON.stringify({ url: postgresUrl(), folder: rows[0].folder }));
    process.kill(process.pid, 'SIGKILL');`;
  const { [serverVariable]: _, ...env } = process.env;
  const child = spawnSync(process.execPath, ['--input-type=module-typescript', '--eval', program], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    env,
  });
  assert.equal(child.signal, 'SIGKILL', child.stderr);
  const { url, folder } = JSON.parse(child.stdout) as { url: string; folder: string };
  await until(() => !existsSync(dirname(folder)));
  await assert.rejects(ask(url, 'SELECT 1'), { code: 'ECONNREFUSED' });
});
