import { matrixDrill } from '../matrix-drill.ts';

/**
 * M9: what holds for values at random, of which `npm test` tries the same eighth each time, and each demand of the
 * contracts, of which it tries one in 54; values of one schema in twelve. O7 sends requests at random.
 */
export const drill = matrixDrill({
  id: 'M9',
  title: 'properties with all their values, others each time: redirect URIs, texts, XML, values of schemas',
  files: [
    'test/adapters/printable.test.ts',
    'test/domain/clients/redirect-uris.test.ts',
    'test/hook-runner/guest-api.test.ts',
    'test/http/cursor.test.ts',
    'test/http/xml-promises.test.ts',
    'test/http/xml.test.ts',
    'test/pages/views.test.ts',
    'test/properties/arbitrary.test.ts',
    'test/properties/demands.test.ts',
    'test/scripts/contract/changes.test.ts',
  ],
});
