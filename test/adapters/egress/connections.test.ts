import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createHookEgress } from '../../../src/adapters/egress/policies.ts';
import { parseEgress } from '../../../src/config-values.ts';
import type { EgressRequest } from '../../../src/domain/egress.ts';
import { type Internet, openInternet, publicAddress } from '../../support/internet.ts';

const isOwnHost = () => false;
const plain: EgressRequest = {
  accountId: 1,
  url: 'https://api.example.com/path?query=1',
  method: 'GET',
  headers: [],
  body: null,
  redirect: 'follow',
};

describe('connections for requests of hooks', () => {
  let internet: Internet;
  before(async () => {
    internet = await openInternet();
  });
  after(() => internet.close());
  beforeEach(() => internet.forget());

  it('require a certificate for the host from a trusted authority', async () => {
    const everywhere = { public: true, hosts: [], isOwnHost };
    internet.handle((_, res) => res.end());
    internet.names.set('api.example.org', [publicAddress]);
    const egress = createHookEgress(everywhere, internet.network);
    const refused = { ok: false, failure: 'tls_failed' };
    assert.deepEqual(await egress.fetch({ ...plain, url: 'https://api.example.org/' }), refused);
    const { ca: _, ...network } = internet.network;
    assert.deepEqual(await createHookEgress(everywhere, network).fetch(plain), refused);
  });

  it('may use http and private networks for hosts that the operator listed', async () => {
    internet.handle((_, res) => res.end());
    const listed = parseEgress('http://intern:8080,10.0.0.5:8443,localhost:9000');
    assert.ok(listed);
    const only = createHookEgress({ ...listed, isOwnHost: () => true }, internet.network);
    const get = async (url: string) => {
      const result = await only.fetch({ ...plain, url });
      return result.ok ? 'ok' : result.failure;
    };
    internet.names.set('intern', ['10.0.0.9']).set('localhost', ['127.0.0.1']);
    assert.equal(await get('http://intern:8080/'), 'ok');
    // By TLS, which the plain server behind every other port does not speak.
    assert.equal(await get('https://10.0.0.5:8443/'), 'tls_failed');
    assert.equal(await get('https://localhost:9000/'), 'tls_failed');
    assert.deepEqual(internet.attempts, [
      { address: '10.0.0.9', port: 8080 },
      { address: '10.0.0.5', port: 8443 },
      { address: '127.0.0.1', port: 9000 },
    ]);
    for (const url of ['https://intern:8080/', 'http://intern/', 'https://10.0.0.5/', 'https://api.example.com/']) {
      assert.equal(await get(url), 'host_forbidden', url);
    }
    // What a resolver of a closed network says of names whose connections a gateway takes.
    for (const address of ['192.0.2.1', '198.18.0.7', '198.19.255.1', '198.51.100.1', '203.0.113.80']) {
      internet.names.set('intern', [address]);
      assert.equal(await get('http://intern:8080/'), 'ok', address);
    }
    const clouds = ['168.63.129.16', '100.100.100.200', 'fd00:ec2::254', 'fd20:ce::254'];
    const metadata = ['169.254.169.254', '192.0.0.192', ...clouds];
    for (const address of [...metadata, '127.0.0.1', '::1', '::ffff:10.0.0.9', '240.0.0.1']) {
      internet.names.set('intern', [address]);
      assert.equal(await get('http://intern:8080/'), 'name_unresolved', address);
    }
  });

  it('connect to the address that was checked, on the real network', async () => {
    const server = createServer((socket) => {
      socket.resume().end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const listed = parseEgress(`http://127.0.0.1:${port},http://localhost:${port}`);
    assert.ok(listed);
    const real = createHookEgress({ ...listed, isOwnHost });
    for (const host of ['127.0.0.1', 'localhost']) {
      const result = await real.fetch({ ...plain, url: `http://${host}:${port}/` });
      assert.equal(result.ok && result.response.body.toString(), 'hi', host);
    }
    server.close();
    await once(server, 'close');
    assert.deepEqual(await real.fetch({ ...plain, url: `http://127.0.0.1:${port}/` }), {
      ok: false,
      failure: 'connection_failed',
    });
  });
});
