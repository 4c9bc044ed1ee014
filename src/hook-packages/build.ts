/** Builds packages in a process of its own: an empty environment, a folder that is gone afterwards, an end after a minute. */

import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import type { HookPackages, PackageBuilder, PackageResult } from '../domain/hooks/package-builds.ts';
import { type FromBuild, limits, type ResolvedPackage, type ToBuild } from './protocol.ts';

const program = fileURLToPath(new URL('child/main.ts', import.meta.url));
/** Of the way packages become a script: raise it when the same packages shall be built anew. */
const format = 1;
/** A question on the way of a request, to which not knowing is an answer. */
const askMilliseconds = 3_000;

/** What names the same packages, down to the last byte of them: the sorted list of all in the tree. */
function digestOf(packages: readonly ResolvedPackage[]): string {
  const lines = packages.map(({ name, version, integrity, path }) => `${path} ${name}@${version} ${integrity}`);
  return createHash('sha256')
    .update([format, ...lines.sort()].join('\n'))
    .digest('hex');
}

function start(folder: string): ChildProcess {
  return fork(program, {
    cwd: folder,
    // Neither secrets nor what could change how Node starts.
    env: {},
    execArgv: [`--max-old-space-size=${limits.heapMebibytes}`, '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // With what it started it can be ended as one.
    detached: true,
  });
}

function end(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}

/** Ends with a refusal when the process does, for whatever reason. */
function ask(child: ChildProcess, message: ToBuild): Promise<FromBuild> {
  return new Promise((fulfil) => {
    const fail = () => fulfil({ op: 'refused', reason: 'the packages could not be built in time', isFinal: false });
    child.once('message', (answer) => {
      child.off('exit', fail).off('error', fail);
      fulfil(answer as FromBuild); // Of our own program.
    });
    child.once('exit', fail).once('error', fail);
    child.send(message, (error) => error && fail());
  });
}

async function run(
  child: ChildProcess,
  registry: string,
  packages: HookPackages,
  isKnown: (digest: string) => Promise<boolean>,
): Promise<PackageResult> {
  const certificates = getCACertificates('extra').length > 0 ? getCACertificates('default') : [];
  const resolved = await ask(child, { op: 'resolve', registry, certificates, packages });
  if (resolved.op !== 'resolved') return refusalOf(resolved);
  const digest = digestOf(resolved.packages);
  if (await isKnown(digest)) return { ok: true, digest, script: null };
  const bundled = await ask(child, { op: 'bundle' });
  return bundled.op === 'bundled' ? { ok: true, digest, script: bundled.script } : refusalOf(bundled);
}

function refusalOf(said: FromBuild): PackageResult {
  if (said.op === 'refused') return { ok: false, reason: said.reason, isFinal: said.isFinal };
  return { ok: false, reason: 'the packages cannot be built', isFinal: true };
}

/** Whether the registry has a version: `null` when it does not say. */
async function asks(registry: string, name: string, version: string): Promise<boolean | null> {
  const url = `${registry.replace(/\/$/, '')}/${name.replace('/', '%2f')}/${version}`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(askMilliseconds) });
    await response.body?.cancel();
    return response.status === 404 ? false : response.ok ? true : null;
  } catch {
    return null;
  }
}

export interface PackageBuilderOptions {
  readonly registry: string;
  /** Where the folders of builds are made; the system's place for such unless said. */
  readonly parent?: string;
  readonly milliseconds?: number;
}

export function createPackageBuilder({ registry, parent, milliseconds }: PackageBuilderOptions): PackageBuilder {
  return {
    has: (name, version) => asks(registry, name, version),
    async build(packages, isKnown, signal) {
      const folder = await mkdtemp(join(parent ?? tmpdir(), 'gatehouse-packages-'));
      const child = start(folder);
      const timer = setTimeout(() => end(child), milliseconds ?? limits.milliseconds);
      const stop = () => end(child);
      signal?.addEventListener('abort', stop, { once: true });
      try {
        return await run(child, registry, packages, isKnown);
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', stop);
        end(child);
        await rm(folder, { recursive: true, force: true, maxRetries: 5 });
      }
    },
  };
}
