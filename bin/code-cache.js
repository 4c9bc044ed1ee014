// Where Node keeps the code that V8 compiled of the sources. Whoever can write there has the service run their code, and
// Node makes its folders as the umask says. This file is JavaScript for the reason that start.js gives.
import { chmodSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const others = 0o077;
const writableByOthers = 0o022;

/**
 * The folder for this user in `.cache` of the installation, made if there is none. Null where it cannot be made, where
 * somebody else has made it or may enter it, or where others could swap it. A link does not say that.
 */
export function findCodeCache(installation) {
  const user = process.geteuid?.();
  // Windows has no such modes; folders there have what they inherit.
  if (user === undefined) return join(installation, '.cache/code');
  try {
    const cache = join(installation, '.cache');
    make(cache, 0o755);
    const outer = lstatSync(cache);
    const makers = [0, user, statSync(installation).uid];
    if (!outer.isDirectory() || !makers.includes(outer.uid) || outer.mode & writableByOthers) return null;
    const folder = join(cache, `code-${user}`);
    make(folder, 0o700);
    const own = lstatSync(folder);
    return own.isDirectory() && own.uid === user && (own.mode & others) === 0 ? folder : null;
  } catch {
    return null;
  }
}

/** With this mode whatever the umask is. One that was there stays as it is: it may be the operator's. */
function make(folder, mode) {
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    if (error.code === 'EEXIST') return;
    throw error;
  }
  if ((statSync(folder).mode & 0o777) !== mode) chmodSync(folder, mode);
}
