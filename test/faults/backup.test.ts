/**
 * D7: what a backup refuses, what it is worth without the master key, and one taken under load and restored; the drill
 * D7 takes ten, under more load, and M4 one of PostgreSQL.
 */

import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startFromBackup } from '../support/postgres.ts';
import { type Installation, install, installMigrated, type Service } from '../support/process.ts';
import { openAccount, type RunningAccount } from '../support/running-account.ts';
import { isWhole as isDrill } from '../support/sample.ts';
import { password, refresh, signInForCode } from '../support/sign-in.ts';
import { until } from '../support/until.ts';
import { acknowledge, countMissing, isWhole, keepWriting, restore } from './backup.ts';
import { damageTable } from './damage.ts';

describe('D7: gatehouse db backup', () => {
  let installation: Installation;
  let service: Service;
  let account: RunningAccount;
  before(async () => {
    installation = await installMigrated('sqlite');
    service = await installation.serve();
    account = await openAccount(service, ['grant.password=on', 'limit.register=off', 'limit.client-auth=off']);
  });
  after(async () => {
    account.close();
    await installation.dispose();
  });

  async function refusal(...file: string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await installation.run(['db', 'backup', ...file]);
    assert.deepEqual([exitCode, stdout], [1, '']);
    const [where, ...lines] = stderr.split(/(?<=\n)/);
    assert.equal(where, 'using database sqlite:data/gatehouse.db\n');
    return lines.join('');
  }

  it('refuses an existing file, above all the live database, and a missing folder', async () => {
    const live = 'data/gatehouse.db';
    const { ino } = statSync(join(installation.folder, live));
    assert.equal(await refusal(live), `gatehouse: ${live} already exists; name a new file\n`);
    assert.equal(statSync(join(installation.folder, live)).ino, ino);
    assert.equal(await refusal('data'), 'gatehouse: data already exists; name a new file\n');
    assert.equal(await refusal('no/such.db'), 'gatehouse: no/such.db cannot be written: its folder does not exist\n');
    assert.equal((await account.wire.call('GET', '/readyz')).status, 200);
    assert.deepEqual(
      readdirSync(installation.folder).filter((name) => name !== 'data'),
      [],
    );
  });

  it('its draft is in a folder of its own, and those of interrupted backups are removed', async () => {
    const folder = join(installation.folder, 'backups');
    const draftOf = (pid: number) => join(folder, `.gatehouse-backup-${hostname()}-${pid}-abcdef`);
    // No process has this number: it is above the most that Linux gives.
    const [dead, renamed, alive] = [draftOf(4_194_305), draftOf(4_194_306), draftOf(process.pid)];
    for (const draft of [dead, renamed, alive]) mkdirSync(draft, { recursive: true });
    for (const part of ['draft.db', 'draft.db-journal']) writeFileSync(join(dead, part), 'half');
    // Somebody else may give a folder that they cannot enter the name of a draft.
    writeFileSync(join(renamed, 'only copy.db'), '');
    writeFileSync(join(folder, 'kept.part'), '');
    const seen = new Set<string>();
    const watcher = watch(folder, (_, entry) => seen.add(entry ?? ''));
    await installation.cli('db', 'backup', join(folder, 'b.db'));
    await until(() => seen.has('b.db'));
    watcher.close();
    assert.deepEqual(
      readdirSync(folder).toSorted(),
      [basename(alive), basename(renamed), 'b.db', 'kept.part'].toSorted(),
    );
    assert.deepEqual(readdirSync(renamed), ['only copy.db']);
    const others = [...seen].filter((entry) => entry !== 'b.db');
    assert.ok(others.length > 0 && others.every((entry) => entry.startsWith('.gatehouse-backup-')), others.join());
  });

  it('a damaged database is not backed up', async () => {
    const copy = join(installation.folder, 'damaged.db');
    await installation.cli('db', 'backup', copy);
    damageTable(copy, 'clients');
    const env = { DATABASE_URL: `sqlite:${copy}` };
    const { exitCode, stderr } = await installation.run(['db', 'backup', 'of-damaged.db'], { env });
    assert.equal(exitCode, 1);
    assert.match(stderr, /damaged \(SQLITE_CORRUPT\)/);
    assert.ok(!readdirSync(installation.folder).some((name) => name.startsWith('of-damaged')));
  });

  it('taken while clients write contains what was acknowledged before it', async (t) => {
    const { client, email, tokens } = await account.signIn();
    const acknowledged = acknowledge([tokens]);
    const load = keepWriting(account, client, acknowledged, await account.bearer('register_clients'));
    await until(() => acknowledged.clients.length > 20);
    const beganAt = performance.now();
    const backup = join(installation.folder, 'under-load.db');
    await installation.cli('db', 'backup', backup);
    await load.stop();
    assert.ok(isWhole(backup));
    const restored = await restore(account, backup);
    t.after(() => restored.dispose());
    assert.deepEqual(await countMissing(restored, client, acknowledged, beganAt), { clients: 0, sessions: 0 });
    assert.ok((await signInForCode(restored.account, client, { email })).get('code'));
  });

  it('contains no secret in plain text; the service starts on it only with the master key', async (t) => {
    const { client, tokens } = await account.signIn();
    const backup = join(installation.folder, 'backup.db');
    await installation.cli('db', 'backup', backup);
    assert.equal(statSync(backup).mode & 0o777, 0o600);
    const bytes = readFileSync(backup);
    const secrets = [
      client.client_secret,
      tokens.access_token,
      tokens.refresh_token,
      password,
      readFileSync(join(installation.folder, 'data/master.key'), 'utf8').trim(),
      'PRIVATE KEY',
    ];
    for (const secret of secrets) assert.ok(!bytes.includes(secret ?? 'x'.repeat(99)));

    const other = await install('sqlite');
    t.after(() => other.dispose());
    const data = join(other.folder, 'data');
    mkdirSync(data, { mode: 0o700 });
    copyFileSync(backup, join(data, 'gatehouse.db'));
    assert.equal(await service.stop(), 0);
    const refused = await other.run(['serve']);
    assert.equal(refused.exitCode, 1);
    assert.match(refused.stderr, /master\.key is missing although the database contains data/);
    assert.ok(!existsSync(join(data, 'master.key')));
    copyFileSync(join(installation.folder, 'data/master.key'), join(data, 'master.key'));
    const restored = await other.serve({
      port: installation.port,
      env: { SERVICE_DOMAIN: `localhost:${installation.port}` },
    });
    assert.equal((await refresh(account, client, tokens.refresh_token)).status, 200);
    assert.equal(await restored.stop(), 0);
    rmSync(backup);
  });
});

// PostgreSQL's own tool makes the copy: `npm run drill -- M4`.
if (isDrill) {
  describe('D7 on PostgreSQL', () => {
    it('a base backup taken while clients write contains what was acknowledged before it', async (t) => {
      const installation = await install('postgres');
      t.after(() => installation.dispose());
      const account = await openAccount(await installation.serve(), ['limit.register=off', 'limit.client-auth=off']);
      t.after(() => account.close());
      const { client, email, tokens } = await account.signIn();
      const acknowledged = acknowledge([tokens]);
      const load = keepWriting(account, client, acknowledged, await account.bearer('register_clients'));
      await until(() => acknowledged.clients.length > 20);
      const beganAt = performance.now();
      const copy = await startFromBackup(installation.databaseUrl);
      t.after(() => copy.stop());
      await load.stop();
      const restored = await restore(account, copy.url);
      t.after(() => restored.dispose());
      const missing = await countMissing(restored, client, acknowledged, beganAt);
      assert.deepEqual(missing, { clients: 0, sessions: 0 });
      assert.ok((await signInForCode(restored.account, client, { email })).get('code'));
      assert.match((await installation.run(['db', 'backup', 'x'])).stderr, /PostgreSQL has its own tools.*pg_dump/);
    });
  });
}
