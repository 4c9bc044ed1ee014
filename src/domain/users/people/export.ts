/** Users as the lines of a file, which an import takes. Passwords are not among them. */

import type { Services } from '../../../services.ts';
import type { Account } from '../../accounts/account.ts';
import type { FullUser } from '../full-user.ts';
import { isEmailVerified } from '../names.ts';
import { userStatusNames } from '../user-status.ts';
import { listUsersFrom } from '../users-in-order.ts';
import { shownTexts } from './person.ts';

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
  const nameOf = async (id: number) => {
    const name = names.has(id) ? names.get(id) : ((await services.store.roles.find(account.id, id))?.name ?? null);
    names.set(id, name ?? null);
    return name ?? [];
  };
  for await (const users of parts) {
    const people: ShownPerson[] = [];
    for (const user of users) {
      const roles = (await Promise.all(user.roleIds.map(nameOf))).flat();
      people.push({
        texts: textsOf(user),
        emailVerified: isEmailVerified(user),
        status: userStatusNames[user.status],
        roles,
        attributes: user.customAttributes,
      });
    }
    yield people;
  }
}

function textsOf(user: FullUser): ShownPerson['texts'] {
  const texts = Object.entries(shownTexts).map(([name, member]) => [name, user[member]]);
  return Object.fromEntries(texts) as ShownPerson['texts'];
}
