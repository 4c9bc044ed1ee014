import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { judgeNode } from '../../src/runtime/floor.ts';
import { type CliFolder, cliFolder } from '../support/cli.ts';
import { freePort } from '../support/process.ts';
import { placeScript } from '../support/programs.ts';
import { sampled } from '../support/sample.ts';
import { type RunningServer, startServer } from '../support/server.ts';
import { until } from '../support/until.ts';

describe('gatehouse serve', () => {
  let cli: CliFolder;
  const servers: RunningServer[] = [];

  before(() => {
    cli = cliFolder();
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
  });
  after(() => cli.remove());

  async function start(...args: Parameters<typeof startServer>): Promise<RunningServer> {
    const server = await startServer(...args);
    servers.push(server);
    return server;
  }

  function readDemo() {
    return JSON.parse(readFileSync(join(cli.path, 'data/demo.json'), 'utf8'));
  }

  test('refuses to start with a program that cannot run functions, and says which and why', async () => {
    const folder = cliFolder();
    const file = (name: string, mode: number) => {
      writeFileSync(join(folder.path, name), '#!/bin/sh\necho hello\n', { mode });
      return join(folder.path, name);
    };
    const foreign = placeScript(join(folder.path, 'foreign'), '22.23.4', { abi: '127' });
    const programs = [
      ['/nowhere/node', /\/nowhere\/node, named for b\.x, is not a file/],
      [folder.path, /is not a file/],
      [file('plain', 0o644), /cannot be executed|does not answer as Node does/],
      [file('other', 0o755), /does not answer as Node does/],
      [foreign, /is Node 22\.23\.4 with ABI 127; functions can run with ABI 137 and 147/],
    ] as const;
    for (const [program, words] of sampled(programs, 4)) {
      const env = { HOOK_RUNTIMES: `a.x,b.x=${program}`, PORT: String(await freePort()) };
      const { exitCode, stdout, stderr } = await folder.run(['serve', '--json'], { env });
      const { error, message } = JSON.parse(stderr);
      assert.deepEqual([exitCode, stdout.includes('listening'), error], [1, false, 'configuration_invalid']);
      assert.match(message, words);
    }
    // Nothing was made.
    assert.ok(!existsSync(join(folder.path, 'data')));
    folder.remove();
  });

  test('creates the demo account once, prints its secrets once, and follows the port', async () => {
    const first = await start(cli, ['serve', '--demo']);
    const demo = readDemo();
    assert.equal(statSync(join(cli.path, 'data/demo.json')).mode & 0o777, 0o600);
    assert.deepEqual(Object.keys(demo), [
      'account_id',
      'base_url',
      'issuer',
      'docs_url',
      'credential',
      'api_key',
      'user',
    ]);
    assert.equal(demo.base_url, `http://localhost:${first.port}`);
    assert.match(first.stdout(), new RegExp(`^ {2}Sign in at +${demo.base_url}/account$`, 'm'));
    const file = join(cli.path, 'data/demo.json');
    assert.match(first.stdout(), new RegExp(`in another terminal: npm run tour -- --demo ${file}\\n`));
    const root = await fetch(`${demo.base_url}/`, { redirect: 'manual' });
    assert.deepEqual([root.status, root.headers.get('location')], [302, '/account']);
    assert.equal((await fetch(`${demo.base_url}/.well-known/openid-configuration`)).status, 200);
    assert.equal((await fetch(`http://127.0.0.1:${first.port}/oauth2/jwks`)).status, 200);
    await first.stop();
    const secrets = [demo.credential.client_secret, demo.api_key, demo.user.password];
    const lines = first.stdout().split('\n');
    for (const secret of secrets) assert.equal(lines.filter((line) => line.includes(secret)).length, 1);
    assert.ok(
      lines.filter((line) => line.startsWith('{')).every((line) => !secrets.some((secret) => line.includes(secret))),
    );

    const second = await start(cli, ['serve', '--demo', '--json']);
    assert.notEqual(second.port, first.port);
    const moved = readDemo();
    assert.deepEqual(
      { ...moved, base_url: 0, issuer: 0, docs_url: 0 },
      { ...demo, base_url: 0, issuer: 0, docs_url: 0 },
    );
    assert.equal(moved.issuer, `http://localhost:${second.port}`);
    const discovery = await (await fetch(`${moved.base_url}/.well-known/openid-configuration`)).json();
    assert.equal((discovery as { issuer: string }).issuer, moved.issuer);
    await second.stop();
    assert.ok(!secrets.some((secret) => second.stdout().includes(secret)));
    // With --json it prints one line per event and nothing else.
    for (const line of second.stdout().trimEnd().split('\n')) assert.equal(typeof JSON.parse(line).event, 'string');
  });

  describe('once it runs', () => {
    let server: RunningServer;
    before(async () => {
      server = await startServer(cli, ['serve']);
    });
    after(() => server.stop());

    test('commands take effect on a running server', async () => {
      const host = `late.localhost:${server.port}`;
      const status = async () => {
        const sent = request({ host: '127.0.0.1', port: server.port, path: '/oauth2/jwks', headers: { host } }).end();
        const [response] = await once(sent, 'response');
        response.resume();
        return response.statusCode;
      };
      assert.equal(await status(), 404);
      await cli.json('account', 'create', 'late');
      assert.equal(await status(), 200);
    });

    test('a port in use is reported in one line', async () => {
      const { exitCode, stderr } = await cli.run(['serve'], { env: { PORT: String(server.port) } });
      assert.equal(exitCode, 1);
      assert.match(stderr, /^gatehouse: cannot listen on 127\.0\.0\.1:\d+: another process is listening there.*\n$/);
    });

    test('SIGTERM lets running requests finish and exits with code 0', async () => {
      const socket = connect(server.port, '127.0.0.1');
      await once(socket, 'connect');
      // The head of a request is enough to make it a running one.
      socket.write(
        `POST /oauth2/token HTTP/1.1\r\nHost: late.localhost:${server.port}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 18\r\nExpect: 100-continue\r\n\r\n`,
      );
      const [read] = (await once(socket, 'data')) as [Buffer];
      assert.equal(read.toString(), 'HTTP/1.1 100 Continue\r\n\r\n');
      const stopped = server.stop();
      const isClosed = () =>
        fetch(`http://127.0.0.1:${server.port}/healthz`).then(
          () => false,
          () => true,
        );
      await until(isClosed);
      socket.write('grant_type=nothing');
      const chunks: Buffer[] = [];
      for await (const chunk of socket) chunks.push(chunk as Buffer);
      assert.match(Buffer.concat(chunks).toString(), /^HTTP\/1\.1 4\d\d [\s\S]*connection: close/i);
      assert.equal(await stopped, 0);
      const events = server
        .stdout()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).event);
      // Housekeeping is put off to its next round by a busy machine.
      const others = ['request', 'node not known to be sound', 'housekeeping failed'];
      assert.deepEqual(
        events.filter((event) => !others.includes(event)),
        ['listening', 'stopping', 'stopped'],
      );
    });
  });

  test('a file of countries that cannot be opened stops the start', async () => {
    writeFileSync(join(cli.path, 'junk.mmdb'), 'no database');
    const port = String(await freePort());
    const files = [
      ['/nowhere/countries.mmdb', /^no such file$/],
      [cli.path, /^it is a folder$/],
      [join(cli.path, 'junk.mmdb'), /^\S.*$/],
    ] as const;
    for (const [file, reason] of sampled(files, 3)) {
      const { exitCode, stdout, stderr } = await cli.run(['serve', '--json'], {
        env: { GEOIP_DATABASE: file, PORT: port },
      });
      const { error, message } = JSON.parse(stderr);
      assert.deepEqual([exitCode, stdout.includes('listening'), error], [1, false, 'configuration_invalid']);
      const [before, after = ''] = message.split(', which cannot be opened: ');
      assert.equal(before, `GEOIP_DATABASE names ${file}`);
      assert.match(after, reason);
    }
  });

  test('the log says at startup, once, what is odd about the settings and about Node', async (t) => {
    const folder = cliFolder();
    t.after(() => folder.remove());
    mkdirSync(join(folder.path, 'data'), { mode: 0o700 });
    writeFileSync(join(folder.path, 'data/gatehouse.db'), '', { mode: 0o640 });
    const server = await start(folder, ['serve'], { PUBLIC_SCHEME: 'https', GHOST: '2.1' });
    await server.stop();
    const lines = server.stdout().split('\n');
    const reasons = lines.filter((line) => line.includes('"event":"settings"')).map((line) => JSON.parse(line).reason);
    assert.deepEqual(reasons, [
      'the variable GHOST is not read; if it was to be a setting, write HOST',
      'the mode of data/gatehouse.db (0640) lets other users of this machine open it; set it to 0600, and that of its ' +
        '-wal and -shm files',
      'TRUST_PROXY is none: every caller appears to be the proxy, so that all users share one limit; ' +
        'set it to the address of the proxy',
    ]);
    const unsound = lines.filter((line) => line.includes('node not known to be sound'));
    const { state, version, reason } = judgeNode(process.versions.node);
    assert.equal(unsound.length, state === 'ok' ? 0 : 1);
    for (const line of unsound) {
      const { level, ...told } = JSON.parse(line);
      assert.deepEqual([level, told.version, told.reason], ['warn', version, reason]);
    }
  });

  test('server and commands read the same file of settings, and commands name the address that is served', async () => {
    const folder = cliFolder();
    const port = String(await freePort());
    mkdirSync(join(folder.path, 'data'), { mode: 0o700 });
    writeFileSync(join(folder.path, 'data/gatehouse.env'), `SERVICE_DOMAIN=id.test:${port}\nSTART_PAGE=docs\n`, {
      mode: 0o600,
    });
    const create = ['account', 'create', 'acme', '--host', `localhost:${port}`];
    const { stdout, stderr } = await folder.run(create);
    assert.match(stdout, new RegExp(`^base_url +http://acme\\.id\\.test:${port}$`, 'm'));
    assert.equal(
      stderr,
      `using database sqlite:data/gatehouse.db, accounts at http://<subdomain>.id.test:${port}, ` +
        'settings of data/gatehouse.env\n' +
        'this is a new installation: the database was not there, or was empty\n',
    );
    const server = await startServer(folder, ['serve', '--env-file', 'data/gatehouse.env'], { PORT: port });
    try {
      const root = await fetch(`http://localhost:${server.port}/`, { redirect: 'manual' });
      assert.deepEqual([root.status, root.headers.get('location')], [302, '/docs']);
      // Without any setting a command says the address of the server, not that of the defaults.
      rmSync(join(folder.path, 'data/gatehouse.env'));
      const [account] = await folder.json('account', 'list');
      assert.equal(account.base_url, `http://acme.id.test:${server.port}`);
      const [, configuration] = await folder.json('doctor');
      assert.equal(configuration.detail, `accounts at http://<subdomain>.id.test:${server.port}`);
    } finally {
      await server.stop();
      folder.remove();
    }
  });

  test('plain http on a network address is refused unless configured', async () => {
    const env = { HOST: '0.0.0.0', PORT: String(await freePort()) };
    const { exitCode, stderr } = await cli.run(['serve'], { env });
    assert.equal(exitCode, 1);
    assert.match(stderr, /INSECURE_HTTP=1/);
  });
});
