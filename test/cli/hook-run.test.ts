import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { notesOn } from '../../src/cli/answer-notes.ts';
import { judgeNode } from '../../src/runtime/floor.ts';
import type { HookType } from '../../src/store/hooks.ts';
import { type CliFolder, cliFolder } from '../support/cli.ts';
import { placeNode } from '../support/programs.ts';
import { openRegistry } from '../support/registry.ts';

describe('gatehouse hook run', () => {
  let cli: CliFolder;
  let context: string;

  before(() => {
    cli = cliFolder();
    context = file('context.json', '{"user":{"policy_id":7}}');
  });
  after(() => cli.remove());

  function file(name: string, text: string): string {
    const path = join(cli.path, name);
    writeFileSync(path, text);
    return path;
  }

  function command(source: string, ...more: string[]): string[] {
    const given = ['--type', 'pre-authentication', '--context', context];
    return ['hook', 'run', file('hook.js', source), ...given, ...more, '--json'];
  }

  test('runs the function in a separate process and reports how it ended', async () => {
    const source = `exports.handler = async ({ user }) => {
      console.log('for %s', process.env.PLAN);
      return { user: { policy_id: user.policy_id + 1 } };
    };`;
    const { exitCode, stdout, stderr } = await cli.run(command(source, '--env', 'PLAN=gold'));
    assert.deepEqual([exitCode, stderr], [0, '']);
    const { outcome, value, output, duration_ms } = JSON.parse(stdout);
    assert.deepEqual([outcome, value], ['success', { user: { policy_id: 8 } }]);
    assert.match(output[0], /^\d{4}-\S+Z\t[0-9a-f-]{36}\tINFO\tfor gold$/);
    assert.ok(Number.isInteger(duration_ms));
    // No database is asked, and none is made.
    assert.ok(!existsSync(join(cli.path, 'data')));
  });

  test('says what of an answer would not be read, and what was probably meant', async () => {
    const user = { policy_id: 7 };
    const notes = (answer: unknown, type: HookType = 'pre-authentication') => notesOn(type, answer, { user });
    for (const [answer, told] of [
      [null, []],
      [{ user }, []],
      [{ success: true, user: { policy_id: 7 } }, []],
      [{ sucess: false }, ['sucess is ignored: did you mean success?']],
      [
        'no',
        [
          'the answer is a string: the hook fails; for pre-authentication return { success: true, user: { policy_id: <number or null> } }',
        ],
      ],
      [
        { Success: 1, success: 'no' },
        [
          'success is a string: the hook fails; for pre-authentication return { success: true, user: { policy_id: <number or null> } }',
          'Success is ignored: did you mean success?',
        ],
      ],
    ] as const) {
      assert.deepEqual(notes(answer), told, JSON.stringify(answer));
    }
    const migrated = { success: true, user: { password: 'x', user_name: 'ada', lastnam: 'L', phone: '1' } };
    assert.deepEqual(notes(migrated, 'user-migration'), [
      'user.user_name is ignored: did you mean username?',
      'user.lastnam is ignored: did you mean lastname?',
    ]);
    const ran = await cli.ask(command('exports.handler = () => ({ user: { policyId: 7 }, more: 1 })'));
    const told = ['more is ignored', 'user.policyId is ignored: did you mean policy_id?'];
    assert.deepEqual(JSON.parse(ran.stdout).notes, told);
    const { stdout } = await cli.ask(command('exports.handler = () => ({ sucess: false })').slice(0, -1));
    assert.match(stdout, /\}\nsucess is ignored: did you mean success\?\n/);
  });

  test('judges an answer as a sign-in does: one that means nothing fails, a refusal does not', async () => {
    for (const [type, answer, outcome, exitCode] of [
      ['pre-authentication', "'yes'", 'invalid_result', 1],
      ['pre-authentication', '{ success: false }', 'refused', 0],
      // Which policies an account has is not known here.
      ['pre-authentication', '{ user: { policy_id: 99 } }', 'success', 0],
      ['user-migration', 'null', 'refused', 0],
      ['user-migration', '{ success: true }', 'invalid_result', 1],
    ] as const) {
      const ran = await cli.ask(command(`exports.handler = () => (${answer})`, '--type', type));
      assert.deepEqual([JSON.parse(ran.stdout).outcome, ran.exitCode], [outcome, exitCode], answer);
    }
    const { stdout } = await cli.ask(command("exports.handler = () => 'yes'").slice(0, -1));
    assert.match(stdout, /^invalid_result in \d+ ms, .*\n"yes"\nthe answer is a string: the hook fails; for pre-/);
  });

  test('exits with 1 when the function failed, and shows where', async () => {
    const { exitCode, stdout } = await cli.run(command('exports.handler = () => { null.x }'));
    const { outcome, value, output } = JSON.parse(stdout);
    assert.deepEqual([exitCode, outcome, value], [1, 'error', null]);
    assert.match(output.join('\n'), /ERROR\tTypeError: Cannot read.*\n.*hook\.js:1:32/);
  });

  test('gives the function packages, built as on the service, and names one that cannot be installed', async () => {
    const registry = await openRegistry();
    registry.add('@own/double', '1.0.0', { 'index.js': 'module.exports = (n) => n * 2;' });
    registry.add('greet', '2.1.0', { 'index.js': "exports.hello = (name) => 'hello ' + name;" });
    registry.add('reader', '1.0.0', { 'index.js': "require('node:fs');" });
    const source = "exports.handler = () => ({ more: [require('@own/double')(21), require('greet').hello('Ada')] });";
    // On a host that cannot shut a build in they would be refused.
    const env = { NPM_REGISTRY: registry.url, HOOK_PACKAGES: 'unconfined' };
    const from = (...more: string[]) => command(source, ...more);
    const ran = await cli.run(from('--package', '@own/double@1.0.0', '--package', 'greet@2.1.0'), { env });
    assert.deepEqual([ran.exitCode, ran.stderr], [0, '']);
    assert.deepEqual(JSON.parse(ran.stdout).value, { more: [42, 'hello Ada'] });
    for (const [named, message] of [
      ['greet', /^greet is not a package; use name@version$/],
      ['@own/double', /^@own\/double is not a package/],
      ['greet@2', /greet must have an exact version/],
      ['greet@9.9.9', /the registry has no greet@9\.9\.9/],
      ['reader@1.0.0', /^packages: reader needs the module node:fs/],
    ] as const) {
      const { exitCode, stderr } = await cli.ask(from('--package', named), env);
      assert.equal(exitCode, 1);
      assert.match(JSON.parse(stderr).message, message);
    }
    await registry.close();
  });

  test('runs it on the Node of the named runtime, and says which one it is and whether it is sound', async () => {
    const node = placeNode(join(cli.path, 'other-node'));
    const env = { HOOK_RUNTIMES: `first.x=${node},second.x` };
    const source = 'exports.handler = () => ({ version: process.version })';
    for (const [more, runtime] of [
      [[], 'first.x'],
      [['--runtime', 'second.x'], 'second.x'],
    ] as const) {
      const { exitCode, stdout, stderr } = await cli.run(command(source, ...more), { env });
      assert.deepEqual([exitCode, stderr], [0, '']);
      const ran = JSON.parse(stdout);
      const seen = `v${process.versions.node.split('.')[0]}.0.0`;
      assert.deepEqual([ran.runtime, ran.value], [runtime, { version: seen }]);
      const { version, reason } = judgeNode(process.versions.node);
      assert.deepEqual(ran.node, { version, warning: reason });
    }
    const unknown = await cli.ask(command(source, '--runtime', 'third.x'), env);
    assert.match(JSON.parse(unknown.stderr).message, /^runtime must be first\.x or second\.x$/);
    const missing = await cli.ask(command(source), { HOOK_RUNTIMES: 'first.x=/nowhere/node' });
    assert.deepEqual(JSON.parse(missing.stderr), {
      error: 'configuration_invalid',
      message: 'HOOK_RUNTIMES: /nowhere/node, named for first.x, is not a file',
    });
  });

  test('names the position of a syntax error, and invalid arguments', async () => {
    const mistake = JSON.parse((await cli.run(command('\nlet a = ;'))).stderr);
    assert.match(mistake.message, /hook\.js:2:9: Unexpected token/);
    const type = await cli.ask(['hook', 'run', context, '--type', 'other', '--context', context, '--json']);
    assert.match(JSON.parse(type.stderr).message, /type must be pre-authentication or user-migration/);
    const given = ['--type', 'pre-authentication', '--context', context];
    const missing = await cli.ask(['hook', 'run', 'none.js', ...given, '--json']);
    assert.match(JSON.parse(missing.stderr).message, /none\.js cannot be read/);
  });
});
