/**
 * What strangers answer to the requests of functions is decoded in the process of the functions, never in the service.
 */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { createHookEgress } from '../../src/adapters/egress/policies.ts';
import { createGuestFetch } from '../../src/hook-runner/guest-fetch.ts';
import { type Internet, openInternet } from '../support/internet.ts';
import { handler, openRunner, type TestRunner } from './runner.ts';

const mebibyte = 1024 * 1024;
const reading = handler(`
  try {
    const answer = await fetch('https://api.example.com/');
    return [answer.status, answer.headers.get('content-encoding'), (await answer.text()).slice(0, 20)];
  } catch (error) { return error.cause.code }
`);
const measuring = handler(`
  try { return (await (await fetch('https://api.example.com/')).bytes()).length } catch (error) { return error.cause.code }
`);

describe('a response in gzip', () => {
  let internet: Internet;
  let runner: TestRunner;
  before(async () => {
    internet = await openInternet();
    const everywhere = { public: true, hosts: [], isOwnHost: () => false };
    runner = await openRunner({ fetch: createGuestFetch(createHookEgress(everywhere, internet.network)) });
  });
  after(async () => {
    await runner.close();
    await internet.close();
  });

  const ask = (source: string, body: Buffer, coding: string) => {
    internet.handle((_, res) => res.writeHead(200, { 'content-encoding': coding }).end(body));
    return runner.value(source, { timeoutMilliseconds: 60_000 });
  };

  it('reaches the function decoded', async () => {
    assert.deepEqual(await ask(reading, gzipSync('hello'), 'gzip'), [200, null, 'hello']);
    assert.deepEqual(await ask(reading, gzipSync('hello'), 'x-gzip'), [200, null, 'hello']);
    assert.deepEqual(await ask(reading, Buffer.from('plain'), 'identity'), [200, null, 'plain']);
  });

  it('is decoded up to 1 MiB', async () => {
    assert.equal(await ask(measuring, gzipSync(Buffer.alloc(mebibyte)), 'gzip'), mebibyte);
    for (const size of [mebibyte + 1, 64 * mebibyte]) {
      assert.equal(await ask(measuring, gzipSync(Buffer.alloc(size)), 'gzip'), 'response_too_large');
    }
  });

  it('is refused when it is broken or in another coding, and the process continues', async () => {
    const [{ pid } = { pid: null }] = runner.processes().filter(({ accountId }) => accountId === 1);
    assert.equal(await ask(reading, Buffer.from('no gzip'), 'gzip'), 'unreachable');
    assert.equal(await ask(reading, gzipSync('hello').subarray(0, -4), 'gzip'), 'unreachable');
    assert.equal(await ask(reading, brotliCompressSync('hello'), 'br'), 'unreachable');
    assert.equal(runner.processes().find(({ accountId }) => accountId === 1)?.pid, pid);
  });
});
