/**
 * Which account a Host names, and that no header of a request is ever written into a link (I3;
 * docs/document-gaps.md#hosts). Over sockets, against the real server.
 */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeJwt } from 'jose';
import { createApp } from '../../src/app.ts';
import { moveAccount } from '../../src/domain/accounts/accounts.ts';
import { basic, openTestApp, seenFrom, type TestApp } from '../support/app.ts';
import type { Answer } from '../support/conforms.ts';
import { type RawServer, startRaw } from '../support/raw-http.ts';
import { createTestAccount } from '../support/services.ts';
import { authorizePath, redirectUri, refresh, registerClient, signedIn } from '../support/sign-in.ts';

describe('hosts and links (I3)', () => {
  let app: TestApp;
  let server: RawServer;
  let host: string;
  before(async () => {
    app = await openTestApp('sqlite');
    server = await startRaw(app.app);
    ({ host } = new URL(app.account.baseUrl));
  });
  after(async () => {
    await server.close();
    await app.dispose();
  });

  const get = (path: string, ...lines: string[]): Promise<Answer> => server.send([`GET ${path} HTTP/1.1`, ...lines]);
  const issuerOf = async (...lines: string[]): Promise<Answer> => get('/.well-known/openid-configuration', ...lines);

  it('accepts an absolute-form target with the Host as authority', async () => {
    for (const scheme of ['http', 'https']) {
      const answer = await get(`${scheme}://${host}/.well-known/openid-configuration`, `Host: ${host}`);
      assert.deepEqual([answer.status, answer.body.issuer], [200, app.account.baseUrl]);
    }
  });

  it('finds the account in upper case and with the default port, and answers with its configured address', async () => {
    for (const same of [host.toUpperCase(), `${host}:443`, `${host.toUpperCase()}:443`]) {
      const answer = await issuerOf(`Host: ${same}`);
      assert.deepEqual([answer.status, answer.body.issuer], [200, app.account.baseUrl], same);
    }
  });

  it('answers 404 without a hint on every other host', async () => {
    const { serviceDomain } = app.services.addresses;
    const others = [
      ...[
        `${host}.`,
        `${host}.:443`,
        `a.${host}`,
        `x${host}`,
        `${host}.evil.example`,
        `${host}x`,
        serviceDomain,
        `.${serviceDomain}`,
        `..${serviceDomain}`,
      ],
      ...[
        'nobody.gatehouse.example',
        `api.${serviceDomain}`,
        `app.${serviceDomain}`,
        `-.${serviceDomain}`,
        `${host}:80`,
        `${host}:8443`,
        `${host}:0443`,
      ],
      ...[
        '127.0.0.1',
        `127.0.0.1:${server.port}`,
        'localhost',
        '[::1]',
        '2130706433',
        'evil.example',
        'xn--a.gatehouse.example',
        `${'a'.repeat(300)}.${serviceDomain}`,
      ],
    ];
    const texts = new Set<string>();
    for (const other of others) {
      const answer = await issuerOf(`Host: ${other}`);
      assert.equal(answer.status, 404, other);
      texts.add(answer.text);
    }
    assert.equal(texts.size, 1, 'the answers tell hosts apart');
  });

  it('reads no host, scheme or path from forwarding headers', async () => {
    const headers = [
      'X-Forwarded-Host: evil.example',
      'X-Forwarded-Proto: http',
      'X-Forwarded-Port: 8080',
      'X-Forwarded-Prefix: /evil',
      'X-Forwarded-Server: evil.example',
      'Forwarded: host=evil.example;proto=http',
      'X-Host: evil.example',
      'X-Original-Host: evil.example',
      'X-Original-URL: /metrics',
      'X-Rewrite-URL: /metrics',
      'X-HTTP-Method-Override: DELETE',
      'Origin: https://evil.example',
      'Referer: https://evil.example/',
    ];
    const plain = await issuerOf(`Host: ${host}`);
    for (const header of headers) assert.equal((await issuerOf(`Host: ${host}`, header)).text, plain.text, header);
    assert.equal((await issuerOf(`Host: ${host}`, ...headers)).text, plain.text);
    // And none replaces an account's host.
    for (const header of [`X-Forwarded-Host: ${host}`, `Forwarded: host=${host}`]) {
      assert.equal((await issuerOf('Host: evil.example', header)).status, 404, header);
    }
  });

  it('builds every link from the configured address, whatever the Host', async () => {
    const { client, tokens } = await signedIn(app);
    const poison = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' };
    const shouted = { headers: poison, host: `${host.toUpperCase()}:443` };
    const metadata = await app.send('GET', '/.well-known/openid-configuration', shouted);
    for (const [name, value] of Object.entries(metadata.body)) {
      if (typeof value === 'string' && value.startsWith('http')) assert.ok(value.startsWith(app.account.baseUrl), name);
    }
    const begun = await app.send('GET', authorizePath(client), shouted);
    assert.match(String(begun.headers['location']), /^\/continue\?request=/);
    const refused = await app.send('GET', authorizePath(client, { response_type: 'token' }), shouted);
    const told = new URL(String(refused.headers['location']));
    // Answers of the implicit flow are in the fragment.
    const iss = new URLSearchParams(told.hash.slice(1)).get('iss');
    assert.deepEqual([told.origin + told.pathname, iss], [redirectUri, app.account.baseUrl]);
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
    const headers = { ...poison, ...basic(client.client_id, client.client_secret ?? '') };
    const refreshed = await app.send('POST', '/oidc/2/token', { ...shouted, headers, form });
    assert.equal(decodeJwt(refreshed.body.id_token).iss, app.account.baseUrl);
    assert.doesNotMatch(JSON.stringify([metadata, begun, refused, refreshed]), /evil/);
  });

  it("counts failures by the peer's address, not by X-Forwarded-For", async () => {
    const limited = await app.another({ 'limit.client-auth': '1/h' });
    const client = await registerClient(limited);
    const fail = (address: string) =>
      limited.send('POST', '/oidc/2/token', {
        headers: { ...basic(client.client_id, 'wrong'), 'x-forwarded-for': address },
        form: { grant_type: 'refresh_token', refresh_token: 'x' },
      });
    assert.deepEqual([(await fail('192.0.2.1')).status, (await fail('192.0.2.2')).status], [401, 429]);
  });

  it('reads X-Forwarded-For from a trusted proxy only', async () => {
    const account = await createTestAccount(app.services, { settings: { 'limit.client-auth': '1/h' } });
    const behind = seenFrom(account, createApp(app.services, { trustProxy: ['loopback'] }), app.services, app);
    const client = await registerClient(behind);
    const fail = (address: string) =>
      behind.send('POST', '/oidc/2/token', {
        headers: {
          ...basic(client.client_id, 'wrong'),
          'x-forwarded-for': address,
          'x-forwarded-host': 'evil.example',
        },
        form: { grant_type: 'refresh_token', refresh_token: 'x' },
      });
    const statuses = [await fail('192.0.2.1'), await fail('192.0.2.2'), await fail('203.0.113.9, 192.0.2.2')];
    assert.deepEqual(
      statuses.map(({ status }) => status),
      [401, 401, 429],
    );
  });

  it('answers on an extra host of the account with its configured address, and keeps accounts apart', async () => {
    const other = await app.another();
    await moveAccount(app.services, other.account, {
      hosts: ['login.customer.example'],
      baseUrl: other.account.baseUrl,
    });
    const answer = await issuerOf('Host: Login.Customer.Example:443');
    assert.deepEqual([answer.status, answer.body.issuer], [200, other.account.baseUrl]);
    // A client of one account is unknown at the other's host.
    const { client, tokens } = await signedIn(app);
    const abroad = await refresh(
      { ...app, send: (method, path, sent) => app.send(method, path, { ...sent, host: 'login.customer.example' }) },
      client,
      tokens.refresh_token,
      '/oidc/2/token',
    );
    assert.deepEqual([abroad.status, abroad.body.error_description], [400, 'Resource not found']);
  });

  it('answers health checks on any host', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      assert.equal((await get(path, 'Host: nobody.example')).status, 200, path);
    }
  });
});
