/** The process of one build. It knows the registry and the packages, works in its own folder and is ended by the service. */

import { rmSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import type { FromBuild, ResolvedPackage, ToBuild } from '../protocol.ts';
import { bundle } from './bundle.ts';
import { PackageRefusal } from './refusal.ts';
import { openRegistry, type Registry } from './registry.ts';
import { resolvePackages } from './resolve.ts';
import { unpackAll } from './unpack.ts';

// Nobody waits for a build as one waits for a sign-in.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const folder = process.cwd();
let resolved: { registry: Registry; names: readonly string[]; packages: readonly ResolvedPackage[] } | null = null;

async function answer(message: ToBuild): Promise<FromBuild> {
  if (message.op === 'resolve') {
    const registry = openRegistry({ ...message, cache: join(folder, 'cache') });
    const packages = await resolvePackages(message.packages, registry);
    resolved = { registry, names: Object.keys(message.packages), packages };
    return { op: 'resolved', packages };
  }
  if (!resolved) throw new Error('bundle before resolve');
  const place = join(folder, 'build');
  await unpackAll(resolved.packages, resolved.registry, place);
  return { op: 'bundled', script: await bundle(resolved.names, place) };
}

function refusalOf(error: unknown): FromBuild {
  if (error instanceof PackageRefusal) return { op: 'refused', reason: error.message, isFinal: error.isFinal };
  return { op: 'refused', reason: 'the packages cannot be built', isFinal: false };
}

process.on('message', async (message: ToBuild) => {
  process.send?.(await answer(message).catch(refusalOf));
});
// The service is gone, and with it who would have removed the folder.
process.on('disconnect', () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
