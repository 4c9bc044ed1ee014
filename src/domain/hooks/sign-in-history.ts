/**
 * The sign-in history that `risk` is computed from: one bounded row per user, with digests under a key of the account,
 * country codes and hours. It is written only for accounts with a hook that asks for the risk, and is removed with the
 * user.
 */

import { isIPv4 } from 'node:net';
import type { Services } from '../../services.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { networkSourceOf } from '../network-source.ts';
import { addSignIn, type SignInTraits } from './risk.ts';

const digestCharacters = 22;
const mostUserAgentCharacters = 1_000;

/** Where a request comes from. */
interface SignInCircumstances {
  readonly address: string;
  readonly userAgent: string;
}

/**
 * The network of an address, roughly what an Internet provider gives to one customer: /24 of IPv4 and /48 of IPv6. It
 * is wider than the networks that limits count, because users move within it every day. Its text is part of stored
 * digests.
 */
export function networkOf(address: string): string {
  const source = networkSourceOf(address);
  if (isIPv4(source)) return source.split('.', 3).join('.');
  return source.includes(':') ? source.split(':', 3).join(':') : '';
}

/** A browser without its version numbers, which change with updates. */
export function deviceOf(userAgent: string): string {
  return userAgent.slice(0, mostUserAgentCharacters).replace(/\d+(?:[._]\d+)*/g, '0');
}

/** The traits by which a sign-in is compared and stored. */
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

/** Stores a successful sign-in. Of two simultaneous ones, one may be lost; only the next risk score depends on it. */
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
