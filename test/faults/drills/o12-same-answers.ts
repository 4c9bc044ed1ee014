import { managing, operationsOf, using } from '../../properties/operations.ts';
import { compareAnswers } from '../../properties/same-answers.ts';
import { drawSeed } from '../../properties/seed.ts';
import type { Drill } from '../drill.ts';

/** Of each operation: that fit its contract, and with one thing wrong. */
const each = 30;
const fewest = 10_000;

/** O12: an application without what makes it quick, beside the one that is served. */
export const drill: Drill = {
  id: 'O12',
  title: 'what makes requests quick changes no answer: more than ten thousand requests, byte for byte',
  rounds: 1,
  // The tests of properties send fewer of the same.
  quickRounds: null,
  run: async ({ rounds, log }) => {
    const figures: Record<string, number> = {};
    let holds = true;
    for (let round = 1; round <= rounds; round += 1) {
      const seed = drawSeed();
      const { requests, passed, differences } = await compareAnswers(operationsOf([...using, ...managing]), each, seed);
      for (const difference of differences.slice(0, 5)) log(difference.slice(0, 4000));
      Object.assign(figures, {
        [`round ${round}: seed`]: seed,
        [`round ${round}: requests`]: requests,
        [`round ${round}: of which reached a handler`]: passed,
        [`round ${round}: answered in two ways`]: differences.length,
      });
      holds &&= differences.length === 0 && requests >= fewest && passed >= requests / 10;
    }
    return { figures, holds };
  },
};
