/** Copies of the installation, in which a package can be broken. */

import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Copies parts of this checkout with the times of their files, so that what was made of them is as fresh there; and of
 * what is kept in `.cache`, these folders, if they are there.
 */
export function copyParts(path: string, parts: readonly string[], kept: readonly string[] = []): void {
  const made = kept.map((name) => join('.cache', name)).filter((name) => existsSync(join(root, name)));
  for (const part of [...parts, ...made]) {
    cpSync(join(root, part), join(path, part), { recursive: true, preserveTimestamps: true });
  }
}

/** Adds what is kept of the program as one file: its commands need not read a thousand sources. */
export function addWhole(path: string): void {
  copyParts(path, [], ['programs', 'whole']);
}

/** A hook process may read it in its own place alone. */
const loader = 'node-gyp-build';

export interface Installed {
  readonly path: string;
  /** The command line of the copy. */
  readonly script: string;
  remove(): void;
}

/** A copy of the program, whose packages are links but for the add-ons of `broken`, which are no add-ons there. */
export function copyWithBroken(...broken: readonly string[]): Installed {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-broken-'));
  copyParts(path, ['bin', 'generated', 'openapi', 'package.json', 'src', 'types']);
  const [from, to] = [join(root, 'node_modules'), join(path, 'node_modules')];
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    if (!broken.includes(name) && name !== loader) {
      symlinkSync(join(from, name), join(to, name));
      continue;
    }
    cpSync(join(from, name), join(to, name), { recursive: true });
    if (name === loader) continue;
    for (const file of readdirSync(join(to, name, 'prebuilds'), { recursive: true, encoding: 'utf8' })) {
      if (file.endsWith('.node')) writeFileSync(join(to, name, 'prebuilds', file), 'no add-on');
    }
  }
  return { path, script: join(path, 'bin/gatehouse.js'), remove: () => rmSync(path, { recursive: true, force: true }) };
}
