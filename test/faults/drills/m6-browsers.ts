import { matrixDrill } from '../matrix-drill.ts';

/** M6: what people do; `npm test` has one of nine sign-ins without JavaScript, and most of the rest with it. */
export const drill = matrixDrill({
  id: 'M6',
  title: 'people in a browser, with and without JavaScript, with applications of every name',
  files: [
    ...[
      'account',
      'adaptations',
      'applications',
      'docs',
      'history',
      'invite',
      'new-password',
      'second-factor',
      'sign-in',
    ],
    'sign-out',
  ].map((name) => `test/browser/${name}.test.ts`),
});
