/** What a contract says about a list in `x-list`, besides the parameters themselves. */

import type { Contract, ContractOperation } from './contract.ts';
import { followIn } from './parameter-kinds.ts';

/** The extension as written. */
interface ListExtension {
  /** Default sort key; `-` before it means descending. */
  readonly order: string;
  readonly sort: readonly string[];
  /** Members that are compared for equality. */
  readonly exact?: Readonly<Record<string, 'integer' | 'text'>>;
  /** Exact filters whose values grow with releases: no item has an unknown one, which a later release may know. */
  readonly growing?: readonly string[];
  /** Texts in which a `*` at either end matches any text. */
  readonly match?: readonly string[];
  /**
   * `created`: `created_since` and `created_until` bound the field `created_at` (or `last_login`, named without `_at`).
   */
  readonly range?: readonly string[];
  /** Parameters that the operation reads itself; `name.*` means all names with this prefix. */
  readonly special?: readonly string[];
  /** Unknown parameters are refused, not ignored. */
  readonly strict?: boolean;
}

/** A list's rules, with what follows from the rest of the contract. */
export interface ListRules extends ListExtension {
  readonly operationId: string;
  readonly path: string;
  /** Members of an item, which `fields` may name. */
  readonly members: ReadonlySet<string>;
  /** By exact filter of a text: the only values that its member can have. */
  readonly closed: ReadonlyMap<string, readonly string[]>;
  readonly maximumLimit: number;
  readonly defaultLimit: number;
}

type Node = Readonly<Record<string, unknown>>;

function propertiesOf(contract: Contract, operation: ContractOperation): Readonly<Record<string, Node>> {
  const media = operation.responses['200']?.content?.['application/json'] as { schema: Node };
  const follow = followIn(contract);
  const items = follow(follow(media.schema)['items'] as Node);
  return items['properties'] as Readonly<Record<string, Node>>;
}

/** A filter by a value that no item can have is a mistake, as an unknown parameter is: where those are refused. */
function closedFilters(
  contract: Contract,
  { exact = {}, growing = [], strict = false }: ListExtension,
  properties: Readonly<Record<string, Node>>,
): ReadonlyMap<string, readonly string[]> {
  const follow = followIn(contract);
  const texts = Object.keys(exact).filter((name) => strict && exact[name] === 'text' && !growing.includes(name));
  return new Map(
    texts.flatMap((name) => {
      const values = follow(properties[name] ?? {})['enum'] as readonly string[] | undefined;
      return values ? [[name, values] as const] : [];
    }),
  );
}

function limitsOf(contract: Contract, operation: ContractOperation): [maximum: number, fallback: number] {
  const { parameters = [] } = operation as { parameters?: readonly Node[] };
  const limit = parameters.map(followIn(contract)).find((one) => one['name'] === 'limit');
  const { maximum = 1000 } = (limit?.['schema'] ?? {}) as { maximum?: number };
  // For a list with a low maximum, the maximum is the default (hooks, variables and logs).
  return [maximum, maximum < 1000 ? maximum : 50];
}

/** The rules of every list of a contract, by operationId. */
export function readListRules(contract: Contract): ReadonlyMap<string, ListRules> {
  const rules = new Map<string, ListRules>();
  for (const [path, item] of Object.entries(contract.paths)) {
    const operation = item['get'] as (ContractOperation & { readonly 'x-list'?: ListExtension }) | undefined;
    const extension = operation?.['x-list'];
    if (!operation || !extension) continue;
    const [maximumLimit, defaultLimit] = limitsOf(contract, operation);
    const properties = propertiesOf(contract, operation);
    const members = new Set(Object.keys(properties));
    const closed = closedFilters(contract, extension, properties);
    const { operationId } = operation;
    rules.set(operationId, { ...extension, operationId, path, members, closed, maximumLimit, defaultLimit });
  }
  return rules;
}
