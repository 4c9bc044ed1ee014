/**
 * What is remembered of sign-ins for the sake of `risk`: one bounded row per user, of digests under a key of the account,
 * country codes and hours. It is written only for accounts with a hook that asks for the risk, and goes with the user.
 */

import { isIPv4 } from 'node:net';
import type { Services } from '../../services.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { networkSourceOf } from '../network-source.ts';
import { addSignIn, type SignInTraits } from './risk.ts';

const digestCharacters = 22;
const mostUserAgentCharacters = 1_000;

/** What a request says about where it comes from. */
interface SignInCircumstances {
  readonly address: string;
  readonly userAgent: string;
}

/**
 * The network of an address: what an Internet provider gives to one customer, or nearly. That is /24 of an IPv4 source and
 * /48 of an IPv6 one, wider than what limits count: within it people move every day. Its text is part of stored digests.
 */
export function networkOf(address: string): string {
  const source = networkSourceOf(address);
  if (isIPv4(source)) return source.split('.', 3).join('.');
  return source.includes(':') ? source.split(':', 3).join(':') : '';
}

/** A browser without its versions, which change by themselves. */
export function deviceOf(userAgent: string): string {
  return userAgent.slice(0, mostUserAgentCharacters).replace(/\d+(?:[._]\d+)*/g, '0');
}

/** What a sign-in is compared and remembered by. */
export async function describeSignIn(
  { vault, geoip, clock }: Pick<Services, 'vault' | 'geoip' | 'clock'>,
  account: Account,
  { address, userAgent }: SignInCircumstances,
): Promise<SignInTraits> {
  const digest = (kind: string, text: string) =>
    vault.mac(account.record, `sign-in ${kind}`, text).toString('base64url').slice(0, digestCharacters);
  return {
    at: clock.now(),
    device: digest('device', deviceOf(userAgent)),
    network: digest('network', networkOf(address)),
    country: await geoip.countryOf(address),
  };
}

/**
 * Remembers a sign-in that succeeded. Of two at the same time one may be forgotten: nothing but the next risk hangs on it.
 */
export async function rememberSignIn(
  tx: StoreVerbs,
  account: Account,
  userId: number,
  traits: SignInTraits,
): Promise<void> {
  const known = await tx.signInHistories.find(account.id, userId);
  const history = addSignIn(known?.history ?? null, traits);
  await tx.signInHistories.keep({ accountId: account.id, userId, history, updatedAt: traits.at });
}
