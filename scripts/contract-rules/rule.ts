/** What a rule for contracts is, and how rules read a contract. */

import type { Node } from './schemas-of.ts';

export interface Finding {
  /** Steps from the root of the contract. */
  readonly at: readonly string[];
  readonly message: string;
}

export type Rule = (contract: Node) => Finding[];

const methods = ['get', 'put', 'post', 'delete', 'patch'];

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function componentsOf(contract: Node): Readonly<Record<string, Node>> {
  return (contract['components'] ?? {}) as Readonly<Record<string, Node>>;
}

export function operationsOf(contract: Node): { readonly operation: Node; readonly at: readonly string[] }[] {
  return Object.entries((contract['paths'] ?? {}) as Node).flatMap(([path, item]) =>
    Object.entries(item as Node)
      .filter(([method]) => methods.includes(method))
      .map(([method, operation]) => ({ operation: operation as Node, at: ['paths', path, method] })),
  );
}

/** What a reference within the contract names, or the node itself where it is none. */
export function targetOf(contract: Node, node: Node): Node {
  const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(String(node['$ref'] ?? '')) ?? [];
  return (componentsOf(contract)[kind]?.[name] ?? node) as Node;
}
