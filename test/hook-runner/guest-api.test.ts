/** The APIs that functions have besides the language, as in Node and the web standards. */

import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { format, inspect } from 'node:util';
import fc from 'fast-check';
import { format as guestFormat } from '../../src/hook-runner/child/guest/format.ts';
import { inspect as guestInspect } from '../../src/hook-runner/child/guest/inspect.ts';
import { atob, btoa, TextDecoder, TextEncoder } from '../../src/hook-runner/child/guest/text.ts';
import { URLSearchParams } from '../../src/hook-runner/child/guest/url-search-params.ts';
import { readSeed } from '../properties/seed.ts';
import { until } from '../support/until.ts';
import { handler, openRunner, type TestRunner } from './runner.ts';

const seed = readSeed();

let runner: TestRunner;
before(async () => {
  runner = await openRunner();
});
after(() => runner.close());

describe('console', () => {
  it('formats values as util.inspect does', () => {
    const values = fc.anything({
      withDate: true,
      withMap: true,
      withSet: true,
      withBigInt: true,
      withNullPrototype: true,
    });
    fc.assert(
      fc.property(values, (value) => {
        assert.equal(guestInspect(value), inspect(value));
      }),
      { seed, numRuns: 300, examples: [[{ ['__proto__']: 1, __proto: 2 }]] },
    );
  });

  it('fills in formats as util.format does', () => {
    const cases = [
      ['%s is %d', 'a', 5],
      ['%j', { a: 1 }],
      ['%%'],
      ['a%', 1],
      ['%i %f', '42.5', '1.5x'],
      [{ a: 1 }, 'b'],
      ['%s', { a: { b: 1 } }],
      ['%s', null, undefined],
      ['%s'],
      ['%% %s', 'x'],
    ];
    for (const values of cases) assert.equal(guestFormat(...values), format(...values));
  });
});

describe('text', () => {
  it('is encoded and decoded as UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const bytes = new TextEncoder().encode(text);
        assert.deepEqual([...bytes], [...Buffer.from(text)]);
        assert.equal(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), text.toWellFormed());
      }),
      { seed },
    );
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        assert.equal(new TextDecoder().decode(bytes), new globalThis.TextDecoder().decode(bytes));
      }),
      { seed },
    );
    assert.throws(() => new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.of(0xff)), TypeError);
  });

  it('is encoded in base64', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = String.fromCharCode(...bytes);
        assert.equal(btoa(text), Buffer.from(bytes).toString('base64'));
        assert.equal(atob(btoa(text)), text);
      }),
      { seed },
    );
    assert.throws(() => atob('a'), TypeError);
    assert.throws(() => btoa('€'), TypeError);
  });
});

describe('URLSearchParams', () => {
  it('parses and serializes as in the standard', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.string())), (pairs) => {
        const written = new URLSearchParams(pairs).toString();
        assert.equal(written, new globalThis.URLSearchParams(pairs).toString());
        assert.deepEqual([...new URLSearchParams(`?${written}`)], [...new globalThis.URLSearchParams(`?${written}`)]);
      }),
      { seed },
    );
  });
});

