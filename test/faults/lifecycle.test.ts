/** Start, stop and refusal to start of the real process. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { defaultWait } from '../support/cli.ts';
import { freshDatabase } from '../support/postgres.ts';
import { type Installation, install, type Service } from '../support/process.ts';
import { openAccount, type RunningAccount } from '../support/running-account.ts';
import { isWhole, sampledDatabases } from '../support/sample.ts';
import { clientAuthentication, refresh, registerClient } from '../support/sign-in.ts';
import { until, untilOpened } from '../support/until.ts';
import { openWire } from '../support/wire.ts';

function events(service: Service): unknown[] {
  const lines = service.output().trimEnd().split('\n');
  // Neither the message at startup about an outdated Node nor housekeeping, which a busy machine puts off to its next
  // round, is checked here.
  const others = ['request', 'node not known to be sound', 'housekeeping failed'];
  return lines.map((line) => JSON.parse(line).event).filter((event) => !others.includes(event));
}

for (const database of sampledDatabases) {
  describe(`the life of a server on ${database}`, () => {
    let installation: Installation;
    let service: Service;
    let account: RunningAccount;
    let keyFile: string;
    before(async () => {
      installation = await install(database);
      // Longer than anything takes: a second signal ends the wait.
      service = await installation.serve({ env: { DRAIN_SECONDS: '300' } });
      account = await openAccount(service, ['grant.password=on', 'limit.sign-in=off']);
      keyFile = join(installation.folder, 'data/master.key');
    });
    after(async () => {
      account.close();
      await installation.dispose();
    });

    it('SIGTERM lets running requests finish, ends with 0, and frees the port', async () => {
      const client = await registerClient(account);
      const { headers, form } = clientAuthentication(client);
      const attempt = { ...form, grant_type: 'password', username: 'nobody', password: 'a wrong password' };
      const sent = { headers, form: { ...attempt, scope: 'openid' } };
      await account.send('POST', '/oauth2/token', sent);
      // Each waits for a place to hash a password: when the first is answered, the others are under way.
      const running = Array.from({ length: 24 }, () => account.send('POST', '/oauth2/token', sent));
      const stopped = Promise.race(running).then(() => service.stop());
      const answers = await Promise.all(running);
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([400]));
      process.kill(service.pid, 'SIGINT');
      assert.equal(await stopped, 0);
      assert.deepEqual(events(service), ['listening', 'stopping', 'stopped']);
      await assert.rejects(account.wire.call('GET', '/healthz'), { code: 'ECONNREFUSED' });
    });

    it('a second start serves the data of the first', async () => {
      service = await installation.serve();
      const { client, tokens } = await account.signIn();
      assert.equal(await service.stop('SIGINT'), 0);
      service = await installation.serve();
      assert.equal((await refresh(account, client, tokens.refresh_token)).status, 200);
      await service.stop();
    });

    // Among other damages `npm test` has both in damage.test.ts.
    if (isWhole)
      it('does not start without the master key of its data, and creates no new one', async () => {
        renameSync(keyFile, `${keyFile}.away`);
        const { exitCode, stderr } = await installation.run(['serve']);
        assert.notEqual(exitCode, 0);
        assert.match(stderr, /master\.key is missing although the database contains data/);
        assert.equal(existsSync(keyFile), false);
        renameSync(`${keyFile}.away`, keyFile);
      });

    if (isWhole)
      it('does not start with another master key, or with one that others may read', async () => {
        const right = readFileSync(keyFile);
        const wrong = randomBytes(32).toString('base64');
        writeFileSync(keyFile, wrong, { mode: 0o600 });
        const refused = await installation.run(['serve']);
        assert.notEqual(refused.exitCode, 0);
        assert.match(refused.stderr, /is not the master key that this database was sealed with/);
        assert.ok(!refused.stderr.includes(wrong));
        writeFileSync(keyFile, right);
        chmodSync(keyFile, 0o640);
        const exposed = await installation.run(['serve']);
        assert.notEqual(exposed.exitCode, 0);
        assert.match(exposed.stderr, /chmod 600/);
        chmodSync(keyFile, 0o600);
        service = await installation.serve();
        assert.equal(await service.stop(), 0);
      });
  });
}

describe('a service of two processes', () => {
  it('serves at one port, has one page of metrics, and stops as one', async (t) => {
    const installation = await install('postgres');
    t.after(() => installation.dispose());
    const service = await installation.serve({ processes: 2 });
    const wire = openWire({ port: service.port, host: 'nobody.example' });
    const processes = async () => (await wire.call('GET', '/readyz')).body.processes;
    await until(async () => (await processes()).serving === 2);
    assert.deepEqual(await processes(), { wanted: 2, serving: 2 });
    // Each new connection is another process's.
    const both = await Promise.all([wire.call('GET', '/metrics'), wire.call('GET', '/metrics')]);
    for (const { status, text, headers } of both) {
      assert.deepEqual([status, headers['content-type']], [200, 'text/plain; version=0.0.4; charset=utf-8']);
      assert.match(text, /^gatehouse_refreshes_total\{outcome="rotated"\} 0$/m);
    }
    const held = both.map(({ text }) =>
      /^gatehouse_database_connections\{pool="main",state="used"\} (\d+)$/m.exec(text),
    );
    assert.ok(held.every((found) => found !== null));
    wire.close();
    assert.equal(await service.stop(), 0);
    assert.deepEqual(events(service), ['listening', 'stopping', 'stopped']);
  });

  it('does not start where its first process does not, and says why once', async (t) => {
    const installation = await install('sqlite', { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' });
    t.after(() => installation.dispose());
    const { exitCode, stdout, stderr } = await installation.run(['serve', '--processes', '2']);
    assert.equal(exitCode, 1);
    assert.doesNotMatch(stdout, /listening/);
    assert.equal(stderr.match(/^gatehouse: /gm)?.length, 1);
  });
});

describe('invalid settings', () => {
  it('are all reported at once, without their values, and nothing starts', async (t) => {
    const installation = await install('sqlite');
    t.after(() => installation.dispose());
    const { exitCode, stderr } = await installation.run(['serve'], {
      env: {
        PORT: '0',
        LOG_LEVEL: 'loud',
        DATABASE_URL: 'mysql://gatehouse:c4nary@127.0.0.1/gatehouse',
        METRICS_TOKEN: 'c4nary',
        TRUST_PROXY: '0.0.0.0/0',
        MASTER_KEYFILE: 'x',
      },
    });
    assert.notEqual(exitCode, 0);
    for (const name of ['PORT', 'LOG_LEVEL', 'DATABASE_URL', 'METRICS_TOKEN', 'TRUST_PROXY', 'MASTER_KEYFILE']) {
      assert.match(stderr, new RegExp(`\\b${name}\\b`));
    }
    assert.doesNotMatch(stderr, /c4nary/);
    assert.equal(existsSync(join(installation.folder, 'data')), false);
  });
});

describe('readiness', () => {
  it('SIGTERM: at once not ready; requests are served for DRAIN_SECONDS; SIGINT ends the wait (O4)', async (t) => {
    const installation = await install('sqlite', { DRAIN_SECONDS: '300' });
    t.after(() => installation.dispose());
    const service = await installation.serve();
    const account = await openAccount(service);
    t.after(() => account.close());
    const before = await account.send('GET', '/oauth2/jwks');
    assert.equal(before.headers['connection'], 'keep-alive');
    const stopped = service.stop();
    while (!events(service).includes('stopping')) await new Promise((resolve) => setTimeout(resolve, 10));
    const ready = await account.wire.call('GET', '/readyz');
    assert.deepEqual([ready.status, ready.body.status, ready.body.checks.serving], [503, 'stopping', 'stopping']);
    for (let request = 0; request < 3; request += 1) {
      const served = await account.send('GET', '/oauth2/jwks');
      assert.deepEqual([served.status, served.headers['connection']], [200, 'close']);
    }
    assert.equal(await service.stop('SIGINT'), 0);
    assert.equal(await stopped, 0);
    assert.deepEqual(events(service), ['listening', 'stopping', 'stopped']);
  });

  it('a lost database: /readyz 503 with the reason, /healthz 200, the doors 503', async (t) => {
    const database = await freshDatabase();
    const installation = await install('sqlite', { DATABASE_URL: database.url });
    t.after(() => installation.dispose());
    // The default, as it is away.
    const service = await untilOpened(() => installation.serve({ env: defaultWait }));
    const account = await openAccount(service);
    t.after(() => account.close());
    await database.drop();
    const ready = await account.wire.call('GET', '/readyz');
    assert.equal(ready.status, 503);
    assert.ok(ready.headers['retry-after']);
    assert.deepEqual(ready.body, {
      status: 'not ready',
      checks: { ...ready.body.checks, store: 'unreachable', migrations: 'unknown' },
      node: ready.body.node,
      hooks: ready.body.hooks,
      packages: ready.body.packages,
      geoip: { state: 'ok', reason: null },
    });
    assert.equal((await account.wire.call('GET', '/healthz')).status, 200);
    const form = { grant_type: 'refresh_token', refresh_token: 'rt_1', client_id: 'c' };
    for (const path of ['/oidc/2/token', '/oauth2/token']) {
      const answer = await account.send('POST', path, { form });
      assert.deepEqual([answer.status, answer.body.error], [503, 'temporarily_unavailable']);
    }
    assert.equal(await service.stop(), 0);
  });
});
