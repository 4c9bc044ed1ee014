import { matrixDrill } from '../matrix-drill.ts';

/**
 * M1: what people see; `npm test` looks at one page in three in one scheme of colours, with axe at one in eight of
 * these, at one in 24 as they are served, and at one in eight with awkward names.
 */
export const drill = matrixDrill({
  id: 'M1',
  title:
    'every page in light and dark, wide and narrow, with plain and awkward names, and every contract as it is drawn',
  files: ['test/browser/accessibility.test.ts', 'test/pages/accessibility.test.ts', 'test/pages/docs/browser.test.ts'],
});
