import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import express from 'express';
import type { HookRunner } from '../../src/domain/hooks/runner.ts';
import { createHealth } from '../../src/http/health.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import type { Store } from '../../src/store/store.ts';
import { startRaw } from '../support/raw-http.ts';

const store = { ping: async () => {}, status: async () => ({ applied: [], pending: [] }) } as unknown as Store;

describe('/readyz', () => {
  it('answers 200 while no function can be run, and says why and what shuts functions in', async () => {
    const layers = [
      { name: 'no network', state: 'ok', remedy: null },
      { name: 'other user', state: 'off', remedy: 'start the service as root' },
    ] as const;
    const health: HookRunner['health'] = () => ({ state: 'degraded', reason: 'a hook process does not start', layers });
    const router = createHealth({
      store,
      hooks: { health },
      metrics: createMetrics(),
      readiness: { draining: false },
      metricsToken: null,
    });
    const server = await startRaw(express().use(router));
    const { status, body } = await server.send(['GET /readyz HTTP/1.1', 'Host: localhost']);
    await server.close();
    assert.equal(status, 200);
    assert.equal(body.status, 'ready');
    assert.deepEqual(body.hooks, { state: 'degraded', reason: 'a hook process does not start', layers: [...layers] });
  });
});
