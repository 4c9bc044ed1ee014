/** Users as the lines of a file, which an import takes. Passwords are not among them. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Services } from '../../../services.ts';
import type { Account } from '../../accounts/account.ts';
import { partsOf } from '../../parts.ts';
import type { FullUser } from '../full-user.ts';
import { isEmailVerified } from '../names.ts';
import { userStatusNames } from '../user-status.ts';
import { listUsersFrom } from '../users-in-order.ts';
import { shownTexts } from './person.ts';

/** Users, roles and attributes that are written together: a user may have thousands of roles with long names. */
const mostAtOnce = 1_000;

export interface ShownPerson {
  /** By their names in a file. */
  readonly texts: Readonly<Record<keyof typeof shownTexts, string | null>>;
  readonly emailVerified: boolean;
  readonly status: string;
  readonly roles: readonly string[];
  readonly attributes: Readonly<Record<string, string | null>>;
}

interface PeopleInOrder {
  readonly parts: AsyncGenerator<readonly ShownPerson[], void, undefined>;
  /** As of `listUsersFrom`. */
  readonly lost: AbortSignal;
}

/**
 * All users by ascending id, a few at a time. The trail says that they were read; `counted` is told before the first of
 * them how many there are.
 */
export function exportPeople(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  counted?: (count: number) => void,
): PeopleInOrder {
  const { parts, lost } = listUsersFrom(services, account, { counted });
  return { parts: shownOf(services, account, parts), lost };
}

async function* shownOf(
  services: Pick<Services, 'store'>,
  account: Account,
  parts: AsyncIterable<readonly FullUser[]>,
): AsyncGenerator<readonly ShownPerson[], void, undefined> {
  const names = new Map<number, string | null>();
  for await (const users of parts) {
    for (const some of partsOf(users, mostAtOnce, sizeOf)) {
      await findNames(services, account, some, names);
      yield some.map((user) => shown(user, names));
      await nextTurn();
    }
  }
}

function sizeOf({ roleIds, customAttributes }: FullUser): number {
  return 1 + roleIds.length + Object.keys(customAttributes).length;
}

/** Adds the names of the users' roles; of a role that was deleted meanwhile null. */
async function findNames(
  { store }: Pick<Services, 'store'>,
  { id: accountId }: Account,
  users: readonly FullUser[],
  names: Map<number, string | null>,
): Promise<void> {
  const ids = new Set(users.flatMap(({ roleIds }) => roleIds.filter((id) => !names.has(id))));
  const found = await store.roles.namesOf(accountId, [...ids]);
  for (const id of ids) names.set(id, found.get(id) ?? null);
}

function shown(user: FullUser, names: ReadonlyMap<number, string | null>): ShownPerson {
  return {
    texts: textsOf(user),
    emailVerified: isEmailVerified(user),
    status: userStatusNames[user.status],
    roles: user.roleIds.flatMap((id) => names.get(id) ?? []),
    attributes: user.customAttributes,
  };
}

function textsOf(user: FullUser): ShownPerson['texts'] {
  const texts = Object.entries(shownTexts).map(([name, member]) => [name, user[member]]);
  return Object.fromEntries(texts) as ShownPerson['texts'];
}
