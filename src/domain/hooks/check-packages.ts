import { Failure } from '../failure.ts';
import type { HookPackages, PackageBuilder } from './package-builds.ts';
import { isPackageName, isPackageVersion } from './package-grammar.ts';
import { mostPackages } from './values.ts';

function refuse(message: string): never {
  throw new Failure('value_invalid', { name: 'packages', message });
}

/** Why no package is built when builds cannot be confined. */
export function refusedForWalls(remedy: string): string {
  return `this service refuses packages, because it cannot confine the processes that build them: ${remedy}`;
}

/** The checks that need no registry: names and exact versions (the document's §2.3: "explicit semantic version"). */
function checkPackageForms(packages: HookPackages): void {
  const entries = Object.entries(packages);
  if (entries.length > mostPackages) refuse(`packages must have at most ${mostPackages} members`);
  for (const [name, version] of entries) {
    // Only old packages, as transitive dependencies, have capitals in their names.
    if (!isPackageName(name) || name !== name.toLowerCase())
      refuse(`packages: ${JSON.stringify(name).slice(0, 100)} is not a valid package name`);
    if (!isPackageVersion(version) || version.length > 64) {
      refuse(`packages: ${name} must have an exact version such as 1.2.3, not ${JSON.stringify(version).slice(0, 80)}`);
    }
  }
}

/** Throws `value_invalid` for what no build could make. `builder` is null when packages are switched off. */
export async function checkPackages(packages: HookPackages, builder: PackageBuilder | null): Promise<void> {
  checkPackageForms(packages);
  const entries = Object.entries(packages);
  if (entries.length === 0) return;
  if (!builder) refuse('packages: this service does not allow packages');
  const { remedy } = await builder.walls();
  if (remedy !== null) refuse(`packages: ${refusedForWalls(remedy)}`);
  const answers = await Promise.all(entries.map(([name, version]) => builder.has(name, version)));
  const missing = entries.find((_, index) => answers[index] === false);
  if (missing) refuse(`packages: the registry has no ${missing[0]}@${missing[1]}`);
}
