import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { addWhole, copyWithBroken, type Installed } from '../support/installed.ts';
import { freePort } from '../support/process.ts';
import { sampled } from '../support/sample.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const script = join(root, 'bin/gatehouse.js');

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[], cwd: string): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { PATH: process.env['PATH'] };
    execFile(process.execPath, args, { cwd, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** Settles with all that was written when `words` are in it; rejects when the process ends before. */
function said(child: ChildProcessWithoutNullStreams, words: readonly string[]): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (more: string) => {
        text += more;
        if (words.every((word) => text.includes(word))) resolve(text);
      });
    }
    child.once('close', () => reject(new Error(`it ended without ${words.join(' and ')}: ${text}`)));
  });
}

test('an old Node can link the script', () => {
  // It links what a module imports before it runs it, and fails at names that it does not know.
  assert.doesNotMatch(readFileSync(script, 'utf8'), /^import\s/m);
});

describe('a signal to the process of npm', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-npm-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const ways = {
    'npm run': ['npm', 'run', 'gatehouse', '--', 'serve'],
    npx: ['npx', 'gatehouse', 'serve'],
  } as const;
  for (const [way, [file, ...args]] of sampled(Object.entries(ways), 2)) {
    test(`${way}: ends the server as a signal to the server does`, async () => {
      const env = {
        PATH: process.env['PATH'],
        HOME: folder,
        npm_config_update_notifier: 'false',
        PORT: String(await freePort()),
        DRAIN_SECONDS: '0',
        DATABASE_URL: `sqlite:${join(folder, 'gatehouse.db')}`,
        MASTER_KEY_FILE: join(folder, 'master.key'),
      };
      const child = spawn(file, args, { cwd: root, env });
      const stopped = said(child, ['"event":"stopped"']);
      await said(child, ['"event":"listening"']);
      child.kill('SIGTERM');
      // The pipes stay open until the server, which inherited them, has ended too.
      const [, text] = await Promise.all([once(child, 'close'), stopped]);
      assert.match(text, /"event":"stopping".*\n.*"event":"stopped"/);
    });
  }
});

describe('an installation whose add-ons this system cannot load', () => {
  let copy: Installed;
  let folder: string;
  before(() => {
    copy = copyWithBroken('isolated-vm', 'better-sqlite3');
    addWhole(copy.path);
    folder = join(copy.path, 'work');
    mkdirSync(folder);
  });
  after(() => copy.remove());

  const reason = /the native add-on (?:better-sqlite3|isolated-vm)? ?cannot be loaded, since its file is damaged/;

  test('says so in one line where the database cannot be opened', async () => {
    const { code, stdout, stderr } = await run([copy.script, 'account', 'list'], folder);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr.split('\n').at(-2) ?? '', reason);
    assert.doesNotMatch(stderr, /^\s+at /m);
  });

  test('says so in the log where hooks cannot run, and doctor exits with 1', async () => {
    const works = join(root, 'node_modules/better-sqlite3/prebuilds');
    const file = `linux-${process.arch}.node`;
    writeFileSync(join(copy.path, 'node_modules/better-sqlite3/prebuilds', file), readFileSync(join(works, file)));
    const { code, stdout } = await run([copy.script, 'doctor', '--json'], folder);
    const finding = JSON.parse(stdout).find(({ layer }: { layer: string }) => layer === 'hook runner');
    assert.deepEqual([code, finding.status], [1, 'failed']);
    assert.match(finding.detail, reason);
    const env = { PATH: dirname(process.execPath), PORT: String(await freePort()), DRAIN_SECONDS: '0' };
    const child = spawn(process.execPath, [copy.script, 'serve'], { cwd: folder, env });
    const text = await said(child, ['"event":"listening"', '"event":"hooks cannot run"']);
    child.kill('SIGKILL');
    await once(child, 'close');
    const line = text.split('\n').find((one) => one.includes('hooks cannot run')) ?? '{}';
    assert.match(JSON.parse(line).reason, reason);
  });
});
