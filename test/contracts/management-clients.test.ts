/**
 * Clients generated from the management contract compile, strictly, and do everything with every resource: one here,
 * all by `npm run drill -- M8`.
 */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import openapiTypes, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { compiler } from '../../scripts/compiler.ts';
import { openProvider, type Provider } from '../conformance/provider.ts';
import { unique } from '../store/samples.ts';
import { sampled } from '../support/sample.ts';
import { compilerOptions } from './compiler-options.ts';

/** What the consumers export. */
interface Resource {
  readonly name: string;
  create?(name: string): Promise<number>;
  page(query: { limit?: number; cursor?: string }): Promise<{ ids: readonly number[]; after: string | null }>;
  filter(made: { id: number; name: string }): Promise<readonly number[]>;
  update?(id: number, name: string): Promise<unknown>;
  remove?(id: number): Promise<void>;
}

interface Consumer {
  resources(baseUrl: string, bearer: string): Promise<readonly Resource[]>;
}

const pageSize = 2;
const mostPages = 1000;

const consumers = sampled(['management-fetch', 'management-sdk'] as const, 2);

describe('clients generated from the management contract', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-clients-'));
  let provider: Provider;

  before(async () => {
    provider = await openProvider('sqlite');
    await generate(provider.issuer.origin, folder);
  });
  after(async () => {
    await provider.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('compile, strictly', async () => {
    await promisify(execFile)(process.execPath, [compiler, '-p', folder]).catch(({ stdout }) => assert.fail(stdout));
  });

  for (const consumer of consumers) {
    it(`${consumer} creates, lists, filters, pages to the end, updates and deletes every resource`, async (t) => {
      const { resources }: Consumer = await import(pathToFileURL(join(folder, `built/${consumer}.js`)).href);
      for (const resource of await resources(provider.issuer.origin, provider.initialAccessToken)) {
        await drive(resource);
        t.diagnostic(resource.name);
      }
    });
  }
});

async function drive({ name: what, create, page, filter, update, remove }: Resource): Promise<void> {
  const made: { id: number; name: string }[] = [];
  for (let turn = 0; create && turn <= 2 * pageSize; turn += 1) {
    const name = unique('made');
    made.push({ id: await create(name), name });
  }
  const all = await walk(page);
  assert.equal(new Set(all).size, all.length, `${what}: a page repeats another`);
  for (const { id } of made) assert.ok(all.includes(id), `${what}: ${id} is on no page`);
  const [first = { id: 0, name: '' }] = made;
  const found = await filter(first);
  if (create) assert.deepEqual(found, [first.id], `${what}: the filter`);
  else assert.ok(found.length > 0, `${what}: the filter`);
  if (update) await update(first.id, first.name);
  for (const { id } of made) await remove?.(id);
  const left = await walk(page);
  for (const { id } of made) assert.ok(!left.includes(id), `${what}: ${id} is still there`);
}

/** Follows the cursors to the last page. */
async function walk(page: Resource['page']): Promise<number[]> {
  let { ids, after } = await page({ limit: pageSize });
  const all = [...ids];
  for (let pages = 1; after !== null; pages += 1) {
    assert.ok(pages < mostPages, 'the list has no end');
    ({ ids, after } = await page({ cursor: after }));
    all.push(...ids);
  }
  return all;
}

/** By the consumer, what it imports. */
const generated = {
  'management-fetch': async (contract: object, folder: string) =>
    writeFileSync(join(folder, 'types.ts'), astToString(await openapiTypes(contract as OpenAPI3))),
  'management-sdk': (contract: Record<string, unknown>, folder: string) =>
    createClient({
      input: structuredClone(contract),
      output: { path: join(folder, 'api-2'), module: { extension: '.js' } },
      logs: { level: 'silent', file: false },
      plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
    }),
};

/** Fetches the contract from the service, and makes the clients of it. */
async function generate(baseUrl: string, folder: string): Promise<void> {
  const served = await fetch(`${baseUrl}/openapi/api-2.json`);
  assert.equal(served.status, 200);
  const contract = (await served.json()) as Record<string, unknown>;
  for (const consumer of consumers) {
    await generated[consumer](contract, folder);
    copyFileSync(new URL(`${consumer}.txt`, import.meta.url), join(folder, `${consumer}.ts`));
  }
  // What the developer has installed besides the generated types.
  symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
}
