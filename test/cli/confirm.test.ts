import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { type Confirmable, confirm, Unconfirmed } from '../../src/cli/confirm.ts';
import { type CliFolder, cliFolder } from '../support/cli.ts';

/** Asks on a terminal, where `typed` is answered; null: the input ends. Answers the refusal, and what was written. */
async function ask(typed: string | null, options: Confirmable = {}, isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY });
  input.end(typed === null ? '' : `${typed}\n`);
  const refusal = await confirm('the pair x is revoked', options, { input, output }).then(
    () => null,
    (error: unknown) => error as Unconfirmed,
  );
  assert.ok(refusal === null || refusal instanceof Unconfirmed);
  return { refusal: refusal?.message ?? null, exitCode: refusal?.exitCode ?? 0, written: String(output.read() ?? '') };
}

const question = 'the pair x is revoked; this cannot be undone. Go on? [y/N] ';
const remedy =
  'nothing was changed; run it again with --yes to go on. Then the pair x is revoked; this cannot be undone';

describe('what cannot be undone', () => {
  test('is asked about on a terminal, and only yes is a yes', async () => {
    for (const typed of ['y', 'yes', ' YES ']) {
      assert.deepEqual(await ask(typed), { refusal: null, exitCode: 0, written: question }, typed);
    }
    for (const typed of ['', 'n', 'yesterday', 'no y', null]) {
      const { refusal, exitCode, written } = await ask(typed);
      assert.deepEqual([refusal, exitCode], ['nothing was changed', 1], String(typed));
      assert.ok(written.startsWith(question));
    }
  });

  test('is not asked about with --yes, and refused with the remedy where nobody can be asked', async () => {
    for (const isTTY of [true, false]) {
      assert.deepEqual(await ask(null, { yes: true }, isTTY), { refusal: null, exitCode: 0, written: '' });
    }
    assert.deepEqual(await ask('y', {}, false), { refusal: remedy, exitCode: 2, written: '' });
    assert.deepEqual(await ask('y', { json: true }), { refusal: remedy, exitCode: 2, written: '' });
  });

  describe('by a command without a terminal', () => {
    let cli: CliFolder;
    const account = ['--account', 'acme'];

    before(async () => {
      cli = cliFolder();
      await cli.json('account', 'create', 'acme');
    });
    after(() => cli.remove());

    test('changes nothing without --yes', async () => {
      const { client_id: pair } = await cli.json('credential', 'create', ...account, '--scope', 'read_all');
      const { id } = await cli.json('api-key', 'create', ...account);
      const state = async () =>
        Promise.all(['credential', 'api-key', 'keys'].map((noun) => cli.json(noun, 'list', ...account)));
      const before = await state();
      for (const [words, deed] of [
        [['credential', 'revoke', pair], `the pair ${pair} and its tokens are revoked`],
        [['api-key', 'revoke', String(id)], `API key ${id} is revoked`],
        [['keys', 'rotate', '--emergency'], 'id tokens that the present keys signed stop verifying'],
      ] as const) {
        const { exitCode, stdout, stderr } = await cli.run([...words, ...account], { input: 'y\n' });
        assert.deepEqual([exitCode, stdout], [2, '']);
        assert.ok(
          stderr.endsWith(
            `gatehouse: nothing was changed; run it again with --yes to go on. Then ${deed}; this cannot be undone\n`,
          ),
          stderr,
        );
        const json = await cli.ask([...words, ...account, '--json']);
        assert.deepEqual([json.exitCode, JSON.parse(json.stderr).error], [2, 'not_confirmed']);
      }
      assert.deepEqual(await state(), before);
    });
  });
});
