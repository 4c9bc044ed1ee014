/** A5: races of refreshes between server processes, each answer held against the rule by `history.ts`. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drill as parallelRefreshes } from './drills/t1-parallel-refreshes.ts';
import { drill as reuse } from './drills/t2-reuse.ts';

describe('races', () => {
  for (const drill of [parallelRefreshes, reuse]) {
    it(`${drill.id}: ${drill.title}`, async (t) => {
      const log = (line: string) => t.diagnostic(line);
      const { figures, holds } = await drill.run({
        rounds: drill.quickRounds ?? 1,
        databases: drill.quickDatabases,
        log,
      });
      assert.ok(holds, JSON.stringify(figures, null, 2));
    });
  }
});
