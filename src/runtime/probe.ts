/** Asks a program whether it is Node, and which Node can load the service's native add-on. */

import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const probeMilliseconds = 5_000;
const mostAnswerBytes = 4_096;

interface ProbedNode {
  /** Without a `v`. */
  readonly version: string;
  /** Number of the interface that native add-ons are built for (`process.versions.modules`). */
  readonly abi: string;
  /** The program that really runs: version managers substitute a script. */
  readonly file: string;
}

/** The output of `file` for these arguments; null when it does not start, fails, or takes longer than 5 seconds. */
export function ask(file: string, args: readonly string[], env: NodeJS.ProcessEnv): string | null {
  const options = { timeout: probeMilliseconds, maxBuffer: mostAnswerBytes, killSignal: 'SIGKILL' } as const;
  try {
    return execFileSync(file, args, { ...options, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}

const question = 'JSON.stringify([process.versions.node, process.versions.modules, process.execPath])';

/** Null when `file` is not a program, or does not answer as Node does. */
export function probeNode(file: string, env: NodeJS.ProcessEnv = {}): ProbedNode | null {
  try {
    const answer: unknown = JSON.parse(ask(file, ['-p', question], env) ?? 'null');
    if (!Array.isArray(answer) || !answer.every((part) => typeof part === 'string')) return null;
    const [version = '', abi = '', real = ''] = answer as string[];
    return /^\d+\.\d+\.\d+/.test(version) && /^\d+$/.test(abi) ? { version, abi, file: real } : null;
  } catch {
    return null;
  }
}

/**
 * ABI numbers for which the add-on of the isolates is installed for this kind of machine: 137 is Node 24, 147 Node 26.
 */
export function addOnAbis(): readonly string[] {
  const isolatedVm = dirname(createRequire(import.meta.url).resolve('isolated-vm'));
  try {
    const files = readdirSync(join(isolatedVm, 'prebuilds', `${process.platform}-${process.arch}`));
    return [...new Set(files.flatMap((name) => /\.abi(\d+)\./.exec(name)?.[1] ?? []))].sort();
  } catch {
    // Built here, by the running Node.
    return [process.versions.modules];
  }
}
