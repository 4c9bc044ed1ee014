/**
 * Builds packages in two separate processes, one after the other: *fetch* queries the registry through the service
 * and writes the files; *bundle* reads them and makes a script. Both run with an empty environment in a temporary
 * folder, and both are killed after a minute.
 */

import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import type { Egress } from '../domain/egress.ts';
import { refusedForWalls } from '../domain/hooks/check-packages.ts';
import type { HookPackages, PackageBuilder, PackageResult, PackageWalls } from '../domain/hooks/package-builds.ts';
import { ownPrograms, type Programs } from './commands.ts';
import { inFolder, removeStrays } from './folders.ts';
import { type FromBundle, type FromFetch, limits, type ResolvedPackage } from './protocol.ts';
import { startBundle, startFetch } from './steps.ts';
import { raiseWalls, type Walls, WallsFailure } from './walls.ts';

/** Version of the build's output: raise it when the same packages must be rebuilt. */
const format = 2;
/** Time limit for a lookup during a request; the caller accepts "unknown" as the answer. */
const askMilliseconds = 3_000;

export interface PackageBuilderOptions {
  readonly registry: string;
  /** Allows requests to the registry's origin only. */
  readonly egress: Egress;
  /** Whether the operator allows builds on machines that cannot confine them. */
  readonly isOpen: boolean;
  /** Where build folders are created; by default the system's temporary folder. */
  readonly parent?: string;
  readonly milliseconds?: number;
  /** Replacements for the service's two programs. */
  readonly programs?: Programs;
}

/** Equal only for trees whose packages are equal byte for byte: a hash of the sorted list of packages. */
function digestOf(packages: readonly ResolvedPackage[]): string {
  const lines = packages.map(({ name, version, integrity, path }) => `${path} ${name}@${version} ${integrity}`);
  return createHash('sha256')
    .update([format, ...lines.sort()].join('\n'))
    .digest('hex');
}

function refusalOf(said: FromFetch | FromBundle): PackageResult {
  if (said.op === 'refused') return { ok: false, reason: said.reason, isFinal: said.isFinal };
  return { ok: false, reason: 'the packages cannot be built', isFinal: true };
}

interface Build {
  readonly packages: HookPackages;
  readonly isKnown: (digest: string) => Promise<boolean>;
  readonly folder: string;
  readonly walls: Walls;
  readonly signal: AbortSignal;
}

/** Runs a step; its process is killed when time is up or the build is cancelled. */
async function during<Result>(
  step: { end(): Promise<void> },
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const stop = () => void step.end();
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (signal.aborted) stop();
    return await work();
  } finally {
    signal.removeEventListener('abort', stop);
    await step.end();
  }
}

type Fetched = { readonly digest: string; readonly isNew: boolean } | PackageResult;

async function fetchPackages({ registry, egress }: PackageBuilderOptions, build: Build): Promise<Fetched> {
  const { packages, isKnown, folder, walls, signal } = build;
  const step = startFetch(walls.fetchCommand(folder), egress, signal);
  return during(step, signal, async () => {
    const resolved = await step.ask({ op: 'resolve', registry, packages });
    if (resolved.op !== 'resolved') return refusalOf(resolved);
    const digest = digestOf(resolved.packages);
    if (await isKnown(digest)) return { digest, isNew: false };
    const unpacked = await step.ask({ op: 'unpack' });
    return unpacked.op === 'unpacked' ? { digest, isNew: true } : refusalOf(unpacked);
  });
}

async function bundlePackages({ packages, folder, walls, signal }: Build, digest: string): Promise<PackageResult> {
  const step = startBundle(walls.bundleCommand(folder));
  return during(step, signal, async () => {
    const bundled = await step.ask({ op: 'bundle', names: Object.keys(packages) });
    return bundled.op === 'bundled' ? { ok: true, digest, script: bundled.script } : refusalOf(bundled);
  });
}

async function run(options: PackageBuilderOptions, build: Build): Promise<PackageResult> {
  const fetched = await fetchPackages(options, build);
  if ('ok' in fetched) return fetched;
  return fetched.isNew ? bundlePackages(build, fetched.digest) : { ok: true, digest: fetched.digest, script: null };
}

/** Whether the registry has a version; `null` when it does not answer. */
async function asks({ registry, egress }: PackageBuilderOptions, name: string, version: string) {
  const url = `${registry.replace(/\/$/, '')}/${name.replace('/', '%2f')}/${version}`;
  const request = { accountId: 0, url, method: 'GET', headers: [], body: null, redirect: 'error' } as const;
  const result = await egress.fetch(request, AbortSignal.timeout(askMilliseconds));
  if (!result.ok) return null;
  const { status } = result.response;
  return status === 404 ? false : status >= 200 && status < 300 ? true : null;
}

function refusedWalls(error: unknown): PackageWalls & { readonly remedy: string } {
  if (!(error instanceof WallsFailure)) throw error;
  return { state: 'refused', reason: error.message, remedy: error.remedy, layers: [] };
}

export function createPackageBuilder(options: PackageBuilderOptions): PackageBuilder {
  const { parent = tmpdir(), programs, milliseconds = limits.milliseconds } = options;
  let raised: Promise<Walls> | null = null;

  /** A result is kept; a failure is not, so the next call tries again. */
  function raise(): Promise<Walls> {
    raised ??= removeStrays(parent)
      .catch(() => {})
      .then(() => raiseWalls(() => programs ?? ownPrograms(), parent, options.isOpen))
      .catch((error: unknown) => {
        raised = null;
        throw error;
      });
    return raised;
  }

  return {
    walls: () => raise().catch(refusedWalls),
    has: (name, version) => asks(options, name, version),
    async build(packages, isKnown, given) {
      const found = await raise().catch(refusedWalls);
      if (!('owner' in found)) return { ok: false, reason: refusedForWalls(found.remedy), isFinal: false };
      if (found.remedy !== null) return { ok: false, reason: refusedForWalls(found.remedy), isFinal: true };
      const time = AbortSignal.timeout(milliseconds);
      const signal = given ? AbortSignal.any([time, given]) : time;
      const result = await inFolder(parent, found.owner, (folder) =>
        run(options, { packages, isKnown, folder, walls: found, signal }),
      );
      if (result.ok || !time.aborted) return result;
      return { ok: false, reason: 'the packages could not be built in time', isFinal: false };
    },
  };
}
