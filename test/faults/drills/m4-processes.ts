import { matrixDrill } from '../matrix-drill.ts';

/** M4: the real process; `npm test` carries a part of the secrets, and asks the server of a part of the damages. */
export const drill = matrixDrill({
  id: 'M4',
  title: 'secrets in every place of every route, the life of a server, and every kind of damage, on both databases',
  files: ['test/faults/canary.test.ts', 'test/faults/damage.test.ts', 'test/faults/lifecycle.test.ts'],
});
