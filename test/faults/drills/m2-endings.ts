import { matrixDrill } from '../matrix-drill.ts';

/** M2: what ends by what; `npm test` tries an 18th of it on SQLite and one in 54 on PostgreSQL. E1 tries the races. */
export const drill = matrixDrill({
  id: 'M2',
  title: 'every ending before every use of what is in flight, on both databases',
  files: ['test/faults/endings.test.ts'],
});
