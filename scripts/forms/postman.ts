/** The contracts as a collection for Postman, and for the many tools that import its format. */

import { createRequire } from 'node:module';
import type { convertV2 } from 'openapi-to-postmanv2';
import { type Document, isObject, type JsonObject } from '../contract/document.ts';

/** Its file for `import` has no names. */
const converter = createRequire(import.meta.url)('openapi-to-postmanv2') as { readonly convertV2: typeof convertV2 };

/** Folders by tag, bodies and parameters from the examples; optional parameters are there and switched off. */
const options = {
  folderStrategy: 'Tags',
  parametersResolution: 'Example',
  enableOptionalParameters: false,
  optimizeConversion: false,
  stackLimit: 50,
} as const;

/** A collection in the format 2.1.0. The same contract makes the same collection. */
export async function toPostman(contract: Document): Promise<object> {
  return tidy(await convert(JSON.stringify(withExamples(contract)))) as object;
}

/**
 * The converter makes a value up where it sees no example, and it does not see the `examples` of 3.1: a schema gets the
 * first of these or of its values, a parameter without one its name.
 */
function withExamples(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withExamples);
  if (!isObject(value)) return value;
  const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withExamples(member)]));
  if (value['example'] !== undefined) return members;
  const { name, in: place, schema, examples, enum: values, type } = value;
  if (typeof name === 'string' && typeof place === 'string' && isObject(schema)) {
    const isShown = examples !== undefined || schema['examples'] !== undefined;
    return isShown ? members : { ...members, example: `<${name}>` };
  }
  const isSchema = typeof type === 'string' || Array.isArray(type) || Array.isArray(values);
  const [first] = [examples, values].flatMap((list) => (Array.isArray(list) ? list : []));
  return isSchema && first !== undefined ? { ...members, example: first } : members;
}

function convert(data: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    converter.convertV2({ type: 'string', data }, options, (error: unknown, result: unknown) => {
      const { output = [], reason } = (result ?? {}) as { output?: { data: unknown }[]; reason?: string };
      if (error || output[0] === undefined) reject(new Error(`no collection: ${reason}`, { cause: error }));
      else resolve(output[0].data);
    });
  });
}

/**
 * Without identifiers, which are drawn each time, and without sample answers, which are most of it. The address of
 * tokens is one of the account.
 */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (!isObject(value)) return value;
  if (value['key'] === 'accessTokenUrl') return { ...value, value: `{{baseUrl}}${value['value']}` };
  const kept = Object.entries(value).filter(([name]) => name !== '_postman_id' && !(name === 'id' && isPart(value)));
  const members = kept.map(([name, member]) => [name, name === 'response' && 'request' in value ? [] : member]);
  return Object.fromEntries(members.map(([name, member]) => [name, tidy(member)]));
}

/** A folder, a request, an answer or a script; other members called `id` are the contract's. */
function isPart(value: JsonObject): boolean {
  return ['item', 'request', 'originalRequest', 'event', 'exec'].some((name) => Object.hasOwn(value, name));
}
