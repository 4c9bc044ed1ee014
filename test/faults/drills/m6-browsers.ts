import { matrixDrill } from '../matrix-drill.ts';

/** M6: what people do; `npm test` signs them in without JavaScript, and does the rest with it. */
export const drill = matrixDrill({
  id: 'M6',
  title: 'people in a browser, with and without JavaScript, with applications of every name',
  files: [
    ...['account', 'adaptations', 'applications', 'docs', 'invite', 'new-password', 'second-factor', 'sign-in'],
    'sign-out',
  ].map((name) => `test/browser/${name}.test.ts`),
});
