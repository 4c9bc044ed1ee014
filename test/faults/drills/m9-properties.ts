import { matrixDrill } from '../matrix-drill.ts';

/** M9: what holds for values at random; `npm test` tries a quarter of them. O7 sends requests at random. */
export const drill = matrixDrill({
  id: 'M9',
  title: 'properties with all their values: redirect URIs, texts in XML, values generated from schemas',
  files: [
    'test/domain/clients/redirect-uris.test.ts',
    'test/http/xml-promises.test.ts',
    'test/http/xml.test.ts',
    'test/properties/arbitrary.test.ts',
  ],
});
