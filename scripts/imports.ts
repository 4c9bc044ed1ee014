/** What a module imports, read from its text: no compiler is loaded for it. */

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const imports = /^(?:import|export)\s+(type\b)?(?:[^'"();]*?\sfrom\s+)?'(\.[^']+)'/gm;
const importsOnDemand = /\bimport\(\s*'(\.[^']+)'/g;

export interface ImportKinds {
  /** Imports that are types in whole, which are not there at run time. */
  readonly types: boolean;
  /** `await import('./x.ts')`. A circle of those is none: the module is whole when it asks. */
  readonly onDemand: boolean;
}

/** The modules of its own folders that a file imports, by paths of the same kind as the given one. */
export function importsOf(file: string, { types, onDemand }: ImportKinds, root = ''): string[] {
  const source = readFileSync(join(root, file), 'utf8');
  const found = [...source.matchAll(imports)].filter(([, type]) => types || type === undefined);
  const paths = found.map(([, , path = '']) => path);
  if (onDemand) paths.push(...[...source.matchAll(importsOnDemand)].map(([, path = '']) => path));
  return paths.map((path) => join(dirname(file), path));
}
