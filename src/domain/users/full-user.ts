/** Users with everything that the management API shows of them. */

import type { Services } from '../../services.ts';
import type { CustomAttributeRecord } from '../../store/attributes.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { DetailedUser } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import type { ListFilter, ListPage, ListQuery } from '../listing.ts';
import { mapPage } from '../listing.ts';

export interface FullUser extends DetailedUser {
  /** In order of assignment. */
  readonly roleIds: readonly number[];
  /** Every defined attribute by its short name; null where the user has no value. */
  readonly customAttributes: Readonly<Record<string, string | null>>;
}

type Verbs = Pick<StoreVerbs, 'users' | 'roles' | 'attributes'>;

/** What is read of users besides themselves; what is not is empty. */
type Completed = Readonly<Record<'roleIds' | 'customAttributes', boolean>>;

const everything: Completed = { roleIds: true, customAttributes: true };

/** Loads roles and attributes of all the users at once. */
async function completer(
  store: Verbs,
  accountId: number,
  users: readonly DetailedUser[],
  parts = everything,
): Promise<(user: DetailedUser) => FullUser> {
  const ids = users.map(({ id }) => id);
  const isAsked = (part: keyof Completed) => parts[part] && ids.length > 0;
  const attributes = isAsked('customAttributes') ? await store.attributes.list(accountId) : [];
  const roleIds = isAsked('roleIds') ? await store.roles.idsOfUsers(accountId, ids) : new Map<number, number[]>();
  const given = attributes.length > 0 ? await store.attributes.valuesOf(accountId, ids) : [];
  const values = new Map(given.map(({ userId, attributeId, value }) => [`${userId}/${attributeId}`, value]));
  const valueIn = (user: DetailedUser, { id }: CustomAttributeRecord) => values.get(`${user.id}/${id}`) ?? null;
  return (user) => ({
    ...user,
    roleIds: roleIds.get(user.id) ?? [],
    customAttributes: Object.fromEntries(attributes.map((one) => [one.shortname, valueIn(user, one)])),
  });
}

/** Throws `not_found` when there is no such user in the account. */
export async function readFullUser(store: Verbs, account: Pick<Account, 'id'>, userId: number): Promise<FullUser> {
  const user = await store.users.findDetailed(account.id, userId);
  if (!user) throw new Failure('not_found', { name: 'user', message: 'there is no such user' });
  return (await completer(store, account.id, [user]))(user);
}

/**
 * A page of users. For `query` see `UserStore.page`; attributes are not in it. Throws `request_invalid` for an unknown
 * one.
 */
export async function listFullUsers(
  { store }: Pick<Services, 'store'>,
  account: Pick<Account, 'id'>,
  query: ListQuery,
  attributeFilters: readonly AttributeFilter[] = [],
  parts = everything,
): Promise<ListPage<FullUser>> {
  // Items named by their ids are not filtered again.
  const asked = typeof query.part === 'object' ? [] : attributeFilters;
  const filters = [...query.filters, ...(await attributesOf(store, account, asked))];
  const page = await store.users.page(account.id, { ...query, filters });
  return mapPage(page, await completer(store, account.id, page.items, parts));
}

/** A filter on the custom attribute of this short name. */
export interface AttributeFilter {
  readonly shortname: string;
  readonly filter: Pick<ListFilter, 'test' | 'values'>;
}

async function attributesOf(
  store: Verbs,
  account: Pick<Account, 'id'>,
  filters: readonly AttributeFilter[],
): Promise<ListFilter[]> {
  if (filters.length === 0) return [];
  const attributes = await store.attributes.list(account.id);
  return filters.map(({ shortname, filter }) => {
    const attribute = attributes.find((one) => one.shortname === shortname);
    if (!attribute) {
      const name = `custom_attributes.${shortname}`;
      throw new Failure('request_invalid', { name, message: `${name} is not defined` });
    }
    return { ...filter, field: 'custom_attribute', of: attribute.id };
  });
}
