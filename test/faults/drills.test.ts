/** Each drill that has quick rounds; `races.test.ts` runs T1 and T2, `store-calls.test.ts` D6, `endings.test.ts` E1. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadDrills } from './load-drills.ts';

const elsewhere = ['T1', 'T2', 'D6', 'E1'];
const drills = await loadDrills();

describe('drills', () => {
  it('have ids of their own', () => {
    const ids = drills.map(({ id }) => id);
    assert.deepEqual(ids, [...new Set(ids)]);
  });

  for (const { id, title, quickRounds, run } of drills) {
    if (quickRounds === null || elsewhere.includes(id)) continue;
    it(`${id}: ${title}`, async (t) => {
      const { figures, holds } = await run({ rounds: quickRounds, log: (line) => t.diagnostic(line) });
      assert.ok(holds, JSON.stringify(figures, null, 2));
    });
  }
});
