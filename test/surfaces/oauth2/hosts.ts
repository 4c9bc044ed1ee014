import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, before, it } from 'node:test';
import { moveAccount } from '../../../src/domain/accounts/accounts.ts';
import { until } from '../../support/until.ts';
import { type AppOf, assertError } from './asking.ts';

const path = '/.well-known/openid-configuration';

/** The Host names the account, and nothing may make two readers see two hosts (docs/document-gaps.md#hosts; I3). */
export function hosts(app: AppOf): void {
  let server: Server;
  before(async () => {
    server = createServer(app().app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => server.close());

  /** Sends a request as written and gives the status and the body. */
  async function raw(target: string, ...lines: string[]): Promise<{ status: number; text: string }> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(`${[target, 'Connection: close', ...lines].join('\r\n')}\r\n\r\n`);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]), text: text.slice(text.indexOf('\r\n\r\n') + 4) };
  }

  const hostOf = () => new URL(app().account.baseUrl).host;

  it('an unknown host is 404, and nothing reveals which hosts exist', async () => {
    const { subdomain } = app().account;
    const domain = app().services.addresses.serviceDomain;
    const unknown = [
      'nobody.gatehouse.example',
      'gatehouse.example',
      'example.com',
      '127.0.0.1',
      `a.${subdomain}.${domain}`,
      `${subdomain}.${domain}.evil.example`,
      `${subdomain}.${domain}:8443`,
      `${subdomain}.${domain}:80`,
      `${subdomain}.${domain}.`,
      `api.${domain}`,
      `app.${domain}`,
      `x${subdomain}.${domain}`,
      '[::1]:3000',
    ];
    for (const host of unknown) {
      const answer = await app().send('GET', path, { host });
      assertError(answer, 404, 'not_found');
      assert.deepEqual(answer.body, { error: 'not_found', error_description: 'Not found' }, host);
    }
  });

  it('hosts are case-insensitive, and the scheme’s default port is ignored', async () => {
    for (const host of [hostOf(), hostOf().toUpperCase(), `${hostOf()}:443`]) {
      const answer = await app().send('GET', path, { host });
      assert.equal(answer.status, 200, host);
      assert.equal(answer.body.issuer, app().account.baseUrl);
    }
  });

  it('an account answers on its extra hosts, port included, and on no other account’s', async () => {
    const one = await app().another();
    const host = `id-${one.account.subdomain}.example:8443`;
    await moveAccount(one.services, one.account, { hosts: [host], baseUrl: one.account.baseUrl });
    assert.equal((await one.send('GET', path, { host: host.toUpperCase() })).body.issuer, one.account.baseUrl);
    assert.equal((await one.send('GET', path, { host: host.replace(':8443', '') })).status, 404);
    await moveAccount(one.services, one.account, { hosts: [], baseUrl: one.account.baseUrl });
    assert.equal((await one.send('GET', path, { host })).status, 404, 'effective at once');
  });

  it('two Hosts, none, a user part, white space or another authority in the target are 400', async () => {
    const host = hostOf();
    const requests: [target: string, ...headers: string[]][] = [
      [`GET ${path} HTTP/1.1`, `Host: ${host}`, `Host: ${host}`],
      [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Host: evil.example'],
      [`GET ${path} HTTP/1.1`],
      [`GET ${path} HTTP/1.1`, 'Host:'],
      [`GET ${path} HTTP/1.1`, `Host: user@${host}`],
      [`GET ${path} HTTP/1.1`, `Host: ${host}:80@evil.example`],
      [`GET ${path} HTTP/1.1`, `Host: ${host} evil.example`],
      [`GET ${path} HTTP/1.1`, `Host: ${host}/x`],
      [`GET ${path} HTTP/1.1`, `Host: ${host},evil.example`],
      [`GET http://evil.example${path} HTTP/1.1`, `Host: ${host}`],
      [`GET https://user@${host}${path} HTTP/1.1`, `Host: ${host}`],
      ['POST /oauth2/token HTTP/1.1', `Host: ${host}`, 'Transfer-Encoding: xchunked'],
      [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Content-Length: 5', '', 'a=b&c'],
    ];
    for (const request of requests) {
      const { status, text } = await raw(...request);
      assert.equal(status, 400, request.join(' | '));
      // What Node refuses by itself has no words.
      if (text.startsWith('{')) assert.equal(JSON.parse(text).error, 'invalid_request', request.join(' | '));
    }
  });

  it('an absolute-form target that names the Host is the same request', async () => {
    const { status, text } = await raw(`GET https://${hostOf()}${path} HTTP/1.1`, `Host: ${hostOf()}`);
    assert.equal(status, 200);
    assert.equal(JSON.parse(text).issuer, app().account.baseUrl);
  });

  it('/healthz, /readyz and /metrics answer on any Host', async () => {
    const requestLines = () => app().services.lines.filter(({ event }) => event === 'request').length;
    for (const name of ['/healthz', '/readyz', '/metrics']) {
      for (const host of ['nobody.example', '127.0.0.1:1', hostOf()]) {
        let status = 0;
        const before = requestLines();
        // A check of the store that takes a second on a busy machine is answered with 503.
        await until(async () => {
          status = (await app().send('GET', name, { host })).status;
          return status !== 503;
        });
        assert.equal(status, 200, `${name} ${host}`);
        await until(() => requestLines() > before);
        assert.equal(app().services.lines.findLast(({ event }) => event === 'request')?.['route'], name);
      }
    }
  });

  it('every answer has its own request id, created by the service', async () => {
    const ids = new Set<unknown>();
    for (const asked of [path, '/oauth2/nothing', '/oauth2/token', '/healthz', '/nothing']) {
      const { headers } = await app().send('GET', asked, { headers: { 'x-request-id': 'mine' } });
      ids.add(headers['x-request-id']);
    }
    assert.equal(ids.size, 5);
    assert.ok(!ids.has('mine'));
  });
}
