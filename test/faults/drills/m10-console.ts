import { matrixDrill } from '../matrix-drill.ts';

/**
 * M10: the console; `npm test` walks on SQLite, looks for one cause in five, and at one screen in five.
 */
export const drill = matrixDrill({
  id: 'M10',
  title: 'the console: its walks on both databases, twelve causes by pointer and keyboard, every screen in each look',
  files: ['apps', 'explain', 'frame', 'screens', 'session', 'settings', 'users'].map(
    (name) => `test/browser/console/${name}.test.ts`,
  ),
});
