import { createHmac } from 'node:crypto';
import type { Random, Vault } from '../../services.ts';
import { type SealingKey, sealingKey, sealText, unsealText } from './sealing.ts';

/** How many opened data keys are kept; the oldest goes first. */
const mostOpenKeys = 10_000;

/**
 * Envelope encryption: each account has a random data key, sealed under the master key and stored with the account;
 * everything of the account is sealed under its data key. A sealed text opens only in its account and place.
 */
export function createVault(masterKey: SealingKey, random: Random): Vault {
  const opened = new Map<string, SealingKey>();

  function openDataKey({ subdomain, sealedKey }: { subdomain: string; sealedKey: string }): SealingKey {
    const name = `${subdomain}|${sealedKey}`;
    const known = opened.get(name);
    if (known) return known;
    const key = sealingKey(unsealText(masterKey, dataKeyPlace(subdomain), sealedKey));
    const [oldest] = opened.keys();
    if (oldest !== undefined && opened.size >= mostOpenKeys) opened.delete(oldest);
    opened.set(name, key);
    return key;
  }

  return {
    newAccountKey: (subdomain) => sealText(masterKey, random, dataKeyPlace(subdomain), random.bytes(32)),
    seal: (account, place, secret) => sealText(openDataKey(account), random, placeIn(account.subdomain, place), secret),
    unseal: (account, place, sealed) => unsealText(openDataKey(account), placeIn(account.subdomain, place), sealed),
    mac: (account, purpose, text) => {
      const key = createHmac('sha256', openDataKey(account).key).update(`mac|${purpose}`).digest();
      return createHmac('sha256', key).update(text).digest();
    },
  };
}

function dataKeyPlace(subdomain: string): string {
  return `${subdomain}|accounts|data key|v1`;
}

function placeIn(subdomain: string, place: string): string {
  return `${subdomain}|${place}|v1`;
}