describe('a function', () => {
  it('has URL, whose parts follow its parameters', async () => {
    const source = handler(`
      const url = new URL('../c?d=1#e', 'https://EXAMPLE.com:443/a/b/');
      url.searchParams.append('f', 'g h');
      url.port = '8443';
      return [url.href, url.origin, URL.canParse('x'), String(url) === JSON.parse(JSON.stringify(url))];
    `);
    assert.deepEqual(await runner.value(source), [
      'https://example.com:8443/a/c?d=1&f=g+h#e',
      'https://example.com:8443',
      false,
      true,
    ]);
  });

  it('has hashes, HMACs and random values', async () => {
    const source = handler(`
      const { createHash, createHmac, randomBytes, randomUUID, timingSafeEqual } = require('node:crypto');
      return {
        hash: createHash('sha256').update('a').update(Buffer.from('b')).digest('hex'),
        hmac: createHmac('sha512', 'key').update('data').digest('base64'),
        same: timingSafeEqual(Buffer.from('a'), Buffer.from('a')),
        sizes: [randomBytes(16).length, randomUUID().length, crypto.getRandomValues(new Uint8Array(8)).length],
        fresh: randomUUID() !== randomUUID(),
      };
    `);
    assert.deepEqual(await runner.value(source), {
      hash: createHash('sha256').update('ab').digest('hex'),
      hmac: createHmac('sha512', 'key').update('data').digest('base64'),
      same: true,
      sizes: [16, 36, 8],
      fresh: true,
    });
  });

  it('has the Node modules that need no operating system', async () => {
    const source = handler(`
      const events = require('events');
      const emitter = new events();
      let heard = 0;
      emitter.on('a', () => { heard += 1 });
      emitter.emit('a');
      let asserted = '';
      try { require('assert').deepStrictEqual({ a: 1 }, { a: 2 }) } catch (error) { asserted = error.code }
      return [heard, asserted, require('path').join('a', '..', 'b'), require('querystring').parse('a=1&b=2').b,
        require('url').parse('https://a.example/b?c').pathname, require('util').inspect({ a: [1] }), require('util').isArray([]),
        Buffer.concat([Buffer.from('aGk=', 'base64'), Buffer.from('!')]).toString('utf8'), Buffer === require('buffer').Buffer];
    `);
    assert.deepEqual(await runner.value(source), [
      1,
      'ERR_ASSERTION',
      'b',
      '2',
      '/b',
      '{ a: [ 1 ] }',
      true,
      'hi!',
      true,
    ]);
  });

  it('has timers that can be cleared, at most 50 at a time', async () => {
    const source = handler(`
      let ticks = 0;
      clearTimeout(setTimeout(() => { ticks = -100 }, 1));
      await new Promise((done) => {
        const timer = setInterval(() => { if (++ticks === 3) { clearInterval(timer); done() } }, 1);
      });
      await new Promise((done) => setImmediate(done));
      await new Promise((done) => process.nextTick(done));
      let most = 0;
      try { for (;;) { setTimeout(() => {}, 1000); most += 1 } } catch (error) { return [ticks, most, error.name] }
    `);
    assert.deepEqual(await runner.value(source), [3, 50, 'RangeError']);
  });

  it('makes requests through the service, at most 5 a run', async () => {
    const source = handler(`
      const answer = await fetch(new URL('https://a.example/b'), { method: 'post', headers: { 'X-A': 'b' }, body: JSON.stringify({ c: 1 }) });
      const { url, method, headers, body } = await answer.json();
      let more = 0;
      try { for (;;) { await fetch('https://a.example'); more += 1 } } catch (error) { return [answer.ok, answer.headers.get('Content-Type'), url, method, headers, body, more, error.message] }
    `);
    assert.deepEqual(await runner.value(source), [
      true,
      'application/json',
      'https://a.example/b',
      'POST',
      [
        ['content-type', 'text/plain;charset=UTF-8'],
        ['x-a', 'b'],
      ],
      '{"c":1}',
      4,
      'fetch failed: too_many_requests: a run makes at most 5',
    ]);
  });

  it('aborts a request', async () => {
    const source = handler(`
      const control = new AbortController();
      const asked = fetch('https://a.example', { signal: control.signal });
      control.abort();
      return asked.catch((error) => error.name);
    `);
    assert.equal(await runner.value(source), 'AbortError');
  });
});

describe('a request of a function', () => {
  it('is aborted by the service when the run ends', async () => {
    const signals: AbortSignal[] = [];
    const waiting = await openRunner({
      fetch: (_request, signal) => new Promise(() => signals.push(signal)),
    });
    // On a busy machine a run may end before it has asked.
    for (let timeoutMilliseconds = 100; signals.length === 0; timeoutMilliseconds *= 2) {
      const { ending } = await waiting.call(handler("await fetch('https://a.example')"), { timeoutMilliseconds });
      assert.equal(ending, 'timeout');
    }
    await until(() => signals.every(({ aborted }) => aborted));
    await waiting.close();
  });
});
