/** Values that break exactly one keyword of a JSON Schema. */

import fc from 'fast-check';
import { typesOf, unknownName, validOf } from './arbitrary.ts';
import type { Resolve, Schema } from './operations.ts';
import { controlText } from './text.ts';

/** Longer lists and texts are not made to pass a limit. */
const longestList = 60;
const longestText = 16_000;

export interface Breach {
  /** The keyword that is broken. */
  readonly keyword: string;
  readonly values: fc.Arbitrary<unknown>;
}

/** Every way to break one keyword of the schema itself, and of its items and members one level down. */
export function breachesOf(written: Schema, resolve: Resolve): readonly Breach[] {
  const schema = resolve(written);
  if (schema.oneOf || schema.anyOf) return [];
  const types = typesOf(schema);
  const breaches = [...typeBreach(schema, types), ...valueBreaches(schema)];
  // Of a schema with several types another one may take the value; null takes nothing but itself.
  const others = types.filter((type) => type !== 'null');
  const [type] = others;
  if (others.length > 1) return breaches;
  if (type === 'string') return [...breaches, ...textBreaches(schema)];
  if (type === 'integer' || type === 'number') return [...breaches, ...numberBreaches(schema)];
  if (type === 'array') return [...breaches, ...listBreaches(schema, resolve)];
  if (type === 'object') return [...breaches, ...objectBreaches(schema, resolve)];
  return breaches;
}

const samples: Readonly<Record<string, readonly unknown[]>> = {
  null: [null],
  boolean: [true, false],
  integer: [0, -1, 42],
  number: [0.5, -2.25],
  string: ['', 'text', '0'],
  array: [[], ['text'], [null]],
  object: [{}, { name: 'text' }],
};

function typeBreach(schema: Schema, types: readonly string[]): Breach[] {
  if (schema.type === undefined && !schema.properties) return [];
  const taken = new Set(types.includes('number') ? [...types, 'integer'] : types);
  const others = Object.entries(samples).flatMap(([type, values]) => (taken.has(type) ? [] : values));
  return [{ keyword: 'type', values: fc.constantFrom(...others) }];
}

function valueBreaches({ const: only, enum: values }: Schema): Breach[] {
  const allowed = only === undefined ? values : [only];
  if (!allowed) return [];
  const texts = allowed.filter((value) => typeof value === 'string');
  const numbers = allowed.filter((value) => typeof value === 'number');
  const near = [
    ...texts.flatMap((text) => [`${text}x`, text.toUpperCase(), text.slice(0, -1), ` ${text}`]),
    ...numbers.flatMap((number) => [number + 1, -number - 1]),
    ...allowed.flatMap((value) => (typeof value === 'boolean' ? [!value] : [])),
  ].filter((value) => !allowed.includes(value));
  return near.length === 0
    ? []
    : [{ keyword: only === undefined ? 'enum' : 'const', values: fc.constantFrom(...near) }];
}

function textBreaches({ minLength = 0, maxLength, pattern, enum: values, const: only }: Schema): Breach[] {
  if (values || only !== undefined) return [];
  const breaches: Breach[] = [];
  if (maxLength !== undefined && maxLength < longestText) {
    const characters = maxLength > 1000 ? ['a'] : ['a', 'é', '漢', '😀'];
    const long = fc.tuple(fc.constantFrom(...characters), fc.constantFrom(1, 1, 2, 100));
    breaches.push({
      keyword: 'maxLength',
      values: long.map(([character, more]) => character.repeat(maxLength + more)),
    });
  }
  if (minLength > 0) breaches.push({ keyword: 'minLength', values: fc.constant('a'.repeat(minLength - 1)) });
  if (pattern !== undefined) {
    const expression = new RegExp(pattern, 'u');
    const length = { minLength, maxLength: Math.max(minLength, Math.min(maxLength ?? 20, 20)) };
    const ordinary = fc.string(length);
    // Of many patterns only control characters are refused.
    const controlled = fc.tuple(controlText, ordinary).map(([control, text]) => control + text.slice(control.length));
    const other = fc.oneof(ordinary, controlled).filter((text) => !expression.test(text));
    if (!/^\^?\.\*\$?$/.test(pattern)) breaches.push({ keyword: 'pattern', values: other });
  }
  return breaches;
}

function numberBreaches({ minimum, maximum, type, enum: values, const: only }: Schema): Breach[] {
  if (values || only !== undefined) return [];
  const breaches: Breach[] = [];
  if (minimum !== undefined) breaches.push({ keyword: 'minimum', values: fc.constantFrom(minimum - 1, -1e15) });
  if (maximum !== undefined)
    breaches.push({ keyword: 'maximum', values: fc.constantFrom(maximum + 1, Math.max(9e15, 2 * maximum)) });
  if ([type].flat().includes('integer'))
    breaches.push({ keyword: 'type', values: fc.constantFrom((minimum ?? 0) + 0.5) });
  return breaches;
}

function listBreaches(schema: Schema, resolve: Resolve): Breach[] {
  const { items = {}, minItems = 0, maxItems, uniqueItems } = schema;
  const item = validOf(items, resolve);
  const breaches: Breach[] = [];
  if (maxItems !== undefined && maxItems <= longestList && !uniqueItems) {
    const values = fc.array(item, { minLength: maxItems + 1, maxLength: maxItems + 1, size: 'max' });
    breaches.push({ keyword: 'maxItems', values });
  }
  if (minItems > 0) breaches.push({ keyword: 'minItems', values: fc.constant([]) });
  if (uniqueItems) breaches.push({ keyword: 'uniqueItems', values: item.map((value) => [value, value]) });
  const before = uniqueItems
    ? fc.constant([])
    : fc.array(item, { maxLength: Math.max(0, Math.min(2, (maxItems ?? 3) - 1)) });
  for (const { keyword, values } of breachesOf(items, resolve)) {
    breaches.push({
      keyword: `items ${keyword}`,
      values: fc.tuple(before, values).map(([some, bad]) => [...some, bad]),
    });
  }
  return breaches;
}

function objectBreaches(schema: Schema, resolve: Resolve): Breach[] {
  const { properties = {}, required = [], additionalProperties = true, maxProperties } = schema;
  // Null would do where the schema lets it, and has no member to break.
  const valid = validOf({ ...schema, type: 'object', examples: [] }, resolve) as fc.Arbitrary<Record<string, unknown>>;
  const breaches: Breach[] = required.map((name) => ({
    keyword: 'required',
    values: valid.map(({ [name]: _left, ...rest }) => rest),
  }));
  if (additionalProperties === false) {
    const surplus = fc.tuple(valid, unknownName(Object.keys(properties)), fc.constantFrom('text', 1, null));
    const values = surplus.map(([one, name, value]) => ({ ...one, [name]: value }));
    breaches.push({ keyword: 'additionalProperties', values });
  }
  if (maxProperties !== undefined && additionalProperties === true) {
    const members = Array.from({ length: maxProperties + 1 }, (_, index) => [`member${index}`, 'text']);
    breaches.push({ keyword: 'maxProperties', values: fc.constant(Object.fromEntries(members)) });
  }
  for (const [name, of] of Object.entries(properties)) {
    for (const { keyword, values } of breachesOf(of, resolve)) {
      const broken = fc.tuple(valid, values).map(([one, bad]) => ({ ...one, [name]: bad }));
      breaches.push({ keyword: `properties ${keyword}`, values: broken });
    }
  }
  return breaches;
}
