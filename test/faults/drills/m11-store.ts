import { matrixDrill } from '../matrix-drill.ts';

/** M11: the store; `npm test` walks over fewer rows, and searches an eighth as often. */
export const drill = matrixDrill({
  id: 'M11',
  title: 'the store: walks over 10,000 changing rows, pages of one, pairs of writes, searches, and migrations twice',
  files: ['list-walk', 'listing-walk', 'migrations', 'user-counts', 'user-search'].map(
    (name) => `test/store/${name}.test.ts`,
  ),
});
