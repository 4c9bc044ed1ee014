/** What the contracts ask of requests: the members that they require, and the values that a member may have. */

import type { Fault } from './fault.ts';
import type { Operation, Schema } from './operations.ts';
import { form, type Members, type Plan } from './requests.ts';

/** One thing that the contract asks of an operation's requests. */
export interface Demand {
  /** `email is required`, `grant_type is one of its values`. */
  readonly text: string;
  /** The fault that does not meet it, in this request; null where this request need not meet it. */
  faultIn(plan: Plan): Fault | null;
}

/** No contract has this value. */
const otherText = 'none-of-these';

/** `operation` as the contract is written. */
export function demandsOf({ parameters, media, resolve }: Operation): readonly Demand[] {
  const ofQuery = parameters.filter((one) => one.in === 'query');
  const [{ type, schema } = { type: '', schema: {} }] = media;
  return [
    ...ofQuery.filter(({ required }) => required).map(({ name }) => leftOut('query', [name])),
    ...ofQuery.flatMap(({ name, schema: of }) => valuesOf('query', [name], of, resolve)),
    ...membersOf(schema, [], type === form ? 1 : 3, resolve),
  ];
}

function membersOf(schema: Schema, path: readonly string[], depth: number, resolve: Operation['resolve']): Demand[] {
  const { required = [], properties = {} } = schema;
  return [
    ...required.map((name) => leftOut('body', [...path, name])),
    ...Object.entries(properties).flatMap(([name, of]) => {
      const inside = depth > 1 ? membersOf(resolve(of), [...path, name], depth - 1, resolve) : [];
      return [...valuesOf('body', [...path, name], of, resolve), ...inside];
    }),
  ];
}

function leftOut(place: 'query' | 'body', path: readonly string[]): Demand {
  return { text: `${path.join('.')} is required`, faultIn: (plan) => faultAt(plan, place, path, () => undefined) };
}

/** Values that are accepted and have no effect are no demand. */
function valuesOf(
  place: 'query' | 'body',
  path: readonly string[],
  written: Schema,
  resolve: Operation['resolve'],
): Demand[] {
  const schema = resolve(written);
  const { enum: values = schema.const === undefined ? undefined : [schema.const] } = schema;
  if (!values || schema.readOnly || isIgnored(written)) return [];
  const other = values.every((value) => typeof value === 'number') ? Math.max(...(values as number[])) + 1 : otherText;
  return [
    { text: `${path.join('.')} is one of its values`, faultIn: (plan) => faultAt(plan, place, path, () => other) },
  ];
}

function isIgnored(schema: Schema): boolean {
  return Object.values(schema['x-checked-later'] ?? {}).includes('ignored');
}

/** The request's value at the path changed; null where nothing is around it in this request. */
function faultAt(
  plan: Plan,
  place: 'query' | 'body',
  [name = '', ...rest]: readonly string[],
  change: () => unknown,
): Fault | null {
  const kind = 'demand unmet';
  if (rest.length === 0) return { kind, place, name, value: change(), pick: 0 };
  const value = changed(plan.body?.[name], rest, change());
  return value === undefined ? null : { kind, place, name, value, pick: 0 };
}

function changed(value: unknown, [name = '', ...rest]: readonly string[], to: unknown): Members | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { [name]: inside, ...others } = value as Members;
  const made = rest.length === 0 ? to : changed(inside, rest, to);
  if (made === undefined) return rest.length === 0 ? others : undefined;
  return { ...others, [name]: made };
}
