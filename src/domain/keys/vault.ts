import { createHmac } from 'node:crypto';
import type { Random, Vault } from '../../services.ts';
import { type HmacKey, hmacKey, hmacOf } from './hmac.ts';
import { type SealingKey, sealingKey, sealText, unsealText } from './sealing.ts';

/** How many opened data keys are cached; the oldest is dropped first. */
const mostOpenKeys = 10_000;

interface OpenedKey extends SealingKey {
  /** Derived from the data key, one per purpose. */
  readonly macKeys: Map<string, HmacKey>;
}

/**
 * Envelope encryption: each account has a random data key, sealed under the master key and stored with the account;
 * everything else of the account is sealed under its data key. A sealed text opens only for its account and place.
 */
export function createVault(masterKey: SealingKey, random: Random): Vault {
  const opened = new Map<string, OpenedKey>();

  function openDataKey({ subdomain, sealedKey }: { subdomain: string; sealedKey: string }): OpenedKey {
    const name = `${subdomain}|${sealedKey}`;
    const known = opened.get(name);
    if (known) return known;
    const key = { ...sealingKey(unsealText(masterKey, dataKeyPlace(subdomain), sealedKey)), macKeys: new Map() };
    const [oldest] = opened.keys();
    if (oldest !== undefined && opened.size >= mostOpenKeys) opened.delete(oldest);
    opened.set(name, key);
    return key;
  }

  return {
    newAccountKey: (subdomain) => sealText(masterKey, random, dataKeyPlace(subdomain), random.bytes(32)),
    seal: (account, place, secret) => sealText(openDataKey(account), random, placeIn(account.subdomain, place), secret),
    unseal: (account, place, sealed) => unsealText(openDataKey(account), placeIn(account.subdomain, place), sealed),
    mac: (account, purpose, text) => hmacOf(macKeyOf(openDataKey(account), purpose), text),
  };
}

/** The purposes are a few constants. */
function macKeyOf({ key, macKeys }: OpenedKey, purpose: string): HmacKey {
  const known = macKeys.get(purpose);
  if (known) return known;
  const made = hmacKey(createHmac('sha256', key).update(`mac|${purpose}`).digest());
  macKeys.set(purpose, made);
  return made;
}

function dataKeyPlace(subdomain: string): string {
  return `${subdomain}|accounts|data key|v1`;
}

function placeIn(subdomain: string, place: string): string {
  return `${subdomain}|${place}|v1`;
}
