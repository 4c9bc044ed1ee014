/**
 * Finds the test files that run the tests of a file of `test/`: itself, or those that import it. Also determines the
 * fast tests from what they import, so that no list has to be maintained.
 */

import { globSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importsOf } from './imports.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

export interface Selection {
  /** Given to the runner. */
  readonly files: readonly string[];
  /** The only modules that declare tests; empty: all of the files. */
  readonly only: readonly string[];
}

/** Throws, with a message for the user, when a file is missing or declares no tests. */
export function selectTests(given: readonly string[]): Selection {
  for (const name of given) {
    if (!isPattern(name) && !statSync(name, { throwIfNoEntry: false })?.isFile())
      throw new Error(`no such file: ${name}`);
  }
  const isFile = (name: string) => name.endsWith('.test.ts') || isPattern(name);
  const modules = given.filter((name) => !isFile(name)).map((name) => resolve(name));
  if (modules.length === 0) return { files: given, only: [] };
  const importers = importersOfAll();
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

let found: ReadonlyMap<string, readonly string[]> | undefined;

/** The same for every question of a process: to find them, all of `test/` is read. */
function importersOfAll(): ReadonlyMap<string, readonly string[]> {
  found ??= findImporters();
  return found;
}

/** By module, the modules of `test/` that import it. */
function findImporters(): Map<string, string[]> {
  const importers = new Map<string, string[]>();
  for (const name of globSync('test/**/*.ts', { cwd: root })) {
    const file = join(root, name);
    for (const imported of importsOf(file, { types: true, onDemand: true })) {
      importers.set(imported, [...(importers.get(imported) ?? []), file]);
    }
  }
  return importers;
}

/**
 * What a fast run excludes: other programs and servers, browsers, generated and third-party clients, hook functions,
 * which run in processes, and PostgreSQL, which a test names explicitly.
 */
const slow = new RegExp(
  [
    "from '(?:node:child_process|playwright-core|pg|openapi-fetch|openid-client|oauth4webapi)'",
    "from '[./]+/(?:src/hook-(?:runner|packages)/.*|on-apps\\.ts)'",
    "\\('postgres'",
  ].join('|'),
);

/** These modules contain slow parts only for the tests that ask for them. */
const unread = ['stores', 'plans', 'rows', 'services', 'sample'].map((name) => join(root, `test/support/${name}.ts`));

/** A unit test starts no application; a surface test does. */
const application = join(root, 'test/support/app.ts');

/** Drills, and hundreds of requests. */
const longFolders = ['test/faults/', 'test/properties/'];

/** The test files of units and surfaces that need nothing slow, judged by their imports. */
export function fastTests(): string[] {
  const modules = globSync('test/**/*.ts', { cwd: root }).map((name) => join(root, name));
  const slowOnes = modules.filter((file) => !unread.includes(file) && slow.test(readFileSync(file, 'utf8')));
  const isUnread = (module: string) => unread.includes(module);
  const notFast = modulesAbove(slowOnes, isUnread);
  const integrated = modulesAbove([application], isUnread);
  return globSync('test/**/*.test.ts', { cwd: root })
    .filter((name) => !longFolders.some((folder) => name.startsWith(folder)) && !notFast.has(join(root, name)))
    .filter((name) => name.startsWith('test/surfaces/') || !integrated.has(join(root, name)))
    .toSorted();
}

/** These modules and all of `test/` that import them, but those that `isLeftOut` and what only they lead to. */
export function modulesAbove(modules: readonly string[], isLeftOut: (module: string) => boolean): Set<string> {
  const importers = importersOfAll();
  const reached = new Set(modules);
  // Grows during the iteration.
  for (const one of reached) {
    for (const importer of importers.get(one) ?? []) if (!isLeftOut(importer)) reached.add(importer);
  }
  return reached;
}

function testFilesOf(module: string, importers: ReadonlyMap<string, readonly string[]>): string[] {
  const seen = new Set([module]);
  // Grows during the iteration.
  for (const one of seen) {
    if (!one.endsWith('.test.ts')) for (const importer of importers.get(one) ?? []) seen.add(importer);
  }
  return [...seen].filter((file) => file.endsWith('.test.ts'));
}
