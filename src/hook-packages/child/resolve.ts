/** From the packages of a hook to the whole tree, each package at the place where `require` finds it. */

import semver from 'semver';
import type { HookPackages } from '../../domain/hooks/package-builds.ts';
import { limits, type ResolvedPackage } from '../protocol.ts';
import { PackageRefusal } from './refusal.ts';
import { checkRange, type Description, type Registry } from './registry.ts';

interface Node {
  readonly description: Description;
  readonly path: string;
  readonly parent: Node | null;
  /** What stands in its own `node_modules`. */
  readonly children: Map<string, Node>;
}

/** A package that several want stands where all of them find it; one that another version is in the way of, beside its user. */
function find(from: Node, name: string, range: string): Node | 'in the way' | null {
  for (let node: Node | null = from; node; node = node.parent) {
    const found = node.children.get(name);
    if (found) return semver.satisfies(found.description.version, range) ? found : 'in the way';
  }
  return null;
}

/** What a package wants and nobody above it has. The registry is asked for all of it at once. */
async function describeMissing(node: Node, registry: Registry): Promise<Description[]> {
  const { name, version, dependencies } = node.description;
  const wantedBy = version === '' ? name : `${name}@${version}`;
  const wanted = Object.entries(dependencies).sort(([one], [other]) => (one < other ? -1 : 1));
  for (const [other, range] of wanted) checkRange(other, range, wantedBy);
  const missing = wanted.filter(([other, range]) => {
    const found = find(node, other, range);
    return found === null || found === 'in the way';
  });
  if (missing.length > limits.packages) throw tooMany();
  return Promise.all(missing.map(([other, range]) => registry.describe(other, range, wantedBy)));
}

function tooMany(): PackageRefusal {
  return new PackageRefusal(`the packages and what they depend on are more than ${limits.packages}`);
}

function newNode(description: Description, parent: Node): Node {
  const path = `${parent.path === '' ? '' : `${parent.path}/`}node_modules/${description.name}`;
  const node: Node = { description, path, parent, children: new Map() };
  parent.children.set(description.name, node);
  return node;
}

/** Resolves level by level, so that the tree is the same each time. Throws a `PackageRefusal`. */
export async function resolvePackages(packages: HookPackages, registry: Registry): Promise<ResolvedPackage[]> {
  const hook: Description = { name: 'the hook', version: '', integrity: '', dependencies: packages };
  const root: Node = { description: hook, path: '', parent: null, children: new Map() };
  const nodes: Node[] = [];
  const open: Node[] = [root];
  for (let node = open.shift(); node; node = open.shift()) {
    for (const description of await describeMissing(node, registry)) {
      const isFree = find(node, description.name, '*') === null;
      const child = newNode(description, isFree ? root : node);
      nodes.push(child);
      open.push(child);
      if (nodes.length > limits.packages) throw tooMany();
    }
  }
  return nodes.map(({ path, description: { name, version, integrity } }) => ({ name, version, integrity, path }));
}
