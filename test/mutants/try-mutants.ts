/** `npm run drill -- mutants`: each mutant must die. */

import type { Mutant } from './mutant.ts';
import { copyTree, type TreeCopy, type Trial } from './tree-copy.ts';

/** A test run keeps one core busy, and the smallest machine that this is meant for has two. */
const atOnce = 2;

export interface Report extends Pick<Mutant, 'id' | 'rule' | 'file' | 'killedBy'> {
  readonly died: boolean;
  /** The test that failed, or why none did. */
  readonly by: string;
  readonly seconds: number;
}

/**
 * Tries mutants, and before them the tests that are to kill them: those that fail with nothing changed kill nothing.
 * `say` takes a line for people about each. Throws where a mutant's text does not occur exactly once.
 */
export async function tryMutants(mutants: readonly Mutant[], say: (line: string) => void): Promise<Report[]> {
  const copies = await Promise.all(Array.from({ length: atOnce }, copyTree));
  try {
    const killers = [...new Set(mutants.map(({ killedBy }) => killedBy))];
    await inTurn(copies, killers, async (copy, killer) => {
      const trial = await copy.run(killer);
      say(`unchanged ${seconds(trial)}  test/${killer}`);
      const fault = trial.failed ?? trial.broken ?? (trial.passed === 0 ? 'no test ran' : null);
      if (fault !== null) throw new Error(`test/${killer} fails with nothing changed: ${fault}`);
    });
    return await inTurn(copies, mutants, async (copy, mutant) => {
      const trial = await copy.try(mutant);
      const { id, rule, file, killedBy } = mutant;
      const died = trial.failed !== null;
      const by = trial.failed ?? trial.broken ?? `all ${trial.passed} tests passed`;
      say(`${died ? 'died     ' : 'SURVIVED '} ${seconds(trial)}  ${id}: ${by}`);
      return { id, rule, file, killedBy, died, by, seconds: trial.seconds };
    });
  } finally {
    for (const copy of copies) copy.dispose();
  }
}

function seconds({ seconds }: Trial): string {
  return `${seconds.toFixed(1).padStart(5)} s`;
}

/** Does all of it, one thing in each copy at a time; answers in the order given. */
async function inTurn<Item, Result>(
  copies: readonly TreeCopy[],
  items: readonly Item[],
  work: (copy: TreeCopy, item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  await Promise.all(
    copies.map(async (copy) => {
      for (const [index, item] of waiting) results[index] = await work(copy, item);
    }),
  );
  return results;
}
