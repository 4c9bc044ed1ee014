/**
 * Every ending before things that can be in flight, an 18th of these each, on PostgreSQL one in 54, and each ending
 * at once with one of them: all of it by `npm run drill -- M2`; `npm run drill -- E1` repeats the races.
 */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isSampled, sampled } from '../support/sample.ts';
import { databases } from '../support/stores.ts';
import { endingCells, race } from './drills/e1-endings.ts';
import { type EndingName, endings } from './endings/endings.ts';
import { type ThingName, things } from './endings/in-flight.ts';
import { openTheatre, type Theatre } from './endings/stage.ts';
import { table } from './endings/table.ts';
import { tryAfter } from './endings/try.ts';

for (const database of databases) {
  describe(`endings and what is in flight, ${database}`, () => {
    let theatre: Theatre;
    before(async () => {
      theatre = await openTheatre(database);
    });
    after(() => theatre.close());

    const all = Object.keys(things) as ThingName[];
    for (const [index, ending] of (Object.keys(endings) as EndingName[]).entries()) {
      for (const thing of sampled(all, database === 'sqlite' ? 18 : 54, index)) {
        const expected = table[ending][thing];
        const says = expected === 'ended' ? 'ended' : `stays: ${expected.stays}`;
        it(`${ending}, ${thing}: ${says}`, async () => {
          assert.equal(await tryAfter(theatre, ending, thing), expected === 'ended' ? 'ended' : 'survived');
          assert.equal(theatre.faults(), 0);
        });
      }
    }

    // One thing of every second ending, another for each; one database has the endings between those of the other.
    const rows = [...Map.groupBy(endingCells(), ({ ending }) => ending).values()];
    const turn = databases.indexOf(database);
    const cells = rows.flatMap((row, index) => {
      return isSampled(index, 2 * databases.length, 2 * turn) ? sampled(row, row.length, index + 4 * turn) : [];
    });
    it(`the same simultaneously, ${cells.length} cells: nothing survives`, async (t) => {
      const { figures, holds } = await race(database, cells, { rounds: 1, log: (line) => t.diagnostic(line) });
      assert.ok(holds, JSON.stringify(figures, null, 2));
    });
  });
}
