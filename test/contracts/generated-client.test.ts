/** A8: clients generated from the contracts that the service serves compile, register and refresh against it. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import { compiler } from '../../scripts/compiler.ts';
import { openProvider, type Provider } from '../conformance/provider.ts';
import { compilerOptions } from './compiler-options.ts';

const surfaces = ['oidc-2', 'oauth2', 'auth-2'];

interface Pair {
  readonly client_id: string;
  readonly client_secret: string;
}

/** What `consumer.txt` exports. */
interface Consumer {
  authenticate(baseUrl: string, pair: Pair): Promise<string>;
  register(baseUrl: string, bearer: string): Promise<{ pair: Pair; appId: number }>;
  registerPublic(baseUrl: string, bearer: string): Promise<{ clientId: string; appId: number }>;
  refresh(baseUrl: string, pair: Pair, token: string): Promise<string>;
  refreshPublic(baseUrl: string, clientId: string, token: string): Promise<string | undefined>;
  refuse(baseUrl: string, pair: Pair): Promise<string>;
}

describe('a generated client', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-generated-'));
  let provider: Provider;
  let baseUrl: string;
  let consumer: Consumer;

  before(async () => {
    provider = await openProvider('sqlite');
    baseUrl = provider.issuer.origin;
    await generate(baseUrl, folder);
  });
  after(async () => {
    await provider.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('compiles, strictly', async () => {
    copyFileSync(new URL('consumer.txt', import.meta.url), join(folder, 'consumer.ts'));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    await promisify(execFile)(process.execPath, [compiler, '-p', folder]).catch(({ stdout }) => assert.fail(stdout));
    consumer = await import(pathToFileURL(join(folder, 'built/consumer.js')).href);
  });

  it('registers and refreshes at the documented door', async () => {
    const bearer = await consumer.authenticate(baseUrl, provider.credential);
    const { pair, appId } = await consumer.register(baseUrl, bearer);
    await provider.assign(appId);
    let token = await provider.signIn(pair);
    for (let round = 0; round < 3; round += 1) {
      const next = await consumer.refresh(baseUrl, pair, token);
      assert.notEqual(next, token);
      token = next;
    }
    assert.equal(await consumer.refuse(baseUrl, pair), '401 invalid_request: Access is unauthorized');
  });

  it('registers and refreshes at the standard door', async () => {
    const bearer = await consumer.authenticate(baseUrl, provider.credential);
    const { clientId, appId } = await consumer.registerPublic(baseUrl, bearer);
    await provider.assign(appId);
    const token = await provider.signIn({ client_id: clientId });
    const next = await consumer.refreshPublic(baseUrl, clientId, token);
    assert.match(next ?? 'not active', /^rt_/);
    assert.notEqual(next, token);
  });
});

/** Fetches the contracts from the service and generates a client of each; nothing else is fetched. */
async function generate(baseUrl: string, folder: string): Promise<void> {
  for (const surface of surfaces) {
    const served = await fetch(`${baseUrl}/openapi/${surface}.json`);
    assert.equal(served.status, 200);
    await createClient({
      input: (await served.json()) as Record<string, unknown>,
      output: { path: join(folder, surface), module: { extension: '.js' } },
      logs: { level: 'silent', file: false },
      plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
    });
  }
}
