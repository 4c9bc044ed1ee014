/** The life of an account's signing keys: published before they sign, kept while what they signed is alive. */

import { calculateJwkThumbprint, type JWK } from 'jose';
import type { PublicJwk, Services } from '../../services.ts';
import type { AccountRecord, Milliseconds, SigningAlgorithm, SigningKeyRecord } from '../../store/records.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { mostAccessTokenMinutes } from '../authorization-servers/servers.ts';
import { Failure } from '../failure.ts';
import { type GenerateKeyPair, generateKeyPair } from './key-pairs.ts';

export const signingAlgorithms = ['RS256', 'ES256'] as const satisfies readonly SigningAlgorithm[];

const day = 24 * 3600_000;
/** So long a key is published before it signs, that caches of the published keys have it by then. */
const publishedAheadMilliseconds = day;
/** A key that signs for this long gets its successor, which signs a day later: 90 days in all. */
const rotatedAfterMilliseconds = 89 * day;
/** The longest life of what the keys sign (a JWT access token, a day at most) and the skew of a client's clock. */
const verifiedForMilliseconds = mostAccessTokenMinutes * 60_000 + 30_000;

type KeyServices = Pick<Services, 'store' | 'clock' | 'vault'> & {
  /** Where key pairs come from; new ones unless said. */
  readonly generateKeyPair?: GenerateKeyPair;
};

type Owner = Pick<AccountRecord, 'subdomain' | 'sealedKey'>;

/** A key that is not stored yet: making one takes too long for a transaction. */
export type PreparedKey = Pick<SigningKeyRecord, 'kid' | 'alg' | 'publicJwk' | 'sealedPrivateKey'>;

export async function prepareKey(
  services: Pick<KeyServices, 'vault' | 'generateKeyPair'>,
  owner: Owner,
  alg: SigningAlgorithm,
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

/** Where a sealed private key belongs. */
export function privateKeyPlace(kid: string): string {
  return `signing_keys|private_key|${kid}`;
}

/** The first keys of a new account sign at once: nobody has cached others. */
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
  alg: SigningAlgorithm,
  now: Milliseconds,
): SigningKeyRecord | undefined {
  const usable = keys.filter((key) => key.alg === alg && isPublished(key, now));
  // A clock that was put back must not leave an account without a key: then the oldest signs.
  return usable.findLast((key) => key.signsFrom <= now) ?? usable[0];
}

/** Whether the key is among those that clients verify with. */
export function isPublished(key: SigningKeyRecord, now: Milliseconds): boolean {
  return key.retiresAt === null || key.retiresAt > now;
}

export type KeyState = 'next' | 'signing' | 'retired';

/** A key as an operator sees it. A retired key stays published until `retiresAt`. */
export interface KeyStanding {
  readonly kid: string;
  readonly alg: SigningAlgorithm;
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
  const now = services.clock.now();
  const keys = await services.store.keys.list(account.id);
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

export interface Rotation {
  /**
   * The private keys may be known to others: new keys sign at once and the old ones are withdrawn, so that what they
   * signed is refused wherever the published keys are fetched anew.
   */
  readonly emergency: boolean;
}

/**
 * Publishes the next key of each algorithm; it signs a day later. An algorithm that has a next key already is left
 * alone, so that repeating the command changes nothing. Answers every key of the account.
 */
export async function rotateKeys(services: KeyServices, account: Account, rotation: Rotation): Promise<KeyStanding[]> {
  for (const alg of signingAlgorithms) await rotate(services, account, alg, rotation);
  return listKeys(services, account);
}

/** Publishes the next key of each algorithm whose key has signed for 89 days; answers how many. */
export async function rotateIfDue(services: KeyServices, account: Account): Promise<number> {
  const keys = await services.store.keys.list(account.id);
  const dueFrom = services.clock.now() - rotatedAfterMilliseconds;
  const due = signingAlgorithms.filter((alg) => (newestOf(keys, alg)?.signsFrom ?? 0) <= dueFrom);
  for (const alg of due) await rotate(services, account, alg, { emergency: false });
  return due.length;
}

/** Another process rotated the same key in between. */
class Overtaken extends Error {}

async function rotate(
  services: KeyServices,
  account: Account,
  alg: SigningAlgorithm,
  rotation: Rotation,
): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const keys = await services.store.keys.list(account.id);
    const newest = newestOf(keys, alg);
    if (!rotation.emergency && newest && newest.signsFrom > services.clock.now()) return;
    const key = await prepareKey(services, account.record, alg, account.settings.signingKeyBits);
    try {
      await services.store.transaction((tx) => replaceKey(tx, account.id, newest, key, services.clock.now(), rotation));
      return;
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
    }
  }
  throw new Failure('unavailable', { retryAfterSeconds: 1, reason: 'the keys are rotated by others at the same time' });
}

async function replaceKey(
  tx: Pick<StoreVerbs, 'keys'>,
  accountId: number,
  newest: SigningKeyRecord | undefined,
  key: PreparedKey,
  now: Milliseconds,
  { emergency }: Rotation,
): Promise<void> {
  const signsFrom = emergency ? now : now + publishedAheadMilliseconds;
  const retiresAt = emergency ? now : signsFrom + verifiedForMilliseconds;
  // Writing first locks the row: of two processes the second waits here, then sees the key of the first below.
  if (newest) await tx.keys.retire(accountId, newest.kid, retiresAt);
  const others = (await tx.keys.list(accountId)).filter((other) => other.alg === key.alg && other.kid !== newest?.kid);
  if (others.some((other) => other.retiresAt === null)) throw new Overtaken();
  for (const other of emergency ? others.filter((old) => isPublished(old, now)) : []) {
    await tx.keys.retire(accountId, other.kid, now);
  }
  await tx.keys.add({ ...key, accountId, publishedAt: now, signsFrom, retiresAt: null });
}

/** The key that has no successor yet. */
function newestOf(keys: readonly SigningKeyRecord[], alg: SigningAlgorithm): SigningKeyRecord | undefined {
  return keys.findLast((key) => key.alg === alg && key.retiresAt === null);
}
