import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import Sqlite from 'better-sqlite3';
import { SMTPServer } from 'smtp-server';
import { examineMail } from '../../src/cli/mail-findings.ts';
import { readConfig } from '../../src/config.ts';
import { judgeNode } from '../../src/runtime/floor.ts';
import { type CliFolder, cliFolder, defaultWait } from '../support/cli.ts';
import { startPooler } from '../support/pooler.ts';
import { freshDatabase } from '../support/postgres.ts';
import { placeNode, placeScript } from '../support/programs.ts';
import { execute } from '../support/rows.ts';

interface Finding {
  readonly layer: string;
  readonly status: string;
  readonly detail: string;
  readonly remedy: string | null;
}

/** What builds packages is started to examine it. */
const withoutPackages = { NPM_REGISTRY: 'none' };

describe('gatehouse doctor', () => {
  let healthy: CliFolder;
  let empty: CliFolder;

  before(async () => {
    healthy = cliFolder();
    await healthy.json('account', 'create', 'acme');
  });
  after(() => healthy.remove());
  beforeEach(() => {
    empty = cliFolder(withoutPackages);
  });
  afterEach(() => empty.remove());

  async function examine(cli: CliFolder, env?: Record<string, string>) {
    const command = ['doctor', '--json'];
    const { exitCode, stdout, stderr } = await (env
      ? cli.ask(command, { ...withoutPackages, ...env })
      : cli.run(command));
    assert.equal(stderr, '');
    const findings: Finding[] = JSON.parse(stdout);
    const statusOf = (layer: string) => findings.find((finding) => finding.layer === layer)?.status;
    return { exitCode, findings, statusOf };
  }

  test('reports a healthy service as healthy', async () => {
    const { exitCode, findings, statusOf } = await examine(healthy);
    assert.equal(exitCode, 0);
    // The Node that npm brings may be older than the last security release: then it is said, and nothing else is wrong.
    const { state } = judgeNode(process.versions.node);
    assert.deepEqual([statusOf('node'), statusOf('hook runtime jsruntime12.x')], [state, state]);
    for (const layer of [
      'configuration',
      'listening address',
      'store',
      'migrations',
      'master key',
      'signing keys',
      'clock',
      'hook runner',
      'hooks: own process for each account',
      'hooks: no JIT compiler',
    ]) {
      assert.equal(statusOf(layer), 'ok', layer);
    }
    assert.equal(statusOf('mutual TLS'), undefined);
    const detailOf = (layer: string) => findings.find((finding) => finding.layer === layer)?.detail ?? '';
    assert.equal(detailOf('signing keys'), '1 account with RS256 and ES256');
    assert.match(detailOf('migrations'), /^\d+ applied, the newest is \d{4}_\w+$/);
    for (const finding of findings) assert.deepEqual(Object.keys(finding), ['layer', 'status', 'detail', 'remedy']);
  });

  test('creates nothing in an empty folder', async () => {
    const { exitCode, statusOf } = await examine(empty);
    assert.deepEqual([exitCode, statusOf('store')], [0, 'off']);
    assert.ok(!existsSync(join(empty.path, 'data')));
  });

  test('names every invalid setting', async () => {
    const { exitCode, findings } = await examine(healthy, { PORT: 'x', LOG_LEVEL: 'y' });
    assert.equal(exitCode, 1);
    assert.match(findings.find(({ layer }) => layer === 'configuration')?.detail ?? '', /PORT.*LOG_LEVEL/);
  });

  test('reports how the address is protected', async () => {
    const open = await examine(healthy, { HOST: '0.0.0.0', INSECURE_HTTP: '1', PUBLIC_SCHEME: 'http' });
    assert.deepEqual([open.statusOf('listening address'), open.exitCode], ['off', 0]);
    const proxied = await examine(healthy, { HOST: '0.0.0.0', TRUST_PROXY: '10.0.0.1' });
    assert.deepEqual([proxied.statusOf('listening address'), proxied.statusOf('proxy addresses')], ['ok', 'ok']);
    const unnamed = await examine(healthy, { PUBLIC_SCHEME: 'https' });
    assert.equal(unnamed.statusOf('proxy addresses'), 'degraded');
  });

  test('warns of certificates of clients that cannot reach an account, and so does the change that asks for them', async () => {
    await empty.json('account', 'create', 'acme');
    const found = async (env?: Record<string, string>) =>
      (await examine(empty, env)).findings.filter(({ layer }) => layer === 'mutual TLS');
    const told = async (pairs: string[], env: Record<string, string> = {}) =>
      (await empty.ask(['account', 'set', 'acme', ...pairs], env)).stderr;
    const proxied = { TRUST_PROXY: '127.0.0.1' };
    assert.match(await told(['mutual_tls=any']), /^warning: acme has mutual_tls=any, but TRUST_PROXY is empty: /m);
    const [unproxied, ...none] = await found();
    assert.deepEqual([unproxied?.status, none], ['degraded', []]);
    assert.match(unproxied?.detail ?? '', /TRUST_PROXY is empty: requests with a certificate are answered 400$/);
    const plain = await told(['mutual_tls=any'], proxied);
    assert.match(
      plain,
      /http:\/\/acme\.\S+ has no TLS, and mutual_tls_origin names no other address; set mutual_tls_origin/,
    );
    assert.doesNotMatch(await told(['mutual_tls_origin=https://acme.example.com:8443'], proxied), /warning/);
    const [well] = await found(proxied);
    assert.deepEqual([well?.status, well?.detail], ['ok', '1 account takes certificates of clients']);
    assert.doesNotMatch(await told(['limit.par=off']), /warning/);
  });

  test('says that others can open the database', async () => {
    await empty.json('account', 'create', 'acme');
    const file = join(empty.path, 'data/gatehouse.db');
    assert.equal((await examine(empty)).statusOf('file mode'), undefined);
    chmodSync(file, 0o644);
    const { exitCode, findings } = await examine(empty);
    const { status, detail } = findings.find(({ layer }) => layer === 'file mode') ?? assert.fail();
    assert.deepEqual([exitCode, status], [0, 'degraded']);
    assert.match(detail, /^the mode of \S*gatehouse\.db \(0644\) lets other users of this machine open it$/);
  });

  test('finds missing migrations', async () => {
    new Sqlite(join(empty.path, 'old.db')).exec('create table other (id integer)').close();
    const { exitCode, statusOf } = await examine(empty, { DATABASE_URL: 'sqlite:old.db' });
    assert.deepEqual([exitCode, statusOf('migrations')], [1, 'failed']);
  });

  test('names what in the schema is not from this release, and the service does not start on it', async () => {
    await empty.json('account', 'create', 'other');
    await execute(`sqlite:${join(empty.path, 'data/gatehouse.db')}`, 'drop index grants_account_id_user_id_index');
    const { exitCode, findings } = await examine(empty);
    const { status, detail } = findings.find(({ layer }) => layer === 'migrations') ?? assert.fail();
    const fault = 'index grants.grants_account_id_user_id_index is missing';
    assert.deepEqual([exitCode, status, detail], [1, 'failed', fault]);
    const { stderr, exitCode: code } = await empty.run(['serve']);
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`the schema does not match this release: ${fault}: docs/operations.md`));
  });

  test('finds a master key that is missing, readable by others or wrong', async () => {
    const missing = await examine(healthy, { MASTER_KEY_FILE: 'none' });
    assert.deepEqual([missing.exitCode, missing.statusOf('master key')], [1, 'failed']);
    await empty.json('account', 'create', 'other');
    const wrong = await examine(healthy, { MASTER_KEY_FILE: join(empty.path, 'data/master.key') });
    assert.match(wrong.findings.find(({ layer }) => layer === 'master key')?.detail ?? '', /is not the master key/);
    chmodSync(join(empty.path, 'data/master.key'), 0o644);
    const open = await examine(empty);
    assert.match(open.findings.find(({ layer }) => layer === 'master key')?.detail ?? '', /chmod 600/);
  });

  test('reports how mail is sent, and whether the server accepts it', async () => {
    const mailOf = async (env: Record<string, string> = {}) => {
      const { status, detail, ...more } = await examineMail(readConfig(env));
      assert.ok(!JSON.stringify([detail, more]).includes('hunter2'));
      return [status, detail];
    };
    const [state, files] = await mailOf();
    assert.equal(state, 'off');
    assert.match(String(files), /files? in .*data\/mail/);
    const server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ password }, _session, done) =>
        password === 'right' ? done(null, { user: 'u' }) : done(new Error('not hunter2')),
      onData: () => assert.fail('a message was sent'),
    });
    server.on('error', () => {});
    server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    const { port } = server.server.address() as AddressInfo;
    const at = `127.0.0.1:${port}`;
    try {
      const right = await mailOf({ SMTP_URL: `smtp://u:right@${at}` });
      assert.deepEqual(right, ['ok', `${at} answers and accepts the password`]);
      const { exitCode, findings } = await examine(healthy, { SMTP_URL: `smtp://u:hunter2@${at}` });
      const { status, detail } = findings.find(({ layer }) => layer === 'mail') ?? assert.fail();
      assert.deepEqual([exitCode, status, detail], [0, 'degraded', `${at} does not accept the user and password`]);
      assert.ok(!JSON.stringify(findings).includes('hunter2'));
    } finally {
      await new Promise<void>((done) => server.close(done));
    }
    assert.deepEqual(await mailOf({ SMTP_URL: `smtp://u:hunter2@${at}` }), ['degraded', `${at} does not answer`]);
  });

  test('reports the file of countries, and a file of settings that others can read', async () => {
    assert.equal((await examine(healthy)).statusOf('countries of addresses'), 'ok');
    const file = join(empty.path, 'settings.env');
    writeFileSync(file, 'GEOIP_DATABASE=/nowhere/countries.mmdb\n', { mode: 0o644 });
    chmodSync(file, 0o644);
    const { exitCode, stdout } = await healthy.ask(['doctor', '--json', '--env-file', file], withoutPackages);
    const findings: Finding[] = JSON.parse(stdout);
    const geoip = findings.find(({ layer }) => layer === 'countries of addresses');
    const detail = 'GEOIP_DATABASE names /nowhere/countries.mmdb, which cannot be opened: no such file';
    assert.deepEqual([exitCode, geoip?.status, geoip?.detail], [1, 'failed', detail]);
    const [from, warning] = findings.filter(({ layer }) => layer === 'configuration');
    assert.match(from?.detail ?? '', new RegExp(`, settings of ${file}$`));
    assert.deepEqual([warning?.status, warning?.detail.includes(`chmod 600 ${file}`)], ['degraded', true]);
  });

  test('checks each Node that functions run on', async () => {
    const [node, foreign] = [join(empty.path, 'other-node'), join(empty.path, 'foreign-node')];
    placeNode(node);
    placeScript(foreign, '25.9.0', { abi: '141' });
    const two = await examine(healthy, { HOOK_RUNTIMES: `jsruntime12.x,jsruntime24.x=${node}` });
    const { state } = judgeNode(process.versions.node);
    assert.deepEqual([two.exitCode, two.statusOf('hook runtime jsruntime24.x')], [0, state]);
    for (const layer of ['hook runner', `hook runner of ${node}`, `hooks of ${node}: no JIT compiler`]) {
      assert.equal(two.statusOf(layer), 'ok', layer);
    }
    const bad = await examine(healthy, { HOOK_RUNTIMES: `jsruntime12.x,jsruntime24.x=${foreign}` });
    const finding = bad.findings.find(({ layer }) => layer === 'hook runtime jsruntime24.x');
    assert.deepEqual([bad.exitCode, finding?.status], [1, 'failed']);
    assert.match(finding?.detail ?? '', /is Node 25\.9\.0 with ABI 141; .*137 and 147$/);
  });

  test('finds a pooler that does not preserve sessions, unless it is asked for transactions', async () => {
    const database = await freshDatabase();
    const pooler = await startPooler(database.url, { mode: 'transaction' });
    const env = { DATABASE_URL: pooler.url };
    try {
      assert.equal((await examine(empty, { ...env, DATABASE_POOLING: 'transaction' })).statusOf('store'), 'ok');
      const { exitCode, findings } = await examine(empty, env);
      const { status, detail } = findings.find(({ layer }) => layer === 'store') ?? assert.fail();
      assert.deepEqual([exitCode, status], [1, 'failed']);
      assert.match(
        detail,
        /^a pooler in front of the database does not keep sessions: set DATABASE_POOLING=transaction, or pool_mode/,
      );
    } finally {
      await pooler.close();
      await database.drop();
    }
  });

  test('finds a database that does not answer, without revealing its password', async () => {
    const { exitCode, statusOf, findings } = await examine(healthy, {
      ...defaultWait,
      DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:9/x',
    });
    assert.deepEqual([exitCode, statusOf('store')], [1, 'failed']);
    assert.ok(!JSON.stringify(findings).includes('hunter2'));
  });
});
