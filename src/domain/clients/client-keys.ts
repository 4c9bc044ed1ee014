/** The public keys with which clients sign, stored by value or fetched from the client's address. */

import type { ClientKeys, Services } from '../../services.ts';
import type { AssertionAlgorithm, ClientKey, RegisteredKey } from '../../store/client-metadata.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Milliseconds } from '../../store/time.ts';
import { day, minute, second } from '../durations.ts';
import { Failure } from '../failure.ts';
import { fetchForClient } from './fetch-for-client.ts';
import { certificateIn } from './key-certificate.ts';
import { hasCommonSize, longestMembers } from './public-keys.ts';
import { createSharedRoom } from './shared-room.ts';

/** The algorithms for signing clients: RS256 because it is the most common; the others because they are better. */
export const assertionAlgorithms = [
  'RS256',
  'PS256',
  'ES256',
  'EdDSA',
  'Ed25519',
] as const satisfies AssertionAlgorithm[];

/** How long fetched keys are used; a withdrawn key stays valid for this long at most. */
const freshMilliseconds = 10 * minute;
/** The minimum time between two fetches from an address, whatever is sent and however it answers. */
const pauseMilliseconds = 30 * second;
/**
 * How long the last good keys stay in use while their address does not answer with keys. A good answer replaces them at
 * once.
 */
const lastGoodMilliseconds = day;
/** Maximum number of addresses, over all accounts. */
const mostKept = 1_000;
const mostKeys = 50;
/** Maximum size of the keys of one address, as JSON, and of their certificates: strangers can fill some 64 MB in all. */
const mostCharacters = 32_768;
const members = Object.entries(longestMembers) as [keyof ClientKey, number][];

type Owner = Pick<ClientRecord, 'accountId' | 'registeredBy'>;

interface Good {
  readonly at: Milliseconds;
  readonly keys: readonly RegisteredKey[];
}

interface Found {
  /** Null: there are no keys, and no earlier ones that may still be used. */
  readonly good: Good | null;
  /** Whether the address was not asked because no place was free. */
  readonly isBusy: boolean;
}

interface Kept {
  readonly at: Milliseconds;
  readonly found: Promise<Found>;
}

/** Caches the keys of addresses in memory; concurrent requests share one fetch. */
export function createClientKeys({ egress, clock }: Pick<Services, 'egress' | 'clock'>): ClientKeys {
  const kept = createSharedRoom<Kept>(mostKept);

  async function find(owner: Owner, uri: string, at: Milliseconds, former: Kept | undefined): Promise<Found> {
    const keys = await fetchKeys(egress, owner, uri);
    if (keys !== null && keys !== 'busy') return { good: { at, keys }, isBusy: false };
    const last = (await former?.found)?.good ?? null;
    const good = last && at < last.at + lastGoodMilliseconds ? last : null;
    return { good, isBusy: keys === 'busy' };
  }

  async function fetchNow(owner: Owner, uri: string): Promise<Found> {
    const share = shareOf(owner);
    const former = kept.get(share, uri);
    const at = clock.now();
    const fetched: Kept = { at, found: find(owner, uri, at, former) };
    kept.set(share, uri, fetched);
    const found = await fetched.found;
    // Nothing was learned, so the next request tries again.
    if (found.isBusy && kept.get(share, uri) === fetched) {
      if (former) kept.set(share, uri, former);
      else kept.delete(share, uri);
    }
    return found;
  }

  return {
    async read(owner, uri, isKnown) {
      const share = shareOf(owner);
      const knows = ({ good }: Found) => good !== null && isKnown(good.keys);
      const known = kept.get(share, uri);
      const isFresh = known !== undefined && known.at + freshMilliseconds > clock.now();
      let found = isFresh ? await known.found : await fetchNow(owner, uri);
      if (isFresh && !knows(found)) {
        const latest = kept.get(share, uri) ?? known;
        const mayAsk = latest.at + pauseMilliseconds <= clock.now();
        found = mayAsk ? await fetchNow(owner, uri) : await latest.found;
      }
      if (found.isBusy && !knows(found)) {
        throw new Failure('unavailable', { reason: 'too many keys are fetched', retryAfterSeconds: 1 });
      }
      return found.good?.keys ?? null;
    },
  };
}

