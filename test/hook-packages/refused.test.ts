import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { HookPackages } from '../../src/domain/hooks/package-builds.ts';
import { ownPrograms } from '../../src/hook-packages/commands.ts';
import { removeStrays } from '../../src/hook-packages/folders.ts';
import { openPackageBuilder } from '../support/package-builder.ts';
import { openRegistry, type TestRegistry } from '../support/registry.ts';
import { tarball } from '../support/tarball.ts';
import { buildHere } from './build-here.ts';

const unknown = async () => false;
const bundlerFile = createRequire(import.meta.url).resolve('esbuild');

describe('refused packages', () => {
  let registry: TestRegistry;
  let parent: string;
  /** A file outside of every package, whose text must not come into a bundle. */
  let secret: string;
  let canary: string;
  before(async () => {
    registry = await openRegistry();
    parent = mkdtempSync(join(tmpdir(), 'gatehouse-builds-'));
    const outside = mkdtempSync(join(tmpdir(), 'gatehouse-outside-'));
    [secret, canary] = [join(outside, 'secret.json'), join(outside, 'canary')];
    writeFileSync(secret, '{"password":"CANARY-SECRET"}');
    writeFileSync(join(outside, 'secret.js'), 'module.exports = "CANARY-SECRET";');
  });
  after(async () => {
    await registry.close();
    rmSync(parent, { recursive: true });
    rmSync(join(secret, '..'), { recursive: true });
  });

  /** Runs the steps of a build in this process, because processes are slow to start. */
  async function reasonOf(packages: HookPackages): Promise<string> {
    const result = await buildHere(registry.url, packages, parent);
    if (!result.ok) return result.reason;
    assert.doesNotMatch(result.script, /CANARY-SECRET/);
    return 'built';
  }

  async function reasonOfProcess(packages: HookPackages, milliseconds?: number): Promise<string> {
    const builder = openPackageBuilder(registry.url, { parent, ...(milliseconds ? { milliseconds } : {}) });
    const result = await builder.build(packages, unknown);
    assert.deepEqual(readdirSync(parent), [], 'the folder of the build is gone');
    if (!result.ok) return result.reason;
    assert.doesNotMatch(result.script ?? '', /CANARY-SECRET/);
    return 'built';
  }

  it('P1: packages with install scripts are refused, and the scripts do not run', async () => {
    for (const [index, script] of ['preinstall', 'install', 'postinstall'].entries()) {
      const scripts = { [script]: `touch ${canary}` };
      registry.add('scripted', `1.0.${index}`, undefined, { manifest: { scripts } });
      const reason = await reasonOfProcess({ scripted: `1.0.${index}` });
      assert.equal(reason, `scripted@1.0.${index} wants to run a script when it is installed`);
    }
    // The registry says nothing of it: the file's own word is not asked.
    registry.add('silent', '1.0.0', {
      'index.js': '',
      'package.json': JSON.stringify({ name: 'silent', version: '1.0.0', scripts: { install: `touch ${canary}` } }),
      'binding.gyp': '{}',
    });
    assert.equal(await reasonOfProcess({ silent: '1.0.0' }), 'built');
    assert.equal(existsSync(canary), false);
  });

  it('P1: dependencies that are not registry versions are refused', async () => {
    const ranges = [
      'git+https://example.com/a.git',
      'github:user/repository',
      'user/repository',
      'https://example.com/a.tgz',
      `file:${join(secret, '..')}`,
      'link:../a',
      'workspace:*',
      'npm:lodash@next',
      'next',
    ];
    for (const [index, range] of ranges.entries()) {
      registry.add('leading', `1.0.${index}`, undefined, { manifest: { dependencies: { away: range } } });
      assert.equal(
        await reasonOf({ leading: `1.0.${index}` }),
        `leading@1.0.${index} depends on away by "${range}", which is not a version in the registry`,
      );
    }
  });

  it('P1: a file with a wrong digest, a weak digest or a foreign URL is refused', async () => {
    registry.add('changed', '1.0.0', undefined, { dist: { integrity: `sha512-${'A'.repeat(86)}==` } });
    const other = 'the file of changed@1.0.0 is not the one that the registry describes';
    assert.equal(await reasonOf({ changed: '1.0.0' }), other);
    for (const [version, dist] of [
      ['1.0.1', { integrity: undefined, shasum: 'a'.repeat(40) }],
      ['1.0.2', { integrity: `sha1-${'A'.repeat(27)}=` }],
      ['1.0.3', { integrity: 'sha512-typo' }],
    ] as const) {
      registry.add('changed', version, undefined, { dist });
      assert.equal(await reasonOf({ changed: version }), `the registry gives no sha512 digest of changed@${version}`);
    }
    registry.add('elsewhere', '1.0.0', undefined, { dist: { tarball: 'http://127.0.0.1:9/a.tgz' } });
    assert.equal(await reasonOf({ elsewhere: '1.0.0' }), 'the registry redirects to another place for elsewhere@1.0.0');
    assert.equal(await reasonOf({ nothing: '1.0.0' }), 'the registry has no nothing@1.0.0');
    assert.equal(await reasonOf({ changed: '9.9.9' }), 'the registry has no changed@9.9.9');
  });

  it('P2: no file outside the packages enters a bundle', async () => {
    const outside = join(secret, '..');
    const up = '../'.repeat(12);
    const sources: Record<string, string> = {
      absolute: `module.exports = require('${secret}');`,
      upwards: `module.exports = require('${up}${secret.slice(1)}');`,
      address: `import x from 'file://${secret}'; export default x;`,
      text: `import x from '${up}etc/hostname' with { type: 'text' }; export default x;`,
      pattern: `module.exports = (name) => require('${up}${outside.slice(1)}/' + name + '.js');`,
      data: `import x from 'data:text/javascript,export default 1'; export default x;`,
    };
    for (const [name, source] of Object.entries(sources)) {
      registry.add(name, '1.0.0', { 'index.js': source });
      assert.match(await reasonOf({ [name]: '1.0.0' }), new RegExp(`^${name} (asks for|needs) .+`), name);
    }
    registry.add('map', '1.0.0', { 'index.js': `exports.a = 1;\n//# sourceMappingURL=${up}${secret.slice(1)}` });
    registry.add('settings', '1.0.0', {
      'index.ts': 'export const a: number = 1;',
      'index.js': `exports.a = require('secret');`,
      'tsconfig.json': JSON.stringify({
        extends: secret,
        compilerOptions: { baseUrl: outside, paths: { '*': ['*'] } },
      }),
    });
    assert.equal(await reasonOf({ map: '1.0.0' }), 'built');
    assert.match(await reasonOf({ settings: '1.0.0' }), /^settings needs secret/);
    registry.add('field', '1.0.0', { 'index.js': '' }, { manifest: { main: `${up}${outside.slice(1)}/secret.js` } });
    assert.notEqual(await reasonOf({ field: '1.0.0' }), 'built');
    registry.add(
      'mapped',
      '1.0.0',
      { 'index.js': `module.exports = require('x');` },
      { manifest: { browser: { x: `${up}${outside.slice(1)}/secret.js` } } },
    );
    assert.notEqual(await reasonOf({ mapped: '1.0.0' }), 'built');
  });

  it('P2: links in a tarball are not created, and entries do not leave their folder', async () => {
    const linking = (name: string, type: '1' | '2', source: string) =>
      registry.add(
        name,
        '1.0.0',
        { 'index.js': source },
        { entries: [{ name: 'package/in.json', type, link: secret }] },
      );
    linking('symbolic', '2', `module.exports = require('./in.json');`);
    linking('hard', '1', `module.exports = require('./in.json');`);
    assert.match(await reasonOf({ symbolic: '1.0.0' }), /^symbolic needs \.\/in\.json/);
    assert.match(await reasonOf({ hard: '1.0.0' }), /^hard needs \.\/in\.json|cannot be unpacked$/);
    const escaping = [
      { name: `package/../../../../${canary.slice(1)}`, content: 'x' },
      { name: canary, content: 'x' },
    ];
    registry.add('escaping', '1.0.0', undefined, { entries: escaping });
    await reasonOf({ escaping: '1.0.0' });
    assert.equal(existsSync(canary), false);
  });

  it('P2: data that is not JavaScript does not enter a bundle', async () => {
    for (const extension of ['node', 'wasm', 'txt', 'css', 'pem']) {
      const files = { 'index.js': `module.exports = require('./a.${extension}');`, [`a.${extension}`]: 'x' };
      registry.add('data-file', `1.0.${extension.length}`, files);
      const reason = await reasonOf({ 'data-file': `1.0.${extension.length}` });
      assert.equal(reason, `data-file needs the file a.${extension}, which is not JavaScript`);
    }
  });

  it('P3: bombs end at a limit', async () => {
    const bomb = tarball([{ name: 'package/a.js', content: Buffer.alloc(65 * 1024 * 1024) }]);
    assert.ok(bomb.length < 1024 * 1024);
    registry.add('bomb', '1.0.0', {}, { tarball: bomb });
    assert.equal(await reasonOfProcess({ bomb: '1.0.0' }), 'with bomb@1.0.0 the packages unpack to more than 64 MiB');
    const crowd = tarball(Array.from({ length: 10_001 }, (_, index) => ({ name: `package/${index}.js` })));
    registry.add('crowd', '1.0.0', {}, { tarball: crowd });
    assert.equal(await reasonOf({ crowd: '1.0.0' }), 'with crowd@1.0.0 the packages have more than 10000 files');
    const noise = gzipSync(Buffer.alloc(17 * 1024 * 1024), { level: 0 });
    registry.add('heavy', '1.0.0', {}, { tarball: noise });
    assert.equal(await reasonOfProcess({ heavy: '1.0.0' }), 'heavy@1.0.0 is larger than 16 MiB');
    registry.add('large', '1.0.0', { 'index.js': `module.exports = '${'x'.repeat(1024 * 1024)}';` });
    assert.match(await reasonOf({ large: '1.0.0' }), /^the packages make a script of \d+ bytes; the limit is 1048576$/);
    registry.add('broken', '1.0.0', {}, { tarball: Buffer.from('no archive') });
    assert.equal(await reasonOf({ broken: '1.0.0' }), 'the file of broken@1.0.0 is not a gzip archive');
  });

  it('P3: packages with cyclic dependencies are built, and those with too many dependencies are refused', async () => {
    const circle = (name: string, other: string) =>
      registry.add(
        name,
        '1.0.0',
        { 'index.js': `exports.name = '${name}'; exports.other = () => require('${other}');` },
        {
          manifest: { dependencies: { [other]: '^1.0.0' } },
        },
      );
    circle('chicken', 'egg');
    circle('egg', 'chicken');
    assert.equal(await reasonOf({ chicken: '1.0.0' }), 'built');
    for (let index = 0; index <= 100; index += 1) {
      registry.add(`chain-${index}`, '1.0.0', undefined, {
        manifest: { dependencies: { [`chain-${index + 1}`]: '1' } },
      });
    }
    const tooMany = 'the packages and their dependencies are more than 100 packages';
    assert.equal(await reasonOf({ 'chain-0': '1.0.0' }), tooMany);
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`other-${index}`, '1']));
    registry.add('wide', '1.0.0', undefined, { manifest: { dependencies: many } });
    assert.equal(await reasonOf({ wide: '1.0.0' }), tooMany);
  });

  it('unsupported Node modules are named with the package that needs them', async () => {
    for (const [index, module] of ['fs', 'node:net', 'child_process', 'http', 'worker_threads', 'vm'].entries()) {
      registry.add('needy', `1.0.${index}`, { 'index.js': `require('${module}');` });
      const reason = await reasonOf({ needy: `1.0.${index}` });
      assert.equal(reason, `needy needs the module ${module} of Node, which functions do not have`);
    }
    registry.add(
      'lonely',
      '1.0.0',
      { 'index.js': `require('a-peer');` },
      { manifest: { peerDependencies: { 'a-peer': '1' } } },
    );
    assert.equal(await reasonOf({ lonely: '1.0.0' }), 'lonely needs a-peer, which is in none of the packages');
    registry.add('wrong', '1.0.0', { 'index.js': 'const = 1;' });
    assert.match(await reasonOf({ wrong: '1.0.0' }), /^wrong cannot be bundled: /);
  });

  it('P3: a build process ends with the service, and its folder is removed when the next service builds', async () => {
    for (const program of Object.values(ownPrograms())) {
      const child = spawn(process.execPath, [program, parent, bundlerFile], { stdio: ['pipe', 'pipe', 'ignore'] });
      await once(child.stdout, 'data');
      child.stdin.end();
      assert.deepEqual(await once(child, 'exit'), [0, null]);
    }
    const [stray, young] = [
      mkdtempSync(join(parent, 'gatehouse-packages-')),
      mkdtempSync(join(parent, 'gatehouse-packages-')),
    ];
    writeFileSync(join(stray, 'file'), 'x');
    utimesSync(stray, 1, 1);
    await removeStrays(parent);
    assert.deepEqual([existsSync(stray), existsSync(young)], [false, true]);
    rmSync(young, { recursive: true });
  });

  it("P3: a hanging registry costs no more than a build's time limit", async () => {
    registry.hang();
    assert.equal(await reasonOfProcess({ any: '1.0.0' }, 1_000), 'the packages could not be built in time');
  });
});
