import { matrixDrill } from '../matrix-drill.ts';

/**
 * M4: the real process; `npm test` carries a part of the secrets, copies SQLite alone, and starts the server on a part
 * of the damages and mistakes.
 */
export const drill = matrixDrill({
  id: 'M4',
  title:
    'secrets in every place of every route, the life of a server, and every kind of damage, on both databases; the package in another Node',
  files: [
    ...['backup', 'canary', 'damage', 'lifecycle'].map((name) => `test/faults/${name}.test.ts`),
    'test/cli/serve.test.ts',
    'test/cli/start.test.ts',
    'test/scripts/package.test.ts',
  ],
});
