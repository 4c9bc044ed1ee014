/** Requests of an operation, made by its contract alone: what is sent for the live values is filled in later. */

import fc from 'fast-check';
import { typesOf, unknownName, validOf } from './arbitrary.ts';
import type { Media, Operation, Parameter, Resolve } from './operations.ts';
import { anyText } from './text.ts';

export const form = 'application/x-www-form-urlencoded';
export const json = 'application/json';
export const xml = 'application/xml';

/** Names with values, in order; a name can occur twice. */
export type Pairs = readonly (readonly [name: string, value: string])[];
export type Members = Readonly<Record<string, unknown>>;

/** A request as it could be sent, before the values that must be live are put in. */
export interface Plan {
  readonly operation: Operation;
  readonly freedom: Freedom;
  /** Which of the operation's ways to be let in. */
  readonly scheme: Operation['security'][number];
  readonly method: string;
  /** A slash at the end of the path, which is accepted. */
  readonly slash: boolean;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Pairs;
  readonly headers: Pairs;
  readonly mediaType: string | null;
  /** Null where the operation takes no body; without members where it takes a list. */
  readonly body: Members | null;
  /** The body of an operation that takes a list. */
  readonly items: readonly unknown[] | null;
  /** Chooses among live values that would all do. */
  readonly pick: number;
}

/**
 * How freely a request is made. `example`: a whole example of the contract with more examples of members beside it.
 * `mixed`: the same with up to two values replaced by others that fit, and unknown members. `free`: any values that
 * fit.
 */
export type Freedom = 'example' | 'mixed' | 'free';

/** Every request of the operation that fits the contract. */
export function validPlans(operation: Operation): fc.Arbitrary<Plan> {
  return fc.oneof(
    { weight: 5, arbitrary: plansOf(operation, 'example') },
    { weight: 3, arbitrary: plansOf(operation, 'mixed') },
    { weight: 2, arbitrary: plansOf(operation, 'free') },
  );
}

const examples = new WeakMap<Operation, readonly Plan[]>();

/** A hundred examples of the operation, made by the process's one seed, when they are asked for: few need them all. */
export function* examplesOf(operation: Operation, seed: number): Generator<Plan> {
  let told = 0;
  for (const numRuns of [4, 20, 100]) {
    let plans = examples.get(operation) ?? [];
    // The first ones are the same, however many are made.
    if (plans.length < numRuns) plans = fc.sample(plansOf(operation, 'example'), { numRuns, seed });
    examples.set(operation, plans);
    yield* plans.slice(told);
    told = plans.length;
  }
}

export function plansOf(operation: Operation, freedom: Freedom): fc.Arbitrary<Plan> {
  const methods = operation.method === 'GET' && freedom !== 'example' ? ['GET', 'GET', 'HEAD'] : [operation.method];
  const plan = fc.record({
    scheme: fc.constantFrom(...schemesOf(operation)),
    method: fc.constantFrom(...methods),
    slash: fc.constantFrom(false, false, false, freedom !== 'example'),
    path: parametersOf(operation, 'path', freedom).map((pairs) => Object.fromEntries(pairs)),
    query: parametersOf(operation, 'query', freedom),
    headers: parametersOf(operation, 'header', freedom),
    content: bodyOf(operation, freedom),
    pick: fc.nat(1000),
  });
  return plan.map(({ content: [mediaType, content], ...rest }) => {
    const [body, items] = Array.isArray(content) ? [{}, content] : [content as Members | null, null];
    return { operation, freedom, ...rest, mediaType, body, items };
  });
}

/** A caller is left out only where the request itself can say who asks (client authentication in the form). */
function schemesOf({ security, media }: Operation): Operation['security'] {
  const bearers = security.filter((scheme) => scheme !== null && scheme.scopes.length > 0);
  if (bearers.length > 0) return bearers;
  return media.length > 0 ? security : security.slice(0, 1);
}

