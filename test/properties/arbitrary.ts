/** Values by JSON Schema: those that fit, and those that break exactly one keyword. */

import fc from 'fast-check';
import { everyText } from '../../src/http/control-characters.ts';
import type { Resolve, Schema } from './operations.ts';
import { anyText } from './text.ts';

/** The longest list that is made to reach a limit; schemas of answers allow more. */
const longestList = 60;
/** The longest text that is made to reach a limit, in bytes: a body has to hold several. */
const longestText = 16_384;

/** Values that fit the schema: its examples, ordinary values, and values at its limits. */
export function validOf(written: Schema, resolve: Resolve): fc.Arbitrary<unknown> {
  const schema = resolve(written);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if ('x-always' in schema) return fc.constant(schema['x-always']);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives) return fc.oneof(...alternatives.map((alternative) => validOf(alternative, resolve)));
  const generated = fc.oneof(...typesOf(schema).map((type) => ofType(type, schema, resolve)));
  const { examples = [] } = schema;
  return examples.length === 0
    ? generated
    : fc.oneof({ weight: 3, arbitrary: generated }, fc.constantFrom(...examples));
}

/** The types of a schema; one that names none takes an object, as all such schemas of the contracts do. */
export function typesOf({ type }: Schema): readonly string[] {
  return type === undefined ? ['object'] : [type].flat();
}

function ofType(type: string, schema: Schema, resolve: Resolve): fc.Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return textOf(schema);
    case 'integer':
      return integerOf(schema);
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return listOf(schema, resolve);
    case 'object':
      return objectOf(schema, resolve);
    default:
      throw new Error(`no values are known for the type ${type}`);
  }
}

function integerOf({ minimum = -(2 ** 31), maximum = 2 ** 31 - 1 }: Schema): fc.Arbitrary<number> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: minimum, max: maximum }) },
    fc.constantFrom(minimum, maximum),
  );
}

const formats: Readonly<Record<string, () => fc.Arbitrary<string>>> = {
  uri: () => fc.webUrl({ validSchemes: ['https', 'http'] }),
  'uri-reference': () => fc.oneof(fc.webUrl(), fc.webPath()),
  'date-time': () =>
    fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString()),
  email: () => fc.emailAddress(),
  uuid: () => fc.uuid(),
};

function textOf({ pattern, format, minLength = 0, maxLength = 4096 }: Schema): fc.Arbitrary<string> {
  const fits = (text: string) => {
    const length = [...text].length;
    return length >= minLength && length <= maxLength;
  };
  if (pattern !== undefined && pattern !== everyText) return fc.stringMatching(new RegExp(pattern, 'u')).filter(fits);
  const known = format === undefined ? undefined : formats[format];
  if (known) return known().filter(fits);
  const ordinary = anyText({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 40)) });
  const longest = ['a', 'é', '漢', '😀']
    .map((character) => character.repeat(maxLength))
    .filter((text) => Buffer.byteLength(text) <= longestText);
  return longest.length === 0 ? ordinary : fc.oneof({ weight: 7, arbitrary: ordinary }, fc.constantFrom(...longest));
}

function listOf(schema: Schema, resolve: Resolve): fc.Arbitrary<unknown[]> {
  const { items = {}, minItems = 0, maxItems = 5, uniqueItems } = schema;
  const item = validOf(items, resolve);
  const list = (minLength: number, maxLength: number) =>
    uniqueItems
      ? fc.uniqueArray(item, {
          minLength,
          maxLength: Math.min(maxLength, choices(resolve(items))),
          selector: JSON.stringify,
        })
      : fc.array(item, { minLength, maxLength });
  const few = list(minItems, Math.max(minItems, Math.min(maxItems, 4)));
  if (maxItems > longestList || uniqueItems) return few;
  return fc.oneof({ weight: 9, arbitrary: few }, list(maxItems, maxItems));
}

/** How many different values there are. */
function choices({ enum: values, const: only }: Schema): number {
  return only === undefined ? (values?.length ?? Number.POSITIVE_INFINITY) : 1;
}

function objectOf(schema: Schema, resolve: Resolve): fc.Arbitrary<Record<string, unknown>> {
  const { properties = {}, required = [], additionalProperties = true } = schema;
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema;
  const members = Object.fromEntries(Object.entries(properties).map(([name, of]) => [name, validOf(of, resolve)]));
  const known = fc
    .record(members, { requiredKeys: [...required] })
    .map((one) => Object.fromEntries(Object.entries(one).slice(0, maxProperties)) as Record<string, unknown>)
    .filter((one) => Object.keys(one).length >= minProperties);
  if (additionalProperties === false) return known;
  const value = additionalProperties === true ? fc.jsonValue({ maxDepth: 2 }) : validOf(additionalProperties, resolve);
  const others = fc.dictionary(unknownName(Object.keys(properties)), value.filter(isStorable), { maxKeys: 2 });
  return fc.tuple(known, others).map(([one, other]) => ({ ...other, ...one }));
}

/** Names that are none of the known ones; among them those of JavaScript's own members. */
export function unknownName(known: readonly string[]): fc.Arbitrary<string> {
  const generated = fc.stringMatching(/^[a-zA-Z][\w.-]{0,20}$/u);
  return fc
    .oneof(generated, fc.constantFrom('constructor', 'toString', 'hasOwnProperty', 'is_admin', 'x-漢'))
    .filter((name) => !known.includes(name) && name !== '__proto__');
}

/** Free of what the codecs refuse wherever it stands: control characters, lone surrogates, `__proto__`. */
function isStorable(value: unknown): boolean {
  const text = JSON.stringify(value) ?? '';
  return !/\\u(?:00[01]|d[89a-f]|fff[ef])|\\[bf]|[\ufffe\uffff]|"__proto__"/i.test(text);
}
