/** What `doctor` says about searching users for a part of a text. */

import type { SearchLack } from '../store/search.ts';
import type { Store } from '../store/store.ts';
import { type Finding, off, ok } from './finding.ts';

const lacks: Readonly<Record<SearchLack, string>> = {
  extension: 'PostgreSQL has no extension pg_trgm (in some distributions it is in the package postgresql-contrib)',
  right_to_create_extension: 'the role of DATABASE_URL may not create the extension pg_trgm',
  direct_connection: 'servers cannot make it through a pooler in transaction mode; make it by hand',
};

export async function examineSearch(store: Pick<Store, 'findSearchStanding'>): Promise<Finding> {
  const { state, lack } = await store.findSearchStanding();
  switch (state) {
    case 'ready':
      return ok('search', 'parts of three or more characters of the texts of users are found by an index');
    case 'building':
      return ok('search', 'the index of the texts of users is being made; those who are not in it are read one by one');
    case 'unneeded':
      return ok('search', 'there are few users, and they are read one by one');
    case 'missing':
      return off(
        'search',
        `no index of the texts of users: lists with * in front of a text read all users of an account; ${lack ? lacks[lack] : 'servers make it while they run, and log what PostgreSQL refuses'}`,
        'docs/operations.md, "Searching users"',
      );
  }
}
