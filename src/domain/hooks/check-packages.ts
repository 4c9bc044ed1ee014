import semver from 'semver';
import { Failure } from '../failure.ts';
import type { HookPackages, PackageBuilder } from './package-builds.ts';
import { mostPackages } from './values.ts';

/** As the registry names packages, with the length that it allows. */
const nameForm = /^(?=.{1,214}$)(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

function refuse(message: string): never {
  throw new Failure('value_invalid', { name: 'packages', message });
}

/** What needs no registry: names, and versions that are exact (the document's §2.3: "explicit semantic version"). */
export function checkPackageForms(packages: HookPackages): void {
  const entries = Object.entries(packages);
  if (entries.length > mostPackages) refuse(`packages has more than ${mostPackages} members`);
  for (const [name, version] of entries) {
    if (!nameForm.test(name)) refuse(`packages: ${JSON.stringify(name).slice(0, 100)} is no name of a package`);
    if (semver.valid(version) !== version || version.length > 64) {
      refuse(`packages: ${name} must have an exact version such as 1.2.3, not ${JSON.stringify(version).slice(0, 80)}`);
    }
  }
}

/** Throws `value_invalid` for what no build could make. `builder` is null where packages are switched off. */
export async function checkPackages(packages: HookPackages, builder: PackageBuilder | null): Promise<void> {
  checkPackageForms(packages);
  const entries = Object.entries(packages);
  if (entries.length === 0) return;
  if (!builder) refuse('packages: this service does not allow packages');
  const answers = await Promise.all(entries.map(([name, version]) => builder.has(name, version)));
  const missing = entries.find((_, index) => answers[index] === false);
  if (missing) refuse(`packages: the registry has no ${missing[0]}@${missing[1]}`);
}
