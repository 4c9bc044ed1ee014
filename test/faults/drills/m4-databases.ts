import { matrixDrill } from '../matrix-drill.ts';

/** M4: the real process; `npm test` carries a part of the secrets and lives the life of a server on SQLite. */
export const drill = matrixDrill({
  id: 'M4',
  title: 'secrets in every place of every route, before and after the database broke, and the life of a server',
  files: ['test/faults/canary.test.ts', 'test/faults/lifecycle.test.ts'],
});
