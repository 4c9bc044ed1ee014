import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../../scripts/conformance/toolchain.ts';
import { runConformanceTool } from '../../examples/conformance-tool.ts';
import { type ExampleSite, openExample } from '../../examples/example-site.ts';
import { walkInInspector } from '../../examples/inspector.ts';
import { Keeper, mcpClients } from '../../examples/mcp-clients.ts';
import { walkInPython } from '../../examples/python-client.ts';
import { connect } from '../../examples/walk.ts';
import { copyCheckout } from '../../guides/follow.ts';
import { openDocumentHost } from '../../support/document-host.ts';
import type { Drill } from '../drill.ts';

const mostSeconds = 60;

/**
 * G4: from a fresh clone to an authorized call of a tool, the Python client, and the conformance tool of the protocol.
 */
export const drill: Drill = {
  id: 'G4',
  title:
    'clients of the Model Context Protocol: from a fresh clone, in Python, the inspector, and the public conformance tool',
  rounds: 1,
  quickRounds: null,
  run: async ({ log }) => {
    const parent = mkdtempSync(join(tmpdir(), 'gatehouse-agents-'));
    const figures: Record<string, string> = {};
    let holds = true;
    const attempt = async (name: string, work: () => Promise<string>) => {
      try {
        figures[name] = await work();
      } catch (error) {
        figures[name] = `FAILS: ${error instanceof Error ? error.message : String(error)}`;
        holds = false;
      }
      log(`${name}: ${figures[name]}`);
    };
    try {
      await attempt('seconds from npm ci to an authorized call', () => callFromClone(join(parent, 'clone')));
      const documents = await openDocumentHost();
      const site = await openExample('sqlite', documents);
      try {
        await attempt('the Python client', () => walkInPython(site, documents.addressOf('python'), parent));
        await attempt('the inspector', () => walkInInspector(site, parent));
        await attempt('the conformance tool', () => judge(site, parent));
      } finally {
        documents.close();
        await site.close();
      }
    } finally {
      rmSync(parent, { recursive: true, force: true });
    }
    return { figures, holds };
  },
};

/** `npm ci` and `npm run mcp` in a copy as a clone would be; the second one is timed, to the answer of a tool. */
async function callFromClone(clone: string): Promise<string> {
  copyCheckout(clone);
  await run(['npm', 'ci', '--no-audit', '--no-fund'], { cwd: clone });
  const began = performance.now();
  const site = await openExample('sqlite', { clone });
  try {
    const tokens = await call(site);
    assert.ok(tokens);
    const seconds = (performance.now() - began) / 1000;
    assert.ok(seconds <= mostSeconds, `${seconds.toFixed(1)} s, more than ${mostSeconds}`);
    return seconds.toFixed(1);
  } finally {
    await site.close();
  }
}

/** The access token that a client got for its call. */
async function call(site: ExampleSite): Promise<string> {
  const [, client] = mcpClients;
  assert.ok(client);
  const keeper = new Keeper();
  const session = await connect(site, client, keeper);
  await session.call('list_notes');
  await session.close();
  return keeper.kept.tokens?.access_token ?? '';
}

async function judge(site: ExampleSite, parent: string): Promise<string> {
  const outcomes = await runConformanceTool(site, await call(site), parent);
  const bad = outcomes.filter(({ status }) => ['FAILURE', 'SKIPPED', 'WARNING'].includes(status));
  assert.deepEqual(bad, []);
  const passed = outcomes.filter(({ status }) => status === 'SUCCESS').map(({ id }) => id);
  return `${passed.length} checks passed: ${passed.join(', ')}`;
}
