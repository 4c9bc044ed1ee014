/** A copy of a database is whole before anybody uses it, and files of people run nothing. */

import type { Mutant } from '../mutant.ts';

export const data: readonly Mutant[] = [
  {
    id: 'copy-unfinished',
    rule: 'no server starts on a copy that lacks rows',
    file: 'open-store.ts',
    text: '(await store.facts.read(unfinishedCopy)) !== null',
    becomes: 'false',
    killedBy: 'faults/copy.test.ts',
  },
  {
    id: 'copy-compared',
    rule: 'a copy ends only when every row is the same in both databases',
    file: 'domain/database-copy/copy-database.ts',
    text: ' || original.sum !== copy.sum',
    becomes: '',
    killedBy: 'domain/database-copy/copy-database.test.ts',
  },
  {
    id: 'export-formula',
    rule: 'no cell of an export is a formula',
    file: 'adapters/people-files.ts',
    text: 'formula.test(text) ?',
    becomes: 'false ?',
    killedBy: 'adapters/people-files.test.ts',
  },
];
