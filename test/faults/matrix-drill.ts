/** Drills of matrices that `npm test` runs a sample of: the same test files with every cell. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { matrixVariable } from '../support/sample.ts';
import type { Drill, DrillOptions, DrillResult } from './drill.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface MatrixDrill extends Drill {
  /** Test files, by their paths in the repository. */
  readonly files: readonly string[];
}

/** A drill that runs test files with every cell of their matrices. */
export function matrixDrill({ id, title, files }: Pick<MatrixDrill, 'id' | 'title' | 'files'>): MatrixDrill {
  // What `npm test` runs of it is the files themselves.
  return { id, title, files, rounds: 1, quickRounds: null, run: (options) => runFiles(files, options) };
}

/** Runs test files with every cell of their matrices; `env` is more for their processes. */
export async function runFiles(
  files: readonly string[],
  { rounds, log }: DrillOptions,
  env: Readonly<Record<string, string>> = {},
): Promise<DrillResult> {
  const figures = { tests: 0, failed: 0 };
  let holds = true;
  for (let round = 0; round < rounds; round += 1) {
    const { exitCode, output } = await runTests(files, env);
    const count = (name: string) => Number(output.match(new RegExp(`^ℹ ${name} (\\d+)$`, 'm'))?.[1] ?? 0);
    figures.tests += count('tests');
    figures.failed += count('fail');
    holds &&= exitCode === 0 && count('tests') > 0;
    if (exitCode !== 0) log(output.slice(output.indexOf('✖ failing tests')));
  }
  return { figures, holds };
}

async function runTests(
  files: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ exitCode: number | null; output: string }> {
  const child = spawn(process.execPath, ['scripts/test.ts', ...files], {
    cwd: root,
    env: { ...process.env, [matrixVariable]: 'whole', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { exitCode: child.exitCode, output };
}
