import type { Account } from '../../domain/accounts/account.ts';
import { mappableClaims } from '../../domain/accounts/claims-mapping.ts';
import { once } from '../../pages/once.ts';
import type { ScopeView } from '../../pages/views.ts';

/** Made when it is needed: that takes some milliseconds. */
const list = once(() => new Intl.ListFormat('en-GB', { type: 'conjunction' }));

/** What a scope tells in every account, besides what an account maps to it. */
const own: Readonly<Record<string, readonly string[]>> = { profile: ['first name', 'last name', 'user name'] };

/** The description of a scope whose claims the account maps, in words. */
export function toldByScope({ settings }: Account, name: string): Pick<ScopeView, 'description'> | null {
  const mapped = [...settings.claimsMapping.keys()].map((claim) => mappableClaims[claim]);
  const words = mapped.filter(({ scope }) => scope === name).map((claim) => claim.words);
  const told = list().format(new Set([...(own[name] ?? []), ...words]));
  return words.length === 0 ? null : { description: `${told.slice(0, 1).toUpperCase()}${told.slice(1)}.` };
}
