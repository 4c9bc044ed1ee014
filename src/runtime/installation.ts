/** Where the service is installed, and where the packages are that it needs. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Its own folder: a checkout, or that of the package. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

const own = join(root, 'node_modules');

/** A folder `node_modules`: its own, or the one that npm installed it in, beside what it needs. */
export const packages = existsSync(join(own, 'better-sqlite3')) ? own : join(root, '..');

/** What npm writes the versions of the packages into. */
export const packageLists = [join(packages, '.package-lock.json'), join(root, 'npm-shrinkwrap.json')];
