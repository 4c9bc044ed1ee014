import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { catalogue } from '../../src/metrics/catalogue.ts';
import type { Meter } from '../../src/metrics/meters.ts';
import { createMetrics } from '../../src/metrics/registry.ts';
import { clearingReport, purgeReport, requestReport, roundReport } from '../../src/metrics/reports.ts';
import { samplesOf } from './samples.ts';

describe('metrics', () => {
  it('all of the catalogue are there before anything happens, with 0 for each value of a label', async () => {
    const samples = await samplesOf(createMetrics());
    for (const [name, { type, labels }] of Object.entries<Meter>(catalogue)) {
      const own = [...samples].filter(([sample]) =>
        type === 'histogram' ? sample.startsWith(`${name}_count`) : sample.replace(/\{.*/, '') === name,
      );
      const values = Object.values(labels);
      const isTold = values.some((value) => 'told' in value);
      const expected = values.reduce((product, value) => product * ('told' in value ? 0 : value.length), 1);
      assert.equal(own.length, isTold ? 0 : expected, name);
      assert.ok(own.every(([, value]) => value === 0));
    }
    assert.ok([...samples.keys()].some((name) => name.startsWith('nodejs_eventloop_lag')));
  });

  it('report the number of deleted expired rows and the age of the oldest one per table', async () => {
    const metrics = createMetrics();
    const purge = purgeReport(metrics);
    purge.deleted('codes', 0);
    purge.deleted('grants', 500);
    purge.deleted('grants', 20);
    purge.overdue('grants', 90_000);
    purge.overdue('codes', 7000);
    purge.overdue('codes', 0);
    const samples = await samplesOf(metrics);
    assert.equal(samples.get('gatehouse_expired_rows_deleted_total{table="codes"}'), 0);
    assert.equal(samples.get('gatehouse_expired_rows_deleted_total{table="grants"}'), 520);
    assert.equal(samples.get('gatehouse_expired_rows_overdue_seconds{table="codes"}'), 0);
    assert.equal(samples.get('gatehouse_expired_rows_overdue_seconds{table="grants"}'), 90);
  });

  it('report the number of cleared rows of removals, and what waits', async () => {
    const metrics = createMetrics();
    const removals = clearingReport(metrics);
    removals.cleared('app', 100);
    removals.cleared('app', 7);
    removals.waiting(3, 90_000);
    const samples = await samplesOf(metrics);
    assert.equal(samples.get('gatehouse_removals_oldest_seconds'), 90);
    assert.equal(samples.get('gatehouse_removals_waiting'), 3);
    assert.equal(samples.get('gatehouse_removed_rows_cleared_total{kind="app"}'), 107);
  });

  it('report how keys, trails and messages stand; a step that no account is at any more is 0 again', async () => {
    const metrics = createMetrics();
    const round = roundReport(metrics);
    round.keys(new Map([['RS256 signing', 2]]));
    round.keys(new Map([['RS256 published', 2]]));
    round.unverified(3_600_000);
    round.messages('reset_link', 4, 61_000);
    const samples = await samplesOf(metrics);
    assert.equal(samples.get('gatehouse_signing_keys{algorithm="RS256",step="signing"}'), 0);
    assert.equal(samples.get('gatehouse_signing_keys{algorithm="RS256",step="published"}'), 2);
    assert.equal(samples.get('gatehouse_audit_unverified_seconds'), 3600);
    assert.equal(samples.get('gatehouse_messages_waiting{queue="reset_link"}'), 4);
    assert.equal(samples.get('gatehouse_messages_overdue_seconds{queue="reset_link"}'), 61);
  });

  it('an answer that was not sent whole is none of the successful ones; a refusal stays what it is', async () => {
    const metrics = createMetrics();
    const request = { surface: 'api-2', operation: 'listUsers', milliseconds: 2, failure: null, byApiKey: false };
    const report = requestReport(metrics);
    for (const status of [200, 303, 429, 503]) {
      for (const isWhole of [true, false]) report.ended({ ...request, status, isWhole });
    }
    const name = 'gatehouse_request_seconds_count{surface="api-2",operation="listUsers",status=';
    const counted = [...(await samplesOf(metrics))].flatMap(([sample, value]) =>
      sample.startsWith(name) ? [[sample.slice(name.length, -1), value]] : [],
    );
    assert.deepEqual(Object.fromEntries(counted), { '"200"': 1, '"303"': 1, '"429"': 2, '"503"': 2, '"aborted"': 2 });
  });

  it('a text that is no reason of the program makes no series', async () => {
    const metrics = createMetrics();
    const request = {
      surface: 'oauth2',
      operation: 'authorize',
      status: 400,
      isWhole: true,
      milliseconds: 2,
      byApiKey: false,
    };
    const failure = (reason: string) => ({ code: 'authorization_request_invalid', detail: { reason } }) as never;
    requestReport(metrics).ended({ ...request, failure: failure('client_unknown') });
    requestReport(metrics).ended({ ...request, failure: failure('"} 1\nevil{') });
    const samples = await samplesOf(metrics);
    assert.equal(samples.get('gatehouse_refused_authorizations_total{reason="client_unknown"}'), 1);
    assert.equal(samples.get('gatehouse_refused_authorizations_total{reason="sign_in_ended"}'), 1);
    assert.ok(![...samples.keys()].some((name) => name.includes('evil')));
  });
});
