/**
 * Finds a Node on the host that is newer than the one installed by npm: security releases reach a host sooner.
 * `bin/start.js` then continues in it, in the same process.
 */

import { realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { compareVersions, judgeNode, majorOf } from './floor.ts';
import { addOnAbis, ask, probeNode } from './probe.ts';
import { toldVersion } from './told-versions.ts';

/** Maximum number of programs asked for their version. */
const mostAsked = 3;
const writableByAll = 0o002;

/** Whether npm installed a program: it is in a `node_modules` folder. */
function isBroughtByNpm(file: string): boolean {
  return /[\\/]node_modules[\\/]/.test(file);
}

export interface Running {
  /** `process.version`. */
  readonly version: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * The file of the first Node on the PATH that is better than the running one and can load the service's add-ons; null
 * when there is none. Programs installed by npm are skipped, and so are folders relative to the current directory.
 */
export function findBetterNode({ version, environment }: Running): string | null {
  // The options of this process may mean something else to another version.
  const { NODE_OPTIONS: _, ...env } = environment;
  for (const file of candidates(environment['PATH'] ?? '')) {
    const told = toldVersion(file, () => ask(file, ['--version'], env));
    if (told === null || !isBetter(told, version)) continue;
    const found = probeNode(file, env);
    if (found && isFit(found.file) && isBetter(found.version, version) && addOnAbis().includes(found.abi)) {
      return found.file;
    }
  }
  return null;
}

/** Newer, of the same line or of a later one with long-term support, and not unsound if the running one is sound. */
function isBetter(told: string, running: string): boolean {
  const major = majorOf(told);
  if (compareVersions(told, running) <= 0 || (major !== majorOf(running) && major % 2 !== 0)) return false;
  return judgeNode(told).state === 'ok' || judgeNode(running).state !== 'ok';
}

function candidates(path: string): readonly string[] {
  const found = new Set<string>();
  for (const folder of path.split(delimiter)) {
    if (found.size >= mostAsked) break;
    const file = join(folder, 'node');
    // The link's own name is kept, because a version manager decides by the name that was called.
    if (isAbsolute(folder) && isFit(file) && ![...found].some((other) => isSame(other, file))) found.add(file);
  }
  return [...found];
}

/** A file that cannot be examined, for example in a folder of another user, is not suitable. */
function isFit(file: string): boolean {
  try {
    const stats = isAbsolute(file) ? statSync(file, { throwIfNoEntry: false }) : undefined;
    return stats?.isFile() === true && (stats.mode & writableByAll) === 0 && !isOwn(file);
  } catch {
    return false;
  }
}

function isOwn(file: string): boolean {
  return isBroughtByNpm(file) || isBroughtByNpm(realpathSync(file));
}

function isSame(one: string, other: string): boolean {
  return realpathSync(one) === realpathSync(other);
}
