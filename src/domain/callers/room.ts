/** How many API credentials, and how many API keys, an account may have. */

import { Failure } from '../failure.ts';
import type { ListQuery } from '../listing.ts';

/** Each has limits of its own, and whoever has one with `manage_all` may make others. */
const mostCallers = 1_000;

const things = { credential: 'credentials', api_key: 'API keys' } as const;

/** A page that says how many there are. */
export const firstOnly: ListQuery = {
  sort: { field: 'id', descending: false },
  filters: [],
  limit: 1,
  at: { page: 1 },
};

/** Throws `value_invalid` if the one that was just made is one too many. */
export function requireRoom(name: keyof typeof things, total: number | null): void {
  if (total === null || total <= mostCallers) return;
  const message = `${name} cannot be added: the account has ${mostCallers} ${things[name]} already`;
  throw new Failure('value_invalid', { name, message });
}
