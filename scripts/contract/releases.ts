/** The contracts of the last release, `openapi/released/<version>/<surface>.json`, as they were served. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Release {
  readonly version: string;
  /** The file of each surface. */
  readonly files: ReadonlyMap<string, string>;
}

const folderOf = (root: string) => join(root, 'openapi/released');

/** The bundled contracts of a folder by surface. */
export function contractsIn(folder: string): Map<string, string> {
  const names = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return new Map(names.sort().map((file) => [file.slice(0, -'.json'.length), join(folder, file)]));
}

/** The folders; beside them is what the differ goes by. */
function versionsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

export function lastRelease(root: string): Release | undefined {
  const folder = folderOf(root);
  const [version, ...others] = versionsIn(folder);
  if (others.length > 0) throw new Error(`openapi/released has more than one release: ${[version, ...others]}`);
  return version === undefined ? undefined : { version, files: contractsIn(join(folder, version)) };
}

/** Keeps the contracts as those of this release. Earlier ones are in the repository's history. */
export function keepRelease(root: string, version: string, contracts: ReadonlyMap<string, string>): void {
  for (const former of versionsIn(folderOf(root))) rmSync(join(folderOf(root), former), { recursive: true });
  const folder = join(folderOf(root), version);
  mkdirSync(folder, { recursive: true });
  for (const [surface, file] of contracts) writeFileSync(join(folder, `${surface}.json`), readFileSync(file));
}

/** Writes the version into the contracts, the workflows and the package. */
export function writeVersion(root: string, version: string): void {
  const yaml = ['openapi', 'openapi/workflows'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((file) => file.endsWith('.yaml') && file !== 'redocly.yaml')
      .map((file) => join(folder, file)),
  );
  // Each has it once, two spaces deep, in `info`.
  for (const file of yaml) replaceIn(join(root, file), /^( {2}version: ).*()$/m, version);
  replaceIn(join(root, 'package.json'), /^( {2}"version": ").*(",)$/m, version);
  // The lock has it for itself and for the package, which it lists first.
  replaceIn(join(root, 'package-lock.json'), /^( {2}"version": ").*(",)$/m, version);
  replaceIn(join(root, 'package-lock.json'), /^( {6}"version": ").*(",)$/m, version);
}

/** The first match of `place`, between its two groups, becomes the version. */
function replaceIn(file: string, place: RegExp, version: string): void {
  const text = readFileSync(file, 'utf8');
  if (!place.test(text)) throw new Error(`${file} has no version`);
  writeFileSync(
    file,
    text.replace(place, (_, start: string, end: string) => start + version + end),
  );
}
