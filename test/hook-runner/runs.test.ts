/** What a run is given, answers and leaves behind. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { handler, openRunner, type TestRunner } from './runner.ts';

let runner: TestRunner;
before(async () => {
  runner = await openRunner();
});
after(() => runner.close());

describe('a run', () => {
  it('hands the context to the handler and answers what it returns, as JSON', async () => {
    const { ending, value, error } = await runner.call(handler('return { seen: context }'), {
      context: '{"user":{"policy_id":7}}',
    });
    assert.deepEqual(
      { ending, value, error },
      { ending: 'success', value: '{"seen":{"user":{"policy_id":7}}}', error: null },
    );
  });

  it('accepts a handler in module.exports, and one that is not async', async () => {
    assert.equal(
      await runner.value('module.exports = { handler: (context) => context.n + 1 }', { context: '{"n":1}' }),
      2,
    );
  });

  it('answers null for a handler that returns nothing', async () => {
    const { ending, value } = await runner.call(handler(''));
    assert.deepEqual({ ending, value }, { ending: 'success', value: 'null' });
  });

  it('provides only the linked variables, in a read-only process.env', async () => {
    const source = handler(`
      'use strict';
      let refused = false;
      try { process.env.A = 'c' } catch { refused = true }
      return { names: Object.keys(process.env), a: process.env.A, inherited: 'toString' in process.env, refused };
    `);
    assert.deepEqual(await runner.value(source, { variables: { A: 'b' } }), {
      names: ['A'],
      a: 'b',
      inherited: false,
      refused: true,
    });
    assert.deepEqual(await runner.value(handler('return Object.keys(process.env)')), []);
  });

  it('reports what was thrown, with positions in the function and no frames of this program', async () => {
    const { ending, value, error, output } = await runner.call('\nexports.handler = async () => { null.x }');
    assert.equal(ending, 'error');
    assert.equal(value, 'null');
    assert.deepEqual(error, {
      name: 'TypeError',
      message: "Cannot read properties of null (reading 'x')",
      stack: "TypeError: Cannot read properties of null (reading 'x')\n    at exports.handler (hook.js:2:38)",
    });
    assert.deepEqual(output, []);
  });

  it('fails when no handler is exported', async () => {
    const { ending, error } = await runner.call('exports.handle = () => 1');
    assert.equal(ending, 'error');
    assert.match(error?.message ?? '', /^exports\.handler is not a function: write exports\.handler = async/);
  });

  it('records output with level and time, formatted as in Node', async () => {
    const source = handler(
      `console.log('%s is', 'a', { b: [new Map([['d', 1]]), { c: new Map() }] }); console.warn('w'); console.error('e')`,
    );
    const { output } = await runner.call(source);
    assert.deepEqual(
      output.map(({ level, text }) => [level, text]),
      [
        ['INFO', "a is { b: [ Map(1) { 'd' => 1 }, { c: Map(0) {} } ] }"],
        ['WARN', 'w'],
        ['ERROR', 'e'],
      ],
    );
    assert.ok(Math.abs((output[0]?.at ?? 0) - Date.now()) < 60_000);
  });

  it('loads packages from the script that maps their names', async () => {
    const packages = `({ 'left-pad': () => ({ pad: (text) => ' ' + text }), '@a/b': () => 5 })`;
    const source = handler(
      `return [require('left-pad').pad('x'), require('@a/b'), require('left-pad') === require('left-pad')]`,
    );
    assert.deepEqual(await runner.value(source, { packages }), [' x', 5, true]);
    const { error } = await runner.call(source);
    assert.equal(error?.message, "Cannot find module 'left-pad'");
  });

  it('runs nothing that does not compile', async () => {
    const { ending } = await runner.call('exports.handler = async () => {');
    assert.equal(ending, 'error');
  });
});
