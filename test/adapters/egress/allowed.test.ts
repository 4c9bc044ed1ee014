import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, describe, it } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { createEgress, type EgressPolicy } from '../../../src/adapters/egress/index.ts';
import { createHookEgress, createOwnEgress } from '../../../src/adapters/egress/policies.ts';
import type { Egress, EgressRequest, EgressResponse } from '../../../src/domain/egress.ts';
import { everywhere, type Internet, openInternet, patientMilliseconds } from '../../support/internet.ts';

const plain: EgressRequest = {
  accountId: 1,
  url: 'https://api.example.com/path?query=1',
  method: 'GET',
  headers: [],
  body: null,
  redirect: 'follow',
};
const mebibyte = 1024 * 1024;

describe('allowed requests of hooks', () => {
  let internet: Internet;
  let egress: Egress;
  before(async () => {
    internet = await openInternet();
    egress = createHookEgress(everywhere, internet.network, patientMilliseconds);
  });
  after(() => internet.close());
  beforeEach(() => internet.forget());

  const fetch = (given: Partial<EgressRequest>) => egress.fetch({ ...plain, ...given });

  async function answered(given: Partial<EgressRequest> = {}): Promise<EgressResponse> {
    const result = await fetch(given);
    if (!result.ok) assert.fail(result.failure);
    return result.response;
  }

  async function failed(given: Partial<EgressRequest>): Promise<string> {
    const result = await fetch(given);
    return result.ok ? 'no failure' : result.failure;
  }

  /** What arrives at the server, which answers with `hello`. */
  function arrivals(): { readonly url: string; readonly method: string; readonly body: string; headers: object }[] {
    const seen: { url: string; method: string; body: string; headers: object }[] = [];
    internet.handle(async (req: IncomingMessage, res) => {
      seen.push({ url: req.url ?? '', method: req.method ?? '', body: await text(req), headers: req.headers });
      res.end('hello');
    });
    return seen;
  }

  it('send path, method, headers and body, and return status, headers and body', async () => {
    const seen = arrivals();
    const response = await answered({ method: 'post', headers: [['X-Api-Key', 'k']], body: Buffer.from('{"a":1}') });
    assert.equal(response.status, 200);
    assert.equal(response.url, plain.url);
    assert.equal(response.body.toString(), 'hello');
    assert.ok(response.headers.some(([name]) => name === 'date'));
    const { headers, ...request } = seen[0] ?? {};
    assert.deepEqual(request, { url: '/path?query=1', method: 'POST', body: '{"a":1}' });
    assert.deepEqual(headers, {
      host: 'api.example.com',
      'accept-encoding': 'gzip',
      'user-agent': 'Gatehouse',
      'x-api-key': 'k',
      'content-length': '7',
      connection: 'close',
    });
  });

  it('leave out headers that name hosts, connections or proxies', async () => {
    const seen = arrivals();
    const denied = ['Host', 'Connection', 'Transfer-Encoding', 'Content-Length', 'Proxy-Authorization', 'Upgrade'];
    const more = ['X-Forwarded-For', 'Metadata-Flavor', 'Metadata', 'X-aws-ec2-metadata-token', 'Expect', 'TE'];
    await answered({ headers: [...denied, ...more].map((name) => [name, '100-continue'] as const) });
    assert.deepEqual(Object.keys(seen[0]?.headers ?? {}).sort(), [
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ]);
  });

  it('must have a listed method, valid headers, and a body only where the method allows one', async () => {
    for (const method of ['CONNECT', 'TRACE', 'TRACK', 'PURGE', 'GET\r\nX: y', '']) {
      assert.equal(await failed({ method }), 'method_forbidden', method);
    }
    for (const header of [
      ['a b', 'c'],
      ['a', 'b\r\nc: d'],
      ['a', 'b\n'],
      ['', 'b'],
      ['a', 'x'.repeat(8_192)],
    ] as const) {
      assert.equal(await failed({ headers: [header] }), 'header_invalid', JSON.stringify(header));
    }
    assert.equal(await failed({ headers: Array(51).fill(['a', 'b']) }), 'header_invalid');
    assert.equal(await failed({ body: Buffer.from('x') }), 'body_forbidden');
    assert.equal(await failed({ method: 'POST', body: Buffer.alloc(64 * 1024 + 1) }), 'body_too_large');
    assert.deepEqual(internet.attempts, []);
    arrivals();
    assert.equal((await answered({ method: 'PUT', body: Buffer.alloc(64 * 1024) })).status, 200);
  });

  it('read a response of 1 MiB', async () => {
    const send = (size: number) => internet.handle((_, res) => res.end(Buffer.alloc(size, 'a')));
    send(mebibyte);
    assert.equal((await answered()).body.length, mebibyte);
    send(mebibyte + 1);
    assert.equal(await failed({}), 'response_too_large');
  });

  it("pass gzip on undecoded, so that the function's process decodes it", async () => {
    for (const name of ['gzip', 'x-gzip', ' GZip ']) {
      // Decoding it would fail.
      const sent = Buffer.from('no gzip');
      internet.handle((_, res) => res.writeHead(200, { 'content-encoding': name }).end(sent));
      const response = await answered();
      assert.deepEqual([response.body, response.coding], [sent, 'gzip'], name);
      assert.ok(!response.headers.some(([header]) => header === 'content-encoding' || header === 'content-length'));
    }
    const bomb = gzipSync(Buffer.alloc(64 * mebibyte));
    internet.handle((_, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    assert.deepEqual((await answered()).body, bomb);
    internet.handle((_, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(Buffer.alloc(mebibyte + 1)));
    assert.equal(await failed({}), 'response_too_large');
    internet.handle((_, res) => res.end('plain'));
    assert.ok(!('coding' in (await answered())));
  });

  it('refuse a response in an unrequested coding, or in several', async () => {
    const others = { br: brotliCompressSync('a'), deflate: deflateSync('a'), zstd: zstdCompressSync('a') };
    const several = { 'gzip, gzip': gzipSync('a'), 'gzip, br': gzipSync('a'), constructor: gzipSync('a') };
    for (const own of [createOwnEgress(everywhere, internet.network), egress]) {
      for (const [coding, body] of Object.entries({ ...others, ...several })) {
        internet.handle((_, res) => res.writeHead(200, { 'content-encoding': coding }).end(body));
        assert.deepEqual(await own.fetch(plain), { ok: false, failure: 'response_invalid' }, coding);
      }
    }
    internet.handle((_, res) => res.writeHead(200, { 'content-encoding': 'br' }).end());
    assert.equal((await answered({ method: 'HEAD' })).status, 200);
  });

  it('follow three redirects, not four, or none when asked to', async () => {
    const redirect = (most: number) => {
      let left = most;
      internet.handle((_, res) => {
        left -= 1;
        if (left < 0) res.end('there');
        else res.writeHead(302, { location: `/${left}` }).end();
      });
    };
    redirect(3);
    const response = await answered();
    assert.deepEqual([response.redirected, response.url], [true, 'https://api.example.com/0']);
    redirect(4);
    assert.equal(await failed({}), 'too_many_redirects');
    redirect(1);
    assert.equal(await failed({ redirect: 'error' }), 'redirect_forbidden');
    redirect(1);
    assert.equal((await answered({ redirect: 'manual' })).status, 302);
  });

  it('carry no credentials to another origin: neither headers nor a body', async () => {
    const seen = arrivals();
    const headers = ['Authorization', 'Cookie', 'X-Api-Key', 'Accept', 'Content-Type'].map(
      (name) => [name, 'a'] as const,
    );
    const to = (status: number, location: string) =>
      internet.handle(async (req, res) => {
        const body = await text(req);
        if (req.url === '/') return void res.writeHead(status, { location }).end();
        seen.push({ url: req.url ?? '', method: req.method ?? '', body, headers: req.headers });
        res.end();
      });
    const names = (index: number) => Object.keys(seen[index]?.headers ?? {});
    const post = { url: 'https://api.example.com/', method: 'POST', headers, body: Buffer.from('secret') };
    to(302, 'https://other.example.net/there');
    await answered(post);
    assert.deepEqual([seen[0]?.method, seen[0]?.body], ['GET', '']);
    assert.deepEqual(names(0).sort(), ['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
    to(307, 'https://other.example.net/there');
    assert.equal(await failed(post), 'redirect_forbidden');
    to(308, '/there');
    await answered(post);
    assert.deepEqual([seen[1]?.method, seen[1]?.body], ['POST', 'secret']);
    assert.ok(names(1).includes('authorization') && names(1).includes('content-type'));
    assert.equal(seen.length, 2);
  });

  it('end at their timeout or with the run, whatever the other side does', async () => {
    const slow = createEgress({ ...policyOf(), timeoutMilliseconds: 50 }, internet.network);
    internet.handle(() => {});
    assert.deepEqual(await slow.fetch(plain), { ok: false, failure: 'timeout' });
    internet.handle((_, res) => void res.writeHead(200).write('a'));
    assert.deepEqual(await slow.fetch(plain), { ok: false, failure: 'timeout' });
    const silent = { ...internet.network, resolve: () => new Promise<never>(() => {}) };
    const asking = createEgress({ ...policyOf(), timeoutMilliseconds: 50 }, silent);
    assert.deepEqual(await asking.fetch(plain), { ok: false, failure: 'timeout' });
    const run = new AbortController();
    internet.handle(() => run.abort());
    assert.deepEqual(await egress.fetch(plain, run.signal), { ok: false, failure: 'timeout' });
    assert.deepEqual(await egress.fetch(plain, run.signal), { ok: false, failure: 'timeout' });
  });

  it('of one account leave room for others', async () => {
    const narrow = createEgress({ ...policyOf(), mostAtOnce: { ofAccount: 1, inAll: 2 } }, internet.network);
    let release = () => {};
    const held = new Promise<void>((fulfil) => {
      release = fulfil;
    });
    internet.handle((_, res) => void held.then(() => res.end()));
    const first = narrow.fetch(plain);
    assert.deepEqual(await narrow.fetch(plain), { ok: false, failure: 'busy' });
    const other = narrow.fetch({ ...plain, accountId: 2 });
    assert.deepEqual(await narrow.fetch({ ...plain, accountId: 3 }), { ok: false, failure: 'busy' });
    release();
    assert.deepEqual([(await first).ok, (await other).ok, (await narrow.fetch(plain)).ok], [true, true, true]);
  });
});

function policyOf(): EgressPolicy {
  return {
    ...everywhere,
    methods: ['GET'],
    mostRequestBytes: 0,
    mostResponseBytes: 1024,
    mostRedirects: 0,
    timeoutMilliseconds: patientMilliseconds,
    mostAtOnce: { ofAccount: 10, inAll: 10 },
  };
}
