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

/** All users by ascending id, a few at a time. The trail says that they were read. */
export async function* exportPeople(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
): AsyncGenerator<readonly ShownPerson[], void, undefined> {
  const names = new Map<number, string | null>();
  const nameOf = async (id: number) => {
    const name = names.has(id) ? names.get(id) : ((await services.store.roles.find(account.id, id))?.name ?? null);
    names.set(id, name ?? null);
    return name ?? [];
  };
  for await (const users of listUsersFrom(services, account, {}).parts) {
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
