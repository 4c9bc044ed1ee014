/**
 * What generators of clients ask of a contract beyond OpenAPI itself, each rule by its name. Every one of these has
 * stopped a generator, or made one write what does not compile.
 */

import { isComponent, isObject, type Node, type Place, schemasOf } from './schemas-of.ts';

export interface Finding {
  /** Steps from the root of the contract. */
  readonly at: readonly string[];
  readonly message: string;
}

export type Rule = (contract: Node) => Finding[];

const methods = ['get', 'put', 'post', 'delete', 'patch'];

/** Names of what generators write beside the schemas. */
const taken =
  /^(Api(Client|Exception|Response)|Client|Configuration|Error|Model|Object|Request|Response|Server(Configuration|Variable))$/;

function everySchema(wrong: (place: Place) => boolean, message: string): Rule {
  return (contract) => [...schemasOf(contract)].filter(wrong).map(({ at }) => ({ at, message }));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function typesOf({ type }: Node): readonly unknown[] {
  return [type ?? []].flat();
}

function isNull(schema: unknown): boolean {
  return isObject(schema) && typesOf(schema).length > 0 && typesOf(schema).every((type) => type === 'null');
}

function branchesOf({ oneOf, anyOf }: Node): readonly unknown[] {
  return [...listOf(oneOf), ...listOf(anyOf)];
}

/** The name that a generator writes for a value: `x-enum-varnames` says it, else it is made of letters and digits. */
function enumNames({ enum: values, 'x-enum-varnames': names }: Node): readonly string[] {
  const given = listOf(names).map(String);
  const made = listOf(values).map((value) =>
    String(value)
      .replace(/[^A-Za-z0-9]+/g, '_')
      .replace(/^_|_$/g, ''),
  );
  return (given.length > 0 ? given : made).map((name) => name.toUpperCase());
}

function enumNamesAreDistinct(contract: Node): Finding[] {
  const findings: Finding[] = [];
  const owners = new Map<string, string>();
  for (const place of schemasOf(contract)) {
    const { schema, at } = place;
    if (!Array.isArray(schema['enum'])) continue;
    const names = enumNames(schema);
    if (names.length !== schema['enum'].length || names.includes('')) {
      findings.push({ at, message: 'Name each value of the enum in `x-enum-varnames`.' });
    }
    if (!isComponent(place)) continue;
    const [component = ''] = at.slice(-1);
    for (const name of names) {
      // Go has constants of a package, not of an enum.
      const owner = owners.get(name);
      if (owner !== undefined) findings.push({ at, message: `\`${name}\` is a value of ${owner} too: name both.` });
      owners.set(name, component);
    }
  }
  return findings;
}

function enumsStandOnce(contract: Node): Finding[] {
  const seen = new Set<string>();
  return [...schemasOf(contract)].flatMap(({ schema, at }) => {
    const values = listOf(schema['enum']);
    if (values.length < 2) return [];
    const key = JSON.stringify([values.map(String).toSorted(), schema['x-enum-varnames']]);
    const known = seen.has(key);
    seen.add(key);
    return known ? [{ at, message: 'Another schema has the same values: refer to one component from both.' }] : [];
  });
}

function componentsOf(contract: Node): Readonly<Record<string, Node>> {
  return (contract['components'] ?? {}) as Readonly<Record<string, Node>>;
}

function operationsOf(contract: Node): { readonly operation: Node; readonly at: readonly string[] }[] {
  return Object.entries((contract['paths'] ?? {}) as Node).flatMap(([path, item]) =>
    Object.entries(item as Node)
      .filter(([method]) => methods.includes(method))
      .map(([method, operation]) => ({ operation: operation as Node, at: ['paths', path, method] })),
  );
}

/** Twins by case, of whatever kind: parameters and schemas become types of one package. */
function namesAreDistinct(contract: Node): Finding[] {
  const seen = new Map<string, string>();
  return Object.entries(componentsOf(contract)).flatMap(([kind, members]) =>
    Object.keys(members).flatMap((name) => {
      const twin = seen.get(name.toLowerCase());
      seen.set(name.toLowerCase(), `${kind}/${name}`);
      const message = `Its name differs from ${twin} in case at most.`;
      return twin === undefined ? [] : [{ at: ['components', kind, name], message }];
    }),
  );
}

function schemaNames(contract: Node): Finding[] {
  const names = Object.keys(componentsOf(contract)['schemas'] ?? {});
  const operations = operationsOf(contract).map(({ operation }) => String(operation['operationId']).toLowerCase());
  return names.flatMap((name) => {
    const at = ['components', 'schemas', name];
    const message = whyNot(name, names, operations);
    return message === null ? [] : [{ at, message }];
  });
}

/** Why a schema cannot have this name; null where it can. `operations` in lower case. */
function whyNot(name: string, names: readonly string[], operations: readonly string[]): string | null {
  if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) return 'The bundler made this name: refer to a component instead.';
  if (taken.test(name)) return 'Generators use this name themselves.';
  if (name.startsWith('New') && names.includes(name.slice('New'.length))) {
    return 'In Go this is the constructor of the schema without `New`.';
  }
  const [, operation] = /^(.+)(?:Request|Response|Params|Body)$/i.exec(name) ?? [];
  const isMade = operation !== undefined && operations.includes(operation.toLowerCase());
  return isMade ? 'Generators name the parameters or the answers of the operation so.' : null;
}

