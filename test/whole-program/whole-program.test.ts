/** The service as one file is run in place of the sources as long as it is made of them, and by nobody else. */

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { copyParts } from '../support/installed.ts';
import { until } from '../support/until.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Seconds that a file's time can be set to again. */
const settled = 1_700_000_000;

describe('the service as one file', () => {
  let installed: string;
  let folder: string;

  const mark = () => join(installed, '.cache/whole/making');

  async function run(...args: readonly string[]): Promise<string> {
    const env = { PATH: process.env['PATH'] };
    const script = join(installed, 'bin/gatehouse.js');
    return (await promisify(execFile)(process.execPath, [script, ...args], { cwd: installed, env })).stdout;
  }

  before(async () => {
    installed = mkdtempSync(join(tmpdir(), 'gatehouse-whole-'));
    copyParts(installed, ['bin', 'generated', 'package.json', 'src'], ['console', 'programs']);
    symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules'));
    utimesSync(join(installed, 'src/env-file.ts'), settled, settled);
    // As on systems where each user has a group: what is made must not be writable by it.
    const mask = process.umask(0o002);
    const fromSources = await run('account', '--help').finally(() => process.umask(mask));
    // A maker was killed, and then the clock was set back.
    const later = Date.now() / 1000 + 3600;
    mkdirSync(join(installed, '.cache/whole'), { mode: 0o755 });
    writeFileSync(mark(), '');
    utimesSync(mark(), later, later);
    folder = JSON.parse(await run('prepare', '--json')).service_folder;
    assert.equal(await run('account', '--help'), fromSources);
  });
  after(() => rmSync(installed, { recursive: true }));

  it('is kept with what V8 made of it, readable by all and writable by nobody else', () => {
    assert.equal(dirname(folder), join(installed, '.cache/whole'));
    const names = readdirSync(folder).map((name) => name.replace(/-\d+\.code$/, ''));
    assert.deepEqual(names.sort(), ['NOTICES.txt', 'command', 'gatehouse.cjs', 'server']);
    for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o644, name);
    assert.match(readFileSync(join(folder, 'NOTICES.txt'), 'utf8'), /\nexpress-openapi-validator \d/);
  });

  it('keeps what was compiled readable by all, whoever compiles it', async () => {
    const code = readdirSync(folder).find((name) => name.startsWith('command-')) ?? '';
    rmSync(join(folder, code));
    const mask = process.umask(0o077);
    await run('account', '--help').finally(() => process.umask(mask));
    assert.equal(statSync(join(folder, code)).mode & 0o777, 0o644);
  });

  it('is run by servers, and by their supervisor as by a command', async () => {
    const kept = () => readdirSync(folder).flatMap((name) => /^(.*)-\d+\.code$/.exec(name)?.[1] ?? []);
    for (const name of readdirSync(folder)) if (name.endsWith('.code')) rmSync(join(folder, name));
    await run('serve', '--processes', 'auto', '--process', '1/2', '--help');
    assert.deepEqual(kept(), ['server']);
    await run('serve', '--processes', 'auto', '--help');
    assert.deepEqual(kept().sort(), ['command', 'server']);
  });

  it('is ASCII, as which it is read: other characters of a regular expression would be two or three each', () => {
    const text = readFileSync(join(folder, 'gatehouse.cjs'), 'latin1');
    assert.equal(/[\u0080-\u00ff].*/.exec(text)?.[0], undefined);
    assert.match(text, /\\u0430/);
  });

  it('leaves the schema of OpenAPI to the validator as the service changes it', () => {
    const text = readFileSync(join(folder, 'gatehouse.cjs'), 'latin1');
    assert.ok(text.includes('require("express-openapi-validator/dist/framework/openapi.v3_1.modified.schema.json")'));
    assert.doesNotMatch(text, /spec\.openapis\.org\/oas\/3\.1/);
  });

  it('is run only while it is made of the present sources and nobody else can change it', async () => {
    const file = join(folder, 'gatehouse.cjs');
    for (const name of readdirSync(folder)) if (name.endsWith('.code')) rmSync(join(folder, name));
    writeFileSync(file, `(() => ({ run: async () => { process.stdout.write('one file'); return 0; } }))`);
    const { loadWhole, freshFolder } = await import(pathToFileURL(join(installed, 'src/whole-program/load.ts')).href);
    // What starts commands asks before each; to run the sources each time takes seconds.
    const runsIt = () => {
      assert.equal(loadWhole('command') === null, freshFolder() === null);
      return freshFolder() !== null;
    };
    assert.equal(await run('--version'), 'one file');
    assert.ok(runsIt());
    const described = join(installed, 'package.json');
    const text = readFileSync(described, 'utf8');
    const { atime, mtime } = statSync(described);
    for (const version of ['9.9.9', JSON.parse(text).version]) {
      writeFileSync(described, text.replace(/"version": "[^"]+"/, `"version": "${version}"`));
      utimesSync(described, atime, mtime);
      assert.equal(runsIt(), version !== '9.9.9', `version ${version}`);
    }
    for (const outer of [folder, dirname(folder), join(installed, '.cache')]) {
      chmodSync(outer, 0o777);
      assert.ok(!runsIt(), outer);
      chmodSync(outer, 0o755);
    }
    const source = join(installed, 'src/env-file.ts');
    utimesSync(source, settled, settled + 1);
    assert.ok(!runsIt(), 'another time');
    utimesSync(source, settled, settled);
    assert.ok(runsIt());
    appendFileSync(source, '\n');
    utimesSync(source, settled, settled);
    assert.ok(!runsIt(), 'another size');
    assert.notEqual(await run('--version'), 'one file');
  });

  it('holds up nobody when its maker ends', async () => {
    const maker = JSON.stringify(join(installed, 'src/whole-program/make.ts'));
    const script = `void import(${maker}).then(({ makeWhole }) => makeWhole());
      process.stdin.once('end', () => process.exit()).resume();`;
    const making = spawn(process.execPath, ['--eval', script], { stdio: ['pipe', 'ignore', 'inherit'] });
    await until(() => existsSync(mark()));
    making.stdin.end();
    await once(making, 'exit');
    assert.ok(!existsSync(mark()));
  });
});
