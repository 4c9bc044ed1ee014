/** The person of a certification run, who has every standard claim, and the attributes that these come from. */

import type { Account } from '../../src/domain/accounts/account.ts';
import { setAccount } from '../../src/domain/accounts/accounts.ts';
import type { MappableName } from '../../src/domain/accounts/claims-mapping.ts';
import { createCustomAttribute } from '../../src/domain/users/custom-attributes.ts';
import type { Services } from '../../src/services.ts';

/** Values of custom attributes by short name. */
const customAttributes = {
  nickname: 'Countess',
  middle_name: 'King',
  page: 'https://people.example.com/ada',
  picture: 'https://people.example.com/ada.png',
  website: 'https://ada.example.com',
  gender: 'female',
  born: '1815-12-10',
  time_zone: 'Europe/London',
  phone_checked: 'true',
  address: '12 St James’s Square, London SW1Y 4JH, United Kingdom',
  street: '12 St James’s Square',
  town: 'London',
  region: 'England',
  postcode: 'SW1Y 4JH',
  country: 'United Kingdom',
};

/** As a user is created. */
export const person = {
  username: 'ada',
  firstname: 'Ada',
  lastname: 'Lovelace',
  phone: '+44 20 7946 0000',
  preferredLocaleCode: 'en-GB',
  customAttributes,
} as const;

/** The user name is the user's own, so that nothing is mapped to it. */
const mapping = {
  nickname: 'nickname',
  middle_name: 'middle_name',
  profile: 'page',
  picture: 'picture',
  website: 'website',
  gender: 'gender',
  birthdate: 'born',
  zoneinfo: 'time_zone',
  locale: 'preferred_locale_code',
  phone_number: 'phone',
  phone_number_verified: 'phone_checked',
  'address.formatted': 'address',
  'address.street_address': 'street',
  'address.locality': 'town',
  'address.region': 'region',
  'address.postal_code': 'postcode',
  'address.country': 'country',
} as const satisfies Record<Exclude<MappableName, 'preferred_username'>, string>;

/** As `account set` takes it. */
const claimsMapping = Object.entries(mapping)
  .map((pair) => pair.join('='))
  .join(',');

/** Creates the attributes that the account does not have, and maps every claim. */
export async function mapClaims(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'addresses'>,
  account: Account,
): Promise<Account> {
  const present = new Set((await services.store.attributes.list(account.id)).map(({ shortname }) => shortname));
  for (const shortname of Object.keys(customAttributes)) {
    if (!present.has(shortname)) await createCustomAttribute(services, account, { name: shortname, shortname });
  }
  return setAccount(services, account.subdomain, { claims_mapping: claimsMapping });
}
