import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const publicRegistry = 'https://registry.npmjs.org/';

function registryIn(folder: string): string | null {
  try {
    const [, text = ''] =
      /^\s*registry\s*=\s*["']?([^\s"';#]+)/m.exec(readFileSync(join(folder, '.npmrc'), 'utf8')) ?? [];
    return /^https?:\/\//.test(text) && URL.canParse(text) ? text : null;
  } catch {
    return null;
  }
}

/** The registry in npm's configuration files, of this folder before those of the user; else the public one. */
export function registryOfNpm(folders: readonly string[] = [process.cwd(), homedir()]): string {
  for (const folder of folders) {
    const found = registryIn(folder);
    if (found) return found;
  }
  return publicRegistry;
}
