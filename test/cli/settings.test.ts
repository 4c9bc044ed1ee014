import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { showSettings } from '../../src/domain/accounts/settings.ts';
import { type CliFolder, cliFolder } from '../support/cli.ts';

/** How a setting is described on a terminal, without its heading. */
function described({ meaning, allowed }: { readonly meaning: string; readonly allowed: string }): string {
  return `    ${meaning}\n    allowed: ${allowed}\n`.replaceAll('`', '');
}

describe('the settings of an account on the command line', () => {
  let cli: CliFolder;

  before(async () => {
    cli = cliFolder();
    await cli.json('account', 'create', 'acme');
  });
  after(() => cli.remove());

  test('account set --help says of each what it means, its default, and what is allowed', async () => {
    const { stdout } = await cli.ask(['account', 'set', '--help']);
    const settings = showSettings();
    assert.equal(settings.length, 52);
    for (const setting of settings) {
      const heading = `  ${setting.name} (default: ${setting.fallback || 'none'})\n`;
      assert.ok(stdout.includes(`${heading}${described(setting)}`), setting.name);
    }
  });

  test('account show has the value of each, and the default where they differ', async () => {
    const settings = Object.fromEntries(showSettings().map(({ name, fallback }) => [name, fallback]));
    const created = await cli.json('account', 'show', 'acme');
    assert.deepEqual(created.settings, settings);
    await cli.json('account', 'set', 'acme', 'limit.par=7/s', 'sunset.xml=2027-06-30');
    const shown = await cli.json('account', 'show', 'acme');
    assert.deepEqual(shown, { ...created, settings: { ...settings, 'limit.par': '7/s', 'sunset.xml': '2027-06-30' } });
    const { stdout } = await cli.ask(['account', 'show', 'acme']);
    for (const setting of showSettings()) assert.ok(stdout.includes(described(setting)), setting.name);
    for (const line of [
      'limit.par=7/s (default: 600/min)',
      'sunset.xml=2027-06-30 (default: none)',
      'limit.xml=5000/h',
    ]) {
      assert.ok(stdout.includes(`  ${line}\n`), line);
    }
    const { exitCode, stderr } = await cli.ask(['account', 'show', 'nobody']);
    assert.deepEqual([exitCode, /gatehouse account list/.test(stderr)], [1, true]);
  });

  test('account create answers the settings of the new account', async () => {
    const { settings } = await cli.json('account', 'create', 'fresh');
    assert.equal(settings.registration, 'token');
  });
});
