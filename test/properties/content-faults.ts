/** One thing wrong with what a request carries. */

import fc from 'fast-check';
import { typesOf } from './arbitrary.ts';
import { type Breach, breachesOf } from './breaches.ts';
import { type Fault, type FaultArbitrary, type FaultKind, fault } from './fault.ts';
import type { Media, Operation, Schema } from './operations.ts';
import { form, json, xml } from './requests.ts';
import { badUtf8, controlText, loneSurrogate } from './text.ts';
import { xmlFaults } from './xml-faults.ts';

/** Parameters and members with their schemas, by place. */
interface Named {
  readonly place: NonNullable<Fault['place']>;
  readonly name: string;
  readonly schema: Schema;
  /** Written as text, so that every value of it is one. */
  readonly textual: boolean;
  readonly inXml?: boolean;
}

function namedOf({ parameters, media, resolve }: Operation): readonly Named[] {
  const places = { query: 'query', path: 'path', header: 'headers' } as const;
  const fromParameters = parameters.flatMap(({ in: where, name, schema }) =>
    where === 'cookie' ? [] : [{ place: places[where], name, schema, textual: true }],
  );
  const fromBodies = media.flatMap(({ type, schema }) =>
    Object.entries(schema.properties ?? {}).flatMap(([name, of]) => {
      const member = { place: 'body' as const, name, schema: resolve(of), textual: type === form };
      if (type !== xml) return [member];
      // What is read-only is not looked at, and null is nil.
      const types = [member.schema.type ?? []].flat().filter((one) => one !== 'null');
      return member.schema.readOnly
        ? []
        : [{ ...member, schema: { ...member.schema, type: types[0] ?? '' }, inXml: true }];
    }),
  );
  return [...fromParameters, ...fromBodies];
}

/** Values that break the contract's schemas, and malformed text. */
export function valueFaults(operation: Operation): FaultArbitrary[] {
  const named = namedOf(operation);
  const unfit = named.flatMap((one) =>
    breachesOf(one.schema, operation.resolve)
      .filter((breach) => isWritable(breach, one))
      .map(({ keyword, values }) => valueFault('unfit value', one, values, keyword)),
  );
  const texts = named.filter(
    ({ place, schema }) => typesOf(schema).includes('string') && (place === 'query' || place === 'body'),
  );
  const inJson = operation.media.some(({ type }) => type === json);
  const unnamed: Named = { place: 'query', name: 'unknown', schema: { type: 'string' }, textual: true };
  const several = [...named.filter(({ place }) => place === 'query' || place === 'body'), unnamed];
  return [
    ...oneOf(unfit),
    ...oneOf(several.map((one) => valueFault('given twice', one, fc.constantFrom('', 'other')))),
    ...oneOf([...texts, unnamed].map((one) => valueFault('control character', one, controlText))),
    ...oneOf([...texts, unnamed].map((one) => valueFault('bad UTF-8', one, badUtf8))),
    ...(inJson
      ? oneOf(texts.map((one) => valueFault('lone surrogate', { ...one, place: 'body' }, loneSurrogate)))
      : []),
  ];
}

function valueFault(
  kind: FaultKind,
  { place, name }: Named,
  value: fc.Arbitrary<unknown>,
  keyword = '',
): FaultArbitrary {
  return fault(kind, { place: fc.constant(place), name: fc.constant(name), value, keyword: fc.constant(keyword) });
}

function oneOf(faults: readonly FaultArbitrary[]): FaultArbitrary[] {
  return faults.length === 0 ? [] : [fc.oneof(...faults)];
}

/** In a URL or a form nothing has a type to get wrong, and a list no end; in XML a number or a list has none. */
function isWritable({ keyword }: Breach, { textual, inXml, schema }: Named): boolean {
  if (inXml) return keyword !== 'type';
  if (!textual) return true;
  // A parameter without a value counts as left out.
  if (schema.type === 'string') return keyword !== 'type' && !(keyword === 'minLength' && schema.minLength === 1);
  return schema.type === 'integer' && (keyword === 'minimum' || keyword === 'maximum');
}

/** Faults of the body as a whole. */
export function bodyFaults(operation: Operation): FaultArbitrary[] {
  const { media, method } = operation;
  // RFC 9110 §9.3.1; with DELETE one is not looked at.
  if (media.length === 0) return method === 'GET' ? [fault('body where none is taken')] : [];
  const types = media.map(({ type }) => type);
  const others = [
    'text/plain',
    'application/xml',
    'multipart/form-data; boundary=x',
    'application/json-seq',
    form,
    json,
  ];
  return [
    fault('oversized body'),
    fault('wrong media type', { value: fc.constantFrom(...others.filter((type) => !types.includes(type))) }),
    fault('no media type'),
    fault('wrong charset', { value: fc.constantFrom('latin-x', 'windows-1252', 'utf-7') }),
    fault('compressed body', { value: fc.constantFrom('gzip', 'deflate', 'br', 'unknown') }),
    ...(needsBody(operation) ? [fault('empty body'), fault('no body')] : []),
    ...media.flatMap((one) => {
      if (one.type === xml) return xmlFaults();
      return one.type === json ? jsonFaults(one, operation) : [fault('too many members')];
    }),
  ];
}

/** Management reads what is missing as an object without members. */
function needsBody({ surface, bodyRequired, media }: Operation): boolean {
  const demands = media.some(({ schema }) => schema.required?.length || typesOf(schema).includes('array'));
  return bodyRequired && (surface !== 'api-2' || demands);
}

function jsonFaults({ schema }: Media, { resolve }: Operation): FaultArbitrary[] {
  const malformed = [
    '{',
    '{"a":1,}',
    '{"a" 1}',
    "{'a':1}",
    '{"a":1}}',
    'undefined',
    '\u0000',
    '{"a":"\n"}',
    '{"a":NaN}',
  ];
  const whole = breachesOf(schema, resolve).filter(({ keyword }) => !keyword.startsWith('properties '));
  return [
    fault('__proto__', { value: fc.constantFrom({ is_admin: true }, null, 'text') }),
    fault('nested too deep', { value: fc.integer({ min: 33, max: 2000 }) }),
    fault('malformed body', { value: fc.constantFrom(...malformed) }),
    ...whole.map(({ values, keyword }) => fault('unfit body', { value: values, keyword: fc.constant(keyword) })),
  ];
}
