import type { Services } from '../../services.ts';

/** The context's `location`, as its members are named there. */
interface SignInLocation {
  readonly ip: string;
  /** ISO 3166-1 alpha-2; null for an address that is in no list. */
  readonly country_code: string | null;
}

/** Where a sign-in comes from, as far as its address says. */
export async function locate({ geoip }: Pick<Services, 'geoip'>, address: string): Promise<SignInLocation> {
  return { ip: address, country_code: await geoip.countryOf(address) };
}
