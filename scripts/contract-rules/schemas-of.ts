/** A walk over every schema of a bundled contract. */

export type Node = Readonly<Record<string, unknown>>;

/** A schema, and the steps that lead to it from the root of the contract. */
export interface Place {
  readonly schema: Node;
  readonly at: readonly string[];
}

/** Steps to a schema that stands for itself, `components/schemas/<Name>`. */
const componentDepth = 3;

export function isObject(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isComponent({ at }: Place): boolean {
  return at.length === componentDepth && at[0] === 'components' && at[1] === 'schemas';
}

/** Every schema, those inside of others included; a reference is a schema of its own and is not followed. */
export function* schemasOf(contract: Node): Generator<Place> {
  yield* search(contract, []);
}

/** The schemas below what is not a schema itself. */
function* search(value: unknown, at: readonly string[]): Generator<Place> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* search(item, [...at, String(index)]);
    return;
  }
  if (!isObject(value)) return;
  for (const [key, item] of Object.entries(value)) {
    if (key === 'example' || key === 'examples') continue;
    const isSchema = key === 'schema' || at.join('/') === 'components/schemas';
    yield* isSchema ? within(item, [...at, key]) : search(item, [...at, key]);
  }
}

/** A schema and those inside of it. */
function* within(value: unknown, at: readonly string[]): Generator<Place> {
  if (!isObject(value)) return;
  yield { schema: value, at };
  for (const key of ['items', 'additionalProperties', 'not']) yield* within(value[key], [...at, key]);
  for (const key of ['oneOf', 'anyOf', 'allOf', 'properties']) {
    const parts = (value[key] ?? {}) as Node;
    for (const [part, item] of Object.entries(parts)) yield* within(item, [...at, key, part]);
  }
}
