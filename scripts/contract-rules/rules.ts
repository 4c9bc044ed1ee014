/**
 * What generators of clients ask of a contract beyond OpenAPI itself, each rule by its name. Every one of these has
 * stopped a generator, or made one write what does not compile.
 */

import { laterChecks } from './later.ts';
import { enumNamesAreDistinct, namesAreDistinct, operationNames, schemaNames } from './names.ts';
import { componentsOf, type Finding, listOf, operationsOf, type Rule, targetOf } from './rule.ts';
import { isComponent, isObject, type Node, type Place, schemasOf } from './schemas-of.ts';

function everySchema(wrong: (place: Place) => boolean, message: string): Rule {
  return (contract) => [...schemasOf(contract)].filter(wrong).map(({ at }) => ({ at, message }));
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

/** A generator that names the target of a reference forgets that it can be null, unless that is said beside it. */
function nullableReferences(contract: Node): Finding[] {
  return [...schemasOf(contract)].flatMap(({ schema, at }) => {
    const isNullable = '$ref' in schema && typesOf(targetOf(contract, schema)).includes('null');
    const message = 'Write `x-nullable: true` beside the reference, since its target can be null.';
    return isNullable && schema['x-nullable'] !== true ? [{ at, message }] : [];
  });
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
  const flows = scheme?.['flows'] as Record<string, Node> | undefined;
  const flow = flows?.['clientCredentials'] ?? flows?.['authorizationCode'];
  return typeof flow?.['tokenUrl'] === 'string' && Object.hasOwn((flow['scopes'] ?? {}) as Node, scope);
}

/** What a credential pair may do with a scope at the management API, an administrator may do with it. */
function administratorsAreAdmitted(contract: Node): Finding[] {
  if (!Object.hasOwn((componentsOf(contract)['securitySchemes'] ?? {}) as Node, 'dpop')) return [];
  return operationsOf(contract).flatMap(({ operation, at }) => {
    if (!at[1]?.startsWith('/api/2/')) return [];
    const security = listOf(operation['security']) as Record<string, readonly string[]>[];
    const scopesOf = (scheme: string) => JSON.stringify(security.flatMap((one) => one[scheme] ?? []).toSorted());
    if (scopesOf('bearer') === scopesOf('dpop')) return [];
    return [{ at: [...at, 'security'], message: 'Write `- dpop: [<scope>]` for each `- bearer: [<scope>]`.' }];
  });
}

/** By an operation or another component; or in a text, which shows the schema by its address. */
function componentsAreUsed(contract: Node): Finding[] {
  const written = JSON.stringify(contract);
  const isUsed = (kind: string, name: string) =>
    written.includes(`#/components/${kind}/${name}"`) || written.includes(`#/components/${kind}/${name}\\"`);
  return Object.entries(componentsOf(contract)).flatMap(([kind, members]) =>
    Object.keys(members)
      .filter((name) => kind !== 'securitySchemes' && !isUsed(kind, name))
      .map((name) => ({ at: ['components', kind, name], message: 'Nothing refers to it.' })),
  );
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
  'administrators-admitted': administratorsAreAdmitted,
  'later-check': laterChecks,
  'unused-component': componentsAreUsed,
};
