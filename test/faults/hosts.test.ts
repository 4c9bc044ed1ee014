/**
 * The account is in the Host: what could make two readers of one request see two hosts or two bodies is refused (I3;
 * docs/document-gaps.md#hosts). Over sockets, against the real server.
 */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createApp } from '../../src/app.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { conforms } from '../support/conforms.ts';
import { assertOwnForm } from '../support/faults.ts';
import { type RawServer, startRaw } from '../support/raw-http.ts';
import { createTestAccount, testServices } from '../support/services.ts';
import { openTestStore } from '../support/stores.ts';

/** An operation of each surface, and one whose errors are pages though its surface's are JSON. */
const operations = [
  { surface: 'oidc-2', operationId: 'refreshToken', method: 'POST', path: '/oidc/2/token' },
  { surface: 'auth-2', operationId: 'readRateLimit', method: 'GET', path: '/auth/rate_limit' },
  { surface: 'oauth2', operationId: 'readKeys', method: 'GET', path: '/oauth2/jwks' },
  { surface: 'oauth2', operationId: 'requestAuthorization', method: 'GET', path: '/oauth2/authorize' },
  { surface: 'pages', operationId: 'showSignIn', method: 'GET', path: '/sign-in' },
] as const;

describe('Host attacks (I3)', () => {
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

  for (const operation of operations) {
    const { surface, method, path } = operation;
    const refuses = async (named: RegExp, requestLine: string, lines: readonly string[], body = ''): Promise<void> => {
      const answer = await server.send([requestLine, ...lines], body);
      assert.equal(answer.status, 400, `${requestLine} ${lines.join(' | ')}: ${answer.text.slice(0, 200)}`);
      conforms(method, path, answer);
      assertOwnForm(surface, operation, answer);
      // Pages say less to a person than an answer says to a program.
      if (answer.body)
        assert.match(answer.body.error_description ?? answer.body.status.message, named, lines.join(' | '));
    };
    const line = `${method} ${path} HTTP/1.1`;

    it(`${surface} ${operation.operationId}: 400 unless there is exactly one Host`, async () => {
      const one = /^exactly one Host header is required$/;
      await refuses(one, line, []);
      await refuses(one, `${method} ${path} HTTP/1.0`, []);
      for (const second of [host, 'evil.example', host.toUpperCase(), '']) {
        await refuses(one, line, [`Host: ${host}`, `Host: ${second}`]);
        await refuses(one, line, [`Host: ${second}`, `hOsT: ${host}`]);
      }
    });

    it(`${surface} ${operation.operationId}: 400 for a Host that contains more than a host`, async () => {
      const bad = [
        `user@${host}`,
        `user:pass@${host}`,
        `${host}@evil.example`,
        `${host}:80@evil.example`,
        `${host}/x`,
        `${host}?x`,
      ];
      const worse = [
        `${host}#x`,
        `${host}\\x`,
        `${host} x`,
        `${host},evil.example`,
        `https://${host}`,
        `${host}:`,
        `${host}:x`,
        `${host}:123456`,
      ];
      for (const one of [...bad, ...worse, '', '*', `${host}%00`, `${host}_x`, `"${host}"`, '[::1', '[::1]x']) {
        await refuses(/^the Host header is not a valid host$/, line, [`Host: ${one}`]);
      }
    });

    it(`${surface} ${operation.operationId}: 400 for an absolute-form target that names another host`, async () => {
      for (const authority of ['evil.example', `user@${host}`, `${host}:8080`, `${host}.evil.example`, '']) {
        for (const scheme of ['http', 'https', 'HTTP']) {
          const target = `${scheme}://${authority}${path}`;
          await refuses(/^the request target does not match the Host header$/, `${method} ${target} HTTP/1.1`, [
            `Host: ${host}`,
          ]);
        }
      }
    });

    it(`${surface} ${operation.operationId}: 400 for a Transfer-Encoding other than chunked`, async () => {
      const lines = [`Host: ${host}`, 'Content-Type: application/x-www-form-urlencoded'];
      for (const encoding of ['gzip, chunked', 'xchunked, chunked']) {
        await refuses(/^Transfer-Encoding must/, line, [...lines, `Transfer-Encoding: ${encoding}`], '0\r\n\r\n');
      }
    });

    if (method === 'GET') {
      it(`${surface} ${operation.operationId}: 400 for a body on ${method}`, async () => {
        await refuses(/must not have a body$/, line, [`Host: ${host}`, 'Content-Length: 3'], 'x=1');
        const chunked = [`Host: ${host}`, 'Transfer-Encoding: chunked'];
        await refuses(/must not have a body$/, line, chunked, '3\r\nx=1\r\n0\r\n\r\n');
      });
    }
  }

  for (const path of ['/healthz', '/readyz', '/metrics']) {
    it(`${path}: 400 without a Host in HTTP/1.1 or with two, in its own format; any Host is accepted, and none in HTTP/1.0`, async () => {
      const line = `GET ${path} HTTP/1.1`;
      for (const hosts of [[], [`Host: ${host}`, `Host: ${host}`], ['Host: a.example', 'Host: b.example']]) {
        const { status, body } = await server.send([line, ...hosts]);
        assert.deepEqual([status, body], [400, { status: 'bad request' }], hosts.join(' | '));
      }
      for (const request of [[line, 'Host: pod_1.example:3000'], [line, 'Host:'], [`GET ${path} HTTP/1.0`]]) {
        assert.equal((await server.send(request)).status, 200, request.join(' | '));
      }
    });
  }

  for (const path of ['/', '/docs', '/nothing']) {
    it(`${path}: 400 without a Host in any version, and with two`, async () => {
      const twice = [`Host: ${host}`, `Host: ${host}`];
      for (const request of [['1.1'], ['1.0'], ['1.1', ...twice]]) {
        const [version, ...hosts] = request;
        const { status, body } = await server.send([`GET ${path} HTTP/${version}`, ...hosts]);
        assert.deepEqual([status, body], [400, { error: 'bad_request' }], request.join(' | '));
      }
    });
  }

  it('an unreadable request gets one answer with a request id, and its connection is closed', async () => {
    const post = 'POST /oidc/2/token HTTP/1.1';
    const at = `Host: ${host}`;
    const unreadable: readonly (readonly [lines: readonly string[], body?: string])[] = [
      [[post, at, 'Content-Length: 3', 'Transfer-Encoding: chunked'], '3\r\nx=1\r\n0\r\n\r\n'],
      [[post, at, 'Content-Length: 3', 'Content-Length: 4'], 'x=1'],
      [[post, at, 'Content-Length: +3'], 'x=1'],
      [[post, at, 'X-Folded: a', ' b']],
      [[post, at, 'Bad Header: x']],
      [[post, at, `X-Large: ${'x'.repeat(17_000)}`]],
      [[post, at, ...Array.from({ length: 61 }, (_, index) => `X-${index}: x`)]],
      [[`POST http://evil.example\\@${host}/oidc/2/token HTTP/1.1`, at]],
      [['POST oidc/2/token HTTP/1.1', at]],
      ...[
        'xchunked',
        'identity',
        'gzip',
        'x',
        'chunkedx',
        'chunked, gzip',
        'chunked, chunked',
        '"chunked"',
        'chunked;x=1',
      ].map((encoding) => [[post, at, `Transfer-Encoding: ${encoding}`], '0\r\n\r\n'] as const),
    ];
    for (const [lines, body] of unreadable) {
      const answer = await server.send(lines, body);
      assert.ok(answer.status === 400 || answer.status === 431, `${lines.join(' | ').slice(0, 90)}: ${answer.status}`);
      assert.match(String(answer.headers['x-request-id']), /^[\w.-]+$/);
      assert.doesNotMatch(answer.text, /HTTP\/1\.1/, 'two answers to one request');
    }
  });

  it('a request that proves unreadable after its answer gets no second answer', async () => {
    const early = await startRaw((_req, res) => {
      res.end('first');
    });
    try {
      const lines = ['POST / HTTP/1.1', `Host: ${host}`, 'Transfer-Encoding: xchunked'];
      const answer = await early.send(lines, '0\r\n\r\n');
      assert.deepEqual([answer.status, answer.text], [200, 'first']);
    } finally {
      await early.close();
    }
  });
});

describe('a Host when the service has a port (I3)', () => {
  it('the port must match too, unless it is the scheme’s default', async () => {
    const opened = await openTestStore('sqlite');
    const services = await testServices(opened.store, {
      addresses: { serviceDomain: 'localhost:3000', publicScheme: 'http' },
    });
    const account = await createTestAccount(services, { subdomain: 'demo' });
    const raw = await startRaw(createApp(services));
    try {
      const ask = (host: string) => raw.send(['GET /.well-known/openid-configuration HTTP/1.1', `Host: ${host}`]);
      for (const same of ['demo.localhost:3000', 'DEMO.LOCALHOST:3000']) {
        assert.deepEqual(
          [(await ask(same)).body.issuer, account.baseUrl],
          ['http://demo.localhost:3000', 'http://demo.localhost:3000'],
        );
      }
      for (const other of [
        'demo.localhost',
        'demo.localhost:80',
        'demo.localhost:3001',
        `demo.localhost:${raw.port}`,
        'demo.localhost:03000',
        'localhost:3000',
      ]) {
        assert.equal((await ask(other)).status, 404, other);
      }
    } finally {
      await raw.close();
      await opened.dispose();
    }
  });
});
