/** Runs the two steps of a build in this process, because processes are slow to start. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import { createRegistryEgress } from '../../src/adapters/egress/policies.ts';
import type { HookPackages } from '../../src/domain/hooks/package-builds.ts';
import { bundle } from '../../src/hook-packages/child/bundle.ts';
import { grammar } from '../../src/hook-packages/child/grammar.ts';
import { guardFiles } from '../../src/hook-packages/child/guard.ts';
import { readModules } from '../../src/hook-packages/child/modules.ts';
import { PackageRefusal } from '../../src/hook-packages/child/refusal.ts';
import { openRegistry } from '../../src/hook-packages/child/registry.ts';
import { createRequests } from '../../src/hook-packages/child/requests.ts';
import { resolvePackages } from '../../src/hook-packages/child/resolve.ts';
import { unpackAll } from '../../src/hook-packages/child/unpack.ts';
import { limits } from '../../src/hook-packages/protocol.ts';
import { gatherShims } from '../../src/programs/bundle.ts';

const shims = gatherShims();

export type BuiltHere =
  | { readonly ok: true; readonly script: string }
  | { readonly ok: false; readonly reason: string };

export async function buildHere(registry: string, packages: HookPackages, parent: string): Promise<BuiltHere> {
  const outer = mkdtempSync(join(realpathSync(parent), 'build-'));
  const folder = join(outer, 'build');
  mkdirSync(folder);
  const egress = createRegistryEgress(registry, limits);
  const requests = createRequests(async (message) => {
    if (message.op !== 'get') return;
    const { id, url, accept } = message;
    const headers = [['accept', accept]] as const;
    const result = await egress.fetch({ accountId: 0, url, method: 'GET', headers, body: null, redirect: 'error' });
    const [status, body] = result.ok ? [result.response.status, result.response.body] : [0, Buffer.alloc(0)];
    requests.settle({ op: 'got', id, status, failure: result.ok ? null : result.failure }, body);
  });
  const client = openRegistry(registry, requests.get, grammar);
  try {
    const placed = await resolvePackages(packages, client, grammar);
    await unpackAll(placed, client, folder, grammar);
    const script = await bundle(Object.keys(packages), folder, esbuild, guardFiles(folder, readModules(await shims)));
    return { ok: true, script };
  } catch (error) {
    if (error instanceof PackageRefusal) return { ok: false, reason: error.message };
    throw error;
  } finally {
    rmSync(outer, { recursive: true });
  }
}
