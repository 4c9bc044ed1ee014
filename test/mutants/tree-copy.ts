/** A copy of the tree in which mutants are tried: the checkout is never changed. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { selectTests } from '../../scripts/select-tests.ts';
import { fastFolder } from '../support/fast-folder.ts';
import { onlyVariable } from '../support/only-these.ts';
import { databasesVariable, migratedFile, migratedVariable } from '../support/stores.ts';
import type { Outcome } from './first-failure.ts';
import type { Mutant } from './mutant.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Linked, since nothing changes in it; or of no use to tests. */
const notCopied = ['node_modules', '.git', '.cache', 'data'];

/** What the tests of a mutant came to. */
export type Trial = Outcome & {
  readonly seconds: number;
};

export interface TreeCopy {
  /** Runs the tests that have to kill the mutant, until the first of them fails. */
  try(mutant: Mutant): Promise<Trial>;
  /** Runs the tests of a module or file below `test/` with nothing changed, until the first of them fails. */
  run(killer: string): Promise<Trial>;
  dispose(): void;
}

/** Throws where the text does not occur exactly once: then a list is not true any more. */
export function replaceOnce(source: string, { text, becomes }: Pick<Mutant, 'text' | 'becomes'>): string {
  const found = source.split(text).length - 1;
  if (found !== 1) throw new Error(`occurs ${found} times, not once: ${text}`);
  return source.replace(text, () => becomes);
}

/** The one test file that runs the tests of a module or file below `test/`. Throws where there is none, or several. */
export function testFileOf(killer: string): string {
  const [file, ...more] = selectTests([join(root, 'test', killer)]).files;
  if (file === undefined || more.length > 0) throw new Error(`not run by exactly one test file: test/${killer}`);
  return file;
}

export async function copyTree(): Promise<TreeCopy> {
  const folder = mkdtempSync(join(fastFolder(), 'gatehouse-mutants-'));
  const tree = join(folder, 'tree');
  const skipped = notCopied.map((name) => join(root, name));
  cpSync(root, tree, { recursive: true, filter: (path) => !skipped.includes(path) });
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  const dispose = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', dispose);
  const migrated = await migratedFile(folder);
  const run = async (killer: string): Promise<Trial> => {
    const startedAt = performance.now();
    const outcome = await runTests(folder, tree, killer, migrated);
    return { ...outcome, seconds: (performance.now() - startedAt) / 1000 };
  };
  return {
    run,
    try: async ({ file, killedBy, ...edit }) => {
      const undo = change(tree, { ...edit, file: join('src', file) });
      return run(killedBy).finally(undo);
    },
    dispose,
  };
}

/** Changes a file of the copy; answers what changes it back. */
function change(tree: string, { file, ...edit }: Pick<Mutant, 'file' | 'text' | 'becomes'>): () => void {
  const path = join(tree, file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, replaceOnce(source, edit));
  return () => writeFileSync(path, source);
}

async function runTests(folder: string, tree: string, killer: string, migrated: string): Promise<Outcome> {
  const file = testFileOf(killer);
  const inTree = (path: string) => join(tree, path.slice(root.length));
  const named = join(tree, 'test', killer);
  const child = spawn(
    process.execPath,
    [
      `--import=${join(tree, 'test/support/only.ts')}`,
      `--test-reporter=${join(tree, 'test/mutants/first-failure.ts')}`,
      '--test-reporter-destination=stdout',
      inTree(file),
    ],
    {
      cwd: tree,
      env: {
        ...process.env,
        NODE_COMPILE_CACHE: join(folder, 'cache'),
        NODE_TEST_CONTEXT: undefined,
        // Both databases take twice the time, and what mutants change is above the store.
        [databasesVariable]: 'sqlite',
        [migratedVariable]: migrated,
        [onlyVariable]: named === inTree(file) ? undefined : named,
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const ended = once(child, 'close');
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.startsWith('{"failed":')) return JSON.parse(line);
    }
    return { failed: null, passed: 0, broken: 'the tests ended without a word' };
  } finally {
    // What they have started ends with them.
    child.kill('SIGKILL');
    await ended;
  }
}
