import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMetrics } from '../../src/metrics/registry.ts';
import type { Snapshot } from '../../src/metrics/together.ts';
import { createPages } from '../../src/processes/pages.ts';

const counter = 'gatehouse_password_queue_refused_total';

async function counted(count: number): Promise<Snapshot> {
  const metrics = createMetrics();
  metrics.count(counter, {}, count);
  return metrics.snapshot();
}

describe('the page of metrics', () => {
  it('has what a process counted once, also where it ends while others are being read', async () => {
    const [snapshot, ofSlow] = [await counted(5), await counted(2)];
    const slow = Promise.withResolvers<void>();
    const ending = { isReady: () => true, measure: async () => {}, measured: () => snapshot };
    const other = { isReady: () => true, measure: () => slow.promise, measured: () => ofSlow };
    const children = new Set([ending, other]);
    const pages = createPages(children, { error: (event) => assert.fail(event) });
    const shown = async () => Number(new RegExp(`^${counter} (\\d+)$`, 'm').exec(await pages.read())?.[1]);

    const page = shown();
    children.delete(ending);
    pages.ended(ending);
    slow.resolve();
    assert.equal(await page, 7);
    assert.equal(await shown(), 7);
  });

  it('keeps what processes counted that end in the same turn', async () => {
    const snapshots = [await counted(1), await counted(2), await counted(4)];
    const children = new Set<never>();
    const pages = createPages(children, { error: (event) => assert.fail(event) });
    for (const snapshot of snapshots) {
      pages.ended({ isReady: () => false, measure: async () => {}, measured: () => snapshot });
    }
    assert.match(await pages.read(), new RegExp(`^${counter} 7$`, 'm'));
  });
});
