/** Resolves a hook's packages to the whole tree, each package at the path where `require` finds it. */

import semver from 'semver';
import type { HookPackages } from '../../domain/hooks/package-builds.ts';
import type { PackageDependency } from '../../domain/hooks/package-grammar.ts';
import { limits } from '../protocol.ts';
import type { Grammar } from './grammar.ts';
import { PackageRefusal } from './refusal.ts';
import { type Description, type Registry, readDependencies } from './registry.ts';

/** A package of the tree and its path below the build folder: `node_modules/a/node_modules/b`. */
export interface PlacedPackage {
  readonly description: Description;
  readonly path: string;
}

interface Node extends PlacedPackage {
  readonly parent: Node | null;
  /** The packages in its own `node_modules`. */
  readonly children: Map<string, Node>;
}

/**
 * A package that several others need is placed where all of them find it. If another version occupies that place, it
 * goes into the `node_modules` of the package that needs it.
 */
function find(from: Node, { place, name, range }: PackageDependency): Node | 'in the way' | null {
  for (let node: Node | null = from; node; node = node.parent) {
    const found = node.children.get(place);
    if (!found) continue;
    const { description } = found;
    return description.name === name && semver.satisfies(description.version, range) ? found : 'in the way';
  }
  return null;
}

/** Dependencies of a package that no ancestor provides. The registry is queried for all of them at once. */
async function describeMissing(node: Node, registry: Registry): Promise<[string, Description][]> {
  const wanted = node.description.dependencies.toSorted((one, other) => (one.place < other.place ? -1 : 1));
  const missing = wanted.filter((dependency) => {
    const found = find(node, dependency);
    return found === null || found === 'in the way';
  });
  if (missing.length > limits.packages) throw tooMany();
  return Promise.all(
    missing.map(async (one): Promise<[string, Description]> => [one.place, await registry.describe(one)]),
  );
}

function tooMany(): PackageRefusal {
  return new PackageRefusal(`the packages and their dependencies are more than ${limits.packages} packages`);
}

function newNode(place: string, description: Description, parent: Node): Node {
  const path = `${parent.path === '' ? '' : `${parent.path}/`}node_modules/${place}`;
  const node: Node = { description, path, parent, children: new Map() };
  parent.children.set(place, node);
  return node;
}

/** Resolves level by level, so that the result is deterministic. Throws a `PackageRefusal`. */
export async function resolvePackages(
  packages: HookPackages,
  registry: Registry,
  grammar: Grammar,
): Promise<PlacedPackage[]> {
  const dependencies = readDependencies(packages, 'the hook', grammar);
  const hook: Description = { name: 'the hook', version: '', integrity: '', tarball: '', dependencies };
  const root: Node = { description: hook, path: '', parent: null, children: new Map() };
  const nodes: Node[] = [];
  const open: Node[] = [root];
  for (let node = open.shift(); node; node = open.shift()) {
    for (const [place, description] of await describeMissing(node, registry)) {
      const isFree = find(node, { place, name: description.name, range: '*' }) === null;
      const child = newNode(place, description, isFree ? root : node);
      nodes.push(child);
      open.push(child);
      if (nodes.length > limits.packages) throw tooMany();
    }
  }
  return nodes;
}
