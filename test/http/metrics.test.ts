import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMetrics } from '../../src/http/metrics.ts';

describe('metrics', () => {
  it('report the number of deleted expired rows and the age of the oldest one per table', async () => {
    const { purge, text } = createMetrics();
    purge.deleted('codes', 0);
    purge.deleted('grants', 500);
    purge.deleted('grants', 20);
    purge.overdue('grants', 90_000);
    purge.overdue('codes', 7000);
    purge.overdue('codes', 0);
    const lines = (await text()).split('\n').filter((line) => line.startsWith('gatehouse_expired_rows'));
    assert.deepEqual(lines.toSorted(), [
      'gatehouse_expired_rows_deleted_total{table="codes"} 0',
      'gatehouse_expired_rows_deleted_total{table="grants"} 520',
      'gatehouse_expired_rows_overdue_seconds{table="codes"} 0',
      'gatehouse_expired_rows_overdue_seconds{table="grants"} 90',
    ]);
  });

  it('report the number of cleared rows of removals, and what waits', async () => {
    const { removals, text } = createMetrics();
    removals.cleared('app', 100);
    removals.cleared('app', 7);
    removals.waiting(3, 90_000);
    const lines = (await text()).split('\n').filter((line) => line.startsWith('gatehouse_remov'));
    assert.deepEqual(lines.toSorted(), [
      'gatehouse_removals_oldest_seconds 90',
      'gatehouse_removals_waiting 3',
      'gatehouse_removed_rows_cleared_total{kind="app"} 107',
    ]);
  });
});
