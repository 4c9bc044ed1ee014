/** What `doctor` says about searching users for a part of a text. */

import type { Store } from '../store/store.ts';
import { type Finding, off, ok } from './finding.ts';

export async function examineSearch(store: Pick<Store, 'findSearchStanding'>): Promise<Finding> {
  const { state } = await store.findSearchStanding();
  switch (state) {
    case 'ready':
      return ok('search', 'any part of the texts of users is found by an index');
    case 'building':
      return ok('search', 'the index of the texts of users is being made; those who are not in it are read one by one');
    case 'unneeded':
      return ok('search', 'there are few users, and they are read one by one');
    case 'missing':
      return off(
        'search',
        'no index of the texts of users yet: lists with * in front of a text read all users of an account',
        'docs/operations.md, "Searching users"',
      );
  }
}
