import { matrixDrill } from '../matrix-drill.ts';

/** M8: what developers use; `npm test` has one of each two: generated clients, and the modes of mutual TLS. */
export const drill = matrixDrill({
  id: 'M8',
  title: 'clients of the management contract by each generator, and a client by mutual TLS in each mode',
  files: ['test/contracts/management-clients.test.ts', 'test/conformance/mutual-tls-client.test.ts'],
});
