/** Direct dependencies that are not the latest version. */

import semver from 'semver';
import { askNpm } from './npm.ts';

export interface Behind {
  readonly name: string;
  readonly kind: 'runtime' | 'development' | 'optional';
  /** Installed; `-` where it is not, as what is for another kind of machine. */
  readonly current: string;
  /** By package.json, where every version is exact. */
  readonly wanted: string;
  /** By the registry's tag `latest`. */
  readonly latest: string;
  readonly note: string;
}

type Manifest = Readonly<Record<string, Readonly<Record<string, string>>>>;

const kinds = { dependencies: 'runtime', devDependencies: 'development', optionalDependencies: 'optional' } as const;

/** Null when the registry does not answer. */
export async function askVersions(root: string, manifest: Manifest): Promise<readonly Behind[] | null> {
  const answer = askNpm(root, ['outdated']);
  if (answer === null || (typeof answer === 'object' && 'error' in answer)) return null;
  return Object.entries(answer as Record<string, { current?: string; wanted: string; latest: string }>)
    .map(([name, { current = '-', wanted, latest }]) => {
      return { name, kind: kindOf(name, manifest), current, wanted, latest, note: noteOf(current, wanted, latest) };
    })
    .sort((one, other) => one.kind.localeCompare(other.kind) || one.name.localeCompare(other.name));
}

function kindOf(name: string, manifest: Manifest): Behind['kind'] {
  const list = Object.keys(kinds) as (keyof typeof kinds)[];
  return kinds[list.find((one) => manifest[one]?.[name] !== undefined) ?? 'dependencies'];
}

function noteOf(current: string, wanted: string, latest: string): string {
  if (current !== '-' && current !== wanted) return 'not what package.json names: npm ci';
  if (!semver.valid(latest) || !semver.valid(wanted)) return 'the registry names what is no version';
  // Its authors, or the registry, point the tag at an older line.
  if (semver.lt(latest, wanted)) return 'ahead of the tag';
  return semver.major(latest) === semver.major(wanted) ? 'behind' : 'behind by a major version';
}
