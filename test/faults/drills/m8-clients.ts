import { matrixDrill } from '../matrix-drill.ts';

/**
 * M8: what developers use; `npm test` has one of each two: generated clients, modes of mutual TLS, databases, and
 * workflows.
 */
export const drill = matrixDrill({
  id: 'M8',
  title:
    'clients of the management contract by each generator, by mutual TLS in each mode, of the example MCP server, and every workflow',
  files: [
    'test/contracts/management-clients.test.ts',
    'test/contracts/workflows.test.ts',
    'test/conformance/mutual-tls-client.test.ts',
    'test/examples/mcp-server.test.ts',
  ],
});
