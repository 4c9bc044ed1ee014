/**
 * Begins a sign-in for each of many clients, every one with a metadata document of its own of the largest size, and
 * sends what memory and how many rows that took. To be started with `--expose-gc`.
 *
 *     node --expose-gc test/faults/fill-documents.ts <documents>
 */

import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { actAs } from '../../src/domain/audit/context.ts';
import { createClientDocuments } from '../../src/domain/clients/client-documents.ts';
import type { EgressResult } from '../../src/domain/egress.ts';
import { type AuthorizeServices, beginAuthorization } from '../../src/domain/login/authorize.ts';
import { openTestApp } from '../support/app.ts';
import { readRows } from '../support/rows.ts';
import { codeChallenge, redirectUri } from '../support/sign-in.ts';

/** What the child process reports. */
export interface Filled {
  readonly begun: number;
  readonly newRows: number;
  readonly residentBytes: number;
  readonly heapBytes: number;
}

const documentBytes = 5 * 1024;
/** Documents that are looked at before memory is measured, by another cache. */
const first = 10_000;
const collectedEvery = 2_000;

/** A document of the largest size, half of it keys and addresses that a client keeps. */
function documentOf(url: string): Buffer {
  const key = {
    kty: 'EC',
    crv: 'P-256',
    x: randomBytes(32).toString('base64url'),
    y: randomBytes(32).toString('base64url'),
  };
  const document = {
    client_id: url,
    client_name: `Tool ${randomBytes(8).toString('hex')}`,
    redirect_uris: [
      redirectUri,
      ...Array.from({ length: 15 }, (_, index) => `${redirectUri}/${index}/${'a'.repeat(60)}`),
    ],
    jwks: {
      keys: Array.from({ length: 8 }, (_, index) => ({ ...key, kid: `${index} ${randomBytes(8).toString('hex')}` })),
    },
    padding: '',
  };
  const left = documentBytes - Buffer.byteLength(JSON.stringify(document));
  return Buffer.from(JSON.stringify({ ...document, padding: 'a'.repeat(left) }));
}

async function fetchDocument({ url }: { readonly url: string }): Promise<EgressResult> {
  const headers = [['content-type', 'application/json']] as const;
  const response = { url, redirected: false, status: 200, statusText: '', headers, body: documentOf(url) };
  return { ok: true, response };
}

async function memory(): Promise<NodeJS.MemoryUsage> {
  for (let turns = 0; turns < 5; turns += 1) {
    globalThis.gc?.();
    await setImmediate();
  }
  return process.memoryUsage();
}

const app = await openTestApp('sqlite', {
  settings: { client_id_metadata_documents: 'any' },
  services: { egress: { fetch: fetchDocument } },
});

async function begin(services: AuthorizeServices, index: number): Promise<boolean> {
  // As between requests. The driver's statements take memory that the collector does not see, and are freed by it.
  await setImmediate();
  if (index % collectedEvery === 0) await memory();
  const query = {
    response_type: 'code',
    client_id: `https://app.example.com/documents/${index}.json`,
    redirect_uri: redirectUri,
    scope: 'openid',
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
  };
  // Each network may look at 30 in a minute.
  const source = `2001:db8:${(index >> 4).toString(16)}::1`;
  const begun = await actAs({ actor: null, source, requestId: null }, () =>
    beginAuthorization(services, app.account, query, { browserSecret: undefined, sessionSecret: undefined }),
  );
  return begun.outcome === 'begun';
}

const rowsNow = async () => Object.values(await readRows(app.url)).reduce((sum, rows) => sum + rows.length, 0);

const documents = Number(process.argv[2]);
// What the requests leave in a process in any case is already there.
let others: AuthorizeServices | null = { ...app.services, clientDocuments: createClientDocuments(app.services) };
for (let index = 0; index < first; index += 1) await begin(others, index);
others = null;
const [before, rows] = [await memory(), await rowsNow()];
let begun = 0;
for (let index = first; index < first + documents; index += 1) if (await begin(app.services, index)) begun += 1;
const after = await memory();
const filled: Filled = {
  begun,
  newRows: (await rowsNow()) - rows,
  residentBytes: after.rss - before.rss,
  heapBytes: after.heapUsed - before.heapUsed,
};
await app.dispose();
process.send?.(filled, () => process.disconnect());
