import { constants, createPrivateKey, type KeyObject, type SignKeyObjectInput, sign } from 'node:crypto';
import type { Services, Signer } from '../../services.ts';
import type { SigningAlgorithm, SigningKeyRecord } from '../../store/keys.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { isPublished, keyAlgorithmOf, kidFor, privateKeyPlace, publicKeysOf, signingKeyAt } from './signing-keys.ts';
import { createSigningQueue, type SigningQueue } from './signing-queue.ts';

/** How many opened private keys are cached; the oldest is dropped first. */
const mostOpenKeys = 10_000;

/**
 * Signs with the account's current key. The store is asked for it each time, so that a rotation by another process
 * takes effect at once; opened private keys are cached. `queue` counts what is being signed.
 */
export function createSigner(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  queue: SigningQueue = createSigningQueue(),
): Signer {
  const opened = new Map<string, KeyObject>();

  function openKey(account: Account, { kid, sealedPrivateKey }: SigningKeyRecord): KeyObject {
    const name = `${account.id}|${kid}`;
    const known = opened.get(name);
    if (known) return known;
    const der = services.vault.unseal(account.record, privateKeyPlace(kid), sealedPrivateKey);
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const [oldest] = opened.keys();
    if (oldest !== undefined && opened.size >= mostOpenKeys) opened.delete(oldest);
    opened.set(name, key);
    return key;
  }

  const signNow: Signer['sign'] = async (account, alg, typ, claims) => {
    const record = signingKeyAt(await services.store.keys.list(account.id), keyAlgorithmOf(alg), services.clock.now());
    if (!record) throw new Failure('internal', { reason: `the account has no ${alg} key` });
    const input = `${encode({ alg, kid: kidFor(record.kid, alg), typ })}.${encode(claims)}`;
    const signature = await signOnPool(input, alg, openKey(account, record));
    return `${input}.${signature.toString('base64url')}`;
  };

  return {
    async sign(...given) {
      queue.enter();
      try {
        return await signNow(...given);
      } finally {
        queue.leave();
      }
    },
    async published(account) {
      const now = services.clock.now();
      const keys = await services.store.keys.list(account.id);
      return keys.filter((key) => isPublished(key, now)).flatMap(publicKeysOf);
    },
  };
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** Null: as Node signs with the key alone, which it is much quicker to recognize than one in an object. */
const formats: Readonly<Record<SigningAlgorithm, Omit<SignKeyObjectInput, 'key'> | null>> = {
  RS256: null,
  // RFC 7518 §3.5: the salt is as long as the hash.
  PS256: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 },
  // RFC 7518 §3.4: the signature is R followed by S, not DER.
  ES256: { dsaEncoding: 'ieee-p1363' },
};

/** With a callback Node signs on its thread pool, and JavaScript continues meanwhile. */
function signOnPool(input: string, alg: SigningAlgorithm, key: KeyObject): Promise<Buffer> {
  const format = formats[alg];
  const options = format === null ? key : { key, ...format };
  return new Promise((resolve, reject) => {
    sign('sha256', Buffer.from(input), options, (error, signature) => (error ? reject(error) : resolve(signature)));
  });
}
