/** Copies of the installation, in which a package can be broken. */

import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

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
  for (const part of ['bin', 'generated', 'openapi', 'package.json', 'src', 'types']) {
    cpSync(join(root, part), join(path, part), { recursive: true });
  }
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
