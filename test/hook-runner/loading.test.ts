/** What loading a module shows without a call of its handler. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { HookRun } from '../../src/domain/hooks/runner.ts';
import { createHookRunner } from '../../src/hook-runner/runner.ts';
import { echo, handler, openRunner, type TestRunner } from './runner.ts';

describe('loading', () => {
  let runner: TestRunner;
  const asked: string[] = [];

  before(async () => {
    runner = await openRunner({
      fetch: (request, signal) => {
        asked.push(request.url);
        return echo(request, signal);
      },
    });
  });
  after(() => runner.close());

  const load = (source: string, more: Partial<HookRun> = {}) =>
    runner.load({ accountId: 1, source, packages: null, variables: {}, timeoutMilliseconds: 60_000, ...more });

  it('finds a handler, with the variables and packages of a run, and does not call it', async () => {
    const packages = "({ pad: () => () => 'padded' })";
    for (const source of [
      'exports.handler = () => { for (;;); };',
      'module.exports = { handler: () => { throw new Error(); } };',
      'module.exports = () => null; module.exports.handler = async () => null;',
      "if (process.env.A === '1' && require('pad')() === 'padded') exports.handler = () => {};",
    ]) {
      assert.deepEqual(await load(source, { variables: { A: '1' }, packages }), { says: 'handler' }, source);
    }
  });

  it('names what a module exports instead, the first few', async () => {
    for (const [source, exported] of [
      ['', []],
      ['exports.hander = () => {};', ['hander']],
      ['exports.handler = 7; exports.b = 1;', ['handler', 'b']],
      ['module.exports = () => {};', null],
      ['module.exports = null;', []],
      ["module.exports = 'handler';", []],
      ['for (let n = 0; n < 9; n++) exports["a" + n] = 1;', ['a0', 'a1', 'a2', 'a3', 'a4']],
      [`exports['${'x'.repeat(60)}'] = 1;`, ['x'.repeat(50)]],
      ['return; exports.handler = () => {};', []],
    ] as const) {
      assert.deepEqual(await load(source), { says: 'no_handler', exported }, source);
    }
  });

  it('tells how a module failed that throws, never ends, or does not compile', async () => {
    const thrown = await load("throw new TypeError('no A');");
    assert.ok(thrown.says === 'failed' && thrown.ending === 'error');
    assert.deepEqual([thrown.error?.name, thrown.error?.message], ['TypeError', 'no A']);
    const endless = await load('for (;;);', { timeoutMilliseconds: 50 });
    assert.ok(endless.says === 'failed' && endless.ending === 'timeout');
    const broken = await load('exports.handler = ;');
    assert.ok(broken.says === 'failed' && broken.ending === 'error');
    const unknown = await load('', { runtime: 'none.x' });
    assert.ok(unknown.says === 'failed' && unknown.ending === 'unavailable');
  });

  it('waits for its process where a run would have given up', async () => {
    const hasty = createHookRunner({ fetch: echo, waitMilliseconds: 1 });
    const call = {
      accountId: 1,
      source: handler('return 1'),
      packages: null,
      variables: {},
      timeoutMilliseconds: 60_000,
    };
    try {
      assert.equal((await hasty.run({ ...call, context: '{}' })).ending, 'unavailable', 'no process starts in 1 ms');
      assert.deepEqual(await hasty.load(call), { says: 'handler' });
    } finally {
      await hasty.close();
    }
  });

  it('reaches nothing by fetch, and happens in another process than the runs of the account', async () => {
    await runner.value(handler('return 1'));
    const before = runner.processes().filter(({ accountId }) => accountId === 1);
    assert.deepEqual(await load("fetch('https://a.example/'); exports.handler = () => {};"), { says: 'handler' });
    const thrown = await load("fetch('https://a.example/').catch(() => {}); for (;;);", { timeoutMilliseconds: 50 });
    assert.equal(thrown.says, 'failed');
    assert.deepEqual(asked, []);
    assert.deepEqual(
      runner.processes().filter(({ accountId }) => accountId === 1),
      before,
    );
    await runner.value(handler("await fetch('https://a.example/')"));
    assert.deepEqual(asked, ['https://a.example/']);
  });
});
