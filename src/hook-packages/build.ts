/**
 * Builds packages in two processes of their own, one after the other: *fetch* asks the registry by way of the service
 * and writes their files, *bundle* reads these and makes a script. Both have an empty environment, a folder that is
 * gone afterwards, and an end after a minute.
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

/** Of the way packages become a script: raise it when the same packages must be built again. */
const format = 2;
/** A question on the way of a request, to which not knowing is an answer. */
const askMilliseconds = 3_000;

export interface PackageBuilderOptions {
  readonly registry: string;
  /** Lets requests to the registry's origin pass, and none else. */
  readonly egress: Egress;
  /** An operator has said that packages are built also where a build cannot be shut in. */
  readonly isOpen: boolean;
  /** Where the folders of builds are made; the system's place for such unless said. */
  readonly parent?: string;
  readonly milliseconds?: number;
  /** The two programs, unless they are those of the service. */
  readonly programs?: Programs;
}

/** What names the same packages, down to the last byte of them: the sorted list of all in the tree. */
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

/** Runs a step; when time is up, or nobody wants the build any more, its process ends. */
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

/** Whether the registry has a version: `null` when it does not say. */
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

  /** What was found out is kept; a failure is forgotten, and the next question tries again. */
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
