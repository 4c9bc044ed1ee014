/** What an account has, by its commands: created, listed, shown, changed and deleted. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type CliFolder, cliFolder } from '../support/cli.ts';
import { execute } from '../support/rows.ts';

describe('commands for what an account has', () => {
  const account = ['--account', 'acme'];
  let cli: CliFolder;

  before(async () => {
    cli = cliFolder();
    await cli.json('account', 'create', 'acme');
    await cli.json('role', 'create', ...account, 'staff');
    await cli.json('policy', 'create', ...account, 'Strict', 'minimum_password_length=16', 'otp_required=on');
  });
  after(() => cli.remove());

  const json = (...args: string[]) => cli.json(...args, ...account);

  /** The words with which a command refuses; nothing is printed. */
  async function refusal(...args: string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await cli.ask([...args, ...account, '--json']);
    assert.deepEqual([stdout, exitCode === 0], ['', false]);
    return JSON.parse(stderr).message;
  }

  test('apps: roles and the policy by name, several addresses, one secret at a time', async () => {
    const made = await json('app', 'create', 'Shop', 'redirect_uris=https://a.example/in, https://b.example/in');
    assert.match(made.client_secret, /^cs_/);
    const id = String(made.id);
    const set = await json('app', 'set', id, 'roles=staff', 'policy=Strict', 'visible=off', 'access_token_minutes=5');
    const shown = await json('app', 'show', id);
    assert.deepEqual(set, shown);
    assert.deepEqual(
      [shown.redirect_uris, shown.roles, shown.policy, shown.visible, shown.access_token_minutes],
      [['https://a.example/in', 'https://b.example/in'], ['staff'], 'Strict', 'off', 5],
    );
    const cleared = await json('app', 'set', id, 'roles=', 'policy=', 'access_token_minutes=', 'redirect_uris=');
    assert.deepEqual(
      [cleared.redirect_uris, cleared.roles, cleared.policy, cleared.access_token_minutes],
      [[], [], null, null],
    );
    const rotated = await json('app', 'rotate-secret', id, '--overlap', '0');
    assert.notEqual(rotated.client_secret, made.client_secret);
    assert.equal(rotated.previous_secret_expires_at, null);
    const other = await json('app', 'create', 'Blog');
    assert.deepEqual(await json('app', 'list', '--name', 'Sh*'), [
      { id: made.id, client_id: made.client_id, name: 'Shop' },
    ]);
    assert.equal((await json('app', 'list', '--limit', '1')).length, 1);
    assert.equal((await json('app', 'list')).length, 2);
    assert.match(await refusal('app', 'delete', id), /nothing was changed; run it again with --yes to go on/);
    assert.deepEqual(await json('app', 'delete', id, '--yes'), { id: made.id, deleted: true });
    assert.equal(await refusal('app', 'show', id), 'there is no such app; gatehouse app list shows the apps');
    assert.match(await refusal('app', 'set', String(other.id), 'roles=nobody'), /^there is no role nobody/);
    assert.match(await refusal('app', 'set', String(other.id), 'visible=yes'), /^visible must be on or off$/);
    assert.match(await refusal('app', 'set', String(other.id), 'redirect_uris=ftp://x'), /^redirect_uris\[0\] must be/);
    for (const [pair, message] of [
      ['post_logout_redirect_uris=ftp://x', /^post_logout_redirect_uris\[0\] must be/],
      ['login_url=nowhere', /^login_url must be/],
      // The bounds of the API, which its contract checks and this does not pass.
      ['access_token_minutes=1441', /^access_token_minutes must be from 1 to 1440/],
      ['refresh_token_minutes=525601', /^refresh_token_minutes must be from 1 to 525600/],
    ] as const) {
      assert.match(await refusal('app', 'set', String(other.id), pair), message);
    }
    await json('app', 'set', String(other.id), 'token_endpoint_auth_method=none', 'redirect_uris=https://a.example/in');
    assert.equal(
      await refusal('app', 'rotate-secret', String(other.id)),
      'by its token_endpoint_auth_method the client has no secret',
    );
    assert.match(await refusal('app', 'set', String(other.id), 'token_endpoint_auth_method=magic'), /must be .* or /);
    assert.match(await refusal('app', 'create', 'Third', 'owner=me'), /^owner cannot be set; keys are name, desc/);
    assert.match(await refusal('app', 'list', '--limit', '0'), /^limit must be/);
  });

  test('roles: renamed, shown with what they give, and deleted', async () => {
    await json('role', 'create', 'crew');
    const { id } = await json('app', 'create', 'Deck', 'roles=crew');
    await json('user', 'create', '--email', 'mate@example.com', '--role', 'crew');
    assert.equal((await json('role', 'set', 'crew', 'name=hands', 'policy=Strict')).name, 'hands');
    const { id: roleId, ...shown } = await json('role', 'show', 'hands');
    assert.deepEqual(shown, { name: 'hands', policy: 'Strict', apps: [id], users: 1 });
    assert.deepEqual(await json('role', 'list', '--name', 'h*'), [{ id: roleId, name: 'hands' }]);
    assert.match(await refusal('policy', 'delete', 'Strict', '--yes'), /follows cannot be deleted$/);
    assert.deepEqual(await json('role', 'delete', 'hands', '--yes'), { id: roleId, deleted: true });
    assert.match(await refusal('role', 'show', 'hands'), /^there is no role hands; gatehouse role list/);
  });

  test('policies: each rule is set, and the default stays', async () => {
    const { id, ...made } = await json('policy', 'create', 'Short', 'session_timeout_minutes=5');
    assert.deepEqual([made.name, made.session_timeout_minutes, made.is_default], ['Short', 5, false]);
    const changed = await json('policy', 'set', 'Short', 'otp_required=on', 'password_expiration_days=90');
    assert.deepEqual(await json('policy', 'show', 'Short'), changed);
    assert.deepEqual([changed.otp_required, changed.password_expiration_days], [true, 90]);
    const names = (await json('policy', 'list')).map(({ name }: { name: string }) => name);
    assert.deepEqual(names, ['Default', 'Strict', 'Short']);
    assert.match(await refusal('policy', 'set', 'Short', 'session_timeout_minutes=soon'), /must be a whole number$/);
    assert.match(await refusal('policy', 'set', 'Short', 'minimum_password_length=1'), /^minimum_password_length /);
    assert.match(await refusal('policy', 'delete', 'Default', '--yes'), /default policy cannot be deleted/);
    assert.deepEqual(await json('policy', 'delete', 'Short', '--yes'), { id, deleted: true });
    assert.match(await refusal('policy', 'show', 'Short'), /^there is no policy Short; gatehouse policy list/);
  });

  test('users: found by address, status and role, invited, unlocked and deleted', async () => {
    const ada = ['--email', 'Ada@example.com'];
    const user = await json('user', 'create', ...ada, '--role', 'staff');
    await json('user', 'create', '--email', 'adam@example.com', '--password', 'a long enough password');
    const found = async (...filters: string[]) =>
      (await json('user', 'list', ...filters)).map(({ email }: { email: string }) => email);
    assert.deepEqual(await found('--email', 'ADA*'), ['Ada@example.com', 'adam@example.com']);
    assert.deepEqual(await found('--email', 'ada@EXAMPLE.com'), ['Ada@example.com']);
    assert.deepEqual(await found('--status', 'active'), ['adam@example.com']);
    assert.deepEqual(await found('--role', 'staff'), ['Ada@example.com']);
    const shown = await json('user', 'show', '--email', 'ada@example.com');
    assert.deepEqual(
      [shown.id, shown.email, shown.status, shown.roles, shown.custom_attributes],
      [user.id, 'Ada@example.com', 'unactivated', ['staff'], {}],
    );
    assert.match((await json('user', 'invite', ...ada)).link, /\/password\/reset\?token=il_/);
    const url = `sqlite:${join(cli.path, 'data', 'gatehouse.db')}`;
    await execute(url, `update users set locked_until = 9e12, invalid_login_attempts = 10 where id = ${user.id}`);
    assert.notEqual((await json('user', 'show', ...ada)).locked_until, null);
    await json('user', 'unlock', ...ada);
    assert.equal((await json('user', 'show', ...ada)).locked_until, null);
    assert.match(await refusal('user', 'list', '--status', 'asleep'), /^status must be unactivated or active/);
    assert.match(await refusal('user', 'list', '--role', 'nobody'), /^there is no role nobody/);
    assert.match(
      await refusal('user', 'delete', ...ada),
      /nothing was changed; run it again with --yes .*Ada@example\.com is deleted /,
    );
    assert.deepEqual(await json('user', 'delete', ...ada, '--yes'), { id: user.id, deleted: true });
    for (const verb of ['show', 'invite', 'unlock', 'delete']) {
      assert.match(await refusal('user', verb, ...ada), /^there is no user Ada@example\.com/, verb);
    }
  });

  test('hooks: a version is pushed and the rest stays; variables by name', async () => {
    const write = (text: string) => writeFileSync(join(cli.path, 'hook.js'), text);
    assert.deepEqual(await json('hook', 'env', 'set', 'LIMIT=7'), { name: 'LIMIT', created: true });
    assert.deepEqual(await json('hook', 'env', 'set', 'LIMIT=8'), { name: 'LIMIT', created: false });
    const listed = await json('hook', 'env', 'list');
    assert.deepEqual(Object.keys(listed[0]), ['name', 'updated_at']);
    write('exports.handler = async () => ({ success: true });');
    const creation = ['hook', 'create', '--type', 'pre-authentication', '--file', 'hook.js', '--env', 'LIMIT'];
    const { id, ...made } = await json(...creation, '--disabled');
    assert.deepEqual([made.status, made.disabled, made.version], ['ready', true, 1]);
    write('exports.handler = async () => ({ success: false });');
    assert.equal((await json('hook', 'push', id, '--file', 'hook.js')).version, 2);
    const shown = await json('hook', 'show', id);
    assert.deepEqual([shown.env_vars, shown.disabled, shown.version], [['LIMIT'], true, 2]);
    assert.match(shown.function, /success: false/);
    const source = await cli.ask(['hook', 'show', id, '--source', ...account]);
    assert.equal(source.stdout, 'exports.handler = async () => ({ success: false });');
    const all = await json('hook', 'list');
    assert.deepEqual([all.length, all[0].id, all[0].type], [1, id, 'pre-authentication']);
    assert.equal(await refusal('hook', 'push', id), 'nothing is to be changed: give --file');
    const unknown = '--env must be the name of a variable of this account; gatehouse hook env set makes one';
    assert.equal(await refusal('hook', 'push', id, '--env', 'OTHER'), unknown);
    assert.deepEqual([shown.location, shown.risk], [false, false]);
    const located = await json('hook', 'push', id, '--location', 'on');
    const risky = await json('hook', 'push', id, '--risk', 'on');
    assert.deepEqual([located.version, risky.version], [3, 4]);
    const both = await json('hook', 'show', id);
    assert.deepEqual([both.location, both.risk, both.env_vars], [true, true, ['LIMIT']], 'what is not given stays');
    assert.match((await cli.ask(['hook', 'show', id, ...account])).stdout, /^location +on$/m);
    await json('hook', 'push', id, '--risk', 'off');
    assert.deepEqual((await json('hook', 'show', id)).risk, false);
    assert.equal(await refusal('hook', 'push', id, '--risk', 'yes'), 'risk must be on or off');
    assert.match(await refusal('hook', 'push', id, '--timeout', '9'), /^timeout must be 1/);
    write('exports.handle = 1;');
    assert.match(await refusal('hook', 'push', id, '--file', 'hook.js'), /exports no handler/);
    const read = await refusal('hook', 'env', 'delete', 'LIMIT', '--yes');
    assert.ok(read.startsWith(`LIMIT is read by the hooks ${id}: `), read);
    assert.deepEqual((await json('hook', 'show', id)).env_vars, ['LIMIT']);
    assert.deepEqual(await json('hook', 'delete', id, '--yes'), { id, deleted: true });
    assert.match(await refusal('hook', 'show', id), /^there is no such hook; gatehouse hook list/);
    assert.deepEqual(await json('hook', 'env', 'delete', 'LIMIT', '--yes'), { name: 'LIMIT', deleted: true });
    assert.match(await refusal('hook', 'env', 'delete', 'LIMIT', '--yes'), /^there is no variable LIMIT; /);
  });
});
