/** What an operator can ask a running service, and who else can. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { judgeNode } from '../../src/runtime/floor.ts';
import { type Installation, install } from '../support/process.ts';
import { purgedTables } from '../support/purge.ts';
import { openWire, type Wire } from '../support/wire.ts';

describe('endpoints for operators', () => {
  const token = 'metrics-token-of-this-test';
  const proxied = [
    { 'x-forwarded-for': '192.0.2.1' },
    { 'x-forwarded-host': 'localhost' },
    { forwarded: 'for=192.0.2.1' },
    { via: '1.1 proxy' },
    { 'x-real-ip': '192.0.2.1' },
    { 'cf-connecting-ip': '192.0.2.1' },
    { 'true-client-ip': '192.0.2.1' },
  ];

  describe('without METRICS_TOKEN', () => {
    let installation: Installation;
    let wire: Wire;
    before(async () => {
      installation = await install('sqlite');
      const { port } = await installation.serve();
      // No account has this name: the three answer on any Host.
      wire = openWire({ port, host: 'nobody.example' });
    });
    after(async () => {
      wire.close();
      await installation.dispose();
    });

    it('/healthz answers everyone', async () => {
      for (const headers of [{}, ...proxied]) {
        const { status, body } = await wire.call('GET', '/healthz', { headers });
        assert.deepEqual([status, body], [200, { status: 'ok' }]);
      }
    });

    it('/readyz shows details to a loopback peer, and only the result through a proxy', async () => {
      const { status, body } = await wire.call('GET', '/readyz');
      const node = judgeNode(process.versions.node);
      assert.deepEqual(
        [status, body],
        [
          200,
          {
            status: 'ready',
            checks: { ...body.checks, store: 'ok', migrations: 'ok' },
            node,
            hooks: body.hooks,
            packages: body.packages,
            geoip: { state: 'ok', reason: null },
          },
        ],
      );
      assert.equal(body.hooks.state, 'ok');
      assert.equal(typeof body.packages.state, 'string');
      for (const headers of proxied) {
        const seen = await wire.call('GET', '/readyz', { headers });
        assert.deepEqual([seen.status, seen.body], [200, { status: 'ready' }]);
      }
    });

    it('/metrics answers a loopback peer, but no request through a proxy', async () => {
      const { status, text, headers } = await wire.call('GET', '/metrics');
      assert.equal(status, 200);
      assert.match(String(headers['content-type']), /^text\/plain; version=0\.0\.4/);
      assert.match(text, /^gatehouse_request_seconds_count\{/m);
      for (const table of purgedTables) {
        assert.match(text, new RegExp(`^gatehouse_expired_rows_deleted_total\\{table="${table}"\\} 0$`, 'm'));
        assert.match(
          text,
          new RegExp(`^gatehouse_expired_rows_overdue_seconds\\{table="${table}"\\} 0(\\.\\d+)?$`, 'm'),
        );
      }
      for (const headers of proxied) {
        const refused = await wire.call('GET', '/metrics', { headers });
        assert.equal(refused.status, 401);
        assert.equal(refused.headers['www-authenticate'], 'Bearer');
      }
    });
  });

  describe('with METRICS_TOKEN', () => {
    let installation: Installation;
    let wire: Wire;
    before(async () => {
      installation = await install('sqlite', { METRICS_TOKEN: token });
      const { port } = await installation.serve();
      wire = openWire({ port, host: 'nobody.example' });
    });
    after(async () => {
      wire.close();
      await installation.dispose();
    });

    it('the bearer token gives access to metrics and details, also through a proxy', async () => {
      for (const more of [{}, ...proxied]) {
        const headers = { ...more, authorization: `Bearer ${token}` };
        assert.equal((await wire.call('GET', '/metrics', { headers })).status, 200);
        assert.ok((await wire.call('GET', '/readyz', { headers })).body.checks);
      }
    });

    it('nothing else gives access', async () => {
      const wrong = [undefined, '', 'Bearer', `Bearer ${token}x`, `Bearer ${token.slice(0, -1)}`, `Basic ${token}`];
      for (const authorization of wrong) {
        const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
        assert.equal((await wire.call('GET', '/metrics', { headers })).status, 401);
        assert.deepEqual((await wire.call('GET', '/readyz', { headers })).body, { status: 'ready' });
      }
    });
  });
});
