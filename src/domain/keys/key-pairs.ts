import { generateKeyPair as generate, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { KeyAlgorithm } from '../../store/keys.ts';

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** Makes a key pair; `bits` is the size of an RSA modulus. */
export type GenerateKeyPair = (alg: KeyAlgorithm, bits: number) => Promise<KeyPair>;

const generateAsync = promisify(generate);

/** A new random pair, generated on the thread pool. */
export const generateKeyPair: GenerateKeyPair = (alg, bits) => {
  switch (alg) {
    case 'RS256':
      return generateAsync('rsa', { modulusLength: bits, publicExponent: 0x10001 });
    case 'ES256':
      return generateAsync('ec', { namedCurve: 'P-256' });
  }
};
