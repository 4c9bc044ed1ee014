/** Standard claims that an account makes from attributes of its users: its setting `claims_mapping`. */

import type { Services } from '../../services.ts';
import type { TokenUser } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { type ClaimsMapping, claimOf, type MappableName, mappableClaims } from '../accounts/claims-mapping.ts';
import { readTexts, textAttributes } from '../users/attribute-texts.ts';
import { readForm } from './claim-forms.ts';

/** The mapped claims that belong to one of the scopes. A value that does not fit its claim is left out. */
export async function standardClaims(
  { store }: Pick<Services, 'store'>,
  { settings }: Pick<Account, 'settings'>,
  user: TokenUser,
  isWanted: (scope: string) => boolean,
): Promise<Record<string, unknown>> {
  const wanted = [...settings.claimsMapping].filter(([name]) => isWanted(mappableClaims[name].scope));
  if (wanted.length === 0) return {};
  const names = [...new Set(wanted.map(([, attribute]) => attribute))];
  const texts = await readTexts(store, user, names);
  const values = new Map<MappableName, string | boolean>();
  for (const [name, attribute] of wanted) {
    const text = texts.get(attribute);
    const value = text === undefined ? undefined : readForm(mappableClaims[name].form, text);
    if (value !== undefined) values.set(name, value);
  }
  if (!values.has('phone_number')) values.delete('phone_number_verified');
  return shape(values);
}

/** The members of `address` are one claim (§5.1.1). */
function shape(values: ReadonlyMap<MappableName, string | boolean>): Record<string, unknown> {
  const claims: Record<string, unknown> = {};
  const address: Record<string, unknown> = {};
  for (const [name, value] of values) {
    const [claim, member] = name.split('.');
    if (member === undefined) claims[name] = value;
    else {
      address[member] = value;
      claims[claim ?? ''] = address;
    }
  }
  return claims;
}

/** Names of claims that a mapping makes. */
export function mappedNames(mapping: ClaimsMapping): readonly string[] {
  return [...new Set([...mapping.keys()].map(claimOf))];
}

/** The part of the account's mapping whose attributes exist: what discovery offers. */
export async function offeredMapping(
  { store }: Pick<Services, 'store'>,
  account: Pick<Account, 'id' | 'settings'>,
): Promise<ClaimsMapping> {
  const { claimsMapping } = account.settings;
  if (claimsMapping.size === 0) return claimsMapping;
  const known = await textAttributes(store, account);
  const offered = new Map([...claimsMapping].filter(([, attribute]) => known.has(attribute)));
  if (!offered.has('phone_number')) offered.delete('phone_number_verified');
  return offered;
}
