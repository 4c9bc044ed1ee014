/**
 * The package of `npm run package`, and a place where it is installed as npm does, with the packages of this checkout.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageJson from '../../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Package {
  /** The file that npm installs. */
  readonly file: string;
  /** The list of what it is made of. */
  readonly materials: string;
}

/** Makes both files in the folder. */
export function makePackage(folder: string): Package {
  execFileSync(process.execPath, [join(root, 'scripts/package.ts'), '--out', folder]);
  const name = join(folder, `gatehouse-${packageJson.version}`);
  return { file: `${name}.tgz`, materials: `${name}.cdx.json` };
}

/** Unpacks it where npm would put it below `project`; answers its folder. */
export function unpack({ file }: Package, project: string): string {
  const modules = join(project, 'node_modules');
  mkdirSync(modules, { recursive: true });
  execFileSync('tar', ['-xzf', file, '-C', modules]);
  const folder = join(modules, 'gatehouse');
  renameSync(join(modules, 'package'), folder);
  return folder;
}

/** A hook process may read this one in its own place alone. */
const loader = 'node-gyp-build';

/** Puts the packages of this checkout beside it. */
export function addPackages(project: string): void {
  const [from, to] = [join(root, 'node_modules'), join(project, 'node_modules')];
  for (const name of readdirSync(from).filter((one) => one !== '.bin' && one !== '.package-lock.json')) {
    if (name === loader) cpSync(join(from, name), join(to, name), { recursive: true });
    else symlinkSync(join(from, name), join(to, name));
  }
}

/** Gives an unpacked package another version, as a later release has. */
export function setVersion(folder: string, version: string): void {
  const file = join(folder, 'package.json');
  const manifest = { ...JSON.parse(readFileSync(file, 'utf8')), version };
  writeFileSync(file, JSON.stringify(manifest));
}
