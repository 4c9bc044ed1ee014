/** Each drill that has quick rounds; `races.test.ts` runs T1 and T2, `store-calls.test.ts` samples D6. */

import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { modulesAbove } from '../../scripts/select-tests.ts';
import { loadDrills } from './load-drills.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const elsewhere = ['T1', 'T2', 'D6'];
const drills = await loadDrills();

/** D6 makes the calls of the store fail itself; O7 and O12 send their requests without a test file. */
const requests = ['contract', 'management', 'same-answers'].map((name) => `test/properties/${name}.test.ts`);
const runOtherwise = ['test/faults/store-calls.test.ts', ...requests];

/** These modules sample for suites that leave it to them, or for none. */
const onDemand = ['domain/subject', 'domain/hooks/on-apps', 'faults/matrix-drill', 'store/suite', 'support/faults'].map(
  (name) => join(root, `test/${name}.ts`),
);

/**
 * A suite that leaves its databases to the module: its call ends after the cases, so that the formatter has them begin
 * on the line of the title.
 */
const leaves = /^ *(?:onServices\('|onApps\('|onSampledDatabases\()(?!.*\bdatabases\b)/m;

/** The test files that run a part of their cases, or on one database, unless a drill runs them. */
function findSamplers(): string[] {
  const reached = modulesAbove([join(root, 'test/support/sample.ts')], (module) => onDemand.includes(module));
  return globSync('test/**/*.test.ts', { cwd: root }).filter(
    (file) => reached.has(join(root, file)) || leaves.test(readFileSync(join(root, file), 'utf8')),
  );
}

describe('drills', () => {
  it('have unique ids', () => {
    const ids = drills.map(({ id }) => id);
    assert.deepEqual(ids, [...new Set(ids)]);
  });

  it('run all of every matrix that `npm test` samples', () => {
    const whole = drills.flatMap((drill) => ('files' in drill ? (drill.files as readonly string[]) : []));
    for (const file of whole) assert.ok(existsSync(`${root}/${file}`), file);
    const samplers = findSamplers();
    // By itself, by a module that it imports, by the default of a suite.
    for (const file of ['store/list-walk', 'surfaces/pages/pages', 'housekeeping']) {
      assert.ok(samplers.includes(`test/${file}.test.ts`), file);
    }
    assert.ok(!samplers.includes('test/domain/idempotency.test.ts'), 'a suite on both databases');
    const missing = samplers.filter((file) => !whole.includes(file) && !runOtherwise.includes(file));
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