/** A generator that names the target of a reference forgets that it can be null, unless that is said beside it. */
function nullableReferences(contract: Node): Finding[] {
  const schemas = componentsOf(contract)['schemas'] ?? {};
  return [...schemasOf(contract)].flatMap(({ schema, at }) => {
    const name = String(schema['$ref'] ?? '').replace('#/components/schemas/', '');
    const isNullable = typesOf((schemas[name] ?? {}) as Node).includes('null');
    const message = 'Write `x-nullable: true` beside the reference, since its target can be null.';
    return isNullable && schema['x-nullable'] !== true ? [{ at, message }] : [];
  });
}

function operationNames(contract: Node): Finding[] {
  return operationsOf(contract)
    .filter(({ operation }) => !/^[a-z]+([A-Z][a-z0-9]*)+$/.test(String(operation['operationId'])))
    .map(({ at }) => ({ at: [...at, 'operationId'], message: 'Name the operation by verb and noun.' }));
}

function scopesHaveAFlow(contract: Node): Finding[] {
  const schemes = (componentsOf(contract)['securitySchemes'] ?? {}) as Record<string, Node>;
  return operationsOf(contract).flatMap(({ operation, at }) =>
    (listOf(operation['security']) as Record<string, readonly string[]>[]).flatMap((requirement) =>
      Object.entries(requirement)
        .filter(([scheme, scopes]) => scopes.some((scope) => !isInFlow(schemes[scheme], scope)))
        .map(([scheme]) => ({ at: [...at, 'security'], message: `\`${scheme}\` has no such scope in a flow.` })),
    ),
  );
}

function isInFlow(scheme: Node | undefined, scope: string): boolean {
  const flow = (scheme?.['flows'] as Record<string, Node> | undefined)?.['clientCredentials'];
  return typeof flow?.['tokenUrl'] === 'string' && Object.hasOwn((flow['scopes'] ?? {}) as Node, scope);
}

export const rules: Readonly<Record<string, Rule>> = {
  'null-alone': everySchema(
    ({ schema }) => isNull(schema),
    'Name the type beside `null`, and `x-always: null`: null alone is no type of most languages.',
  ),
  'null-in-enum': everySchema(
    ({ schema }) => listOf(schema['enum']).includes(null),
    'An enum with `null` has values of two types.',
  ),
  'null-branch': everySchema(
    ({ schema }) => branchesOf(schema).some(isNull),
    "Write `type: [<type>, 'null']` in the schema itself instead of a branch of null.",
  ),
  'nullable-reference': nullableReferences,
  'constant-type': everySchema(
    ({ schema }) =>
      (schema['const'] !== undefined && typeof schema['const'] !== 'string') ||
      listOf(schema['enum']).some((value) => typeof value === 'boolean'),
    'Only texts can be constant; write a number as an enum of one, a boolean as `x-always` and in the description.',
  ),
  'item-enum': everySchema(
    ({ schema, at }) => at.at(-1) === 'items' && ('enum' in schema || 'const' in schema),
    'Make the values of the items a component.',
  ),
  'inline-object': everySchema(
    (place) =>
      Object.keys((place.schema['properties'] ?? {}) as Node).length > 0 &&
      !isComponent(place) &&
      !('title' in place.schema),
    'Make the object a component: without a name of its own it gets one like InlineObject2.',
  ),
  'inline-union': everySchema(
    (place) => branchesOf(place.schema).length > 0 && !isComponent(place),
    'Make the alternatives a component, so that they have a name.',
  ),
  'array-branch': everySchema(
    ({ schema }) => branchesOf(schema).some((branch) => isObject(branch) && typesOf(branch).includes('array')),
    'An array among alternatives has no type in Go and Java: leave the type out and describe it.',
  ),
  'enum-once': enumsStandOnce,
  'enum-names': enumNamesAreDistinct,
  'component-names': namesAreDistinct,
  'schema-names': schemaNames,
  'operation-names': operationNames,
  'scope-flow': scopesHaveAFlow,
};
