/** Whether two contracts say the same, written in OpenAPI 3.1 or 3.0. */

import assert from 'node:assert/strict';
import { type Document, follow, isObject, type JsonObject } from '../../../scripts/contract/document.ts';

/** What a schema allows and says, in both versions. Names for generated code are not looked at. */
const alike = [
  ...['format', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties'],
  ...['maxProperties', 'uniqueItems', 'pattern', 'default', 'readOnly', 'writeOnly', 'xml', 'description'],
  'deprecated',
];

type Following = (value: unknown) => unknown;

/** A reference's target, with what stands beside the reference. */
const followIn =
  (document: Document): Following =>
  (value) => {
    if (!isObject(value)) return value;
    const { $ref: reference, allOf, ...beside } = value;
    if (typeof reference === 'string') return { ...(follow(document, reference) as object), ...beside };
    // How 3.0 has something beside a reference.
    const [only] = Array.isArray(allOf) && allOf.length === 1 ? allOf : [];
    const inner = isObject(only) ? only['$ref'] : undefined;
    return typeof inner === 'string' ? { ...(follow(document, inner) as object), ...beside } : value;
  };

function schemaOf(value: unknown, following: Following, above: readonly unknown[] = []): unknown {
  const schema = following(value);
  if (!isObject(schema)) return schema;
  const key = JSON.stringify(schema);
  if (above.includes(key)) return 'as above';
  const inside = (one: unknown) => schemaOf(one, following, [...above, key]);
  const list = (name: string) => ((schema[name] ?? []) as unknown[]).map(inside);
  const types = [schema['type'] ?? []].flat().filter((type) => type !== 'null');
  return {
    ...Object.fromEntries(alike.map((name) => [name, schema[name]])),
    types,
    nullable: schema['nullable'] === true || [schema['type']].flat().includes('null'),
    values: schema['enum'] ?? (schema['const'] === undefined ? undefined : [schema['const']]),
    required: schema['required'] ?? [],
    properties: members(schema['properties'], inside),
    items: inside(schema['items']),
    additional: inside(schema['additionalProperties']),
    oneOf: list('oneOf'),
    anyOf: list('anyOf'),
    discriminator: (schema['discriminator'] as JsonObject | undefined)?.['propertyName'],
  };
}

function members(value: unknown, change: (member: unknown) => unknown): unknown {
  if (!isObject(value)) return undefined;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(member)]));
}

/** Parameter, header, body or answer: all that a client sends or reads. */
function partOf(value: unknown, following: Following): unknown {
  const part = following(value) as JsonObject;
  const { name, in: place, required = false, style, explode, description } = part;
  return {
    ...{ name, place, required, style, explode, description },
    schema: schemaOf(part['schema'], following),
    headers: members(part['headers'], (header) => partOf(header, following)),
    content: members(part['content'], (media) => schemaOf((media as JsonObject)['schema'], following)),
  };
}

/** Every operation by `METHOD path`, without names that only the contract itself uses. */
export function operationsOf(document: Document): Map<string, JsonObject> {
  const following = followIn(document);
  const operations = new Map<string, JsonObject>();
  for (const [path, item] of Object.entries(document['paths'] as JsonObject)) {
    for (const [method, operation] of Object.entries(item as JsonObject)) {
      if (!isObject(operation) || operation['operationId'] === undefined) continue;
      const { requestBody, parameters = [], responses } = operation;
      operations.set(`${method.toUpperCase()} ${path}`, {
        operationId: operation['operationId'],
        summary: operation['summary'],
        deprecated: operation['deprecated'] ?? false,
        tags: operation['tags'],
        security: operation['security'],
        parameters: (parameters as unknown[]).map((one) => partOf(one, following)),
        requestBody: requestBody === undefined ? undefined : partOf(requestBody, following),
        responses: members(responses, (answer) => partOf(answer, following)),
      });
    }
  }
  assert.notEqual(operations.size, 0);
  return operations;
}
