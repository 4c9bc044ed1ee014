/** Two nodes on one database, each with limits and a store of its own, asked as clients do. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { createApp } from '../../../src/app.ts';
import type { LimitRounds } from '../../../src/domain/limit-portions/rounds.ts';
import { shareLimits } from '../../../src/domain/limit-portions/share.ts';
import { createLimits } from '../../../src/http/rate-limit.ts';
import { createMetrics, type Metrics } from '../../../src/metrics/registry.ts';
import { limitRoundsReport } from '../../../src/metrics/reports.ts';
import type { Store } from '../../../src/store/store.ts';
import { samplesOf } from '../../metrics/samples.ts';
import { openTestApp, seenFrom, type TestApp } from '../../support/app.ts';
import { ask, execute } from '../../support/rows.ts';
import { openPatientStore } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

/** What a credential uses is counted for itself and for all credentials of its account. */
const rowsOfCaller = 2;

describe('limits of an account at two nodes', () => {
  const pepper = randomBytes(32);
  const nodes: {
    readonly app: TestApp;
    readonly rounds: LimitRounds;
    readonly store: Store;
    readonly metrics: Metrics;
  }[] = [];
  const lines: string[] = [];
  let opened: TestApp;

  before(async () => {
    opened = await openTestApp('postgres', { settings: { 'limit.api-2': '10/h' } });
    const say = (event: string) => void lines.push(event);
    for (let node = 0; node < 2; node += 1) {
      const store = await openPatientStore(opened.url);
      const metrics = createMetrics();
      const parts = { store, pepper, log: { info: say, warn: say }, report: limitRoundsReport(metrics) };
      const shared = shareLimits(parts) ?? assert.fail();
      shared.rounds.start();
      const services = { ...opened.services, limits: createLimits(shared) };
      const app = seenFrom(opened.account, createApp(services), services, { url: opened.url, dispose: async () => {} });
      nodes.push({ app, rounds: shared.rounds, store, metrics });
    }
  });
  after(async () => {
    for (const { app, rounds, store } of nodes) {
      await rounds.stop();
      await app.dispose();
      await store.close();
    }
    await opened.dispose();
  });

  /** Of the node of that index; counted when it has heard the answer, too. */
  const batchesOf = async (node: number, outcome: 'stored' | 'failed') => {
    const { metrics } = nodes[node] ?? assert.fail();
    return (await samplesOf(metrics)).get(`gatehouse_limit_batches_total{outcome="${outcome}"}`) ?? 0;
  };

  const takenBy = async (taken: number) =>
    (await ask(opened.url, `select 1 from limit_counts where taken = ${taken}`)).length;

  it('what is used up at one is used up at the other, and the table tells nobody whose it is', async () => {
    const [one, other] = nodes.map(({ app }) => app);
    const bearer = await opened.bearer('read_users');
    const call = (app: TestApp | undefined) =>
      (app ?? assert.fail()).send('GET', '/api/2/users?limit=1', { headers: { authorization: `Bearer ${bearer}` } });
    for (let used = 0; used < 9; used += 1) assert.equal((await call(one)).status, 200);
    await until(async () => (await takenBy(9)) === rowsOfCaller);
    const last = await call(other);
    assert.deepEqual([last.status, last.headers['x-ratelimit-limit']], [200, '10']);
    await until(async () => (await batchesOf(1, 'stored')) > 0);
    const refused = await call(other);
    assert.deepEqual([refused.status, refused.headers['x-ratelimit-remaining']], [429, '0']);
    assert.ok(Number(refused.headers['retry-after']) > 3_000, 'the window is that of the first call');
    const rows = await ask(opened.url, 'select digest, taken from limit_counts');
    assert.deepEqual(
      rows.map(({ taken }) => Number(taken)),
      [10, 10],
    );
    for (const { digest } of rows) assert.match(String(digest), /^[\w-]{22}$/);
  });

  it('without the table each goes on alone, no request fails, and later they share again', async () => {
    const own = await opened.another({ 'limit.api-2': '4/h' });
    const headers = { authorization: `Bearer ${await own.bearer('read_users')}` };
    const statuses = async () => {
      const answers: number[] = [];
      for (const { app } of nodes) {
        for (let calls = 0; calls < 5; calls += 1) {
          const { status } = await app.send('GET', '/api/2/users?limit=1', {
            headers,
            host: new URL(own.account.baseUrl).host,
          });
          answers.push(status);
        }
      }
      return answers;
    };
    await execute(opened.url, 'alter table limit_counts rename to away');
    const alone = [200, 200, 200, 200, 429];
    assert.deepEqual(await statuses(), [...alone, ...alone]);
    for (const node of nodes.keys()) await until(async () => (await batchesOf(node, 'failed')) > 0);
    assert.deepEqual(lines, ['limits not shared', 'limits not shared']);
    await execute(opened.url, 'alter table away rename to limit_counts');
    await until(() => lines.length === 4);
    await until(async () => (await takenBy(8)) === rowsOfCaller);
  });
});
