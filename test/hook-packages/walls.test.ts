import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Failure } from '../../src/domain/failure.ts';
import { checkPackages, refusedForWalls } from '../../src/domain/hooks/check-packages.ts';
import type { PackageBuilder } from '../../src/domain/hooks/package-builds.ts';
import { ownPrograms } from '../../src/hook-packages/commands.ts';
import { readFromBundle, readFromFetch } from '../../src/hook-packages/read-messages.ts';
import { judge } from '../../src/hook-packages/walls.ts';
import type { LayerName } from '../../src/hook-runner/layers.ts';
import { openPackageBuilder } from '../support/package-builder.ts';

const all: readonly LayerName[] = [
  'ends with the service',
  'no network',
  'own process space',
  'own file tree',
  'no new privileges',
  'resource limits',
];

describe('P6: where builds cannot be confined', () => {
  it('packages are refused with the remedy, unless the operator allows them', () => {
    for (const isOpen of [false, true]) {
      assert.deepEqual(judge(all, isOpen), { state: 'confined', reason: null, remedy: null });
    }
    for (const name of ['no network', 'own process space', 'own file tree', 'no new privileges'] as const) {
      const without = all.filter((layer) => layer !== name);
      assert.deepEqual(judge(without, true), { state: 'open', reason: null, remedy: null });
      const { state, reason, remedy } = judge(without, false);
      assert.deepEqual([state, reason], ['refused', `a build would lack: ${name}`]);
      assert.match(remedy ?? '', /^install util-linux.*; or set HOOK_PACKAGES=unconfined to build packages without$/);
    }
  });

  it('a hook with packages is refused when it is written', async () => {
    const builder: PackageBuilder = {
      walls: async () => ({ state: 'refused', reason: 'less', remedy: 'install util-linux', layers: [] }),
      has: async () => assert.fail('the registry is not asked'),
      build: async () => assert.fail('nothing is built'),
    };
    await assert.rejects(checkPackages({ semver: '1.0.0' }, builder), (error) => {
      assert.ok(error instanceof Failure);
      assert.match(error.detail.message ?? '', /cannot confine the processes that build them: install util-linux$/);
      return error.code === 'value_invalid';
    });
    await checkPackages({}, builder);
  });
});

describe('P6: where the confinement cannot be determined', () => {
  let parent: string;
  before(() => {
    parent = mkdtempSync(join(tmpdir(), 'gatehouse-failing-'));
  });
  after(() => rmSync(parent, { recursive: true }));

  /** Packages are refused, a build is worth another try, and what was wrong is not shown to the author of the hook. */
  async function assertRefused(builder: PackageBuilder, reason: RegExp, remedy: RegExp): Promise<void> {
    const walls = await builder.walls();
    assert.deepEqual([walls.state, walls.layers], ['refused', []]);
    assert.match(walls.reason ?? '', reason);
    assert.match(walls.remedy ?? '', remedy);
    const built = await builder.build({ a: '1.0.0' }, async () => false);
    assert.deepEqual(built, { ok: false, reason: refusedForWalls(walls.remedy ?? ''), isFinal: false });
    assert.ok(!built.reason.includes(parent));
  }

  it('no folder for builds: packages are refused until there is one', async () => {
    const temporary = join(parent, 'temporary');
    const builder = openPackageBuilder('http://127.0.0.1:9/', { parent: temporary });
    await assertRefused(builder, /^ENOENT: .*gatehouse-packages-…/, /TMPDIR/);
    mkdirSync(temporary);
    assert.match((await builder.walls()).state, /^(confined|open)$/);
  });

  it('a missing program, or one that exits before it is ready: packages are refused until it runs', async () => {
    const programs = { ...ownPrograms(), fetch: join(parent, 'fetch.mjs') };
    const builder = openPackageBuilder('http://127.0.0.1:9/', { parent, programs });
    await assertRefused(builder, /^ENOENT: .*fetch\.mjs/, /npm ci/);
    writeFileSync(programs.fetch, 'process.exit(3);');
    await assertRefused(builder, /does not start: exit 3$/, /doctor/);
    copyFileSync(ownPrograms().fetch, programs.fetch);
    assert.match((await builder.walls()).state, /^(confined|open)$/);
  });
});

describe('P6: messages of the build processes', () => {
  const integrity = `sha512-${'A'.repeat(86)}==`;
  const found = { name: 'a', version: '1.0.0', integrity, path: 'node_modules/@b/c/node_modules/a' };

  it('are read when they are well-formed', () => {
    assert.deepEqual(readFromFetch(JSON.stringify({ op: 'resolved', packages: [found] })), {
      op: 'resolved',
      packages: [found],
    });
    assert.deepEqual(readFromBundle('{"op":"bundled","script":"1"}'), { op: 'bundled', script: '1' });
    const said = readFromFetch(JSON.stringify({ op: 'refused', reason: `\u001b[2J\u202e${'x'.repeat(9_000)}` }));
    assert.deepEqual(said, { op: 'refused', reason: `\ufffd[2J\ufffd${'x'.repeat(595)}`, isFinal: false });
  });

  it('end the process when they are malformed', () => {
    const hostile: readonly unknown[] = [
      ...[null, 1, 'resolved', [], {}, { op: 'other' }, { op: 'refused', reason: 1 }, { op: 'resolved' }],
      { op: 'resolved', packages: Array(101).fill(found) },
      ...[
        { name: '../a' },
        { version: '../1' },
        { integrity: 'sha1-x' },
        { path: 1 },
        { path: '../node_modules/a' },
      ].map((wrong) => ({ op: 'resolved', packages: [{ ...found, ...wrong }] })),
      ...[
        'node_modules/../a',
        '/node_modules/a',
        'node_modules/a/b',
        'node_modules/',
        `${'node_modules/a/'.repeat(400)}`,
      ].map((path) => ({ op: 'resolved', packages: [{ ...found, path }] })),
      { op: 'get', id: 1.5, url: 'http://a/', accept: '*/*' },
      { op: 'get', id: 1, url: 1, accept: '*/*' },
      { op: 'get', id: 1, url: `http://a/${'a'.repeat(2048)}`, accept: '*/*' },
      { op: 'get', id: 1, url: 'http://a/', accept: 'a\r\nx: y' },
    ];
    for (const message of hostile) assert.throws(() => readFromFetch(JSON.stringify(message)), JSON.stringify(message));
    for (const text of ['', '{', 'null', '{"op":"bundled"}', '{"op":"unpacked"}'])
      assert.throws(() => readFromBundle(text));
    const long = { op: 'bundled', script: 'x'.repeat(1024 * 1024 + 1) };
    assert.throws(() => readFromBundle(JSON.stringify(long)));
  });
});
