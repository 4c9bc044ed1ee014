import { matrixDrill } from '../matrix-drill.ts';

/**
 * M8: what developers use; `npm test` has one of each two: generated clients, modes of mutual TLS, and databases; the
 * longest workflow; and one peer of the benchmarks.
 */
export const drill = matrixDrill({
  id: 'M8',
  title:
    'clients of the management contract by each generator, by mutual TLS in each mode, of the example MCP server, every workflow, accounts for certification, peers of the benchmarks, and the tour again',
  files: [
    'test/contracts/management-clients.test.ts',
    'test/contracts/workflows.test.ts',
    'test/conformance/certify.test.ts',
    'test/conformance/mutual-tls-client.test.ts',
    'test/examples/mcp-server.test.ts',
    'test/bench/generator.test.ts',
    'test/cli/tour.test.ts',
  ],
});
