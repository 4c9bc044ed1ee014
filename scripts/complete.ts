/**
 * What each contract says by a rule of its own and nobody writes: the width of integers, and the characters that no
 * text of a request may contain.
 */

import { everyText } from '../src/http/control-characters.ts';
import { type Document, follow, isObject, type JsonObject } from './contract/document.ts';
import { schemasOf } from './contract-rules/schemas-of.ts';

const largestInt32 = 2 ** 31 - 1;

/** Words that say more about a text than which characters no text may contain. */
const closer = ['pattern', 'enum', 'const', 'format'] as const;

type Mutable = Record<string, unknown>;

/** Adds to the contract what follows from the rest of it. */
export function complete(contract: Document): void {
  for (const { schema } of schemasOf(contract)) {
    if (isOf('integer', schema)) (schema as Mutable)['format'] ??= widthOf(schema);
  }
  for (const schema of requestSchemas(contract)) {
    const isClose = closer.some((word) => word in schema && schema[word] !== 'password');
    if (isOf('string', schema) && !isClose) (schema as Mutable)['pattern'] = everyText;
  }
}

function isOf(type: string, schema: JsonObject): boolean {
  return [schema['type']].flat().includes(type);
}

/** Without a format, some generators take 32 bits and others 64. */
function widthOf({ maximum, enum: values = [maximum] }: JsonObject): 'int32' | 'int64' {
  return (values as number[]).every((value) => value <= largestInt32) ? 'int32' : 'int64';
}

/** Every schema of what a body or a query has, each once. A query that may be anything refuses nothing. */
function requestSchemas(contract: Document): Set<JsonObject> {
  const found = new Set<JsonObject>();
  const add = (value: unknown): void => {
    if (!isObject(value)) return;
    const schema = resolve(contract, value);
    if (found.has(schema)) return;
    found.add(schema);
    const { items, additionalProperties, properties = {}, oneOf = [], anyOf = [], allOf = [] } = schema;
    for (const one of [items, additionalProperties, oneOf, anyOf, allOf].flat()) add(one);
    for (const one of Object.values(properties as JsonObject)) add(one);
  };
  for (const item of Object.values(contract['paths'] as JsonObject)) {
    for (const operation of Object.values(item as JsonObject)) {
      if (!isObject(operation)) continue;
      const { parameters = [], requestBody = {} } = operation;
      const { content = {} } = resolve(contract, requestBody as JsonObject);
      for (const media of Object.values(content as JsonObject)) add((media as JsonObject)['schema']);
      if (operation['x-any-query']) continue;
      for (const written of parameters as JsonObject[]) {
        const parameter = resolve(contract, written);
        if (parameter['in'] === 'query') add(parameter['schema']);
      }
    }
  }
  return found;
}

function resolve(contract: Document, node: JsonObject): JsonObject {
  let at = node;
  while (typeof at['$ref'] === 'string') at = follow(contract, at['$ref']) as JsonObject;
  return at;
}
