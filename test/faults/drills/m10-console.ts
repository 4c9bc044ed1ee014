import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { matrixDrill } from '../matrix-drill.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * M10: the console; `npm test` takes most walks, on SQLite, looks for one cause in 22, and at one screen in 16.
 */
export const drill = matrixDrill({
  id: 'M10',
  title: 'the console: its walks on both databases, thirteen causes by pointer and keyboard, every screen in each look',
  files: globSync('test/browser/console/*.test.ts', { cwd: root }).toSorted(),
});
