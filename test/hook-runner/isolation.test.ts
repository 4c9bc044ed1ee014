/**
 * S5 to S8, S11, S12: nothing of the host crosses to a function, nothing of one run to the next, and no more than JSON
 * back.
 */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { GuestFetch } from '../../src/hook-runner/protocol.ts';
import { until } from '../support/until.ts';
import { handler, openRunner, type TestRunner } from './runner.ts';

const secret = 'postgres://service:hunter2@db';
/** Fails as a host does that says too much. */
const leaky: GuestFetch = async () => {
  throw Object.assign(new Error(secret), { code: secret });
};

let runner: TestRunner;
before(async () => {
  runner = await openRunner({ fetch: leaky });
});
after(() => runner.close());

const long = { timeoutMilliseconds: 60_000 };

describe('S5: from what a function can reach', () => {
  it('no path leads to the host, to isolated-vm or to another realm', async () => {
    const walk = handler(`
      const seen = new Set();
      const hits = [];
      const waiting = [[globalThis, 'globalThis'], ...['buffer', 'util', 'url', 'crypto', 'assert', 'events', 'path',
        'querystring', 'timers'].map((name) => [require(name), name]), [require, 'require'], [context, 'context']];
      const words = /isolate|externalcopy|dereference|reference$|nativemodule|transferable/i;
      while (waiting.length > 0) {
        const [value, path] = waiting.pop();
        if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value)) continue;
        seen.add(value);
        if (typeof value === 'function') {
          if (words.test(value.name) && value !== Reflect.get(globalThis, 'ReferenceError')) hits.push(path + ' is ' + value.name);
          if (!(value instanceof Function) && value !== Function.prototype) hits.push(path + ' is a function of another realm');
          // The function that makes functions makes them here.
          const made = value.constructor === Function ? value.constructor('return typeof process.binding')() : 'undefined';
          if (made !== 'undefined') hits.push(path + ' makes functions elsewhere');
        }
        let top = value;
        while (Reflect.getPrototypeOf(top) !== null) top = Reflect.getPrototypeOf(top);
        if (top !== Object.prototype && Object.hasOwn(top, 'hasOwnProperty')) hits.push(path + ' is of another realm');
        for (const key of Reflect.ownKeys(value)) {
          try { waiting.push([value[key], path + '.' + String(key)]) } catch {}
          const { get, set } = Reflect.getOwnPropertyDescriptor(value, key) ?? {};
          waiting.push([get, path + '.get ' + String(key)], [set, path + '.set ' + String(key)]);
        }
        waiting.push([Reflect.getPrototypeOf(value), path + '.__proto__']);
      }
      return { visited: seen.size, hits };
    `);
    const { visited, hits } = (await runner.value(walk, long)) as { visited: number; hits: string[] };
    assert.ok(visited > 1000, `${visited} visited`);
    assert.deepEqual(hits, []);
  });

  it('no Node module that needs the operating system is available', async () => {
    const names = [
      'fs',
      'child_process',
      'net',
      'http',
      'os',
      'vm',
      'worker_threads',
      'module',
      'isolated-vm',
      'node:fs',
      '../x',
      '/etc/passwd',
      '__proto__',
      'constructor',
    ];
    const source = handler(`
      return ${JSON.stringify(names)}.filter((name) => { try { require(name); return true } catch (error) { return error.code !== 'MODULE_NOT_FOUND' } });
    `);
    assert.deepEqual(await runner.value(source), []);
    const missing = handler(
      `return ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'performance', 'structuredClone'].filter((name) => name in globalThis)`,
    );
    assert.deepEqual(await runner.value(missing), []);
    const imported = await runner.call(handler(`return import('fs')`));
    assert.equal(imported.ending, 'error');
    assert.deepEqual(
      await runner.value(
        handler('return [process.pid, process.binding, process.exit, process.mainModule].map(String)'),
      ),
      Array(4).fill('undefined'),
    );
  });
});

describe('S6: with prototypes polluted', () => {
  const names = `reference copy result promise timeout then toJSON get set value writable arguments externalCopy release
    reject resolve length name message stack code url method headers body redirect signal status ok error output dropped
    source packages hook run op call id input ending answer constructor __proto__ valueOf toString`.split(/\s+/);

  for (const value of ['true', '{ reference: true, copy: true, promise: true }', '() => 1']) {
    it(`a run answers as before, and the next is clean: ${value}`, async () => {
      for (const name of names) {
        const source = handler(`
          Object.defineProperty(Object.prototype, ${JSON.stringify(name)}, { value: ${value}, writable: true, configurable: true });
          Array.prototype[${JSON.stringify(name)}] = ${value};
          try { await fetch('https://a.example') } catch {}
          try { require('crypto').randomUUID() } catch {}
          await new Promise((done) => setTimeout(done, 1));
          return 7;
        `);
        const { ending, value: text } = await runner.call(source, long);
        // A function may spoil its own answer, and gets nothing else for it.
        assert.ok(
          (ending === 'success' && text === '7') || ending === 'error' || ending === 'timeout',
          `${name}: ${ending} ${text}`,
        );
        if (names.indexOf(name) % 10 === 0)
          assert.equal(
            await runner.value(
              handler(`return ({})[${JSON.stringify(name)}] === ${value.startsWith('t') ? 'true' : '1'}`),
              long,
            ),
            false,
          );
      }
    });
  }
});

