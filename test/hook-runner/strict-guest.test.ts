/** What a function learns of the code around it by the means of sloppy code: nothing. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { handler, openRunner, type TestRunner } from './runner.ts';

/** Creates `spy(name)`, a function that records its caller, and `seen`, the record. */
const spying = `
  const seen = [];
  const spy = (name, answer) => function callback() {
    const { caller } = callback;
    if (typeof caller === 'function' && !String(caller).includes('exports.handler')) seen.push(name + ' by ' + caller.name);
    try { if (callback.caller.arguments.length > 0) seen.push(name + ' with arguments'); } catch {}
    return answer;
  };
`;

const callbacks: Readonly<Record<string, string>> = {
  'a timer': 'await new Promise((done) => { setTimeout(spy("timer"), 1); setTimeout(done, 5) })',
  'an interval':
    'await new Promise((done) => { const t = setInterval(spy("interval"), 1); setTimeout(() => { clearInterval(t); done() }, 10) })',
  'a microtask':
    'queueMicrotask(spy("microtask")); process.nextTick(spy("tick")); await new Promise((done) => setImmediate(done))',
  'a text for the log':
    'console.log("%s", { toString: spy("toString", "x") }); console.log("%d", { valueOf: spy("valueOf", 1) })',
  'JSON for the log': 'console.log("%j", { toJSON: spy("toJSON", 1) })',
  'a name of a class for the log':
    'class A { static get [Symbol.hasInstance]() { return spy("hasInstance") } get [Symbol.toStringTag]() { return spy("tag", "x")() } } console.log(new A())',
  'a header': 'new Headers({ a: { toString: spy("header", "b") } }).forEach(spy("forEach"))',
  'an address': 'try { new URL({ toString: spy("url", "https://a.b") }) } catch {}',
  bytes: 'btoa({ toString: spy("btoa", "x") }); new TextDecoder({ toString: spy("label", "utf-8") })',
  'a listener of an emitter':
    'const e = new (require("events"))(); e.on("a", spy("listener")); e.emit("a"); e.once("b", spy("once")); e.emit("b")',
  'a function of util':
    'const u = require("util"); u.deprecate(spy("deprecate"), "x")(); u.callbackify(async () => 1)(spy("callbackify")); await new Promise((d) => setTimeout(d, 2))',
  'a function of assert': 'try { require("assert").throws(spy("throws")) } catch {}',
  'a querystring': 'require("querystring").parse("a=b", "&", "=", { decodeURIComponent: spy("decode", "x") })',
};

describe("the service's code around a function", () => {
  let runner: TestRunner;
  before(async () => {
    runner = await openRunner();
  });
  after(() => runner.close());

  for (const [name, code] of Object.entries(callbacks)) {
    it(`is not seen by ${name}`, async () => {
      assert.deepEqual(
        await runner.value(handler(`${spying} ${code}; return seen`), { timeoutMilliseconds: 60_000 }),
        [],
      );
    });
  }

  it('is not seen by the module, by the handler or by what JSON asks of the answer', async () => {
    const source = `
      const told = [];
      const note = (name, caller) => { if (typeof caller === 'function') told.push(name + ' by ' + caller.name) };
      note('module', arguments.callee.caller);
      exports.handler = function handler() {
        note('handler', handler.caller);
        return { toJSON: function toJSON() { note('toJSON', toJSON.caller); return told } };
      };
    `;
    assert.deepEqual(await runner.value(source), []);
  });

  it('never passes on the global object as its own', async () => {
    const source = handler(`
      const { callbackify, deprecate } = require('util');
      const seen = [];
      const note = function () { 'use strict'; seen.push(this === undefined); };
      deprecate(note, 'x')();
      callbackify(async function () { 'use strict'; seen.push(this === undefined); })(() => {});
      await new Promise((done) => setTimeout(done, 2));
      return seen;
    `);
    assert.deepEqual(await runner.value(source), [true, true]);
  });

  it('runs a function as Node does: in sloppy mode unless it opts out', async () => {
    const sloppy =
      'exports.handler = function () { undeclared = 1; return [this === globalThis || this === exports, typeof arguments.callee, delete globalThis.undeclared] }';
    assert.deepEqual(await runner.value(sloppy), [true, 'function', true]);
    const { error } = await runner.call("'use strict'; exports.handler = () => { undeclared = 1 }");
    assert.equal(error?.name, 'ReferenceError');
    assert.deepEqual(await runner.value('const top = this === exports; exports.handler = () => top'), true);
  });

  it('offers every module as before', async () => {
    const names = [
      'assert',
      'buffer',
      'crypto',
      'events',
      'path',
      'querystring',
      'timers',
      'timers/promises',
      'url',
      'util',
    ];
    const source = handler(`
      const names = ${JSON.stringify(names)};
      const { format, inspect, types, promisify } = require('util');
      require('assert').deepStrictEqual({ a: [1, new Map([[1, 2]])] }, { a: [1, new Map([[1, 2]])] });
      try { require('assert').equal(1, 2); return 'no error' } catch (error) { if (error.code !== 'ERR_ASSERTION') throw error }
      const bytes = Buffer.from('h\\u00e9llo').toString('base64');
      const query = require('querystring').stringify({ a: ['b', 'c'] });
      const address = require('url').parse('https://a.b:1/c?d=e').port;
      return [names.every((name) => require('node:' + name)), format('%s %j', 1, { a: 1 }), types.isRegExp(/a/), bytes, query, address, await promisify((done) => done(null, 2))()];
    `);
    assert.deepEqual(await runner.value(source, { timeoutMilliseconds: 60_000 }), [
      true,
      '1 {"a":1}',
      true,
      'aMOpbGxv',
      'a=b&a=c',
      '1',
      2,
    ]);
  });
});
