/**
 * Attributes that standard claims may be made from: what is a text, and what no scope tells by itself. Another name
 * cannot be mapped: a client would learn the e-mail address, the identifier or the roles without the scope for it.
 */

import type { StoreVerbs } from '../../store/store.ts';
import type { TokenUser } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { customPrefix, detailedTexts, isBuiltIn } from './attributes.ts';

const ownTexts = {
  firstname: ({ firstname }) => firstname,
  lastname: ({ lastname }) => lastname,
} as const satisfies Readonly<Record<string, (user: TokenUser) => string | null>>;

const builtInTexts: readonly string[] = [...Object.keys(ownTexts), ...Object.keys(detailedTexts)];

/** Their names in an account now; a custom attribute with the name of a built-in one has its prefix. */
export async function textAttributes(
  { attributes }: Pick<StoreVerbs, 'attributes'>,
  account: Pick<Account, 'id'>,
): Promise<ReadonlySet<string>> {
  const custom = (await attributes.list(account.id)).map(({ shortname }) => shortname);
  const bare = custom.filter((shortname) => !isBuiltIn(shortname));
  return new Set([...builtInTexts, ...bare, ...custom.map((shortname) => customPrefix + shortname)]);
}

/** Throws `value_invalid`, naming the setting, for a name that is not one of them. */
export async function requireTexts(
  store: Pick<StoreVerbs, 'attributes'>,
  account: Pick<Account, 'id'>,
  names: Iterable<string>,
): Promise<void> {
  const known = await textAttributes(store, account);
  for (const name of names) {
    if (known.has(name)) continue;
    const message = `${name} cannot be mapped: it must be a custom attribute, or one of ${builtInTexts.join(', ')}`;
    throw new Failure('value_invalid', { name: 'claims_mapping', message });
  }
}

/** A user's values of these; one that does not exist, or is not set, is not in the answer. */
export async function readTexts(
  store: Pick<StoreVerbs, 'users' | 'attributes'>,
  user: TokenUser,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const values = new Map<string, string | null>(Object.entries(ownTexts).map(([name, read]) => [name, read(user)]));
  if (names.some((name) => Object.hasOwn(detailedTexts, name))) {
    const full = await store.users.findDetailed(user.accountId, user.id);
    if (full) for (const [name, read] of Object.entries(detailedTexts)) values.set(name, read(full));
  }
  if (names.some((name) => !builtInTexts.includes(name))) {
    for (const [shortname, value] of await customTexts(store, user)) {
      values.set(customPrefix + shortname, value);
      if (!isBuiltIn(shortname)) values.set(shortname, value);
    }
  }
  const set = names.map((name) => [name, values.get(name) ?? null] as const);
  return new Map(set.filter((pair): pair is readonly [string, string] => pair[1] !== null));
}

async function customTexts(
  { attributes }: Pick<StoreVerbs, 'attributes'>,
  user: TokenUser,
): Promise<readonly (readonly [shortname: string, value: string])[]> {
  const defined = await attributes.list(user.accountId);
  const names = new Map(defined.map(({ id, shortname }) => [id, shortname]));
  const given = defined.length > 0 ? await attributes.valuesOf(user.accountId, [user.id]) : [];
  return given.flatMap(({ attributeId, value }) => {
    const shortname = names.get(attributeId);
    return shortname === undefined ? [] : [[shortname, value] as const];
  });
}
