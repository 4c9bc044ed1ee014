/** The filters of the list of users that are more than the value of a member. */

import { Failure } from '../../domain/failure.ts';
import { type ListFilter, type ListQuery, matching } from '../../domain/listing.ts';
import type { AttributeFilter } from '../../domain/users/full-user.ts';
import { foldIdentifier } from '../../domain/users/identifiers.ts';

const mostIds = 100;
const largestId = 2 ** 31 - 1;
const attributePrefix = 'custom_attributes.';

/** Ids separated by commas. Throws `request_invalid`. */
function readIds(name: string, text: string): number[] {
  const parts = text.split(',');
  const ids = parts.map((part) => (/^\d{1,10}$/.test(part) ? Number(part) : Number.NaN));
  if (parts.length > mostIds || !ids.every((id) => id >= 1 && id <= largestId)) {
    throw new Failure('request_invalid', { name, message: `${name} must be up to ${mostIds} ids separated by commas` });
  }
  return ids;
}

/** Fields of `UserStore.page` by parameter. */
const idFilters: Readonly<Record<string, string>> = { user_ids: 'id', role_ids: 'role', app_id: 'app' };
const directories: readonly string[] = ['directory_id', 'samaccountname', 'member_of'];
/** No user has it. */
const nobody: ListFilter = { field: 'id', test: 'is', values: [0] };

/** Names compare folded, as they are unique; what cannot be folded is nobody's. */
function folded(filter: ListFilter): ListFilter {
  if (filter.field !== 'email' && filter.field !== 'username') return filter;
  const text = String(filter.values[0]);
  const key = text === '' ? text : foldIdentifier(text);
  return key === null ? nobody : { ...filter, values: [key] };
}

/** What `UserStore.page` is to be asked for. Throws `request_invalid`. */
export function readUserFilters(
  query: ListQuery,
  sent: Readonly<Record<string, string>>,
): { readonly query: ListQuery; readonly attributes: readonly AttributeFilter[] } {
  const filters = query.filters.map(folded);
  const attributes: AttributeFilter[] = [];
  for (const [name, text] of Object.entries(sent)) {
    const field = Object.hasOwn(idFilters, name) ? idFilters[name] : undefined;
    if (field !== undefined) filters.push({ field, test: 'in', values: readIds(name, text) });
    if (directories.includes(name)) filters.push(nobody);
    if (name.startsWith(attributePrefix)) {
      attributes.push({ shortname: name.slice(attributePrefix.length), filter: matching('custom_attribute', text) });
    }
  }
  return { query: { ...query, filters }, attributes };
}
