import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

interface Locked {
  /** The name in the registry, if the folder has another one. */
  readonly name?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const lock = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')).packages as Readonly<Record<string, Locked>>;

/** The folder that `require(name)` finds from a package of the lock file; null if there is none. */
function folderOf(name: string, from: string): string | null {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const found = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (lock[found]) return found;
    if (folder === '') return null;
  }
}

test('each dependency of Redoc is replaced with an empty package, since only its bundle is used', () => {
  const redoc = 'node_modules/redoc';
  const { dependencies, optionalDependencies, peerDependencies } = lock[redoc] ?? {};
  const brought = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  assert.ok(brought.length > 0);
  const others = brought.filter((name) => lock[folderOf(name, redoc) ?? '']?.name !== 'empty-npm-package');
  assert.deepEqual(others, [], 'this version of Redoc has other dependencies: add them to "overrides" in package.json');
});
