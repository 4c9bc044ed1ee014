import { matrixDrill } from '../matrix-drill.ts';

/**
 * M7: who waits how long for a password digest; `npm test` tries most floods with one seed, and none of the seven largest.
 */
export const drill = matrixDrill({
  id: 'M7',
  title: 'floods at the queue of password hashes, each with three seeds',
  files: ['test/domain/fair-queue/flood.test.ts'],
});
