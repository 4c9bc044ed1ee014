import { matrixDrill } from '../matrix-drill.ts';

/** M3: what the walls of a build hold by themselves; `npm test` tries an eighth of the packages against them. */
export const drill = matrixDrill({
  id: 'M3',
  title: 'every hostile package with every check of names and paths disabled',
  files: ['test/hook-packages/hostile.test.ts'],
});
