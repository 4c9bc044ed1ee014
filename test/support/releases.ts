/** Checkouts of this repository beside this one, with their packages. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}

/** The commit of the last release, as openapi/released names it. */
export function lastRelease(): string {
  const versions = readdirSync(join(root, 'openapi/released')).filter((name) => /^\d+\.\d+\.\d+$/.test(name));
  const [last = ''] = versions.toSorted((one, other) => other.localeCompare(one, 'en', { numeric: true }));
  const commit = git('log', '--format=%H', '--max-count=1', `--grep=^Release ${last.replaceAll('.', '\\.')}:`);
  if (commit === '') throw new Error(`no commit says that it is release ${last}`);
  return commit;
}

/** Writes the files of a commit into a new folder, with the packages that it asks for: ours where they are the same. */
export function checkOut(commit: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const files = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: files });
  const [own, other] = [root, folder].map((place) => readFileSync(join(place, 'package-lock.json'), 'utf8'));
  if (own === other) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  else execFileSync('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' });
}
