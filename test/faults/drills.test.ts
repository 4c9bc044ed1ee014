/** Each drill that has quick rounds; `races.test.ts` runs T1 and T2, `store-calls.test.ts` samples D6. */

import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadDrills } from './load-drills.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const elsewhere = ['T1', 'T2', 'D6'];
const drills = await loadDrills();

describe('drills', () => {
  it('have unique ids', () => {
    const ids = drills.map(({ id }) => id);
    assert.deepEqual(ids, [...new Set(ids)]);
  });

  it('run all of every matrix that `npm test` samples', () => {
    const samplers = globSync('test/**/*.test.ts', { cwd: root }).filter((file) =>
      /from '[./]+\/support\/sample\.ts'/.test(readFileSync(`${root}/${file}`, 'utf8')),
    );
    const whole = drills.flatMap((drill) => ('files' in drill ? (drill.files as readonly string[]) : []));
    for (const file of whole) assert.ok(existsSync(`${root}/${file}`), file);
    // D6 makes the calls of the store fail itself.
    const missing = samplers.filter((file) => !whole.includes(file) && file !== 'test/faults/store-calls.test.ts');
    assert.deepEqual(missing, []);
  });

  for (const { id, title, quickRounds, quickDatabases: databases, run } of drills) {
    if (quickRounds === null || elsewhere.includes(id)) continue;
    it(`${id}: ${title}`, async (t) => {
      const log = (line: string) => t.diagnostic(line);
      const { figures, holds } = await run({ rounds: quickRounds, databases, amongTests: true, log });
      assert.ok(holds, JSON.stringify(figures, null, 2));
    });
  }
});
