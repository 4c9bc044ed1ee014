/** The confinement of build processes: determined once, by starting both of them. */

import type { PackageWalls } from '../domain/hooks/package-builds.ts';
import type { HookCommand } from '../hook-runner/command.ts';
import { describe, type FoundWays, findWays } from '../hook-runner/confinement.ts';
import { startFramedProcess } from '../hook-runner/framed-process.ts';
import { type LayerName, nobody, remedies } from '../hook-runner/layers.ts';
import { bundleProgram, fetchProgram, type Programs } from './commands.ts';
import { inFolder } from './folders.ts';
import { limits } from './protocol.ts';

/** Without one of these, malicious code in a build could reach the machine. */
const demanded: readonly LayerName[] = ['no network', 'own process space', 'own file tree', 'no new privileges'];
const probeMilliseconds = 10_000;

/** The confinement could not be determined. The message contains local paths and is for operators. */
export class WallsFailure extends Error {
  /** What an operator can do about it. */
  readonly remedy: string;

  constructor(cause: Error, remedy: string) {
    // The folder's name differs each time; the reason should not.
    super(cause.message.replaceAll(/gatehouse-packages-\w+/g, 'gatehouse-packages-…'), { cause });
    this.remedy = remedy;
  }
}

const failureRemedies = {
  folder: 'let the service write to the folder for temporary files (TMPDIR), and make sure that it has room',
  programs: 'install the packages of the service on this kind of machine (npm ci)',
  start: 'fix what the reason names; `gatehouse doctor` shows what confines processes',
} as const;

export interface Walls extends PackageWalls {
  /** The user of both processes; null for the service's own. */
  readonly owner: number | null;
  fetchCommand(folder: string): HookCommand;
  bundleCommand(folder: string): HookCommand;
}

/** Null when the program reports that it is ready, else the reason why not. */
function attempt(command: HookCommand): Promise<string | null> {
  return new Promise((resolve) => {
    const finish = (trouble: string | null) => {
      clearTimeout(timer);
      started.kill();
      void started.gone.then(() => resolve(trouble));
    };
    const timer = setTimeout(() => finish('it says nothing'), probeMilliseconds);
    const started = startFramedProcess(command, limits.treeBytes, {
      frame: (text) => finish((JSON.parse(text) as { op?: unknown }).op === 'ready' ? null : 'it says something else'),
      failed: (reason) => finish(started.lastWords().trim().split('\n')[0] || reason),
    });
  });
}

/** The result for the available layers. */
export function judge(taken: readonly LayerName[], isOpen: boolean): Pick<PackageWalls, 'state' | 'reason' | 'remedy'> {
  const missing = demanded.filter((name) => !taken.includes(name));
  if (missing.length === 0) return { state: 'confined', reason: null, remedy: null };
  if (isOpen) return { state: 'open', reason: null, remedy: null };
  return { state: 'refused', reason: `a build would lack: ${missing.join(', ')}`, remedy: remedyOf(missing) };
}

function remedyOf(missing: readonly LayerName[]): string {
  const ways = new Set(missing.map((name) => remedies[name]));
  return `${[...ways].join('; ')}; or set HOOK_PACKAGES=unconfined to build packages without`;
}

/** The other user, if a folder can be given to it: in a container, root may lack the right or the user. */
async function findOwner(parent: string): Promise<number | null> {
  if (process.geteuid?.() !== 0) return null;
  try {
    return await inFolder(parent, Number(nobody), async () => Number(nobody));
  } catch (error) {
    if (['EPERM', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

async function findFor(programs: () => Programs, parent: string): Promise<FoundWays> {
  let remedy: string = failureRemedies.folder;
  try {
    const owner = await findOwner(parent);
    return await inFolder(parent, owner, async (folder) => {
      remedy = failureRemedies.programs;
      const fetch = fetchProgram(programs(), folder);
      const bundle = bundleProgram(programs(), folder);
      remedy = failureRemedies.start;
      const found = await findWays(bundle.needs, async (wrap) => {
        if (owner === null && wrap.includes(nobody)) return 'its folder cannot be given to another user';
        return attempt(bundle.command(wrap));
      });
      const trouble = await attempt(fetch.command(found.wrapFor(fetch.needs)));
      if (trouble !== null) throw new Error(`the process that fetches packages does not start: ${trouble}`);
      return found;
    });
  } catch (error) {
    throw new WallsFailure(error as Error, remedy);
  }
}

/** `programs` may throw. `isOpen`: the operator allows builds with less confinement. Rejects with a `WallsFailure`. */
export async function raiseWalls(programs: () => Programs, parent: string, isOpen: boolean): Promise<Walls> {
  const { taken, wrapFor } = await findFor(programs, parent);
  return {
    ...judge(taken, isOpen),
    layers: describe(['Node permission model', 'requests to the registry alone'], taken),
    owner: taken.includes('other user') ? Number(nobody) : null,
    fetchCommand(folder) {
      const { needs, command } = fetchProgram(programs(), folder);
      return command(wrapFor(needs));
    },
    bundleCommand(folder) {
      const { needs, command } = bundleProgram(programs(), folder);
      return command(wrapFor(needs));
    },
  };
}
