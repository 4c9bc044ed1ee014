/** A served process sends its traces, the last ones when it stops. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { startService } from '../support/process.ts';
import { startCollector } from './collector.ts';

test('requests that a proxy put into one trace are in it, on whatever process; a stop sends what is left', async () => {
  const collector = await startCollector();
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_SERVICE_NAME: 'signing in',
    TRUST_PROXY: '127.0.0.1',
  };
  const first = await startService({ database: 'sqlite', env });
  try {
    const traceId = randomBytes(16).toString('hex');
    const ask = async (baseUrl: string) => {
      const headers = { traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` };
      await (await fetch(`${baseUrl}/oauth2/jwks`, { headers })).text();
    };
    await ask(first.baseUrl);
    assert.equal(await first.stop(), 0);
    const second = await first.installation.serve({ env: { ...env, OTEL_TRACES_SAMPLER_ARG: '0' } });
    await ask(second.baseUrl);
    assert.equal(await second.stop(), 0);
    const served = collector.spans.filter((span) => span.traceId === traceId);
    assert.deepEqual(
      served.map(({ name, resource }) => [name, resource['service.name']]),
      [
        ['GET /oauth2/jwks', 'signing in'],
        ['GET /oauth2/jwks', 'signing in'],
      ],
    );
    const processes = new Set(served.map(({ resource }) => resource['service.instance.id']));
    assert.equal(processes.size, 2);
    // The second records nothing that begins there, such as the request of whoever waited for it.
    const [, other] = served;
    assert.ok(!collector.spans.some((span) => span.traceId !== traceId && span.resource === other?.resource));
  } finally {
    await first.installation.dispose();
    await collector.close();
  }
});