/** Strangers take no space from clients that the operators of an account registered. */
function shareOf({ accountId, registeredBy }: Owner): string {
  return `${accountId} ${registeredBy}`;
}

/** The keys at an address; null when there are none. */
async function fetchKeys(
  egress: Services['egress'],
  { accountId, registeredBy }: Owner,
  url: string,
): Promise<readonly RegisteredKey[] | null | 'busy'> {
  const result = await fetchForClient(egress, {
    purpose: 'keys',
    accountId,
    registeredBy,
    url,
    accept: 'application/json',
  });
  if (!result.ok) return result.failure === 'busy' ? 'busy' : null;
  return result.response.status === 200 ? parseKeys(result.response.body.toString('utf8')) : null;
}

/** The supported keys of a JWK Set (RFC 7517 §5: others are ignored), or null if it is not a JWK Set. */
function parseKeys(text: string): readonly RegisteredKey[] | null {
  try {
    const { keys } = JSON.parse(text) as { readonly keys?: unknown };
    if (!Array.isArray(keys)) return null;
    return boundKeys(keys.slice(0, mostKeys).filter(isKey));
  } catch {
    return null;
  }
}

/** The keys that can sign, or that a certificate is for, without other members, as many as fit. */
function boundKeys(keys: readonly RegisteredKey[]): readonly RegisteredKey[] {
  const kept: RegisteredKey[] = [];
  let characters = '[]'.length;
  // Counted apart: most clients need none of them, and all need their keys.
  let certificates = 0;
  for (const key of keys) {
    const given = members.filter(([name]) => key[name] !== undefined);
    if (given.some(([name, longest]) => typeof key[name] !== 'string' || key[name].length > longest)) continue;
    const bare = {
      kty: key.kty,
      ...Object.fromEntries(given.map(([name]) => [name, key[name]])),
    };
    const certificate = certificateIn(key.x5c, bare);
    if (certificate === null && algorithmsOf(bare).length === 0) continue;
    characters += JSON.stringify(bare).length + 1;
    if (characters > mostCharacters) break;
    certificates += certificate?.length ?? 0;
    kept.push(certificate === null || certificates > mostCharacters ? bare : { ...bare, x5c: [certificate] });
  }
  return kept;
}

function isKey(key: unknown): key is RegisteredKey {
  return typeof key === 'object' && key !== null && 'kty' in key && typeof key.kty === 'string';
}

/** `EdDSA` names no curve, and only one is supported here: libraries write either name (RFC 9864 §2.2). */
export function isSameAlgorithm(one: string, other: string): boolean {
  const names = ['EdDSA', 'Ed25519'];
  return one === other || (names.includes(one) && names.includes(other));
}

/** The algorithms that a key may sign with: none for an encryption key, an unsupported type or an uncommon size. */
export function algorithmsOf(key: ClientKey): readonly AssertionAlgorithm[] {
  const { kty, crv, use, alg } = key;
  if (!hasCommonSize(key)) return [];
  if (use !== undefined && use !== 'sig') return [];
  const possible = { 'RSA ': ['RS256', 'PS256'], 'EC P-256': ['ES256'], 'OKP Ed25519': ['EdDSA', 'Ed25519'] } as const;
  const kind = `${kty} ${kty === 'RSA' ? '' : crv}`;
  const all: readonly AssertionAlgorithm[] = Object.hasOwn(possible, kind)
    ? possible[kind as keyof typeof possible]
    : [];
  return all.filter((one) => alg === undefined || isSameAlgorithm(alg, one));
}
