/**
 * AES-256-GCM for short secrets. Everything sealed has one text form: `v1.<kid>.<nonce>.<ciphertext and tag>`,
 * base64url.
 */

import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Random } from '../../services.ts';
import { Failure } from '../failure.ts';

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** A 32-byte key with the name that sealed texts carry. */
export interface SealingKey {
  /** Derived from the key: tells a text sealed under another key from a damaged one. */
  readonly kid: string;
  readonly key: KeyObject;
}

export function sealingKey(bytes: Buffer): SealingKey {
  const kid = createHmac('sha256', bytes).update('gatehouse key id').digest().subarray(0, 6).toString('base64url');
  return { kid, key: createSecretKey(bytes) };
}

/** `place` names what the text is and where it belongs; it is authenticated, so sealed texts cannot be swapped. */
export function sealText({ kid, key }: SealingKey, random: Random, place: string, secret: Buffer): string {
  const nonce = random.bytes(nonceBytes);
  const sealing = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(place));
  return writeSealed(kid, nonce, Buffer.concat([sealing.update(secret), sealing.final(), sealing.getAuthTag()]));
}

function writeSealed(kid: string, nonce: Buffer, text: Buffer): string {
  return ['v1', kid, nonce.toString('base64url'), text.toString('base64url')].join('.');
}

/**
 * Throws `internal` when the text was moved, changed or sealed under another key. Only one spelling of a text is
 * accepted, because digests of sealed texts are stored, and a decoder ignores unknown characters and the last bits of a
 * text.
 */
export function unsealText({ kid, key }: SealingKey, place: string, sealed: string): Buffer {
  const [, sealedUnder = '', nonceText = '', text = ''] = sealed.split('.');
  const nonce = Buffer.from(nonceText, 'base64url');
  const bytes = Buffer.from(text, 'base64url');
  const isAsWritten = writeSealed(sealedUnder, nonce, bytes) === sealed;
  if (!isAsWritten || nonce.length !== nonceBytes || bytes.length < tagBytes) {
    throw new Failure('internal', { reason: 'a sealed text is damaged' });
  }
  if (sealedUnder !== kid) throw new Failure('internal', { reason: 'a text is sealed under another key' });
  try {
    const opening = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes })
      .setAAD(Buffer.from(place))
      .setAuthTag(bytes.subarray(-tagBytes));
    return Buffer.concat([opening.update(bytes.subarray(0, -tagBytes)), opening.final()]);
  } catch (cause) {
    throw new Failure('internal', { reason: 'a sealed text is damaged or not in its place' }, { cause });
  }
}