function parametersOf({ parameters, resolve }: Operation, place: string, freedom: Freedom): fc.Arbitrary<Pairs> {
  const here = parameters.filter((parameter) => parameter.in === place);
  const known = valuesOf(here, freedom, resolve);
  const pairs = known.map((members) => Object.entries(members).map(([name, value]) => [name, String(value)] as const));
  if (place !== 'query' || freedom === 'example') return pairs;
  return fc.tuple(pairs, unknownPairs(here.map(({ name }) => name))).map(([some, more]) => [...some, ...more]);
}

type Named = Pick<Parameter, 'name' | 'required' | 'schema' | 'examples'>;

/** Any of the named values that may be left out, and all that may not. */
function valuesOf(named: readonly Named[], freedom: Freedom, resolve: Resolve): fc.Arbitrary<Members> {
  const generated = named.map(({ name, schema }) => [name, validOf(schema, resolve)] as const);
  const examples = named.map(({ name, schema, examples: some }, index) => {
    const all = [...new Set([...some, ...(resolve(schema).examples ?? [])])];
    return [name, all.length > 0 ? fc.constantFrom(...all) : (generated[index]?.[1] ?? fc.constant(''))] as const;
  });
  const needed = named.flatMap(({ name, required }) => (required ? [name] : []));
  const optional = named.flatMap(({ name, required }) => (required ? [] : [name]));
  const all = fc.record<Record<string, unknown>>(Object.fromEntries(freedom === 'free' ? generated : examples));
  const some = fc.tuple(all, fc.subarray(optional)).map(([values, chosen]) => {
    const kept = new Set([...needed, ...chosen]);
    return defineAll(Object.entries(values).filter(([name]) => kept.has(name)));
  });
  if (freedom !== 'mixed' || named.length === 0) return some;
  const other = fc.array(fc.oneof(...generated.map(([name, value]) => fc.tuple(fc.constant(name), value))), {
    maxLength: 2,
  });
  return fc.tuple(some, other).map(([values, replaced]) => ({ ...values, ...defineAll(replaced) }));
}

/** Members that no contract knows; forms may even carry the names of JavaScript's own. */
function unknownPairs(known: readonly string[]): fc.Arbitrary<Pairs> {
  const name = fc.oneof({ weight: 4, arbitrary: unknownName(known) }, fc.constant('__proto__'));
  const pair = fc.tuple(name, anyText({ minLength: 0, maxLength: 20 }));
  return fc.uniqueArray(pair, { maxLength: 2, selector: ([one]) => one });
}

type Content = Members | readonly unknown[] | null;

function bodyOf(operation: Operation, freedom: Freedom): fc.Arbitrary<readonly [string | null, Content]> {
  const { media, resolve } = operation;
  if (media.length === 0) return fc.constant([null, null]);
  return fc.oneof(
    ...media.map((one) => {
      const isList = typesOf(one.schema).includes('array');
      const content = isList ? validOf(one.schema, resolve) : membersOf(one, freedom, resolve);
      return content.map((value) => [one.type, value as Content] as const);
    }),
  );
}

function membersOf({ type, schema, examples }: Media, freedom: Freedom, resolve: Resolve): fc.Arbitrary<Members> {
  const { properties = {}, required = [] } = schema;
  const named = Object.entries(properties).map(([name, of]) => ({
    name,
    required: required.includes(name),
    schema: resolve(of),
    examples: [],
  }));
  const base = examples.length === 0 || freedom === 'free' ? fc.constant({}) : fc.constantFrom(...examples);
  const closed = freedom === 'example' || type === xml || schema.additionalProperties === false;
  const others = closed ? fc.constant<Pairs>([]) : unknownPairs(Object.keys(properties));
  const known = valuesOf(named, freedom, resolve);
  return fc.tuple(known, base as fc.Arbitrary<Members>, others).map(([some, whole, more]) => {
    // JSON cannot say `__proto__` without being refused.
    const unknown = more.filter(([name]) => type === form || name !== '__proto__');
    const merged = freedom === 'mixed' ? { ...whole, ...some } : { ...some, ...whole };
    return defineAll([...unknown, ...Object.entries(merged)]);
  });
}

/** An object with these members of its own, `__proto__` too. */
export function defineAll(entries: readonly (readonly [string, unknown])[]): Members {
  const object: Record<string, unknown> = {};
  for (const [name, value] of entries) {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return object;
}
