/** An account's signing keys: how they are created and stored, and which of them signs. */

import { hash } from 'node:crypto';
import { calculateJwkThumbprint, type JWK } from 'jose';
import type { Services } from '../../services.ts';
import type { AccountRecord } from '../../store/accounts.ts';
import type { KeyAlgorithm, SigningAlgorithm, SigningKeyRecord } from '../../store/keys.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { type GenerateKeyPair, generateKeyPair } from './key-pairs.ts';
import type { PublicJwk } from './public-jwk.ts';

export const keyAlgorithms = ['RS256', 'ES256'] as const satisfies readonly KeyAlgorithm[];

export type KeyServices = Pick<Services, 'store' | 'clock' | 'vault'> & {
  /** The source of key pairs; default: new ones. */
  readonly generateKeyPair?: GenerateKeyPair;
};

type Owner = Pick<AccountRecord, 'subdomain' | 'sealedKey'>;

/** A key that is not stored yet: generating one takes too long for a transaction. */
export type PreparedKey = Pick<SigningKeyRecord, 'kid' | 'alg' | 'publicJwk' | 'sealedPrivateKey'>;

export async function prepareKey(
  services: Pick<KeyServices, 'vault' | 'generateKeyPair'>,
  owner: Owner,
  alg: KeyAlgorithm,
  bits: number,
): Promise<PreparedKey> {
  const { publicKey, privateKey } = await (services.generateKeyPair ?? generateKeyPair)(alg, bits);
  const jwk = publicKey.export({ format: 'jwk' }) as JWK & { kty: string };
  const kid = await calculateJwkThumbprint(jwk, 'sha256');
  const published: PublicJwk = { ...jwk, kid, alg, use: 'sig' };
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' });
  const sealedPrivateKey = services.vault.seal(owner, privateKeyPlace(kid), secret);
  return { kid, alg, publicJwk: JSON.stringify(published), sealedPrivateKey };
}

/** The algorithm under which the key of a signature is stored. */
export function keyAlgorithmOf(alg: SigningAlgorithm): KeyAlgorithm {
  return alg === 'PS256' ? 'RS256' : alg;
}

/** The name of a key where it signs with this algorithm. */
export function kidFor(kid: string, alg: SigningAlgorithm): string {
  return alg === 'PS256' ? hash('sha256', `PS256 ${kid}`, 'base64url') : kid;
}

/**
 * A published key says which algorithm it is for (RFC 7517 §4.4), and clients refuse it for another. So an RSA key is
 * published twice, under two names.
 */
export function publicKeysOf({ publicJwk }: SigningKeyRecord): readonly PublicJwk[] {
  const key = JSON.parse(publicJwk) as PublicJwk;
  if (key.alg !== 'RS256') return [key];
  return [key, { ...key, alg: 'PS256', kid: kidFor(key.kid, 'PS256') }];
}

/** The place of a sealed private key. */
export function privateKeyPlace(kid: string): string {
  return `signing_keys|private_key|${kid}`;
}

/** The first keys of a new account sign at once: no others are cached anywhere. */
export async function addFirstKeys(
  tx: Pick<StoreVerbs, 'keys'>,
  accountId: number,
  keys: readonly PreparedKey[],
  now: Milliseconds,
): Promise<void> {
  for (const key of keys) {
    await tx.keys.add({ ...key, accountId, publishedAt: now, signsFrom: now, retiresAt: null });
  }
}

/** The key that signs at `now`; undefined when the account has none left. */
export function signingKeyAt(
  keys: readonly SigningKeyRecord[],
  alg: KeyAlgorithm,
  now: Milliseconds,
): SigningKeyRecord | undefined {
  const usable = keys.filter((key) => key.alg === alg && isPublished(key, now));
  // If the clock was set back, the account must still have a key: then the oldest signs.
  return usable.findLast((key) => key.signsFrom <= now) ?? usable[0];
}

/** Whether the key is published for verification. */
export function isPublished(key: SigningKeyRecord, now: Milliseconds): boolean {
  return key.retiresAt === null || key.retiresAt > now;
}

type KeyState = 'next' | 'signing' | 'retired';

/** A key as an operator sees it. A retired key stays published until `retiresAt`. */
export interface KeyStanding {
  readonly kid: string;
  readonly alg: KeyAlgorithm;
  readonly state: KeyState;
  readonly publishedAt: Milliseconds;
  readonly signsFrom: Milliseconds;
  readonly retiresAt: Milliseconds | null;
}

/** Every key of the account, oldest first. */
export async function listKeys(
  services: Pick<KeyServices, 'store' | 'clock'>,
  account: Pick<Account, 'id'>,
): Promise<KeyStanding[]> {
  return standingsOf(await services.store.keys.list(account.id), services.clock.now());
}

/** `keys`: all of the account. */
export function standingsOf(keys: readonly SigningKeyRecord[], now: Milliseconds): KeyStanding[] {
  return keys.map((key) => ({
    kid: key.kid,
    alg: key.alg,
    state: stateOf(key, keys, now),
    publishedAt: key.publishedAt,
    signsFrom: key.signsFrom,
    retiresAt: key.retiresAt,
  }));
}

function stateOf(key: SigningKeyRecord, keys: readonly SigningKeyRecord[], now: Milliseconds): KeyState {
  if (signingKeyAt(keys, key.alg, now)?.kid === key.kid) return 'signing';
  return isPublished(key, now) && key.signsFrom > now ? 'next' : 'retired';
}
