/** Reads the parameters of a list: page, order, filters and members. */

import { listed } from '../domain/describe.ts';
import { Failure } from '../domain/failure.ts';
import { type ListFilter, type ListQuery, matching } from '../domain/listing.ts';
import type { CursorContent } from './cursor.ts';
import { isIntegerText } from './integer-text.ts';
import type { ListRules } from './list-contract.ts';

/** A requested list, by parameters or by a cursor made from parameters. */
export interface ListRequest {
  readonly query: ListQuery;
  /** As in `sort`, always including the field. */
  readonly sort: string;
  /** The filters as sent. */
  readonly filters: Readonly<Record<string, string>>;
  readonly fields: string | null;
}

type Parameters = Readonly<Record<string, unknown>>;

const pagingNames: readonly string[] = ['limit', 'page', 'cursor', 'sort', 'fields'];
const mostFilterBytes = 1000;
const largestInteger = 2 ** 31 - 1;

export function refused(name: string, message: string): Failure {
  return new Failure('request_invalid', { name, message: `${name} ${message}` });
}

/** `sent`: the name as sent, of any length. */
export function unknownParameter(rules: ListRules, sent: string): Failure {
  const name = sent.slice(0, 100);
  const message = `unknown parameter: ${name}; known are ${listed([...pagingNames, ...filterNames(rules)])}`;
  return new Failure('request_invalid', { name, message });
}

/** A name of `special` that ends in an asterisk stands for all that begin with the rest. */
function filterNames({ exact = {}, match = [], range = [], special = [] }: ListRules): string[] {
  const bounds = range.flatMap((one) => [`${one}_since`, `${one}_until`]);
  return [...match, ...Object.keys(exact), ...bounds, ...special];
}

function isSpecial({ special = [] }: ListRules, name: string): boolean {
  return special.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name));
}

/**
 * The filters among the parameters, sorted by name. Throws `request_invalid` for an unknown one if the list is strict.
 */
function filtersOf(rules: ListRules, parameters: Parameters): Record<string, string> {
  const filters: Record<string, string> = {};
  const names = filterNames(rules);
  for (const name of Object.keys(parameters).sort()) {
    if (names.includes(name) || isSpecial(rules, name)) filters[name] = String(parameters[name]);
    else if (rules.strict && !pagingNames.includes(name)) throw unknownParameter(rules, name);
  }
  if (Buffer.byteLength(JSON.stringify(filters)) > mostFilterBytes + 200) {
    throw new Failure('request_invalid', { message: `the filters have more than ${mostFilterBytes} bytes` });
  }
  return filters;
}

function readInteger(name: string, text: string): number {
  const value = isIntegerText(text) ? Number(text) : Number.NaN;
  if (!(value >= 0 && value <= largestInteger)) throw refused(name, 'must be an integer from 0 to 2147483647');
  return value;
}

/** ISO 8601: a date, or a date and a time with its zone (default UTC). */
export function readTime(name: string, text: string): number {
  // A `+` that was not percent-encoded arrives as a space.
  const iso = text.replace(' ', '+');
  const [, date, time, zone] =
    /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/.exec(iso) ?? [];
  const value =
    date === undefined ? Number.NaN : Date.parse(time === undefined ? date : `${date}T${time}${zone ?? 'Z'}`);
  if (Number.isNaN(value)) throw refused(name, 'must be a time in ISO 8601');
  return value;
}

function filterOf(rules: ListRules, name: string, text: string): ListFilter | null {
  if (isSpecial(rules, name)) return null;
  if (rules.match?.includes(name)) return matching(name, text);
  const known = rules.closed.get(name);
  if (known && !known.includes(text)) throw refused(name, `must be one of ${listed(known)}`);
  const kind = rules.exact?.[name];
  if (kind) return { field: name, test: 'is', values: [kind === 'integer' ? readInteger(name, text) : text] };
  const bound = name.replace(/_(since|until)$/, '');
  const field = rules.sort.includes(`${bound}_at`) ? `${bound}_at` : bound;
  return { field, test: name.endsWith('_since') ? 'from' : 'to', values: [readTime(name, text)] };
}

function readSort(rules: ListRules, sort: unknown, filters: readonly ListFilter[]): string {
  if (sort === undefined) {
    // The index for texts with this prefix has them in this order.
    const begun = filters.find(({ field, test }) => test === 'begins' && rules.sort.includes(field));
    return begun?.field ?? rules.order;
  }
  // A `+` that was not percent-encoded arrives as a space.
  const text = String(sort).replace(/^[+ ]/, '');
  if (!rules.sort.includes(text.replace(/^-/, ''))) {
    const names = rules.sort.length > 1 ? `one of ${rules.sort.join(', ')}` : rules.sort.join();
    throw refused('sort', `must be ${names}, with - before it for descending`);
  }
  return text;
}

function readFields(rules: ListRules, fields: unknown): string | null {
  if (fields === undefined) return null;
  for (const name of String(fields).split(',')) {
    if (!rules.members.has(name))
      throw refused('fields', `must name members of the listed items, separated by commas: ${listed(rules.members)}`);
  }
  return String(fields);
}

function requestOf(
  rules: ListRules,
  filters: Readonly<Record<string, string>>,
  given: { sort: unknown; fields: unknown; limit: number; at: ListQuery['at'] },
): ListRequest {
  const tests = Object.entries(filters)
    .map(([name, text]) => filterOf(rules, name, text))
    .filter((one) => one !== null);
  const sort = readSort(rules, given.sort, tests);
  const order = { field: sort.replace(/^-/, ''), descending: sort.startsWith('-') };
  const query = { sort: order, filters: tests, limit: given.limit, at: given.at };
  return { query, sort, filters, fields: readFields(rules, given.fields) };
}

/** The list that a cursor continues; throws `request_invalid` for parameters that must not accompany one. */
function continued(rules: ListRules, parameters: Parameters, cursor: CursorContent): ListRequest {
  for (const name of ['page', 'sort']) {
    if (parameters[name] !== undefined) throw refused(name, 'must not be combined with cursor');
  }
  for (const [name, text] of Object.entries(filtersOf(rules, parameters))) {
    if (cursor.filters[name] !== text) throw refused(name, 'does not match the cursor');
  }
  const { direction, position, limit, sort, fields } = cursor;
  const at = direction === 'after' ? { after: position } : { before: position };
  return requestOf(rules, cursor.filters, { sort, fields: fields ?? undefined, limit, at });
}

/**
 * The list that validated parameters request; `cursor` is the content of the cursor, if there is one. Throws
 * `request_invalid`.
 */
export function readListRequest(rules: ListRules, parameters: Parameters, cursor: CursorContent | null): ListRequest {
  if (cursor) return continued(rules, parameters, cursor);
  const { page = 1, limit = rules.defaultLimit, sort, fields } = parameters;
  const at = { page: Number(page) };
  return requestOf(rules, filtersOf(rules, parameters), { sort, fields, limit: Number(limit), at });
}
