import { matrixDrill } from '../matrix-drill.ts';

/** M8: what developers generate; `npm test` makes one client of the management contract, of which there are two. */
export const drill = matrixDrill({
  id: 'M8',
  title: 'clients of the management contract by each generator',
  files: ['test/contracts/management-clients.test.ts'],
});
