/** Which test files run the tests of a file of `test/`: itself, or those that import it. */

import { globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

export interface Selection {
  /** Given to the runner. */
  readonly files: readonly string[];
  /** Modules that alone declare tests; empty: all of the files. */
  readonly only: readonly string[];
}

/** Throws, in words for who named it, where a file is not there or declares no tests. */
export function selectTests(given: readonly string[]): Selection {
  for (const name of given) {
    if (!isPattern(name) && !statSync(name, { throwIfNoEntry: false })?.isFile())
      throw new Error(`no such file: ${name}`);
  }
  const isFile = (name: string) => name.endsWith('.test.ts') || isPattern(name);
  const modules = given.filter((name) => !isFile(name)).map((name) => resolve(name));
  if (modules.length === 0) return { files: given, only: [] };
  const importers = findImporters();
  const files = modules.flatMap((module) => {
    if (!/from 'node:test'/.test(readFileSync(module, 'utf8'))) throw new Error(`${module} declares no tests`);
    return testFilesOf(module, importers);
  });
  const whole = given.filter(isFile);
  return { files: [...new Set([...whole, ...files])], only: [...modules, ...whole.map((name) => resolve(name))] };
}

function isPattern(name: string): boolean {
  return name.includes('*');
}

/** By module, the modules of `test/` that import it. */
function findImporters(): Map<string, string[]> {
  const importers = new Map<string, string[]>();
  for (const name of globSync('test/**/*.ts', { cwd: root })) {
    const file = join(root, name);
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import) '(\.[^']+)'/g)) {
      const imported = resolve(dirname(file), path);
      importers.set(imported, [...(importers.get(imported) ?? []), file]);
    }
  }
  return importers;
}

function testFilesOf(module: string, importers: ReadonlyMap<string, readonly string[]>): string[] {
  const seen = new Set([module]);
  // Grows while it is gone through.
  for (const one of seen) {
    if (!one.endsWith('.test.ts')) for (const importer of importers.get(one) ?? []) seen.add(importer);
  }
  return [...seen].filter((file) => file.endsWith('.test.ts'));
}