describe('S7: errors of the host', () => {
  it('reach a function as codes without message or stack', async () => {
    const source = handler(`
      const said = [];
      const note = (error) => said.push(error.message, error.stack, String(error.cause), String(error.cause?.stack), String(error.cause?.code));
      await fetch('https://a.example').catch(note);
      try { new URL('nonsense') } catch (error) { note(error) }
      try { require('crypto').createHash('md5') } catch (error) { note(error) }
      try { require('crypto').randomBytes(1e9) } catch (error) { note(error) }
      return said.join('|');
    `);
    const said = (await runner.value(source)) as string;
    assert.match(said, /^fetch failed: unreachable/);
    assert.doesNotMatch(said, /hunter2|hook-process|node:|\/src\/|file:/);
  });
});

describe('S8: one run', () => {
  it('leaves nothing for the next: globals, prototypes, modules, timers', async () => {
    const source = handler(`
      const before = [globalThis.left, Object.prototype.left, require('util').left, [].left, process.left];
      globalThis.left = 1; Object.prototype.left = 1; require('util').left = 1; Array.prototype.left = 1;
      setInterval(() => { globalThis.left = 2 }, 1);
      return before.every((value) => value === undefined);
    `);
    for (let run = 0; run < 5; run++) assert.equal(await runner.value(source), true);
  });

  it('does not share a process with another account', async () => {
    const accounts = [1, 2, 3];
    await Promise.all(accounts.map((accountId) => runner.value(handler('return 1'), { accountId })));
    const owners = () => runner.processes().filter(({ accountId }) => accountId !== null);
    // One that was replaced is listed until it has ended.
    await until(() => owners().length === accounts.length);
    assert.equal(new Set(owners().map(({ pid }) => pid)).size, accounts.length);
    assert.deepEqual(
      owners()
        .map(({ accountId }) => accountId)
        .toSorted(),
      accounts,
    );
  });
});

describe('S11: output', () => {
  it('is truncated after 200 lines, and further lines are counted', async () => {
    const { output, dropped } = await runner.call(handler('for (let i = 0; i < 1000; i++) console.log(i)'));
    assert.deepEqual([output.length, output.at(-1)?.text, dropped], [200, '199', 800]);
  });

  it('is truncated at 4 KB per line and 64 KB per run', async () => {
    const { output, dropped } = await runner.call(
      handler(`for (let i = 0; i < 50; i++) console.log('x'.repeat(10_000))`),
    );
    assert.match(output[0]?.text ?? '', /^x{4096}\.\.\. 5904 more characters$/);
    assert.ok(output.reduce((sum, { text }) => sum + text.length, 0) <= 64 * 1024);
    assert.equal(output.length + dropped, 50);
  });

  it('is truncated as well where a function writes into the list of its lines', async () => {
    const { output, dropped } = await runner.call(
      handler(`
        let lines;
        const own = (of, name, value) =>
          Object.defineProperty(of, name, { value, writable: true, enumerable: true, configurable: true });
        Object.defineProperty(Array.prototype, '0', { configurable: true, set(value) { lines ??= this; own(this, 0, value); } });
        console.log('x');
        delete Array.prototype[0];
        for (let at = 0; at < 150; at += 1) own(lines, at, [Date.now(), 'INFO', 'z'.repeat(4096)]);
      `),
    );
    assert.deepEqual([output.length, dropped], [16, 134]);
  });

  it('of a million lines is cheap for the run and free for the host', async () => {
    const { ending, output, dropped } = await runner.call(handler('for (let i = 0; i < 1e6; i++) console.log(i)'), {
      timeoutMilliseconds: 60_000,
    });
    assert.deepEqual([ending, output.length, dropped], ['success', 200, 999_800]);
  });

  it('of a run that times out is kept', async () => {
    for (const body of [
      "console.log('so far'); while (true);",
      "console.log('so far'); return new Promise(() => {})",
    ]) {
      let timeoutMilliseconds = 750;
      // A busy machine ends a run before it begins.
      await until(async () => {
        timeoutMilliseconds *= 2;
        const { ending, output } = await runner.call(handler(body), { timeoutMilliseconds });
        assert.equal(ending, 'timeout');
        return output[0]?.text === 'so far';
      });
    }
  });
});

describe('S12: an answer', () => {
  const refused: Readonly<Record<string, string>> = {
    NaN: 'return { a: NaN }',
    Infinity: 'return Infinity',
    'a big integer': 'return 1n',
    'a cycle': 'const a = {}; a.a = a; return a',
    '33 levels': 'let a = 1; for (let i = 0; i < 33; i++) a = [a]; return a',
    '1 MB': "return 'x'.repeat(2 ** 20)",
    'more than 16 KB': "return 'x'.repeat(16 * 1024)",
  };
  for (const [what, body] of Object.entries(refused)) {
    it(`is refused: ${what}`, async () => {
      const { ending, value, error } = await runner.call(handler(body), long);
      assert.deepEqual([ending, value], ['error', 'null']);
      assert.ok(error?.message);
    });
  }

  it('has no member named __proto__', async () => {
    const { value } = await runner.call(
      handler(`return JSON.parse('{"__proto__":{"isAdmin":true},"a":{"__proto__":1}}')`),
    );
    assert.equal(value, '{"a":{}}');
  });

  it('of 32 levels and nearly 16 KB is accepted', async () => {
    const { ending } = await runner.call(
      handler(`let a = 'x'.repeat(16000); for (let i = 0; i < 32; i++) a = [a]; return a`),
    );
    assert.equal(ending, 'success');
  });
});

describe('a context', () => {
  it('that is too large or too deep is not passed to the function', async () => {
    const contexts = [JSON.stringify('x'.repeat(256 * 1024)), '['.repeat(33) + ']'.repeat(33)];
    for (const context of contexts) assert.equal((await runner.call(handler('return 1'), { context })).ending, 'error');
    assert.equal(
      await runner.value(handler('return context.length'), { context: JSON.stringify('x'.repeat(200_000)) }),
      200_000,
    );
  });
});
