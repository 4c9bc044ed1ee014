/**
 * Clients that are known by a metadata document against one that registered: a cached document costs next to nothing.
 */

import { openDocumentHost } from '../support/document-host.ts';
import { install } from '../support/process.ts';
import type { Bench, Contestant } from './bench.ts';
import { runSeeding, startProcess } from './gatehouse.ts';
import { type Line, processorLine } from './lines.ts';
import type { SeededDocuments } from './seed-documents.ts';
import type { Series } from './series.ts';
import { endChild } from './servers.ts';

/** On a separate server, which may fetch the documents. */
export async function measureDocuments(bench: Bench): Promise<Line[]> {
  const documents = await openDocumentHost();
  const installation = await install('sqlite');
  try {
    const address = documents.addressOf('known');
    const users = String(bench.plan.users);
    const seeded = await runSeeding<SeededDocuments>(installation, 'seed-documents.ts', [users, address]);
    const { child, port } = await startProcess(installation, installation.port, [], documents.env);
    try {
      const contestantsOf = contestantsAt(seeded, port, child.pid ?? 0);
      return await measure(bench, contestantsOf, [seeded.clientId, address, documents.addressOf('new')]);
    } finally {
      await endChild(child, 'SIGTERM');
    }
  } finally {
    documents.close();
    await installation.dispose();
  }
}

type ContestantsOf = (clientId: string, what: string) => Readonly<Record<'authorization' | 'refresh', Contestant>>;

function contestantsAt(
  { host, clientId: registeredId, registered, documented }: SeededDocuments,
  port: number,
  pid: number,
): ContestantsOf {
  return (clientId, what) => {
    const common = { ports: [port], host, authorization: null, clientId, pids: [pid] };
    const of = (kind: 'authorization' | 'refresh', path: string, tokens: readonly string[]): Contestant => ({
      label: `Gatehouse (SQLite, FULL), ${kind}, ${what}`,
      target: { ...common, name: `${kind}, ${what}`, kind, path, tokens },
    });
    return {
      authorization: of('authorization', '/oauth2/authorize', []),
      refresh: of('refresh', '/oauth2/token', clientId === registeredId ? registered : documented),
    };
  };
}

async function measure(
  bench: Bench,
  contestantsOf: ContestantsOf,
  [registeredId, knownId, newId]: readonly [string, string, string],
): Promise<Line[]> {
  const registered = contestantsOf(registeredId, 'a client that registered');
  const known = contestantsOf(knownId, 'one with a document');
  const first = contestantsOf(newId, 'one with a document that nobody agreed to');
  const begun = [registered, known, first].map(({ authorization }) => authorization);
  const [stored, cached, unstored] = (await bench.alternate(bench.plan.other, begun)) as [Series, Series, Series];
  const refreshed = [registered, known].map(({ refresh }) => refresh);
  const [plain, documented] = (await bench.alternate(bench.plan.other, refreshed)) as [Series, Series];
  return [
    processorLine('document/authorize', cached, stored),
    processorLine('document/first', unstored, stored),
    processorLine('document/refresh', documented, plain),
  ];
}
