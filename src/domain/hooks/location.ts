import type { Services } from '../../services.ts';

/** The context's `location`, with its wire names. */
interface SignInLocation {
  readonly ip: string;
  /** ISO 3166-1 alpha-2; null for an unlisted address. */
  readonly country_code: string | null;
}

/** The location of a sign-in, as far as it can be derived from the address. */
export async function locate({ geoip }: Pick<Services, 'geoip'>, address: string): Promise<SignInLocation> {
  return { ip: address, country_code: await geoip.countryOf(address) };
}
