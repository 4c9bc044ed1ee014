/** The life of an account's signing keys: published before they sign, and kept until their tokens have expired. */

import type { KeyAlgorithm, SigningKeyRecord } from '../../store/keys.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { day, minute, second } from '../durations.ts';
import { Failure } from '../failure.ts';
import { createFairQueue } from '../fair-queue/fair-queue.ts';
import { inTurnOfAccount } from '../fair-queue/turns.ts';
import { mostAccessTokenMinutes } from '../tokens/longest-lives.ts';
import {
  isPublished,
  type KeyServices,
  type KeyStanding,
  keyAlgorithms,
  listKeys,
  type PreparedKey,
  prepareKey,
} from './signing-keys.ts';

/** A key is published this long before it signs, so that caches of the published keys have it by then. */
const publishedAheadMilliseconds = day;
/** A key that has signed for this long gets a successor, which signs a day later: 90 days in all. */
const rotatedAfterMilliseconds = 89 * day;
/** The longest lifetime of a signed token (a JWT access token, a day at most) plus the skew of a client's clock. */
const verifiedForMilliseconds = mostAccessTokenMinutes * minute + 30 * second;

export interface Rotation {
  /**
   * The private keys may have leaked: new keys sign at once and the old ones are withdrawn, so that their tokens are
   * refused wherever the published keys are fetched again.
   */
  readonly emergency: boolean;
}

interface Rotated {
  /** Every key of the account. */
  readonly keys: readonly KeyStanding[];
  /** The `kid` of each key that was published now. */
  readonly published: readonly string[];
}

/**
 * Publishes the next key of each algorithm; it signs a day later. An algorithm that already has a next key is skipped,
 * so repeating the command changes nothing.
 */
export async function rotateKeys(services: KeyServices, account: Account, rotation: Rotation): Promise<Rotated> {
  const published = await rotateInTurn(services, account, keyAlgorithms, rotation);
  return { keys: await listKeys(services, account), published };
}

/** Publishes the next key of each algorithm whose key has signed for 89 days; returns how many. */
export async function rotateIfDue(services: KeyServices, account: Account): Promise<number> {
  const keys = await services.store.keys.list(account.id);
  const dueFrom = services.clock.now() - rotatedAfterMilliseconds;
  const due = keyAlgorithms.filter((alg) => (newestOf(keys, alg)?.signsFrom ?? 0) <= dueFrom);
  if (due.length > 0) await rotateInTurn(services, account, due, { emergency: false });
  return due.length;
}

/** Another process rotated the same key meanwhile. */
class Overtaken extends Error {}

const most = 64;
/** One rotation of an account at a time: the keys of each follow those of the one before. */
const rotations = createFairQueue({ turns: most, turnsOfAccount: 1, most });
/**
 * Key pairs are made where signatures are, in Node's four threads, and take seconds where they are long: one at a time,
 * and accounts take turns, so that none keeps another one from its emergency. Nothing else is waited for meanwhile.
 */
const makings = createFairQueue({ turns: 1, most });
const tooMany = 'too many rotations of keys are under way';

function rotateInTurn(
  services: KeyServices,
  account: Account,
  algorithms: readonly KeyAlgorithm[],
  rotation: Rotation,
): Promise<string[]> {
  return inTurnOfAccount(rotations, account, tooMany, () => rotate(services, account, algorithms, rotation));
}

/** The `kid` of each key that it published: none for an algorithm where one is waiting to sign already. */
async function rotate(
  services: KeyServices,
  account: Account,
  algorithms: readonly KeyAlgorithm[],
  rotation: Rotation,
): Promise<string[]> {
  const { store, clock } = services;
  const made = new Map<KeyAlgorithm, PreparedKey>();
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const keys = await store.keys.list(account.id);
    const isWaiting = (alg: KeyAlgorithm) => (newestOf(keys, alg)?.signsFrom ?? 0) > clock.now();
    const changed = rotation.emergency ? algorithms : algorithms.filter((alg) => !isWaiting(alg));
    if (changed.length === 0) return [];
    const { signingKeyBits } = account.settings;
    const prepared: PreparedKey[] = [];
    for (const alg of changed) {
      // One that another process overtook is as good as new.
      const make = () => prepareKey(services, account.record, alg, signingKeyBits);
      const key = made.get(alg) ?? (await inTurnOfAccount(makings, account, tooMany, make));
      made.set(alg, key);
      prepared.push(key);
    }
    try {
      await store.transaction(async (tx) => {
        for (const key of prepared) await replaceKey(services, tx, account, newestOf(keys, key.alg), key, rotation);
      });
      return prepared.map(({ kid }) => kid);
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
    }
  }
  throw new Failure('unavailable', { retryAfterSeconds: 1, reason: 'another process is rotating the keys' });
}

async function replaceKey(
  services: KeyServices,
  tx: StoreVerbs,
  account: Account,
  newest: SigningKeyRecord | undefined,
  key: PreparedKey,
  { emergency }: Rotation,
): Promise<void> {
  const { id: accountId } = account;
  const now = services.clock.now();
  const signsFrom = emergency ? now : now + publishedAheadMilliseconds;
  const retiresAt = emergency ? now : signsFrom + verifiedForMilliseconds;
  // The write locks the row first: the second of two processes waits here, then sees the first one's key below.
  if (newest) await tx.keys.retire(accountId, newest.kid, retiresAt);
  const others = (await tx.keys.list(accountId)).filter((other) => other.alg === key.alg && other.kid !== newest?.kid);
  if (others.some((other) => other.retiresAt === null)) throw new Overtaken();
  for (const other of emergency ? others.filter((old) => isPublished(old, now)) : []) {
    await tx.keys.retire(accountId, other.kid, now);
  }
  await tx.keys.add({ ...key, accountId, publishedAt: now, signsFrom, retiresAt: null });
  const detail = { kid: key.kid, alg: key.alg, emergency };
  const target = { type: 'signing_key', id: null } as const;
  await recordEvent(tx, services, account, { action: 'signing_key.published', target, detail });
}

/** Removes keys that are no longer needed for verification; returns how many. */
export async function removeRetiredKeys(
  services: Pick<KeyServices, 'store' | 'clock' | 'vault'>,
  account: Account,
): Promise<number> {
  const now = services.clock.now();
  // Read first: most rounds find none and must write nothing.
  const keys = await services.store.keys.list(account.id);
  if (keys.every((key) => isPublished(key, now))) return 0;
  return services.store.transaction(async (tx) => {
    const count = await tx.keys.removeRetired(account.id, now);
    if (count === 0) return 0;
    const target = { type: 'signing_key', id: null } as const;
    await recordEvent(tx, services, account, { action: 'signing_key.removed', target, detail: { count } });
    return count;
  });
}

/** The key that has no successor yet. */
function newestOf(keys: readonly SigningKeyRecord[], alg: SigningKeyRecord['alg']): SigningKeyRecord | undefined {
  return keys.findLast((key) => key.alg === alg && key.retiresAt === null);
}
