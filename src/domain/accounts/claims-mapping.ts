/** The setting `claims_mapping`: standard claims (OpenID Connect Core §5.1), each from an attribute of the user. */

import type { Setting } from './setting.ts';

/** What a claim's values must look like. */
export type ClaimForm = 'text' | 'web_address' | 'date' | 'time_zone' | 'language' | 'phone' | 'boolean';

interface MappableClaim {
  /** The scope that it belongs to (§5.4). */
  readonly scope: 'profile' | 'address' | 'phone';
  readonly form: ClaimForm;
  /** What it tells, as the consent page names it. */
  readonly words: string;
}

/** Every claim that an account can map; those with a dot are members of the claim `address` (§5.1.1). */
const claims = {
  nickname: { scope: 'profile', form: 'text', words: 'nickname' },
  middle_name: { scope: 'profile', form: 'text', words: 'middle name' },
  preferred_username: { scope: 'profile', form: 'text', words: 'user name' },
  profile: { scope: 'profile', form: 'web_address', words: 'profile page' },
  picture: { scope: 'profile', form: 'web_address', words: 'picture' },
  website: { scope: 'profile', form: 'web_address', words: 'website' },
  gender: { scope: 'profile', form: 'text', words: 'gender' },
  birthdate: { scope: 'profile', form: 'date', words: 'date of birth' },
  zoneinfo: { scope: 'profile', form: 'time_zone', words: 'time zone' },
  locale: { scope: 'profile', form: 'language', words: 'language' },
  phone_number: { scope: 'phone', form: 'phone', words: 'phone number' },
  phone_number_verified: { scope: 'phone', form: 'boolean', words: 'whether it was verified' },
  'address.formatted': { scope: 'address', form: 'text', words: 'whole address' },
  'address.street_address': { scope: 'address', form: 'text', words: 'street' },
  'address.locality': { scope: 'address', form: 'text', words: 'town' },
  'address.region': { scope: 'address', form: 'text', words: 'region' },
  'address.postal_code': { scope: 'address', form: 'text', words: 'postal code' },
  'address.country': { scope: 'address', form: 'text', words: 'country' },
} as const satisfies Record<string, MappableClaim>;

export type MappableName = keyof typeof claims;

export const mappableClaims: Readonly<Record<MappableName, MappableClaim>> = claims;

const names = Object.keys(claims) as MappableName[];

/** The attribute of each mapped claim. */
export type ClaimsMapping = ReadonlyMap<MappableName, string>;

/** As tokens and userinfo carry it: the members of `address` are one claim. */
export function claimOf(name: MappableName): string {
  return name.split('.', 1)[0] ?? name;
}

/** Claims in one order, whatever that of the text. */
function parse(text: string): ClaimsMapping | undefined {
  const pairs = text
    .split(',')
    .map((pair) => pair.trim())
    .filter(Boolean)
    .map((pair) => /^([\w.]+)=((?:custom_attributes\.)?[\w-]{1,64})$/.exec(pair));
  const given = new Map(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
  if (given.size < pairs.length || [...given.keys()].some((name) => !Object.hasOwn(claims, name))) return undefined;
  // Without its number it is about nothing.
  if (given.has('phone_number_verified') && !given.has('phone_number')) return undefined;
  return new Map(names.filter((name) => given.has(name)).map((name) => [name, given.get(name) ?? '']));
}

export const claimsMapping: Setting<ClaimsMapping> = {
  meaning: 'standard claims from attributes of users; they bring the scopes `address` and `phone`',
  fallback: '',
  allowed: `pairs \`claim=attribute\` separated by commas, each claim once: ${names
    .map((name) => `\`${name}\``)
    .join(', ')}; \`phone_number_verified\` only with \`phone_number\``,
  form: { kind: 'text' },
  parse,
};
