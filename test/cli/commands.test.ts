import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type CliFolder, cliFolder } from '../support/cli.ts';
import { ask, execute } from '../support/rows.ts';

const nobody = 'there is no account nobody; gatehouse account list shows the accounts';
/** What every command says first on standard error. */
const where = 'using database sqlite:data/gatehouse.db, accounts at http://<subdomain>.localhost:3000\n';

describe('the command line', () => {
  let cli: CliFolder;
  let url: string;

  before(async () => {
    cli = cliFolder();
    url = `sqlite:${join(cli.path, 'data', 'gatehouse.db')}`;
    // In a separate process, which ends by itself.
    const first = await cli.run(['account', 'create', 'acme', '--name', 'Acme', '--host', 'id.acme.example', '--json']);
    assert.deepEqual([first.exitCode, first.stderr], [0, '']);
  });
  after(() => cli.remove());

  /** The refusal of a command, which prints nothing on stdout. */
  async function refusal(...args: string[]): Promise<{ error: string; message: string; exitCode: number | null }> {
    const { exitCode, stdout, stderr } = await cli.ask([...args, '--json']);
    assert.equal(stdout, '');
    return { ...JSON.parse(stderr), exitCode };
  }

  test('the first command in an empty folder creates database and master key, readable by the owner only', () => {
    for (const file of ['gatehouse.db', 'master.key']) {
      assert.equal(statSync(join(cli.path, 'data', file)).mode & 0o777, 0o600);
    }
  });

  test('accounts are created, listed and set', async () => {
    const acme = {
      account_id: 1,
      subdomain: 'acme',
      base_url: 'http://acme.localhost:3000',
      hosts: ['id.acme.example'],
    };
    assert.deepEqual(await cli.json('account', 'list'), [acme]);
    const set = (...pairs: string[]) => cli.json('account', 'set', 'acme', ...pairs);
    const { settings, ...members } = await set('registration=closed', 'grant.password=on');
    assert.deepEqual(members, { ...acme, name: 'Acme' });
    assert.deepEqual([settings.registration, settings['grant.password']], ['closed', 'on']);
    const restored = await set('registration=', 'grant.password=');
    assert.deepEqual([restored.settings.registration, restored.settings['grant.password']], ['token', 'off']);
    assert.deepEqual(await cli.json('account', 'show', 'acme'), restored);
    assert.equal((await refusal('account', 'set', 'acme', 'registration=perhaps')).error, 'value_invalid');
    assert.equal((await refusal('account', 'set', 'acme', 'registration')).error, 'value_invalid');
    assert.equal((await refusal('account', 'set', 'acme', 'a=1', 'a=2')).message, 'a must not be repeated');
    assert.equal((await refusal('account', 'create', 'acme')).error, 'conflict');
    assert.equal((await refusal('account', 'create', 'api')).message, 'the subdomain api is reserved; choose another');
  });

  test('credentials are created, listed and revoked', async () => {
    const account = ['--account', 'acme'];
    const made = await cli.json('credential', 'create', ...account, '--scope', 'read_all', '--scope', 'manage_users');
    assert.deepEqual(Object.keys(made), ['client_id', 'client_secret', 'scopes']);
    assert.deepEqual(made.scopes, ['read_all', 'manage_users']);
    const [listed] = await cli.json('credential', 'list', ...account);
    assert.deepEqual([listed.client_id, listed.client_secret], [made.client_id, undefined]);
    await cli.json('credential', 'revoke', ...account, made.client_id, '--yes');
    assert.deepEqual(await cli.json('credential', 'list', ...account), []);
    assert.equal((await refusal('credential', 'revoke', ...account, made.client_id, '--yes')).error, 'not_found');
    assert.equal((await refusal('credential', 'create', ...account)).error, 'usage_invalid');
  });

  test('API keys are created, listed and revoked', async () => {
    const account = ['--account', 'acme'];
    const made = await cli.json('api-key', 'create', ...account, '--name', 'import');
    assert.deepEqual(Object.keys(made), ['id', 'api_key']);
    const [listed] = await cli.json('api-key', 'list', ...account);
    assert.deepEqual([listed.id, listed.name, listed.api_key], [made.id, 'import', undefined]);
    await cli.json('api-key', 'revoke', ...account, String(made.id), '--yes');
    assert.equal((await refusal('api-key', 'revoke', ...account, String(made.id), '--yes')).error, 'not_found');
    for (const id of ['0', '-1', '1.5', 'x', '2147483648']) {
      assert.notEqual((await refusal('api-key', 'revoke', ...account, id, '--yes')).exitCode, 0, id);
    }
  });

  test('roles and users are created, set and listed', async () => {
    const account = ['--account', 'acme'];
    const role = await cli.json('role', 'create', ...account, 'staff');
    assert.deepEqual(role, { id: role.id, name: 'staff' });
    const setRole = (...pairs: string[]) => ['role', 'set', ...account, 'staff', ...pairs];
    const followed = await cli.json(...setRole('policy=Default'));
    assert.deepEqual(followed, { id: role.id, name: 'staff', policy: 'Default' });
    assert.equal((await cli.json(...setRole('policy='))).policy, null);
    assert.equal((await refusal(...setRole('policy=none'))).error, 'not_found');
    assert.equal((await refusal(...setRole('colour=red'))).message, 'colour cannot be set; keys are name, policy');
    const create = ['user', 'create', ...account, '--email', 'Ada@Example.com', '--username', 'ada', '--role', 'staff'];
    const { stdout } = await cli.run([...create, '--password', '-', '--json'], {
      input: 'correct horse battery\nmore',
    });
    const user = JSON.parse(stdout);
    assert.deepEqual(user, { id: user.id, email: 'Ada@Example.com', username: 'ada', status: 'active' });
    const setting = (...pairs: string[]) => ['user', 'set', ...account, '--email', 'ada@example.com', ...pairs];
    const set = (...pairs: string[]) => cli.json(...setting(...pairs));
    assert.equal((await cli.json(...setting('status=locked', 'firstname=Ada', 'roles='))).status, 'locked');
    assert.equal((await set('status=suspended')).status, 'suspended');
    assert.equal((await set('status=active', 'password=another password')).status, 'active');
    for (const [pair, message] of [
      [
        'roles=staff,crew',
        'there is no role crew; gatehouse role list shows the roles, and gatehouse role create makes one',
      ],
      ['password=', 'password is empty'],
    ] as const) {
      assert.equal((await refusal(...setting(pair))).message, message);
    }
    await execute(url, `update users set locked_until = 9e15, invalid_login_attempts = 10 where id = ${user.id}`);
    await set('status=active');
    const paused = await ask(url, `select locked_until, invalid_login_attempts from users where id = ${user.id}`);
    assert.deepEqual(paused, [{ locked_until: null, invalid_login_attempts: 0 }], 'active ends a lockout');
    const idle = await cli.json('user', 'create', ...account, '--email', 'grace@example.com');
    assert.equal(idle.status, 'unactivated');
    assert.deepEqual(await cli.json('user', 'list', ...account), [user, idle]);
    for (const pair of ['status=deleted', 'status=1', 'id=7', 'password=short', 'password=', '__proto__=x']) {
      const { error } = await refusal(...setting(pair));
      assert.equal(error, 'value_invalid', pair);
    }
    assert.equal(
      (await refusal('user', 'set', ...account, '--email', 'no@example.com', 'status=active')).error,
      'not_found',
    );
  });

  test('why tells of a user, and says what it cannot find', async () => {
    const { id } = await cli.json('user', 'create', '--account', 'acme', '--email', 'why@example.com');
    const told = await cli.json('why', 'Why@example.com');
    assert.deepEqual([told.account, told.user_id, told.status, told.before], ['acme', id, 'unactivated', []]);
    assert.match(told.now[0].cause, /^why@example\.com is not active/);
    assert.equal((await refusal('why', 'nobody@example.com')).error, 'not_found');
    assert.equal(
      (await refusal('why', 'why@example.com', '--app', '7')).message,
      'there is no app 7; gatehouse app list shows the apps',
    );
    assert.equal((await refusal('why', '9f2c1f0a-5a52-4b8e-9f0e-5b1a5c0f6c11')).error, 'not_found');
    assert.match((await refusal('why', 'nonsense')).message, /^there is no user nonsense: give the reference/);
    await cli.json('account', 'create', 'twin');
    await cli.json('user', 'create', '--account', 'twin', '--email', 'why@example.com');
    assert.match((await refusal('why', 'why@example.com')).message, /\(acme, twin\): choose one with --account$/);
    assert.equal((await cli.json('why', 'why@example.com', '--account', 'twin')).account, 'twin');
  });

  test('a user without an e-mail address is named by user name', async () => {
    const account = ['--account', 'acme'];
    const bo = ['--username', "bo o'hara"];
    const { id } = await cli.json('user', 'create', ...account, ...bo);
    assert.deepEqual(await cli.json('user', 'list', ...account, '--username', "BO O'*"), [
      { id, email: null, username: "bo o'hara", status: 'unactivated' },
    ]);
    const [told] = (await cli.json('why', "Bo O'Hara", '--account', 'acme')).now;
    const invite = `gatehouse user invite --username 'bo o'\\''hara' --account acme`;
    assert.ok(told.remedy.includes(invite), told.remedy);
    const { email, link } = await cli.json('user', 'invite', ...account, ...bo);
    assert.equal(email, null);
    assert.match(link, /^http/);
    assert.equal((await cli.json('user', 'set', ...account, ...bo, 'status=locked')).status, 'locked');
    assert.equal((await cli.json('user', 'show', ...account, ...bo)).username, "bo o'hara");
    assert.match((await cli.run(['user', 'unlock', ...account, ...bo])).stdout, /^bo o'hara is unlocked$/m);
    const { id: app } = await cli.json('app', 'create', 'Desk', ...account);
    const access = ['--app', String(app), '--user', "BO O'HARA", ...account];
    assert.equal((await cli.json('access', 'grant', ...access)).app_id, app);
    assert.equal((await cli.json('access', 'revoke', ...access)).app_id, app);
    await cli.json('app', 'delete', String(app), ...account, '--yes');
    const both = await refusal('user', 'show', ...account, ...bo, '--email', 'ada@example.com');
    assert.deepEqual([both.exitCode, both.message], [2, '--email and --username cannot both be given']);
    const nobody = await refusal('user', 'show', ...account);
    assert.deepEqual([nobody.exitCode, nobody.message], [2, '--email or --username must be given']);
    assert.equal((await cli.json('user', 'delete', ...account, ...bo, '--yes')).deleted, true);
    assert.equal((await refusal('user', 'show', ...account, ...bo)).error, 'not_found');
  });

  test('user set stores each key', async () => {
    const account = ['--account', 'acme'];
    await cli.json('role', 'create', ...account, 'keyed');
    const { id } = await cli.json('user', 'create', ...account, '--email', 'keys@example.com');
    const { stdout: help } = await cli.ask(['user', 'set', '--help']);
    // How the row, and that of the role, shows each; an email last, since the user is found by it.
    const keys: Readonly<Record<string, readonly [pair: string, sql: string]>> = {
      username: ['keyed', 'username'],
      firstname: ['Grace', 'firstname'],
      lastname: ['Hopper', 'lastname'],
      password: ['correct horse battery', "case when password_digest is not null then 'correct horse battery' end"],
      status: ['suspended', "case status when 2 then 'suspended' end"],
      roles: ['keyed', '(select name from roles where id = (select role_id from role_users where user_id = users.id))'],
      email: ['set@example.com', 'email'],
    };
    const listed = /^Keys: (.+)$/m.exec(help)?.[1]?.split(', ');
    assert.deepEqual(listed?.toSorted(), Object.keys(keys).toSorted());
    for (const [key, [value, sql]] of Object.entries(keys)) {
      const shown = async () => (await ask(url, `select ${sql} as shown from users where id = ${id}`))[0]?.['shown'];
      assert.notEqual(await shown(), value, key);
      await cli.json('user', 'set', ...account, '--email', 'keys@example.com', `${key}=${value}`);
      assert.equal(await shown(), value, key);
    }
  });

  test('people are exported and imported, and each line has its outcome', async () => {
    const account = ['--account', 'people'];
    await cli.json('account', 'create', 'people');
    const write = (name: string, text: string) => writeFileSync(join(cli.path, name), text);
    write('people.csv', 'email,firstname\na@example.com,=Ada\nno address,Bo\nc@example.com,Cy\n');
    const load = (...args: string[]) => cli.ask(['user', 'import', ...account, ...args, '--json']);
    const tried = await load('people.csv', '--dry-run');
    const failure = { line: 3, result: 'failed', user_id: null, error: 'value_invalid' };
    const message = 'email must be an address of the form name@domain in ASCII characters';
    const counts = { created: 2, updated: 0, skipped: 0, failed: 1, failures: [{ ...failure, message }] };
    assert.deepEqual([tried.exitCode, JSON.parse(tried.stdout)], [1, { dry_run: true, ...counts }]);
    assert.deepEqual(await cli.json('user', 'list', ...account), []);
    assert.deepEqual(JSON.parse((await load('people.csv', '--report', 'report')).stdout), {
      dry_run: false,
      ...counts,
    });
    const report = readFileSync(join(cli.path, 'report'), 'utf8').trimEnd().split('\n');
    assert.deepEqual(
      report.map((line) => JSON.parse(line).result),
      ['created', 'failed', 'created'],
    );
    const csv = (await cli.ask(['user', 'export', ...account])).stdout;
    const [heading, ada] = csv.split('\n');
    assert.match(heading ?? '', /^email,username,firstname,.*,status,roles$/);
    assert.equal(ada, "a@example.com,,'=Ada,,,,,,,,,false,unactivated,");
    const { stdout: lines } = await cli.ask(['user', 'export', ...account, '--format', 'ndjson']);
    assert.equal(JSON.parse(lines.split('\n')[0] ?? '').firstname, '=Ada');
    write('again.ndjson', lines);
    assert.equal((await cli.json('user', 'import', ...account, 'again.ndjson')).skipped, 2);
    const updated = await cli.ask(['user', 'import', ...account, 'again.ndjson', '--existing', 'update']);
    assert.match(updated.stdout, /^updated +2$/m);
    await cli.ask(['user', 'import', '--account', 'nobody', 'people.csv', '--report', 'unused']);
    assert.equal(existsSync(join(cli.path, 'unused')), false);
    for (const [args, words] of [
      [['people.txt'], /people\.txt ends in neither \.csv nor \.ndjson/],
      [['none.csv'], /none\.csv cannot be opened/],
      [['people.csv', '--report', 'report'], /report already exists/],
      [['people.csv', '--existing', 'merge'], /existing must be one of skip, update, fail/],
    ] as const) {
      const { exitCode, stderr } = await load(...args);
      assert.equal(exitCode, 1);
      assert.match(JSON.parse(stderr).message, words);
    }
  });

  test('access names an app and either a user or a role', async () => {
    const access = ['access', 'grant', '--account', 'acme', '--app', '1'];
    assert.equal(
      (await refusal(...access, '--user', 'ada@example.com')).message,
      'there is no app 1; gatehouse app list shows the apps',
    );
    assert.equal((await refusal(...access)).error, 'value_invalid');
    assert.equal((await refusal(...access, '--user', 'a@b.c', '--role', 'staff')).error, 'value_invalid');
  });

  test('APIs are listed, opened to clients without a link, and closed', async () => {
    const account = ['--account', 'acme'];
    assert.equal((await cli.ask(['api', 'list', ...account])).stdout, 'none\n');
    await execute(
      url,
      `insert into authorization_servers (account_id, name, resource_identifier, audiences, created_at, updated_at)
        values (1, 'Orders', 'https://api.example.com/orders', '[]', 0, 0)`,
    );
    const [{ id } = { id: 0 }] = await ask(url, 'select id from authorization_servers');
    for (const value of ['read', 'write', 'admin']) {
      const row = `1, ${id}, '${value}', 0`;
      await execute(
        url,
        `insert into authorization_server_scopes (account_id, server_id, value, created_at) values (${row})`,
      );
    }
    const orders = { id, name: 'Orders', resource_identifier: 'https://api.example.com/orders' };
    assert.deepEqual(await cli.json('api', 'list', ...account), [
      { ...orders, client_access: 'linked', resource_metadata: 'off', open: [] },
    ]);
    const set = (...pairs: string[]) => ['api', 'set', String(id), ...pairs, ...account];
    const both = { ...orders, client_access: 'consent', resource_metadata: 'on', open: ['read', 'write'] };
    assert.deepEqual(await cli.json(...set('client_access=consent', 'open=write,read', 'resource_metadata=on')), both);
    assert.deepEqual(await cli.json('api', 'list', ...account), [both]);
    assert.match((await cli.ask(['api', 'list', ...account])).stdout, /^1 +Orders +\S+ +consent +on +read write$/m);
    const { message } = await refusal(...set('open=write,none', 'client_access=linked'));
    assert.equal(message, 'open names none, which is not a scope of this API');
    assert.deepEqual(await cli.json('api', 'list', ...account), [both], 'nothing was changed');
    assert.deepEqual((await cli.json(...set('open=write'))).open, ['write']);
    assert.deepEqual(await cli.json(...set('open=', 'client_access=linked', 'resource_metadata=off')), {
      ...both,
      resource_metadata: 'off',
      client_access: 'linked',
      open: [],
    });
    assert.equal((await refusal('api', 'set', '9', 'open=', ...account)).error, 'not_found');
    for (const pair of ['client_access=', 'client_access=any', 'resource_metadata=true', 'name=x']) {
      assert.equal((await refusal(...set(pair))).error, 'value_invalid', pair);
    }
  });

  test('keys are rotated and listed', async () => {
    const rotate = (...more: string[]) => cli.json('keys', 'rotate', '--account', 'acme', ...more);
    const { keys, ...first } = await rotate();
    assert.deepEqual(Object.keys(keys[0]), ['kid', 'alg', 'state', 'published_at', 'signs_from', 'retires_at']);
    const next = keys.filter(({ state }: { state: string }) => state === 'next').map(({ kid }: { kid: string }) => kid);
    assert.equal(next.length, 2);
    assert.deepEqual([first.changed, first.published.toSorted(), first.waiting], [true, next.toSorted(), []]);
    assert.match(keys[0].published_at, /^\d{4}-\d\d-\d\dT.*Z$/);
    assert.deepEqual(await cli.json('keys', 'list', '--account', 'acme'), keys);
    assert.deepEqual(await rotate(), { changed: false, published: [], waiting: next, keys });
    const { stdout } = await cli.ask(['keys', 'rotate', '--account', 'acme']);
    for (const alg of ['RS256', 'ES256']) {
      const words = `^${alg}: nothing was changed, because its next key \\S+ is published already and signs from 2`;
      assert.match(stdout, new RegExp(words, 'm'));
    }
    const emergency = await rotate('--emergency', '--yes');
    assert.equal(emergency.changed, true);
    assert.deepEqual(emergency.keys.map(({ state }: { state: string }) => state).sort(), [
      ...Array(4).fill('retired'),
      ...Array(2).fill('signing'),
    ]);
  });

  test('the database is migrated, described and copied', async () => {
    const { migrated, applied, pending } = await cli.json('db', 'migrate');
    assert.deepEqual([migrated, pending], [[], []]);
    assert.deepEqual(await cli.json('db', 'status'), { kind: 'sqlite', applied, pending: [] });
    assert.deepEqual(await cli.json('db', 'touch', '--account', 'acme'), { accounts: ['acme'] });
    assert.ok((await cli.json('db', 'touch')).accounts.includes('acme'));
    assert.equal((await refusal('db', 'touch', '--account', 'nobody')).error, 'not_found');
    assert.deepEqual(await cli.json('db', 'backup', 'copy.db'), { file: 'copy.db' });
    assert.equal((await refusal('db', 'backup', 'copy.db')).error, 'conflict');
    const { stdout } = await cli.run(['account', 'list', '--json'], { env: { DATABASE_URL: 'sqlite:copy.db' } });
    assert.equal(JSON.parse(stdout)[0].subdomain, 'acme');
  });

  test('the error names an account that does not exist', async () => {
    const refused = await refusal('user', 'list', '--account', 'nobody');
    assert.deepEqual(refused, { error: 'not_found', message: nobody, exitCode: 1 });
  });

  test('without --json output is aligned text, and an error is one line', async () => {
    const listed = await cli.ask(['account', 'list']);
    const [heading, row] = listed.stdout.split('\n');
    assert.equal(heading?.indexOf('SUBDOMAIN'), row?.indexOf('acme'));
    const wrong = await cli.run(['account', 'set', 'nobody', 'registration=open']);
    assert.deepEqual(wrong, {
      exitCode: 1,
      stdout: '',
      stderr: `${where}gatehouse: ${nobody}\n`,
    });
  });

  test('a malformed command exits with code 2', async () => {
    for (const args of [
      ['nonsense'],
      ['account', 'crate', 'x'],
      ['account', 'create'],
      ['user', 'list'],
      ['account', 'list', '--nonsense'],
      ['account', 'list', 'surplus'],
      ['account'],
      [],
    ]) {
      const { error, exitCode } = await refusal(...args);
      assert.deepEqual([error, exitCode], ['usage_invalid', 2], args.join(' '));
    }
    const { stderr } = await cli.ask(['user', 'list']);
    const missing = "gatehouse: required option '--account <subdomain>' not specified";
    assert.equal(stderr, `${missing}\nRun: gatehouse user list --help\n`);
    const wrong = await cli.run(['nonsense', '--json']);
    assert.deepEqual([wrong.exitCode, wrong.stdout, JSON.parse(wrong.stderr).error], [2, '', 'usage_invalid']);
    const { exitCode, stdout } = await cli.run(['--help']);
    assert.equal(exitCode, 0);
    assert.match(stdout, /serve/);
  });

  test('the trail of an account is listed, newest first, and verified', async () => {
    const account = ['--account', 'acme'];
    const all = await cli.json('audit', 'list', ...account, '--limit', '1000');
    assert.deepEqual(
      all.map(({ id }: { id: number }) => id),
      all.map((_: unknown, index: number) => all.length - index),
    );
    assert.ok(all.length > 5);
    const { created_at: createdAt, ...first } = all.at(-1);
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(first, {
      id: 1,
      action: 'account.created',
      outcome: 'success',
      actor: { type: 'command_line', id: null },
      target: { type: 'account', id: 1 },
      source: null,
      request_id: null,
      detail: {},
    });
    assert.deepEqual(await cli.json('audit', 'list', ...account, '--limit', '2'), all.slice(0, 2));
    const lines = await cli.ask(['audit', 'list', ...account, '--limit', '1000']);
    assert.equal(lines.stdout.trimEnd().split('\n').length, all.length);
    const verified = { account: 'acme', events: all.length, verified: true, first_bad: null };
    assert.deepEqual(await cli.json('audit', 'verify', ...account), verified);
    for (const limit of ['0', '-1', 'x', '1.5']) {
      assert.notEqual((await refusal('audit', 'list', ...account, `--limit=${limit}`)).exitCode, 0);
    }
    assert.equal((await refusal('audit', 'verify', '--account', 'nobody')).error, 'not_found');
  });

  test('a manually changed event fails the command (A7)', async () => {
    await execute(url, "drop trigger events_refuse_update; update events set outcome = 'refused' where id = 3");
    const { exitCode, stdout } = await cli.run(['audit', 'verify', '--account', 'acme', '--json']);
    assert.equal(exitCode, 1);
    assert.deepEqual(JSON.parse(stdout), { account: 'acme', events: 2, verified: false, first_bad: 3 });
  });

  test('invalid settings stop every command, and all of them are listed', async () => {
    const { exitCode, stderr } = await cli.run(['account', 'list', '--json'], {
      env: { PORT: 'x', TRUST_PROXI: '1', LOG_LEVEL: 'y' },
    });
    assert.equal(exitCode, 1);
    const { error, message } = JSON.parse(stderr);
    assert.equal(error, 'configuration_invalid');
    for (const name of ['PORT', 'TRUST_PROXI', 'LOG_LEVEL']) assert.match(message, new RegExp(`\\b${name}\\b`));
  });

  test('a database without its master key is left unchanged', async () => {
    const env = { MASTER_KEY_FILE: 'elsewhere/master.key' };
    const { exitCode, stderr } = await cli.run(['account', 'list'], { env });
    assert.equal(exitCode, 1);
    assert.ok(stderr.startsWith(where));
    assert.match(stderr.slice(where.length), /^gatehouse: the master key file elsewhere\/master\.key is missing.*\n$/);
    assert.ok(!existsSync(join(cli.path, 'elsewhere')));
  });
});
