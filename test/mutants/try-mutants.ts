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
  const faults = new Map<string, string>();
  const killers = [...new Set(mutants.map(({ killedBy }) => killedBy))];
  await inTurn(copies, killers, async (copy, killer) => {
    const trial = await copy.run(killer);
    const fault = trial.failed ?? trial.broken ?? (trial.passed === 0 ? 'no test ran' : null);
    if (fault !== null) faults.set(killer, `fails with nothing changed: ${fault}`);
    say(`${fault === null ? 'unchanged' : 'FAILS    '} ${seconds(trial)}  test/${killer}`);
  });
  const reports = await inTurn(copies, mutants, async (copy, mutant) => {
    const { id, rule, file, killedBy } = mutant;
    const trial = await copy.try(mutant);
    const fault = faults.get(killedBy) ?? trial.broken;
    const died = fault === null && trial.failed !== null;
    const by = fault ?? (trial.failed === null ? `all ${trial.passed} tests passed` : trial.failed);
    say(`${died ? 'died     ' : 'SURVIVED '} ${seconds(trial)}  ${id}: ${by}`);
    return { id, rule, file, killedBy, died, by, seconds: trial.seconds };
  });
  for (const copy of copies) copy.dispose();
  return reports;
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
