/** How parameters of queries and paths are written, by what the contract says of them. */

import type { Contract, ContractOperation } from './contract.ts';

/** The names of an operation's parameters whose text has rules of its own. */
export interface ParameterKinds {
  /** Of the query: `true` or `1`, `false` or `0`, in any case. */
  readonly booleans: ReadonlySet<string>;
  /** Of the query, with a minimum length: an empty one is refused. Any other that is empty counts as left out. */
  readonly filled: ReadonlySet<string>;
  /** Of the query and of forms: may be given several times. The values are one text, with spaces between them. */
  readonly repeatable: ReadonlySet<string>;
  /** Of the query: decimal digits alone. */
  readonly queryIntegers: readonly string[];
  /** The same of the path. */
  readonly pathIntegers: readonly string[];
  /** Headers, as the contract writes them. */
  readonly headers: readonly string[];
  /** False for the operations that are called all the time. */
  readonly hasIntegers: boolean;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly type?: unknown; readonly minLength?: number };
  readonly 'x-repeatable'?: boolean;
}

interface Members {
  readonly properties?: Readonly<Record<string, { readonly 'x-repeatable'?: boolean }>>;
}

/** Reads an operation's parameters; `follow` resolves a reference of the contract. */
export function readParameterKinds(operation: ContractOperation, follow: Follow): ParameterKinds {
  const { parameters = [] } = operation;
  const all = parameters.map((one) => follow(one) as unknown as Parameter);
  const ofQuery = all.filter((one) => one.in === 'query');
  const names = (some: readonly Parameter[], type: string) =>
    some.filter(({ schema }) => schema.type === type).map(({ name }) => name);
  const queryIntegers = names(ofQuery, 'integer');
  const pathIntegers = names(
    all.filter((one) => one.in === 'path'),
    'integer',
  );
  return {
    booleans: new Set(names(ofQuery, 'boolean')),
    filled: new Set(ofQuery.filter(({ schema }) => (schema.minLength ?? 0) > 0).map(({ name }) => name)),
    repeatable: new Set([
      ...ofQuery.filter((one) => one['x-repeatable']).map(({ name }) => name),
      ...repeatableMembers(operation, follow),
    ]),
    queryIntegers,
    pathIntegers,
    headers: all.filter((one) => one.in === 'header').map(({ name }) => name),
    hasIntegers: queryIntegers.length + pathIntegers.length > 0,
  };
}

function repeatableMembers({ requestBody }: ContractOperation, follow: Follow): readonly string[] {
  const form = requestBody?.content['application/x-www-form-urlencoded'] as { readonly schema: object } | undefined;
  const { properties = {} }: Members = form ? follow(form.schema) : {};
  return Object.keys(properties).filter((name) => properties[name]?.['x-repeatable']);
}

type Follow = (node: object) => Readonly<Record<string, unknown>>;

/** Resolves references within a contract. */
export function followIn(contract: Contract): Follow {
  return function follow(node) {
    const reference = '$ref' in node ? node.$ref : undefined;
    if (typeof reference !== 'string') return node as Readonly<Record<string, unknown>>;
    const found = reference
      .slice(2)
      .split('/')
      .reduce<unknown>(
        (at, step) => (at as Readonly<Record<string, unknown>>)[step.replaceAll('~1', '/').replaceAll('~0', '~')],
        contract,
      );
    return follow(found as object);
  };
}

const booleans: Readonly<Record<string, string>> = { true: 'true', 1: 'true', false: 'false', 0: 'false' };

/** A boolean in the one form that the validator reads; any other text unchanged, which it refuses. */
export function booleanText(text: string): string {
  const lower = text.toLowerCase();
  return Object.hasOwn(booleans, lower) ? (booleans[lower] ?? text) : text;
}
