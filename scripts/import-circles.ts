/** Circles among the modules of `scripts` and `test`: dependency-cruiser knows those of src, where its rules are. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { importsOf } from './imports.ts';

/** The modules that each module of these folders imports at run time, by their paths. */
function readImports(root: string, folders: readonly string[]): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const folder of folders) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!/\.tsx?$/.test(name)) continue;
      const file = join(folder, name);
      found.set(file, importsOf(file, { types: false, onDemand: false }, root));
    }
  }
  return found;
}

/** Each circle of imports once, as the modules on the way. */
export function findImportCircles(root: string, folders: readonly string[] = ['scripts', 'test']): string[] {
  const modules = readImports(root, folders);
  const done = new Set<string>();
  const way: string[] = [];
  const circles: string[] = [];
  const visit = (file: string): void => {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' → '));
    if (done.has(file) || way.includes(file)) return;
    way.push(file);
    for (const next of modules.get(file) ?? []) visit(next);
    way.pop();
    done.add(file);
  };
  for (const file of modules.keys()) visit(file);
  return circles;
}
