import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import express, { type Router } from 'express';
import type { HookRunner } from '../../src/domain/hooks/runner.ts';
import { createHealth } from '../../src/http/health.ts';
import { beginRequest } from '../../src/http/request-log.ts';
import { createMetrics } from '../../src/metrics/registry.ts';
import { requestReport } from '../../src/metrics/reports.ts';
import { judgeNode } from '../../src/runtime/floor.ts';
import type { Services } from '../../src/services.ts';
import type { Store } from '../../src/store/store.ts';
import type { Answer } from '../support/conforms.ts';
import { startRaw } from '../support/raw-http.ts';

const counts = [
  { runtime: 'jsruntime12.x', hooks: 5 },
  { runtime: 'jsruntime99.x', hooks: 2 },
];
let asked = 0;
const store = {
  ping: async () => {},
  status: async () => ({ applied: [], pending: [] }),
  hooks: {
    countRuntimes: async () => {
      asked += 1;
      return counts;
    },
  },
} as unknown as Store;

async function listening(t: TestContext, router: Router): Promise<() => Promise<Answer>> {
  const services = { log: { info: () => {} }, addresses: { publicScheme: 'http' } } as unknown as Services;
  const server = await startRaw(express().use(beginRequest(services, requestReport(createMetrics())), router));
  t.after(() => server.close());
  return () => server.send(['GET /readyz HTTP/1.1', 'Host: gatehouse.example']);
}

describe('/readyz', () => {
  it('answers 200 while functions cannot run, and says why and how functions are confined', async (t) => {
    const layers = [
      { name: 'no network', state: 'ok', remedy: null },
      { name: 'other user', state: 'off', remedy: 'start the service as root' },
    ] as const;
    const reason = 'a hook process does not start';
    const refused = { state: 'refused', reason: 'without: no network', remedy: 'install util-linux' } as const;
    const runtimes = [{ name: 'jsruntime12.x', state: 'degraded', reason }] as const;
    const health: HookRunner['health'] = () => ({ state: 'degraded', reason, layers, runtimes });
    const router = createHealth({
      geoip: { countryOf: async () => null, examine: async () => ({ file: 'none', reason: 'no such file' }) },
      store,
      hooks: { health },
      packageBuilds: { walls: () => ({ ...refused, layers: [...layers] }) },
      metrics: createMetrics(),
      node: judgeNode('24.21.0'),
      readiness: { draining: false },
      metricsToken: null,
    });
    const ask = await listening(t, router);
    const { status, body } = await ask();
    assert.equal(status, 200);
    assert.equal(body.status, 'ready');
    assert.deepEqual(body.geoip, { state: 'degraded', reason: 'no such file' });
    const notOffered = [{ runtime: 'jsruntime99.x', hooks: 2 }];
    assert.deepEqual(body.hooks, {
      state: 'degraded',
      reason,
      runtimes: [...runtimes],
      not_offered: notOffered,
      layers: [...layers],
    });
    assert.deepEqual(body.packages, { ...refused, layers: [...layers] });
    assert.deepEqual([body.node.version, body.node.state], ['24.21.0', 'degraded']);
    assert.match(body.node.reason, /below 24\.22\.1/);
    assert.match(body.node.remedy, /install a newer Node/);
    // Hooks are not counted for each that polls.
    await ask();
    assert.equal(asked, 1);
  });

  it('does not wait longer for the count of hooks or the countries than for the store, and queries a silent store once', async (t) => {
    let counts = 0;
    const silent = {
      ping: () => new Promise(() => {}),
      hooks: {
        countRuntimes: () => {
          counts += 1;
          return new Promise(() => {});
        },
      },
    } as unknown as Store;
    const router = createHealth({
      geoip: { countryOf: async () => null, examine: () => new Promise(() => {}) },
      store: silent,
      hooks: { health: () => ({ state: 'ok', reason: null, layers: [], runtimes: [] }) },
      packageBuilds: { walls: () => null },
      metrics: createMetrics(),
      node: judgeNode('24.22.1'),
      readiness: { draining: false },
      metricsToken: null,
    });
    const ask = await listening(t, router);
    for (let time = 0; time < 2; time += 1) {
      const { status, body } = await ask();
      assert.deepEqual(
        [status, body.checks.store, body.hooks.state, body.hooks.not_offered, body.geoip.state],
        [503, 'unreachable', 'ok', null, 'degraded'],
      );
      assert.deepEqual(body.node, { version: '24.22.1', state: 'ok', reason: null, remedy: null });
    }
    assert.equal(counts, 1);
  });
});
