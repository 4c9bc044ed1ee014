import assert from 'node:assert/strict';
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { createContext, runInContext } from 'node:vm';
import { openPackageBuilder } from '../support/package-builder.ts';
import { openRegistry, type TestRegistry } from '../support/registry.ts';

type Exports = Readonly<Record<string, (...given: unknown[]) => unknown>>;

/** Evaluates a bundle where there is nothing but JavaScript and what a function's world offers. */
function load(script: string): Readonly<Record<string, () => Exports>> {
  const world = createContext({
    crypto: { createHmac, createHash, randomBytes, timingSafeEqual },
    process: { env: {}, version: 'v12.22.12' },
    ...{ TextEncoder, TextDecoder, URL, URLSearchParams, atob, btoa },
  });
  return runInContext(script, world, { timeout: 60_000 });
}

describe('P4: packages that are built', () => {
  let registry: TestRegistry;
  before(async () => {
    registry = await openRegistry();
  });
  after(() => registry.close());

  async function build(packages: Readonly<Record<string, string>>) {
    const builder = openPackageBuilder(registry.url);
    const result = await builder.build(packages, async () => false);
    if (!result.ok) assert.fail(result.reason);
    return { digest: result.digest, script: result.script ?? '' };
  }

  it('popular packages load and run, all in one script', async () => {
    const names = ['semver', 'yaml', 'jose', 'ipaddr.js'];
    const versions = Object.fromEntries(names.map((name) => [name, registry.addInstalled(name)]));
    const { script } = await build(versions);
    const packages = load(script);
    assert.deepEqual(Object.keys(packages), names);
    const of = (name: string): Exports => packages[name]?.() ?? assert.fail(name);
    assert.equal(of('semver')['satisfies']?.('1.2.3', '^1.0.0'), true);
    assert.equal(of('yaml')['stringify']?.({ a: [1] }), 'a:\n  - 1\n');
    assert.deepEqual({ ...(of('jose')['decodeJwt']?.('e30.eyJzdWIiOiJhIn0.x') as object) }, { sub: 'a' });
    assert.equal(of('ipaddr.js')['isValid']?.('::1'), true);
  });

  it('Node modules that need no operating system are available, also crypto, and stream without data flow', async () => {
    registry.add('modern', '1.0.0', {
      'index.js': `
        const { Buffer } = require('buffer'); const util = require('node:util'); const Stream = require('stream');
        const { KeyObject, createSecretKey, createHmac } = require('crypto'); const EventEmitter = require('events');
        function Signer() { Stream.call(this); } util.inherits(Signer, Stream);
        exports.sign = (text) => createHmac('sha256', createSecretKey(Buffer.from('key'))).update(text).digest('hex');
        exports.isKey = (value) => value instanceof KeyObject;
        exports.emits = () => { let seen = 0; const s = new Signer(); s.on('a', (n) => { seen = n; }); s.emit('a', 7); return seen; };
        exports.flows = () => new Signer().pipe();
        exports.path = () => require('path').join('a', '..', 'b');
        exports.query = () => require('querystring').stringify({ a: 1 });
        exports.host = () => require('url').parse('https://a.b/c').host;
        exports.asserts = () => require('assert').equal(1, 2);
        exports.isEmitter = () => new Signer() instanceof EventEmitter;`,
    });
    const { modern } = load((await build({ modern: '1.0.0' })).script);
    const exports = modern?.() ?? assert.fail();
    const expected = createHmac('sha256', 'key').update('text').digest('hex');
    assert.equal(exports['sign']?.('text'), expected);
    assert.equal(exports['isKey']?.('key'), false);
    assert.equal(exports['emits']?.(), 7);
    assert.throws(() => exports['flows']?.(), /streams do not exist in functions/);
    assert.deepEqual([exports['path']?.(), exports['query']?.(), exports['host']?.()], ['b', 'a=1', 'a.b']);
    assert.throws(() => exports['asserts']?.());
    assert.equal(exports['isEmitter']?.(), true);
  });

  it("two versions of one package coexist, and a package's browser replacements are used", async () => {
    registry.add('base', '1.0.0', { 'index.js': 'exports.version = () => 1;' });
    registry.add('base', '2.0.0', { 'index.js': 'exports.version = () => 2;' });
    const using = { 'index.js': `exports.version = () => require('base').version();` };
    registry.add('old', '1.0.0', using, { manifest: { dependencies: { base: '^1.0.0' } } });
    registry.add('new', '1.0.0', using, { manifest: { dependencies: { base: '>=2' } } });
    const files = {
      'index.js': `exports.kind = () => require('./kind.js'); require('fs');`,
      'kind.js': `module.exports = 'node';`,
    };
    registry.add(
      'both',
      '1.0.0',
      { ...files, 'browser.js': `module.exports = 'browser';` },
      {
        manifest: {
          browser: { './kind.js': './browser.js', fs: false },
          optionalDependencies: { gone: '1' },
          dependencies: { gone: '1' },
        },
      },
    );
    const packages = load((await build({ old: '1.0.0', new: '1.0.0', both: '1.0.0' })).script);
    assert.equal(packages['old']?.()['version']?.(), 1);
    assert.equal(packages['new']?.()['version']?.(), 2);
    assert.equal(packages['both']?.()['kind']?.(), 'browser');
  });

  it('a package under an alias coexists with the package of that name', async () => {
    const files = { 'index.js': `exports.both = () => [require('old-base').version(), require('base').version()];` };
    const dependencies = { 'old-base': 'npm:base@^1.0.0', base: '^2.0.0' };
    registry.add('aliasing', '1.0.0', files, { manifest: { dependencies } });
    const packages = load((await build({ aliasing: '1.0.0' })).script);
    assert.equal(String(packages['aliasing']?.()['both']?.()), '1,2');
  });

  it('the same packages have the same digest and are not rebuilt; different bytes have another', async () => {
    registry.add('kept', '1.0.0', { 'index.js': 'exports.a = 1;' });
    const first = await build({ kept: '1.0.0', base: '1.0.0' });
    assert.match(first.digest, /^[0-9a-f]{64}$/);
    const before = registry.downloads.length;
    const builder = openPackageBuilder(registry.url);
    const again = await builder.build({ base: '1.0.0', kept: '1.0.0' }, async (digest) => digest === first.digest);
    assert.deepEqual(again, { ok: true, digest: first.digest, script: null });
    assert.equal(registry.downloads.length, before);
    registry.add('kept', '1.0.0', { 'index.js': 'exports.a = 2;' });
    assert.notEqual((await build({ kept: '1.0.0', base: '1.0.0' })).digest, first.digest);
  });

  it('the registry is queried for a version during the request', async () => {
    const builder = openPackageBuilder(registry.url);
    registry.add('@scope/asked', '1.0.0');
    assert.equal(await builder.has('@scope/asked', '1.0.0'), true);
    assert.equal(await builder.has('@scope/asked', '1.0.1'), false);
    assert.equal(await openPackageBuilder('http://127.0.0.1:9/').has('a', '1.0.0'), null);
  });
});
