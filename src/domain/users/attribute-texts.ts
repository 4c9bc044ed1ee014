/**
 * Attributes that standard claims may be made from: what is a text, and what no scope tells by itself. Another name
 * cannot be mapped: a client would learn the e-mail address, the identifier or the roles without the scope for it.
 */

import type { StoreVerbs } from '../../store/store.ts';
import type { TokenUser } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { claimableAttributes, detailedTexts, isBuiltIn, readAttributes } from './attributes.ts';

const builtInTexts: readonly string[] = ['firstname', 'lastname', ...Object.keys(detailedTexts)];

/** Their names in an account now; a custom attribute with the name of a built-in one has its prefix. */
export async function textAttributes(
  store: Pick<StoreVerbs, 'attributes'>,
  account: Pick<Account, 'id'>,
): Promise<ReadonlySet<string>> {
  const all = await claimableAttributes(store, account);
  return new Set([...all].filter((name) => builtInTexts.includes(name) || !isBuiltIn(name)));
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
  store: Pick<StoreVerbs, 'users' | 'roles' | 'attributes'>,
  user: TokenUser,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const values = await readAttributes(store, user, new Set(names));
  return new Map(
    names.flatMap((name) => {
      const value = values[name];
      return typeof value === 'string' ? [[name, value] as const] : [];
    }),
  );
}
