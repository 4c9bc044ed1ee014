/** Packages of hooks, built by the real builder from a registry on loopback (the document's §2.3, `packages`). */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { keepWarm, type Warming } from '../../../src/domain/hooks/warm.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { openPackageBuilder } from '../../support/package-builder.ts';
import { openRegistry, type TestRegistry } from '../../support/registry.ts';
import { sampledDatabases } from '../../support/sample.ts';
import { encoded } from './hooks.ts';
import { assertRefused, type Management, managing } from './managing.ts';

for (const kind of sampledDatabases) {
  describe(`packages of hooks on ${kind}`, () => {
    let registry: TestRegistry;
    let app: TestApp;
    let api: Management;
    let warming: Warming;

    before(async () => {
      registry = await openRegistry();
      registry.add('@own/double', '1.0.0', { 'index.js': 'module.exports = (n) => n * 2;' });
      registry.add(
        'greet',
        '2.1.0',
        { 'index.js': "exports.hello = (name) => 'hello ' + name + ' ' + require('mark');" },
        {
          manifest: { dependencies: { mark: '^1.0.0' } },
        },
      );
      registry.add('mark', '1.4.0', { 'index.js': "module.exports = '!';" });
      registry.add('reader', '1.0.0', { 'index.js': "require('node:fs');" });
      registry.add('hurried', '1.0.0', {}, { manifest: { scripts: { postinstall: 'true' } } });
      const packageBuilder = openPackageBuilder(registry.url);
      app = await openTestApp(kind, { settings: { 'limit.api-2': 'off' }, services: { packageBuilder } });
      api = await managing(app);
      warming = keepWarm(app.services);
    });
    after(async () => {
      await app.services.packageBuilds.stop();
      await app.services.hooks.close();
      await warming.stop();
      await app.dispose();
      await registry.close();
    });

    const hook = (body: string, packages: object) => ({
      type: 'pre-authentication',
      function: encoded(`exports.handler = async () => { ${body} };`),
      packages,
    });
    /** Settles with the next build that ends, when it is started by `write`. */
    async function built<Result>(write: () => Promise<Result>): Promise<Result> {
      const end = new Promise<void>((resolve) => app.services.packageBuilds.onEnd(() => resolve()));
      const result = await write();
      await end;
      return result;
    }
    const statusOf = async (id: string) => (await api.done(200, 'GET', `/hooks/${id}`)).status;
    const answerOf = async (id: string) => (await api.done(200, 'POST', `/hooks/${id}/test`, {})).value;
    const both = { '@own/double': '1.0.0', greet: '2.1.0' };
    const calling = "return [require('@own/double')(21), require('greet').hello('Ada')];";

    it('a hook is queued, built with two packages and ready, and its function uses both', async () => {
      const made = await built(() => api.done(201, 'POST', '/hooks', hook(calling, both)));
      assert.deepEqual([made.status, made.packages], ['create-queued', both]);
      assert.equal(await statusOf(made.id), 'ready');
      assert.deepEqual(await answerOf(made.id), [42, 'hello Ada !']);
      const downloads = registry.downloads.length;
      const other = await built(() => api.done(201, 'POST', '/hooks', hook(`/**/${calling}`, both)));
      assert.deepEqual([await statusOf(other.id), await answerOf(other.id)], ['ready', [42, 'hello Ada !']]);
      assert.equal(registry.downloads.length, downloads, 'the same packages are not downloaded again');
    });

    it('a function that is not saved may use packages that a version has, and no others', async () => {
      await built(() => api.done(201, 'POST', '/hooks', hook(calling, both)));
      const { packages: _, ...trial } = { ...hook(calling, both), context: {} };
      const ran = (packages: object) => api.call('POST', '/hooks/test', { ...trial, packages });
      const { status, body, text } = await ran({ greet: '2.1.0', '@own/double': '1.0.0' });
      assert.deepEqual([status, body.value], [200, [42, 'hello Ada !']], text);
      assertRefused(
        await ran({ greet: '2.1.0' }),
        422,
        /^packages must be those of a version whose packages are built/,
      );
    });

    it('an update that fails to build leaves the former version running, and one that builds replaces it', async () => {
      const { id } = await built(() => api.done(201, 'POST', '/hooks', hook(calling, both)));
      const bad = hook("return 'new';", { ...both, reader: '1.0.0' });
      const { status } = await built(() => api.done(200, 'PUT', `/hooks/${id}`, bad));
      assert.equal(status, 'update-queued');
      assert.equal(await statusOf(id), 'update-failed');
      assert.deepEqual(await answerOf(id), [42, 'hello Ada !']);
      await built(() => api.done(200, 'PUT', `/hooks/${id}`, hook("return require('mark');", { mark: '1.4.0' })));
      assert.deepEqual([await statusOf(id), await answerOf(id)], ['ready', '!']);
    });

    it('a build that fails leaves the hook create-failed, and names the package and the reason', async () => {
      for (const [name, reason] of [
        ['reader', /^reader needs the module node:fs of Node, which functions do not have$/],
        ['hurried', /^hurried@1\.0\.0 wants to run a script when it is installed$/],
      ] as const) {
        const { id } = await built(() => api.done(201, 'POST', '/hooks', hook('return 1;', { [name]: '1.0.0' })));
        assert.equal(await statusOf(id), 'create-failed');
        const answer = await api.call('POST', `/hooks/${id}/test`, {});
        assertRefused(answer, 422, /hook cannot run \(create-failed\): /);
        assert.match(/\(create-failed\): (.*)$/.exec(answer.body.message)?.[1] ?? '', reason);
      }
    });

    it('a function that exports no handler, which shows once its packages are built, never runs', async () => {
      const bad = { ...hook('', { mark: '1.4.0' }), function: encoded("exports.hander = require('mark');") };
      const made = await built(() => api.done(201, 'POST', '/hooks', bad));
      assert.deepEqual([made.status, await statusOf(made.id)], ['create-queued', 'create-failed']);
      const answer = await api.call('POST', `/hooks/${made.id}/test`, {});
      assertRefused(answer, 422, /^hook cannot run \(create-failed\): function exports no handler, but hander: write/);
      const { id } = await built(() => api.done(201, 'POST', '/hooks', hook(calling, both)));
      await built(() => api.done(200, 'PUT', `/hooks/${id}`, bad));
      assert.equal(await statusOf(id), 'update-failed');
      assert.deepEqual(await answerOf(id), [42, 'hello Ada !']);
    });

    it('a function that throws while it is loaded with its packages is ready, and the log says so', async () => {
      const throwing = { ...hook('', { mark: '1.4.0' }), function: encoded("throw new Error(require('mark'));") };
      const { id } = await built(() => api.done(201, 'POST', '/hooks', throwing));
      assert.equal(await statusOf(id), 'ready');
      const warned = app.services.lines.filter(({ event }) => event === 'a function with packages could not be loaded');
      assert.equal(warned.length, 1);
    });

    it('packages that the registry does not have are refused at once', async () => {
      for (const [packages, message] of [
        [{ nowhere: '1.0.0' }, /^packages: the registry has no nowhere@1\.0\.0$/],
        [{ mark: '9.9.9' }, /^packages: the registry has no mark@9\.9\.9$/],
      ] as const) {
        assertRefused(await api.call('POST', '/hooks', hook('', packages)), 422, message);
      }
    });
  });
}
