/** The filters of the list of users that do not just compare a member. */

import { type ListFilter, type ListQuery, matching } from '../../domain/listing.ts';
import type { AttributeFilter } from '../../domain/users/full-user.ts';
import { foldIdentifier } from '../../domain/users/identifiers.ts';
import { readIds } from './ids.ts';

const attributePrefix = 'custom_attributes.';

/** Fields of `UserStore.page` by parameter. */
const idFilters: Readonly<Record<string, string>> = { user_ids: 'id', role_ids: 'role', app_id: 'app' };
const directories: readonly string[] = ['directory_id', 'samaccountname', 'member_of'];
/** Matches no user. */
const nobody: ListFilter = { field: 'id', test: 'is', values: [0] };

/** Names are compared folded, as they are unique; a name that cannot be folded matches nobody. */
function folded(filter: ListFilter): ListFilter {
  if (filter.field !== 'email' && filter.field !== 'username') return filter;
  const text = String(filter.values[0]);
  const key = text === '' ? text : foldIdentifier(text);
  return key === null ? nobody : { ...filter, values: [key] };
}

/** The query for `UserStore.page`. Throws `request_invalid`. */
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
