/** npm, asked for JSON. */

import { spawnSync } from 'node:child_process';

const mostMilliseconds = 120_000;
const mostBytes = 64 * 1024 * 1024;

/**
 * What npm printed, parsed; null when that is no JSON. npm exits with 1 for findings, so that its status says nothing.
 */
export function askNpm(root: string, args: readonly string[]): unknown {
  const options = { cwd: root, encoding: 'utf8', timeout: mostMilliseconds, maxBuffer: mostBytes } as const;
  const { stdout } = spawnSync('npm', [...args, '--json'], options);
  try {
    return JSON.parse(stdout.trim() === '' ? '{}' : stdout);
  } catch {
    return null;
  }
}
