/**
 * The address at which a server last answered on a database. Commands that no setting tells another one use it, so that
 * they print addresses that are answered.
 */

import type { Config } from './config.ts';
import type { Addresses } from './services.ts';
import type { Store } from './store/store.ts';

const fact = 'served_address';

/** Written at the start of a server. */
export async function keepServedAddress({ facts }: Pick<Store, 'facts'>, { addresses }: Config): Promise<void> {
  const value = `${addresses.publicScheme}://${addresses.serviceDomain}`;
  if ((await facts.read(fact)) !== value) await facts.replace(fact, value);
}

/** The configured address where a setting says one, else the one that was served last. */
export async function findAddresses({ facts }: Pick<Store, 'facts'>, config: Config): Promise<Addresses> {
  const served = config.saysAddresses ? null : readServed(await facts.read(fact));
  return served ?? config.addresses;
}

function readServed(value: string | null): Addresses | null {
  const [, publicScheme, serviceDomain = ''] = /^(https?):\/\/(.+)$/.exec(value ?? '') ?? [];
  if (publicScheme !== 'http' && publicScheme !== 'https') return null;
  return Object.freeze({ publicScheme, serviceDomain });
}
